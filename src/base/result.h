#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <utility>

namespace beleg {

/// What kind of thing went wrong. Callers map it to an exit code or a status; nobody parses
/// messages.
enum class ErrorCode : std::uint8_t {
  kInvalidArgument,  ///< The caller's input or settings are wrong; the message names the field.
  kNotFound,         ///< A named thing (file, corpus, model, trace) does not exist.
  kPermission,       ///< The operating system or an access label refused.
  kIo,               ///< Reading or writing failed for a reason outside our control.
  kCorrupt,          ///< Stored or foreign bytes do not have the form they must have.
  kUnsupported,      ///< Well-formed, but of a kind that this build cannot handle.
  kLimit,            ///< A declared limit (bytes, depth, tokens, time) was reached.
  kConflict,         ///< Another writer holds the corpus, or the state moved on.
  kUnavailable,      ///< A model or service is missing or down; the caller may degrade.
  kInternal,         ///< An invariant of ours does not hold: a defect in Beleg.
};

/// Returns the stable lower-case name of `code` ("invalid_argument"), used in JSON output.
std::string_view error_code_name(ErrorCode code);

/// A failure as a value: what happened, and what the person can do about it.
struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;  ///< One line; names the file and the field.
  std::string remedy;   ///< One line, imperative; empty where there is nothing to do.

  /// `message`, followed by the remedy in one line where there is one.
  [[nodiscard]] std::string to_line() const;

  /// A copy whose message is prefixed with `context` and ": ".
  [[nodiscard]] Error with_context(std::string_view context) const;
};

/// Either a `T` or an `Error`. Never ignored silently; see TRY and MUST.
template <class T>
class [[nodiscard]] Result : public std::expected<T, Error> {
 public:
  using std::expected<T, Error>::expected;
  using std::expected<T, Error>::operator=;

  /// Moves the value out. Requires has_value().
  T take() { return std::move(**this); }
};

template <>
class [[nodiscard]] Result<void> : public std::expected<void, Error> {
 public:
  using std::expected<void, Error>::expected;

  void take() const {}
};

/// Builds the failed side of a Result: `return fail(ErrorCode::kIo, "cannot read …", "check …");`
inline std::unexpected<Error> fail(ErrorCode code, std::string message, std::string remedy = {}) {
  return std::unexpected<Error>(Error{code, std::move(message), std::move(remedy)});
}

/// Ends the process with the error on stderr. Only MUST calls it: for what cannot fail.
[[noreturn]] void die_on_broken_invariant(const Error& error, const char* file, int line);

}  // namespace beleg

/// Evaluates to the value of a Result, or returns its error from the enclosing function.
#define TRY(expression)                                                       \
  ({                                                                          \
    auto try_result_ = (expression);                                          \
    if (!try_result_) [[unlikely]]                                            \
      return std::unexpected<::beleg::Error>(std::move(try_result_.error())); \
    try_result_.take();                                                       \
  })

/// Evaluates to the value of a Result that cannot fail; a failure is our defect and ends the
/// process.
#define MUST(expression)                                                          \
  ({                                                                              \
    auto must_result_ = (expression);                                             \
    if (!must_result_) [[unlikely]]                                               \
      ::beleg::die_on_broken_invariant(must_result_.error(), __FILE__, __LINE__); \
    must_result_.take();                                                          \
  })
