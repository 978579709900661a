#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/clock.h"

namespace beleg {

using Json = nlohmann::json;

/// One step of one run: what went in, what came out, what it cost, and what it decided.
struct StepRecord {
  std::string name;
  std::size_t in = 0;
  std::size_t out = 0;
  double ms = 0;                 ///< Wall time.
  double cpu_ms = 0;             ///< Processor time of the whole process.
  Json detail = Json::object();  ///< Counts, scores, settings that mattered.
};

/// A visible departure from the full cascade: a model missing, a step that fell back.
struct Degradation {
  std::string step;
  std::string reason;
};

/// The spans of one run.
struct Trace {
  std::string id;
  std::vector<StepRecord> steps;
  std::vector<Degradation> degraded;
};

/// Numbers in receipts and traces: six decimals, so that they read well and hash alike.
[[nodiscard]] double rounded(double value);

}  // namespace beleg
