#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "base/result.h"
#include "store/sqlite_database.h"

namespace beleg {

/// An input that could not be read, or one record of it; shown by `beleg corpus failures`. The list
/// belongs to the corpus, not to a generation: a letter stays until its input succeeds, is gone
/// from its source, or is dismissed.
struct DeadLetter {
  std::int64_t id = 0;       ///< Given by the list; what a dismissal names.
  std::string source;        ///< Namespace of the ids of the input: its folder.
  std::string root;          ///< The folder or file that was given to the ingest; its raw bytes.
  std::string path;          ///< Of the input; its raw bytes.
  std::uint64_t record = 0;  ///< Line of the record from 1; 0 for the whole input.
  std::string external_id;   ///< Empty where it is not known.
  std::string code;          ///< Name of the ErrorCode.
  std::string reason;        ///< One line.
  std::string remedy;        ///< One line; may be empty.
  std::uint64_t attempts = 1;
  UnixSeconds first_at = 0;
  UnixSeconds last_at = 0;
  std::uint64_t more =
      0;  ///< Further failing records of the input that have no letter of their own.
};

/// What failed of one input when it was read just now: at least one letter. Of the letters only
/// `record`, `external_id`, `code`, `reason`, `remedy` and `more` count.
struct InputFailures {
  std::string source;
  std::string root;
  std::string path;
  std::vector<DeadLetter> letters;
};

// The writing functions run inside the caller's transaction.

/// Enters the failures of an input, as met while `generation` was built. A letter of the same
/// record, or of the same known id, is met once more; others of the input stay as they are.
Result<void> note_failures(SqliteDatabase& database, Generation generation, UnixSeconds now,
                           const InputFailures& failures);

/// Drops the letters of every input that the unfinished ingest has read, but those that were noted
/// for `generation`: their records succeeded, or are no more.
Result<void> drop_succeeded(SqliteDatabase& database, Generation generation);

/// Drops letters by id; ids that are not there are passed over. Returns how many were.
Result<std::uint64_t> drop_letters(SqliteDatabase& database, const std::vector<std::int64_t>& ids);

/// All letters, by path, then record.
Result<std::vector<DeadLetter>> read_dead_letters(SqliteDatabase& database);

}  // namespace beleg
