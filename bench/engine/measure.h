#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "dataset.h"
#include "options.h"

namespace beleg {

using BenchJson = nlohmann::ordered_json;

/// Answers one question with ids, best first. The ids must live until the next call.
using AnswerFunction = std::function<Result<std::vector<std::string_view>>(const BenchQuery&)>;

/// The p-th percentile (0 … 100) with linear interpolation, as the peers' scripts compute it.
[[nodiscard]] double percentile(std::vector<double> values, double p);

/// Times in ms, as wall_ms_p50, …, cpu_ms_p99, with rates per second.
[[nodiscard]] BenchJson latency_json(const std::vector<double>& wall_ms,
                                     const std::vector<double>& cpu_ms);

/// Asks the first `warm` questions, then times every one alone: wall and CPU time of the whole
/// process. Adds hit10, mrr10 and per_lang where questions are judged.
Result<BenchJson> time_queries(const AnswerFunction& answer, const std::vector<BenchQuery>& queries,
                               std::size_t warm);

/// Resident memory of this process now, in MB (10^6 bytes).
struct MemoryUse {
  double resident_mb = 0;   ///< All of it.
  double anonymous_mb = 0;  ///< Without mapped files, whose pages the system may drop.
};
[[nodiscard]] MemoryUse memory_use();
/// The largest resident memory so far, in MB.
[[nodiscard]] double peak_mb();
/// Gives freed memory back to the system, so that the next memory_use() counts what is held.
void release_free_memory();

/// Adds rss_mb, rss_anonymous_mb and peak_mb.
void add_memory(BenchJson& metrics);

/// Bytes of a file or of all files below a folder, in MB; 0 when there is nothing.
[[nodiscard]] double disk_mb(const std::filesystem::path& path);

/// Prints {"peer", "kind", "metrics", "versions", "env"} in one line, appends it to `--out`.
/// Numbers are rounded to five digits.
Result<void> emit(const BenchOptions& options, std::string_view peer, std::string_view kind,
                  BenchJson metrics);

}  // namespace beleg
