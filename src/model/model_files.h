#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "model/manifest.h"

namespace beleg {

/// The largest file of a model that is taken in; more is refused before the disk is full.
inline constexpr std::uint64_t kMaxModelFileBytes = 64ULL << 30U;

/// True for a relative path with plain components: no "..", no empty or hidden component, no
/// backslash, no control character. Such a path cannot leave the folder it is joined to.
[[nodiscard]] bool is_safe_relative_path(std::string_view path);

/// Letters, digits, ".", "_", "-"; at most 64; starts with a letter or digit.
[[nodiscard]] bool is_model_name(std::string_view name);
[[nodiscard]] bool is_model_role(std::string_view role);
[[nodiscard]] std::string model_role_list();

/// True when a file of this name inside a model's folder is of use: weights, tokenizer, settings,
/// licence. Everything else in a downloaded folder (other formats' weights) is left out.
[[nodiscard]] bool is_model_file(std::string_view relative_path);

/// What a model of `role` lacks, for people; empty when `names` has all it needs.
[[nodiscard]] std::string missing_for_role(std::string_view role,
                                           const std::vector<std::string>& names);

/// Everything that is being fetched for one model. Holds a lock on it: one process at a time.
class DownloadFolder {
 public:
  /// Waits for a process that fetches the same model, and says so once through `progress`.
  /// Errors: kConflict when it has not finished after six hours.
  static Result<DownloadFolder> open(const std::filesystem::path& models_folder,
                                     std::string_view name, const ModelStore::Progress& progress);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Removes what is left of the download.
  void clear() const;

 private:
  DownloadFolder(FileLock lock, std::filesystem::path path)
      : lock_(std::move(lock)), path_(std::move(path)) {}
  FileLock lock_;
  std::filesystem::path path_;
};

/// True when a download of this model was begun and not finished.
[[nodiscard]] bool has_unfinished_download(const std::filesystem::path& models_folder,
                                           std::string_view name);

/// Copies a regular file and reports its size and hash, in constant memory.
Result<ModelFile> copy_model_file(const std::filesystem::path& from,
                                  const std::filesystem::path& to);

/// Moves a finished file to its place in the model's folder, so that readers see the old file or
/// the whole new one. Both must be on the same file system.
Result<void> install_file(const std::filesystem::path& finished,
                          const std::filesystem::path& destination);

/// Creates a folder and those above it.
Result<void> create_folder(const std::filesystem::path& path);

/// Compares the files of `model.folder` with its manifest and sets state and detail.
Result<void> inspect_model(InstalledModel& model, const std::filesystem::path& models_folder,
                           bool verify);

/// Adds the file or archive behind a URL to a model of the user's own. See ModelStore::add.
Result<void> add_model_from_url(const std::filesystem::path& models_folder, const std::string& url,
                                std::string_view name, std::string_view role,
                                std::string_view sha256, const ModelStore::Progress& progress);

/// Writes manifest.json beside a model's files, after the files themselves.
Result<void> write_manifest(const std::filesystem::path& model_folder,
                            const ModelManifest& manifest);

/// The manifest of a model of the user's own, or an empty one of that name and role when there is
/// none yet. Errors: kConflict when the model there has another role.
Result<ModelManifest> read_or_begin_manifest(const std::filesystem::path& model_folder,
                                             std::string_view name, std::string_view role);

/// Puts `file` into the manifest, in place of one of the same name.
void put_file(ModelManifest& manifest, ModelFile file);

}  // namespace beleg
