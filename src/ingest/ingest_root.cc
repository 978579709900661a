#include "ingest/ingest_root.h"

#include <set>
#include <system_error>

#include "base/file.h"

namespace beleg {
namespace {

Result<IngestRoot> list_root(const std::filesystem::path& path) {
  std::error_code code;
  const auto absolute = std::filesystem::weakly_canonical(path, code);
  if (code) {
    return fail(ErrorCode::kNotFound,
                "cannot resolve " + printable_path(path) + ": " + code.message(), "check the path");
  }
  IngestRoot root;
  root.path = absolute;
  root.is_folder = std::filesystem::is_directory(absolute, code);
  root.source = printable_path(root.is_folder ? absolute : absolute.parent_path());
  root.listing = TRY(list_folder(absolute));
  return root;
}

}  // namespace

Result<std::vector<IngestRoot>> list_roots(const std::vector<std::filesystem::path>& paths) {
  std::vector<IngestRoot> roots;
  std::set<std::filesystem::path> given;
  for (const auto& path : paths) {
    IngestRoot root = TRY(list_root(path));
    if (given.insert(root.path).second) roots.push_back(std::move(root));
  }
  return roots;
}

std::size_t count_files(const std::vector<IngestRoot>& roots) {
  std::size_t files = 0;
  for (const IngestRoot& root : roots) files += root.listing.files.size();
  return files;
}

bool is_at_or_below(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) &&
         (path.size() == folder.size() || path[folder.size()] == '/' || folder == "/");
}

}  // namespace beleg
