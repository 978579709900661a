#include "document/folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <set>
#include <system_error>
#include <tuple>
#include <utility>

#include "base/file.h"
#include "base/hash.h"
#include "document/reader.h"

namespace beleg {
namespace {

namespace fs = std::filesystem;

Error system_error(const char* action, const fs::path& path, int number) {
  Error error{
      ErrorCode::kIo,
      std::string("cannot ") + action + " " + printable_path(path) + ": " + std::strerror(number),
      {}};
  if (number == EACCES || number == EPERM) {
    error.code = ErrorCode::kPermission;
    error.remedy = "give this user read permission, or run as its owner";
  } else if (number == ENOENT || number == ENOTDIR) {
    error.code = ErrorCode::kNotFound;
    error.remedy = "check the path";
  } else if (number == ELOOP) {
    error.code = ErrorCode::kInvalidArgument;
    error.remedy = "remove the loop of symbolic links";
  }
  return error;
}

std::string_view special_kind(mode_t mode) {
  if (S_ISFIFO(mode)) return "a named pipe";
  if (S_ISSOCK(mode)) return "a socket";
  if (S_ISBLK(mode) || S_ISCHR(mode)) return "a device";
  return "no regular file";
}

bool is_below(const fs::path& path, const fs::path& root) {
  return std::mismatch(root.begin(), root.end(), path.begin(), path.end()).first == root.end();
}

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

/// Walks the real folders first. Links to folders come afterwards, and only where they lead to one
/// that has not been seen: so each file is listed once and the walk ends, however links are laid.
class Walker {
 public:
  explicit Walker(fs::path root) : root_(std::move(root)) {}

  FolderListing walk(const fs::path& canonical_root) {
    canonical_root_ = canonical_root;
    walk_from({root_.string(), {}});
    while (!folder_links_.empty()) {
      std::vector<Folder> links = std::move(folder_links_);
      folder_links_.clear();
      std::sort(links.begin(), links.end(),
                [](const Folder& a, const Folder& b) { return a.relative < b.relative; });
      for (const Folder& link : links) follow_folder(link);
    }
    take_file_links();
    return std::move(listing_);
  }

 private:
  struct Folder {
    std::string path;      ///< As text: fs::path takes itself apart at each step.
    std::string relative;  ///< Raw bytes, "/" between the parts.
  };
  using Identity = std::pair<dev_t, ino_t>;

  void walk_from(Folder first) {
    std::vector<Folder> open;
    open.push_back(std::move(first));
    while (!open.empty()) {
      const Folder folder = std::move(open.back());
      open.pop_back();
      list(folder, open);
    }
  }

  void list(const Folder& folder, std::vector<Folder>& open) {
    struct stat info{};
    if (::stat(folder.path.c_str(), &info) == 0) {
      if (!seen_.insert({info.st_dev, info.st_ino}).second) {
        // A folder mounted a second time, perhaps inside itself.
        return problem(folder.path, loop_error(folder.path));
      }
    }
    const std::unique_ptr<DIR, CloseDirectory> directory(::opendir(folder.path.c_str()));
    if (!directory) return problem(folder.path, system_error("list", folder.path, errno));
    while (true) {
      errno = 0;
      const dirent* entry = ::readdir(directory.get());
      if (entry == nullptr) break;
      const std::string_view name = entry->d_name;
      if (name == "." || name == "..") continue;
      if (name.starts_with('.')) {
        ++listing_.ignored;
        continue;
      }
      Folder found{folder.path + "/" + entry->d_name, folder.relative};
      if (!found.relative.empty()) found.relative.push_back('/');
      found.relative += name;
      take(found, open);
    }
    if (errno != 0) problem(folder.path, system_error("list", folder.path, errno));
  }

  void take(const Folder& found, std::vector<Folder>& open) {
    struct stat info{};
    if (::lstat(found.path.c_str(), &info) != 0) {
      return problem(found.path, system_error("inspect", found.path, errno));
    }
    if (S_ISLNK(info.st_mode)) return take_link(found);
    if (S_ISDIR(info.st_mode)) {
      open.push_back(found);
    } else if (!S_ISREG(info.st_mode)) {
      problem(found.path, special_error(found.path, info.st_mode));
    } else {
      take_file(found, false);
    }
  }

  void take_file(const Folder& found, bool is_link) {
    if (!is_readable_kind(found.path)) {
      ++listing_.ignored;
      return;
    }
    if (::faccessat(AT_FDCWD, found.path.c_str(), R_OK, AT_EACCESS) != 0) {
      return problem(found.path, system_error("read", found.path, errno));
    }
    struct stat info{};
    if (::stat(found.path.c_str(), &info) == 0) {
      const bool is_new = files_.insert({info.st_dev, info.st_ino}).second;
      if (is_link && !is_new) {
        ++listing_.ignored;  // The file is listed under its own path.
        return;
      }
    }
    listing_.files.push_back(
        {.path = found.path, .default_id = found.relative, .is_link = is_link});
  }

  /// Links to files come last, so that a file is listed under its own path where it has one here.
  void take_file_links() {
    std::sort(file_links_.begin(), file_links_.end(),
              [](const Folder& a, const Folder& b) { return a.relative < b.relative; });
    for (const Folder& link : file_links_) take_file(link, true);
  }

  void take_link(const Folder& found) {
    struct stat info{};
    const bool resolves = ::stat(found.path.c_str(), &info) == 0;
    const int number = errno;
    const bool wanted = is_readable_kind(found.path) || (resolves && S_ISDIR(info.st_mode));
    if (!resolves && (wanted || number == ELOOP)) {
      return problem(found.path, system_error("follow the link", found.path, number));
    }
    if (!wanted) {
      ++listing_.ignored;
      return;
    }
    std::error_code failed;
    const fs::path target = fs::canonical(found.path, failed);
    if (failed)
      return problem(found.path, system_error("follow the link", found.path, failed.value()));
    if (!is_below(target, canonical_root_)) {
      return problem(found.path, Error{ErrorCode::kPermission,
                                       "the link " + printable_path(found.path) +
                                           " leaves the folder: " + printable_path(target),
                                       "name its target on the command line to read it"});
    }
    if (S_ISDIR(info.st_mode)) {
      folder_links_.push_back(found);
    } else if (!S_ISREG(info.st_mode)) {
      problem(found.path, special_error(found.path, info.st_mode));
    } else {
      file_links_.push_back(found);
    }
  }

  void follow_folder(const Folder& link) {
    std::error_code failed;
    const fs::path target = fs::canonical(link.path, failed);
    const fs::path parent = fs::canonical(fs::path(link.path).parent_path(), failed);
    if (failed)
      return problem(link.path, system_error("follow the link", link.path, failed.value()));
    if (is_below(parent, target)) return problem(link.path, loop_error(link.path));
    struct stat info{};
    if (::stat(link.path.c_str(), &info) == 0 && seen_.contains({info.st_dev, info.st_ino})) {
      ++listing_.ignored;  // Its files are listed under their own path.
      return;
    }
    walk_from(link);
  }

  static Error loop_error(const fs::path& path) {
    return Error{ErrorCode::kInvalidArgument,
                 printable_path(path) + " leads back to a folder above it",
                 "remove the loop, or read the folders below it one by one"};
  }

  static Error special_error(const fs::path& path, mode_t mode) {
    return Error{ErrorCode::kUnsupported,
                 printable_path(path) + " is " + std::string(special_kind(mode)),
                 "copy its content into a file to read it"};
  }

  void problem(const fs::path& path, Error error) {
    listing_.problems.emplace_back(path, std::move(error));
  }

  fs::path root_;
  fs::path canonical_root_;
  FolderListing listing_;
  std::set<Identity> seen_;
  std::set<Identity> files_;
  std::vector<Folder> folder_links_;
  std::vector<Folder> file_links_;
};

/// Turns raw names into ids that can be printed, stored and compared. Two names that would look
/// alike
/// ("a\xff" as a byte and as four letters) are told apart by a hash of the raw name.
void name_files(std::vector<FoundFile>& files) {
  std::vector<std::pair<std::string, FoundFile>> named;  // With the raw name.
  named.reserve(files.size());
  for (FoundFile& file : files) {
    std::string raw = std::move(file.default_id);
    file.default_id = printable_path(raw);
    named.emplace_back(std::move(raw), std::move(file));
  }
  const auto by_id = [](const auto& a, const auto& b) {
    return std::tie(a.second.default_id, a.first) < std::tie(b.second.default_id, b.first);
  };
  std::sort(named.begin(), named.end(), by_id);
  for (std::size_t i = 0; i < named.size();) {
    std::size_t end = i + 1;
    while (end < named.size() && named[end].second.default_id == named[i].second.default_id) ++end;
    for (std::size_t j = i; j < end && end - i > 1; ++j) {
      auto& [raw, file] = named[j];
      if (raw != file.default_id) file.default_id += "~" + sha256(raw).hex().substr(0, 12);
    }
    i = end;
  }
  std::sort(named.begin(), named.end(), by_id);
  files.clear();
  for (auto& [raw, file] : named) files.push_back(std::move(file));
}

Result<FolderListing> list_one_file(const fs::path& path, const struct stat& info) {
  FolderListing listing;
  if (!S_ISREG(info.st_mode)) {
    listing.problems.emplace_back(
        path, Error{ErrorCode::kUnsupported,
                    printable_path(path) + " is " + std::string(special_kind(info.st_mode)),
                    "give a file or a folder"});
  } else if (!is_readable_kind(path)) {
    listing.problems.emplace_back(
        path, Error{ErrorCode::kUnsupported, "no reader for " + printable_path(path),
                    "give .md, .markdown, .html, .htm, .xhtml, .txt, .text, .jsonl or .ndjson"});
  } else if (::faccessat(AT_FDCWD, path.c_str(), R_OK, AT_EACCESS) != 0) {
    listing.problems.emplace_back(path, system_error("read", path, errno));
  } else {
    std::error_code ignored;
    listing.files.push_back({.path = path,
                             .default_id = printable_path(path.filename()),
                             .is_link = fs::is_symlink(path, ignored)});
  }
  return listing;
}

}  // namespace

Result<FolderListing> list_folder(const std::filesystem::path& root) {
  struct stat info{};
  if (::stat(root.c_str(), &info) != 0) {
    return std::unexpected<Error>(system_error("open", root, errno));
  }
  if (!S_ISDIR(info.st_mode)) return list_one_file(root, info);
  std::error_code failed;
  const fs::path canonical_root = fs::canonical(root, failed);
  if (failed) return std::unexpected<Error>(system_error("open", root, failed.value()));
  FolderListing listing = Walker(root).walk(canonical_root);
  name_files(listing.files);
  std::sort(listing.problems.begin(), listing.problems.end(),
            [](const auto& a, const auto& b) { return a.first.native() < b.first.native(); });
  return listing;
}

}  // namespace beleg
