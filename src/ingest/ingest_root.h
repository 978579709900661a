#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "document/folder.h"

namespace beleg {

/// One of the paths given to an ingest, and what was found below it.
struct IngestRoot {
  std::filesystem::path path;  ///< Absolute.
  std::string source;          ///< Namespace of the ids: the folder, in absolute form.
  bool is_folder = false;      ///< Only a folder says that what is missing is gone.
  FolderListing listing;
};

/// Lists each of the paths, each once, in the order given. kNotFound for one that does not exist.
Result<std::vector<IngestRoot>> list_roots(const std::vector<std::filesystem::path>& paths);

/// Files of all roots.
[[nodiscard]] std::size_t count_files(const std::vector<IngestRoot>& roots);

/// True when `path` is `folder` or lies below it; both absolute, in printable form.
[[nodiscard]] bool is_at_or_below(std::string_view path, std::string_view folder);

}  // namespace beleg
