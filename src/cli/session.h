#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "pipeline/engine.h"
#include "settings/settings.h"

namespace beleg {

/// Exit codes that scripts rely on.
inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;   ///< Failed, or nothing was done.
inline constexpr int kExitUsage = 2;    ///< The command line or a setting is wrong.
inline constexpr int kExitPartial = 3;  ///< A partial or degraded result.

/// The options that every command has.
struct SessionOptions {
  std::string home;
  std::string corpus = "default";
  std::string config;
  std::vector<std::string> overrides;
  bool json = false;
};

/// One run of the program: where things are, and how it speaks.
class Session {
 public:
  explicit Session(SessionOptions options);

  /// Ends the program with exit code 2 when no home is known: only some commands need one.
  [[nodiscard]] const std::filesystem::path& home() const;
  [[nodiscard]] const std::string& corpus() const { return options_.corpus; }
  [[nodiscard]] bool json() const { return options_.json; }
  [[nodiscard]] std::filesystem::path config_path() const;
  [[nodiscard]] bool config_was_named() const { return !options_.config.empty(); }

  /// The settings file with the --set options on top.
  Result<Settings> settings() const;
  /// `generation`: a number or a tag; the current one when empty.
  Result<std::unique_ptr<Engine>> open_engine(const std::string& generation = {}) const;
  Result<std::unique_ptr<CorpusStore>> open_store() const;

  /// Prints a line on standard output.
  void print(std::string_view line) const;
  /// Prints "beleg: …" on standard error; returns the exit code that fits the error.
  int complain(const Error& error) const;
  /// Prints a note on standard error.
  void note(std::string_view line) const;

 private:
  SessionOptions options_;
  std::filesystem::path home_;  ///< Empty when none is known.
};

/// Text of a document or a question for a terminal: control characters (that a terminal could act
/// on) are left out, line ends and tabs become blanks.
[[nodiscard]] std::string printable_text(std::string_view text);

/// A size for people: "12.3 MB", in millions of bytes.
[[nodiscard]] std::string megabytes_text(std::uint64_t bytes);

/// True when standard error is a terminal and NO_COLOR and such do not matter: progress may redraw.
[[nodiscard]] bool stderr_is_terminal();
/// True when standard output is a terminal and NO_COLOR is not set.
[[nodiscard]] bool may_use_colour();

}  // namespace beleg
