#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/manifest.h"

namespace beleg {

/// How a child process ended, and the last kilobytes it wrote to stdout and stderr.
struct ProcessOutcome {
  int exit_code = 0;
  std::string output;
};

/// Runs a program without a shell, in `folder`, with empty stdin, and waits for it. Errors:
/// kUnavailable when the program does not exist, kLimit when it ran longer than `timeout` (it is
/// ended then). A program that ran and failed is not an error here.
Result<ProcessOutcome> run_process(const std::vector<std::string>& arguments,
                                   const std::filesystem::path& folder,
                                   std::chrono::seconds timeout);

/// `text` without what must not be shown: user names and passwords in URLs, and those of the proxy
/// settings wherever they stand.
[[nodiscard]] std::string redact_credentials(std::string_view text);

/// Downloads the package of a built-in model with its registry's ordinary client (pip or Maven),
/// which knows the user's mirror and proxy settings. Returns the archive, in `folder`; one that is
/// already there from an earlier attempt is returned as it is. Errors: kUnavailable when the client
/// is missing or cannot get the package; the message ends with the client's last words.
Result<std::filesystem::path> download_package(const ModelManifest& model,
                                               const std::filesystem::path& folder);

}  // namespace beleg
