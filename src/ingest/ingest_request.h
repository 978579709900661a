#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ingest/ingest_root.h"
#include "model/encoder.h"
#include "settings/settings.h"

namespace beleg {

/// What an ingest is asked to read.
enum class IngestMode : std::uint8_t {
  kPaths,        ///< Files and folders; what is gone from a folder is removed.
  kRetryFailed,  ///< The inputs of the dead letters; nothing is removed.
};

/// What passages and vectors depend on besides the documents: when it changes, all are made anew.
[[nodiscard]] std::string cut_signature(const Settings& settings, const Encoder& encoder);

/// What makes two runs the same job, as JSON: mode, paths in order, the settings that what is
/// staged depends on, and the encoder.
[[nodiscard]] std::string describe_request(IngestMode mode, const std::vector<IngestRoot>& roots,
                                           const Settings& settings, const Encoder& encoder);

/// Why a job with the request `old` cannot be continued as `wanted`, in one phrase; empty when it
/// can.
[[nodiscard]] std::string request_difference(std::string_view old, std::string_view wanted);

}  // namespace beleg
