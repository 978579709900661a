#include "base/result.h"

#include <cstdio>
#include <cstdlib>

namespace beleg {

std::string_view error_code_name(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return "invalid_argument";
    case ErrorCode::kNotFound:
      return "not_found";
    case ErrorCode::kPermission:
      return "permission";
    case ErrorCode::kIo:
      return "io";
    case ErrorCode::kCorrupt:
      return "corrupt";
    case ErrorCode::kUnsupported:
      return "unsupported";
    case ErrorCode::kLimit:
      return "limit";
    case ErrorCode::kConflict:
      return "conflict";
    case ErrorCode::kUnavailable:
      return "unavailable";
    case ErrorCode::kInternal:
      return "internal";
  }
  return "internal";
}

std::string Error::to_line() const {
  if (remedy.empty()) return message;
  return message + " (" + remedy + ")";
}

Error Error::with_context(std::string_view context) const {
  Error copy = *this;
  copy.message = std::string(context) + ": " + message;
  return copy;
}

void die_on_broken_invariant(const Error& error, const char* file, int line) {
  std::fprintf(stderr, "beleg: broken invariant at %s:%d: %s\n", file, line,
               error.to_line().c_str());
  std::abort();
}

}  // namespace beleg
