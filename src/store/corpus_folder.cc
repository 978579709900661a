#include <algorithm>
#include <system_error>

#include "base/file.h"
#include "store/corpus_store.h"

namespace beleg {
namespace {

constexpr std::size_t kMaxNameBytes = 64;

bool is_lower_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

/// [a-z0-9][a-z0-9._-]{0,63}: no separator, no leading dot, so no way out of the home.
bool is_corpus_name(std::string_view name) {
  return !name.empty() && name.size() <= kMaxNameBytes && is_lower_or_digit(name.front()) &&
         std::ranges::all_of(
             name, [](char c) { return is_lower_or_digit(c) || c == '.' || c == '_' || c == '-'; });
}

}  // namespace

Result<std::filesystem::path> corpus_folder(const std::filesystem::path& home,
                                            std::string_view name) {
  if (!is_corpus_name(name)) {
    return fail(ErrorCode::kInvalidArgument,
                "\"" + printable_path(std::filesystem::path(name)) + "\" cannot name a corpus",
                "use 1 to 64 lower-case letters, digits, '.', '_' and '-', beginning with a letter "
                "or digit");
  }
  return home / "corpora" / name;
}

Result<std::vector<std::string>> list_corpora(const std::filesystem::path& home) {
  const std::filesystem::path corpora = home / "corpora";
  std::vector<std::string> names;
  std::error_code status;
  std::filesystem::directory_iterator entry(corpora, status);
  if (status == std::errc::no_such_file_or_directory) return names;
  for (; !status && entry != std::filesystem::directory_iterator(); entry.increment(status)) {
    std::string name = entry->path().filename().string();
    std::error_code unreadable;
    if (is_corpus_name(name) && std::filesystem::exists(entry->path() / "truth.db", unreadable)) {
      names.push_back(std::move(name));
    }
  }
  if (status) {
    return fail(status == std::errc::permission_denied ? ErrorCode::kPermission : ErrorCode::kIo,
                "cannot list " + printable_path(corpora) + ": " + status.message(),
                "check the home folder and its permissions");
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace beleg
