#include "measure.h"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <numeric>
#include <sstream>

#include "base/clock.h"
#include "base/file.h"

namespace beleg {
namespace {

constexpr std::size_t kDepth = 10;

/// What is counted of the judged questions of one language.
struct Judged {
  double questions = 0;
  double hits = 0;
  double reciprocal_ranks = 0;

  void count(const BenchQuery& query, const std::vector<std::string_view>& ids) {
    ++questions;
    for (std::size_t i = 0; i < std::min(kDepth, ids.size()); ++i) {
      if (std::find(query.relevant.begin(), query.relevant.end(), ids[i]) == query.relevant.end()) {
        continue;
      }
      ++hits;
      reciprocal_ranks += 1.0 / static_cast<double>(i + 1);
      return;
    }
  }
};

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

void round_numbers(BenchJson& json) {
  if (json.is_number_float()) {
    std::array<char, 40> text{};
    std::snprintf(text.data(), text.size(), "%.5g", json.get<double>());
    json = std::strtod(text.data(), nullptr);
  } else if (json.is_structured()) {
    for (BenchJson& item : json) round_numbers(item);
  }
}

double status_mb(const std::string& field) {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line)) {
    if (!line.starts_with(field + ":")) continue;
    return std::strtod(line.c_str() + field.size() + 1, nullptr) * 1024 / 1e6;
  }
  return 0;
}

}  // namespace

double percentile(std::vector<double> values, double p) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const double place = static_cast<double>(values.size() - 1) * p / 100;
  const auto low = static_cast<std::size_t>(place);
  const std::size_t high = std::min(low + 1, values.size() - 1);
  return values[low] + (values[high] - values[low]) * (place - static_cast<double>(low));
}

BenchJson latency_json(const std::vector<double>& wall_ms, const std::vector<double>& cpu_ms) {
  const auto count = static_cast<double>(wall_ms.size());
  BenchJson json = {{"queries", wall_ms.size()},
                    {"qps_wall", count / (sum(wall_ms) / 1e3)},
                    {"qps_cpu", count / (sum(cpu_ms) / 1e3)}};
  for (const int p : {50, 95, 99}) json["wall_ms_p" + std::to_string(p)] = percentile(wall_ms, p);
  json["cpu_ms_mean"] = sum(cpu_ms) / count;
  for (const int p : {50, 95, 99}) json["cpu_ms_p" + std::to_string(p)] = percentile(cpu_ms, p);
  return json;
}

Result<BenchJson> time_queries(const AnswerFunction& answer, const std::vector<BenchQuery>& queries,
                               std::size_t warm) {
  for (std::size_t i = 0; i < std::min(warm, queries.size()); ++i) TRY(answer(queries[i]));
  std::vector<double> wall;
  std::vector<double> cpu;
  Judged all;
  std::map<std::string, Judged> by_language;
  for (const BenchQuery& query : queries) {
    const Stopwatch watch;
    const std::vector<std::string_view> ids = TRY(answer(query));
    cpu.push_back(watch.cpu_ms());
    wall.push_back(watch.wall_ms());
    if (query.relevant.empty()) continue;
    all.count(query, ids);
    by_language[query.language].count(query, ids);
  }
  BenchJson json = latency_json(wall, cpu);
  if (all.questions > 0) {
    json["hit10"] = all.hits / all.questions;
    json["mrr10"] = all.reciprocal_ranks / all.questions;
    for (const auto& [language, judged] : by_language) {
      json["per_lang"][language] = {{"n", static_cast<std::size_t>(judged.questions)},
                                    {"hit10", judged.hits / judged.questions},
                                    {"mrr10", judged.reciprocal_ranks / judged.questions}};
    }
  }
  return json;
}

MemoryUse memory_use() {
  return {.resident_mb = status_mb("VmRSS"), .anonymous_mb = status_mb("RssAnon")};
}

// Not getrusage(): its peak begins with that of the process that started this one.
double peak_mb() { return status_mb("VmHWM"); }

void release_free_memory() {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

void add_memory(BenchJson& metrics) {
  const MemoryUse use = memory_use();
  metrics["rss_mb"] = use.resident_mb;
  metrics["rss_anonymous_mb"] = use.anonymous_mb;
  metrics["peak_mb"] = peak_mb();
}

double disk_mb(const std::filesystem::path& path) {
  std::error_code code;
  std::uintmax_t bytes = 0;
  if (std::filesystem::is_regular_file(path, code)) {
    bytes = std::filesystem::file_size(path, code);
  } else {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path, code)) {
      if (entry.is_regular_file(code)) bytes += entry.file_size(code);
    }
  }
  return static_cast<double>(bytes) / 1e6;
}

Result<void> emit(const BenchOptions& options, std::string_view peer, std::string_view kind,
                  BenchJson metrics) {
  std::array<double, 3> load{};
  if (getloadavg(load.data(), 3) != 3) load = {};
  BenchJson line = {
      {"peer", peer},
      {"kind", kind},
      {"metrics", std::move(metrics)},
      {"versions", {{"beleg", BELEG_VERSION}, {"compiler", __VERSION__}}},
      {"env", {{"loadavg", load}, {"threads", options.threads}, {"limit", options.limit}}}};
  round_numbers(line);
  const std::string text = line.dump() + "\n";
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
  if (options.out.empty()) return {};
  std::ofstream file(options.out, std::ios::app | std::ios::binary);
  file << text;
  file.flush();
  if (!file) {
    return fail(ErrorCode::kIo, "cannot write " + printable_path(options.out),
                "check the path and the free disk space");
  }
  return {};
}

}  // namespace beleg
