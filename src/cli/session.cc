#include "cli/session.h"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>

namespace beleg {
namespace {

/// Empty when the environment names none. A relative $HOME or $XDG_DATA_HOME is none: the data
/// would lie in whatever folder the program is started in, and be missing in the next one.
std::filesystem::path default_home() {
  if (const char* home = std::getenv("BELEG_HOME"); home != nullptr && *home != '\0') return home;
  if (const char* data = std::getenv("XDG_DATA_HOME"); data != nullptr && *data == '/') {
    return std::filesystem::path(data) / "beleg";
  }
  const char* user = std::getenv("HOME");
  if (user == nullptr || *user != '/') return {};
  return std::filesystem::path(user) / ".local" / "share" / "beleg";
}

int exit_code_of(ErrorCode code) {
  return code == ErrorCode::kInvalidArgument ? kExitUsage : kExitFailed;
}

}  // namespace

Session::Session(SessionOptions options)
    : options_(std::move(options)),
      home_(options_.home.empty() ? default_home() : std::filesystem::path(options_.home)) {}

const std::filesystem::path& Session::home() const {
  if (home_.empty()) {
    std::exit(complain({ErrorCode::kInvalidArgument, "no home folder is known",
                        "set HOME, BELEG_HOME or give --home"}));
  }
  return home_;
}

std::filesystem::path Session::config_path() const {
  return options_.config.empty() ? home() / "beleg.toml" : std::filesystem::path(options_.config);
}

Result<Settings> Session::settings() const {
  Settings settings = TRY(load_settings(config_path(), config_was_named()));
  for (const std::string& override_text : options_.overrides) {
    const std::size_t equals = override_text.find('=');
    if (equals == std::string::npos) {
      return fail(ErrorCode::kInvalidArgument, "--set " + override_text + ": no '=' in it",
                  "write --set key=value");
    }
    TRY(set_setting(settings, override_text.substr(0, equals), override_text.substr(equals + 1)));
  }
  TRY(refuse_ineffective(settings, "settings"));
  return settings;
}

Result<std::unique_ptr<Engine>> Session::open_engine(const std::string& generation) const {
  return Engine::open({.home = home(),
                       .corpus = options_.corpus,
                       .settings = TRY(settings()),
                       .generation = generation});
}

Result<std::unique_ptr<CorpusStore>> Session::open_store() const {
  const std::filesystem::path folder = TRY(corpus_folder(home(), options_.corpus));
  return CorpusStore::open(folder);
}

void Session::print(std::string_view line) const {
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fputc('\n', stdout);
}

int Session::complain(const Error& error) const {
  std::fprintf(stderr, "beleg: %s\n", printable_text(error.to_line()).c_str());
  return exit_code_of(error.code);
}

void Session::note(std::string_view line) const {
  std::fprintf(stderr, "%.*s\n", static_cast<int>(line.size()), line.data());
}

/// U+202A to U+202E and U+2066 to U+2069: they turn the text around that follows, also ours.
static bool is_direction_control(std::string_view text) {
  if (!text.starts_with("\xe2\x80") && !text.starts_with("\xe2\x81")) return false;
  if (text.size() < 3) return false;
  const auto last = static_cast<unsigned char>(text[2]);
  return text[1] == '\x80' ? last >= 0xaa && last <= 0xae : last >= 0xa6 && last <= 0xa9;
}

std::string printable_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte == '\n' || byte == '\r' || byte == '\t') {
      out.push_back(' ');
    } else if (byte < 0x20 || byte == 0x7f) {
      continue;
    } else if (byte == 0xc2 && i + 1 < text.size() &&
               static_cast<unsigned char>(text[i + 1]) < 0xa0) {
      ++i;  // U+0080 to U+009F: terminals take them for escape sequences.
    } else if (is_direction_control(text.substr(i))) {
      i += 2;  // What is read must be what stands there.
    } else {
      out.push_back(text[i]);
    }
  }
  return out;
}

std::string megabytes_text(std::uint64_t bytes) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f MB", static_cast<double>(bytes) / 1e6);
  return text.data();
}

bool stderr_is_terminal() { return ::isatty(STDERR_FILENO) != 0; }

bool may_use_colour() {
  const char* no_colour = std::getenv("NO_COLOR");
  return ::isatty(STDOUT_FILENO) != 0 && (no_colour == nullptr || *no_colour == '\0');
}

}  // namespace beleg
