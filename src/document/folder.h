#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace beleg {

/// A file found below a path given to ingest.
struct FoundFile {
  std::filesystem::path path;
  std::string default_id;  ///< Path relative to the given root, "/" between parts, valid UTF-8.
  bool is_link = false;
};

struct FolderListing {
  std::vector<FoundFile> files;  ///< Sorted by default_id, so that runs are repeatable.
  /// What could not be listed or was left out for a reason worth a line: unreadable folder, loop of
  /// links, link that leaves the root, special file.
  std::vector<std::pair<std::filesystem::path, Error>> problems;
  std::size_t ignored = 0;  ///< Files of a kind no reader knows, and hidden files.
};

/// Lists the readable files below `root` (or `root` itself when it is a file). Follows links to
/// files inside the root, never out of it, never in circles. A named file of unknown kind is a
/// problem, one met in a folder is counted as ignored.
Result<FolderListing> list_folder(const std::filesystem::path& root);

}  // namespace beleg
