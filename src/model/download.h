#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace beleg {

struct DownloadOptions {
  std::string sha256;             ///< What the finished file must hash to.
  std::uint64_t max_bytes = 0;    ///< More is refused.
  std::uint32_t attempts = 4;     ///< How often a broken connection is continued before giving up.
  std::uint32_t pause_ms = 1000;  ///< Before the second attempt; doubled before each further one.
};

/// Downloads an http, https or file URL into `target`. Bytes that are already there from an earlier
/// attempt are kept and the rest is asked for by range; where the server does not know ranges, or
/// the result does not have the right hash, it starts again once from nothing. Proxy settings of
/// the environment apply; at most five redirects, to http(s) only. On an error the partial file
/// stays, so that the next call continues. Errors: kInvalidArgument for another scheme, kNotFound
/// (HTTP 404 or no such file), kPermission (401, 403), kUnavailable (network), kCorrupt (wrong
/// hash), kLimit. No message holds a user name, password or query of the URL.
Result<void> download_file(const std::string& url, const std::filesystem::path& target,
                           const DownloadOptions& options,
                           const std::function<void(std::string_view)>& progress);

/// A URL without user name, password, query and fragment: for messages and manifests.
[[nodiscard]] std::string public_url(std::string_view url);

/// The decoded last component of a URL's path; empty when there is none.
[[nodiscard]] std::string url_file_name(std::string_view url);

}  // namespace beleg
