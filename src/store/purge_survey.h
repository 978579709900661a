#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/hash.h"
#include "base/ids.h"
#include "base/result.h"
#include "store/remnant_search.h"
#include "store/sqlite_database.h"

namespace beleg {

/// How much of a truth is not visible in its current generation.
struct PurgeScope {
  Generation generation{};     ///< The current one, which stays.
  std::int64_t documents = 0;  ///< Without a visible version.
  std::int64_t versions = 0;   ///< Superseded ones, and those of removed documents.
  std::int64_t receipts = 0;   ///< That quote or name what goes.
  std::int64_t traces = 0;
  std::int64_t failures = 0;
  bool resumes = false;  ///< An earlier purge was cut short; what it erased is counted no more.
};

/// What goes, and how to know it again.
struct PurgeSurvey {
  PurgeScope scope;
  RemnantSearch remnants;
  std::vector<Sha256> living_keys;  ///< Of embeddings; ascending.
};

/// Windows taken from erased texts at most; beyond, every second, third, … one is taken.
inline constexpr std::int64_t kMaxRemnantWindows = 1'000'000;

/// Reads every text of the truth, in one snapshot. Changes nothing. Counts no receipts and traces:
/// see find_dead_records().
Result<PurgeSurvey> survey_purge(SqliteDatabase& database);

/// Keys of receipts and of traces that hold anything of what is not visible in `generation`: a
/// remnant, a quote that no living version of its document has, a title or an id of none that
/// lives.
struct DeadRecords {
  std::vector<std::string> receipts;
  std::vector<std::int64_t> traces;
};
Result<DeadRecords> find_dead_records(SqliteDatabase& database, Generation generation,
                                      const RemnantSearch& remnants);

}  // namespace beleg
