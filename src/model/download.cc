#include "model/download.h"

#include <curl/curl.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>

#include "base/file.h"
#include "base/hash.h"
#include "model/package_client.h"

namespace beleg {
namespace {

struct FileCloser {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using FileHandle = std::unique_ptr<std::FILE, FileCloser>;

struct CurlCloser {
  void operator()(CURL* curl) const { curl_easy_cleanup(curl); }
};
using CurlHandle = std::unique_ptr<CURL, CurlCloser>;

/// What the callbacks of one transfer know.
struct Transfer {
  FileHandle file;
  std::uint64_t bytes = 0;  // In the file, with those of earlier attempts.
  std::uint64_t max_bytes = 0;
  std::uint64_t resumed_at = 0;
  bool too_large = false;
  int write_error = 0;
  std::string label;
  const std::function<void(std::string_view)>* progress = nullptr;
  std::chrono::steady_clock::time_point last_line;
};

std::size_t on_bytes(char* data, std::size_t /*one*/, std::size_t size, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  if (transfer.bytes + size > transfer.max_bytes) {
    transfer.too_large = true;
    return 0;
  }
  if (std::fwrite(data, 1, size, transfer.file.get()) != size) {
    transfer.write_error = errno;
    return 0;
  }
  transfer.bytes += size;
  return size;
}

int on_progress(void* user, curl_off_t total, curl_off_t /*now*/, curl_off_t, curl_off_t) {
  auto& transfer = *static_cast<Transfer*>(user);
  const auto now = std::chrono::steady_clock::now();
  if (!*transfer.progress || now - transfer.last_line < std::chrono::seconds(1)) return 0;
  transfer.last_line = now;
  constexpr std::uint64_t kMegabyte = 1'000'000;
  std::string line = transfer.label + ": " + std::to_string(transfer.bytes / kMegabyte);
  if (total > 0) {
    const std::uint64_t all = static_cast<std::uint64_t>(total) + transfer.resumed_at;
    line += " of " + std::to_string(all / kMegabyte);
  }
  (*transfer.progress)(line + " MB");
  return 0;
}

void set_up(CURL* curl, const std::string& url, Transfer& transfer) {
  curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https,file");
  curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(curl, CURLOPT_MAXREDIRS, 5L);
  curl_easy_setopt(curl, CURLOPT_FAILONERROR, 1L);
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, 30L);
  // A transfer that stands still for a minute is a broken one; a slow one may take its time.
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, 60L);
  curl_easy_setopt(curl, CURLOPT_USERAGENT, "beleg");
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_bytes);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &transfer);
  curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, on_progress);
  curl_easy_setopt(curl, CURLOPT_XFERINFODATA, &transfer);
  if (transfer.bytes > 0) {
    curl_easy_setopt(curl, CURLOPT_RESUME_FROM_LARGE, static_cast<curl_off_t>(transfer.bytes));
  }
}

enum class Outcome : std::uint8_t { kDone, kRetry, kStartAgain };

bool is_transient(CURLcode code, long status) {
  if (status == 408 || status == 429 || status >= 500) return true;
  return code == CURLE_PARTIAL_FILE || code == CURLE_RECV_ERROR || code == CURLE_GOT_NOTHING ||
         code == CURLE_OPERATION_TIMEDOUT || code == CURLE_COULDNT_CONNECT ||
         code == CURLE_SEND_ERROR || code == CURLE_HTTP2_STREAM;
}

std::unexpected<Error> transfer_failure(CURLcode code, long status, const char* details,
                                        const std::string& shown) {
  if (status == 404 || status == 410 || code == CURLE_FILE_COULDNT_READ_FILE) {
    return fail(ErrorCode::kNotFound,
                shown + (status != 0 ? " does not exist (HTTP " + std::to_string(status) + ")"
                                     : " cannot be read"),
                "check the URL");
  }
  if (status == 401 || status == 403) {
    return fail(ErrorCode::kPermission,
                shown + " needs permission (HTTP " + std::to_string(status) + ")",
                "download it with your credentials and add it as a file:// URL");
  }
  const std::string reason = *details != '\0' ? details : curl_easy_strerror(code);
  return fail(ErrorCode::kUnavailable, "cannot get " + shown + ": " + redact_credentials(reason),
              "check the network and the proxy settings, then run the same command to continue");
}

/// One request. Continues what is in `target`. kRetry and kStartAgain leave the reason in `reason`.
Result<Outcome> transfer_once(const std::string& url, const std::filesystem::path& target,
                              const DownloadOptions& options,
                              const std::function<void(std::string_view)>& progress,
                              Error& reason) {
  const std::string shown = public_url(url);
  Transfer transfer;
  transfer.file.reset(std::fopen(target.c_str(), "abe"));
  if (!transfer.file) {
    return fail(ErrorCode::kIo,
                "cannot create " + printable_path(target) + ": " + std::strerror(errno),
                "check the permissions of the models folder");
  }
  std::error_code ignored;
  transfer.bytes = transfer.resumed_at = std::filesystem::file_size(target, ignored);
  transfer.max_bytes = options.max_bytes;
  transfer.label = url_file_name(url);
  transfer.progress = &progress;
  transfer.last_line = std::chrono::steady_clock::now();

  const CurlHandle curl(curl_easy_init());
  if (!curl) return fail(ErrorCode::kInternal, "libcurl cannot be started");
  std::array<char, CURL_ERROR_SIZE> details{};
  curl_easy_setopt(curl.get(), CURLOPT_ERRORBUFFER, details.data());
  set_up(curl.get(), url, transfer);
  const CURLcode code = curl_easy_perform(curl.get());
  long status = 0;
  curl_easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &status);
  if (std::fflush(transfer.file.get()) != 0 && transfer.write_error == 0) {
    transfer.write_error = errno;
  }

  if (transfer.write_error != 0) {
    return fail(
        ErrorCode::kIo,
        "cannot write " + printable_path(target) + ": " + std::strerror(transfer.write_error),
        "free some disk space, then run the same command to continue");
  }
  if (transfer.too_large) {
    return fail(ErrorCode::kLimit,
                shown + " is larger than " + std::to_string(options.max_bytes) + " bytes",
                "check the URL");
  }
  if (code == CURLE_OK) return Outcome::kDone;
  reason = transfer_failure(code, status, details.data(), shown).error();
  // The server does not know ranges, or has no more bytes than we have.
  if (transfer.resumed_at > 0 &&
      (code == CURLE_RANGE_ERROR || code == CURLE_BAD_DOWNLOAD_RESUME || status == 416)) {
    return Outcome::kStartAgain;
  }
  if (is_transient(code, status)) return Outcome::kRetry;
  return std::unexpected(reason);
}

Result<bool> has_hash(const std::filesystem::path& file, const std::string& sha256) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return false;
  return TRY(sha256_file(file)).hex() == sha256;
}

void initialise_curl() {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
}

}  // namespace

std::string public_url(std::string_view url) {
  std::string shown(url.substr(0, url.find_first_of("?#")));
  const std::size_t scheme = shown.find("://");
  if (scheme == std::string::npos) return shown;
  const std::size_t slash = shown.find('/', scheme + 3);
  const std::size_t at = shown.rfind('@', slash);
  if (at != std::string::npos && at > scheme) shown.erase(scheme + 3, at - scheme - 2);
  return shown;
}

std::string url_file_name(std::string_view url) {
  const std::string shown = public_url(url);
  const std::size_t scheme = shown.find("://");
  const std::size_t slash = shown.rfind('/');
  if (slash == std::string::npos || scheme == std::string::npos || slash < scheme + 3) return {};
  int length = 0;
  char* decoded = curl_easy_unescape(nullptr, shown.c_str() + slash + 1, 0, &length);
  if (decoded == nullptr) return {};
  std::string name(decoded, static_cast<std::size_t>(length));
  curl_free(decoded);
  return name;
}

Result<void> download_file(const std::string& url, const std::filesystem::path& target,
                           const DownloadOptions& options,
                           const std::function<void(std::string_view)>& progress) {
  if (!url.starts_with("https://") && !url.starts_with("http://") && !url.starts_with("file://")) {
    return fail(ErrorCode::kInvalidArgument, public_url(url) + " is not an https:// or file:// URL",
                "give a folder, a file:// or an https:// URL");
  }
  initialise_curl();
  if (TRY(has_hash(target, options.sha256))) return {};
  bool started_again = false;
  Error reason;
  std::uint32_t pause_ms = options.pause_ms;
  for (std::uint32_t attempt = 0; attempt < options.attempts;) {
    std::error_code ignored;
    const bool resumed = std::filesystem::file_size(target, ignored) > 0 && !ignored;
    const Outcome outcome = TRY(transfer_once(url, target, options, progress, reason));
    if (outcome == Outcome::kDone && TRY(has_hash(target, options.sha256))) return {};
    if (outcome == Outcome::kRetry) {
      if (++attempt == options.attempts) break;
      if (progress) progress("the connection broke; continuing in a moment");
      std::this_thread::sleep_for(std::chrono::milliseconds(pause_ms));
      pause_ms *= 2;
      continue;
    }
    std::filesystem::remove(target, ignored);
    if (!resumed || started_again) {
      if (outcome == Outcome::kStartAgain) return std::unexpected(reason);
      return fail(ErrorCode::kCorrupt, public_url(url) + " does not have the given SHA-256",
                  "check the hash, and that the URL leads to the file itself");
    }
    started_again = true;
    if (progress) progress("the download cannot be continued; starting again");
  }
  return std::unexpected(reason);
}

}  // namespace beleg
