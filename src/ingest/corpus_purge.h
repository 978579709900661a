#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "base/result.h"
#include "store/purge_survey.h"

namespace beleg {

/// What a purge did, or would do.
struct PurgeReport {
  PurgeScope scope;
  std::size_t embeddings = 0;       ///< Records that went from the pack.
  std::size_t indexes = 0;          ///< Folders of other generations, and left-over files.
  std::size_t remnants = 0;         ///< Windows and words that were looked for afterwards.
  std::size_t checked_files = 0;    ///< Every file below the corpus folder …
  std::uint64_t checked_bytes = 0;  ///< … and their bytes, read after all was done.
};

/// Counts what purge_corpus() would erase. Writes nothing.
Result<PurgeReport> plan_purge(const std::filesystem::path& corpus_folder);

/// Erases for good what is not visible in the current generation: from the truth (with the receipts
/// and traces that quote it), from the embedding pack, and from the indexes; and left-over files.
/// Then reads every file below the corpus folder and looks for the erased texts. Answers of the
/// current generation stay as they are; earlier ones cannot be read any more.
///
/// Killed anywhere, it leaves a corpus that answers the same, and is finished by the next call.
/// Errors: kConflict when another process writes, reads for too long, an ingest is unfinished, or a
/// tag names a generation that would go; kNotFound or kCorrupt when the vectors of a living passage
/// are lost or damaged, before anything is erased; kInternal, naming the file, when a byte of it is
/// found afterwards.
Result<PurgeReport> purge_corpus(const std::filesystem::path& corpus_folder);

}  // namespace beleg
