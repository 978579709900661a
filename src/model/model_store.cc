#include <algorithm>
#include <utility>

#include "model/manifest.h"
#include "model/model_files.h"

namespace beleg {
namespace {

const ModelManifest* find_built_in(std::string_view name) {
  for (const ModelManifest& model : built_in_models()) {
    if (model.name == name) return &model;
  }
  return nullptr;
}

Result<InstalledModel> inspect_built_in(const std::filesystem::path& models_folder,
                                        const ModelManifest& manifest, bool verify) {
  InstalledModel model;
  model.manifest = manifest;
  model.folder = models_folder / manifest.name;
  TRY(inspect_model(model, models_folder, verify));
  return model;
}

/// A folder that is not of a built-in model. A damaged manifest is a state, not a failure of
/// `list`.
Result<InstalledModel> inspect_own(const std::filesystem::path& models_folder,
                                   const std::string& name, bool verify) {
  InstalledModel model;
  model.folder = models_folder / name;
  model.manifest.name = name;
  const std::string remedy = "; add it again with `beleg models add`, or remove its folder";
  auto json = read_file(model.folder / "manifest.json", 1U << 20U);
  if (!json) {
    const bool missing = json.error().code == ErrorCode::kNotFound;
    model.state = missing ? ModelState::kIncomplete : ModelState::kDamaged;
    model.detail = (missing ? "manifest.json is missing" : json.error().message) + remedy;
    return model;
  }
  auto manifest = manifest_from_json(*json);
  if (!manifest || manifest->name != name) {
    model.state = ModelState::kDamaged;
    model.detail =
        (manifest ? "manifest.json is of the model " + manifest->name : manifest.error().message) +
        remedy;
    return model;
  }
  model.manifest = manifest.take();
  TRY(inspect_model(model, models_folder, verify));
  return model;
}

std::vector<std::string> own_model_names(const std::filesystem::path& models_folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (auto entry = std::filesystem::directory_iterator(models_folder, error);
       !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    std::error_code ignored;
    if (!entry->is_directory(ignored)) continue;
    std::string name = entry->path().filename().native();
    if (is_model_name(name) && find_built_in(name) == nullptr) names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::unexpected<Error> unknown_model(const std::filesystem::path& models_folder,
                                     std::string_view name) {
  std::string known;
  for (const ModelManifest& model : built_in_models()) known += ", " + model.name;
  for (const std::string& own : own_model_names(models_folder)) known += ", " + own;
  return fail(ErrorCode::kNotFound, "there is no model " + printable_path(name),
              "choose one of" + known.substr(1));
}

Result<void> check_name_and_role(std::string_view name, std::string_view role) {
  if (!is_model_name(name)) {
    return fail(ErrorCode::kInvalidArgument,
                "\"" + printable_path(name) + "\" cannot be the name of a model",
                "use up to 64 letters, digits, points, underscores and hyphens");
  }
  if (find_built_in(name) != nullptr) {
    return fail(ErrorCode::kConflict, std::string(name) + " is a built-in model",
                "choose another name");
  }
  if (!is_model_role(role)) {
    return fail(ErrorCode::kInvalidArgument,
                "\"" + printable_path(role) + "\" is not a role of a model",
                "use one of " + model_role_list());
  }
  return {};
}

/// The files in `folder` (and its subfolder "onnx") that a model consists of, as relative paths.
Result<std::vector<std::string>> model_files_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const char* below : {"", "onnx"}) {
    std::error_code error;
    auto entry = std::filesystem::directory_iterator(folder / below, error);
    if (error && *below == '\0') {
      return fail(ErrorCode::kNotFound,
                  "cannot read the folder " + printable_path(folder) + ": " + error.message(),
                  "give a folder with the model's files, or a URL");
    }
    for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
      const std::string file = entry->path().filename().native();
      const std::string name = *below == '\0' ? file : std::string(below) + "/" + file;
      std::error_code ignored;
      // Follows symbolic links: model hubs' caches consist of them.
      if (is_model_file(name) && entry->is_regular_file(ignored)) names.push_back(name);
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

Result<void> add_from_folder(const std::filesystem::path& models_folder,
                             const std::filesystem::path& source, std::string_view name,
                             std::string_view role, const ModelStore::Progress& progress) {
  const std::vector<std::string> names = TRY(model_files_in(source));
  if (const std::string missing = missing_for_role(role, names); !missing.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                printable_path(source) + " lacks " + missing + " for the role " + std::string(role),
                "export the model to that form first");
  }
  const DownloadFolder download = TRY(DownloadFolder::open(models_folder, name, progress));
  const std::filesystem::path folder = models_folder / name;
  ModelManifest manifest = TRY(read_or_begin_manifest(folder, name, role));
  const std::vector<ModelFile> before = std::exchange(manifest.files, {});
  manifest.registry = "folder";
  manifest.package = printable_path(std::filesystem::absolute(source));

  // Everything is copied before anything is replaced: a full disk leaves the old model whole.
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (progress) progress("copying " + names[i]);
    auto file = copy_model_file(source / names[i], download.path() / std::to_string(i));
    if (!file) {
      download.clear();
      return std::unexpected(file.error());
    }
    file->name = names[i];
    manifest.files.push_back(file.take());
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    TRY(install_file(download.path() / std::to_string(i), folder / names[i]));
  }
  TRY(write_manifest(folder, manifest));
  for (const ModelFile& old : before) {
    std::error_code ignored;
    if (!std::binary_search(names.begin(), names.end(), old.name)) {
      std::filesystem::remove(folder / old.name, ignored);
    }
  }
  download.clear();
  return {};
}

}  // namespace

ModelStore::ModelStore(std::filesystem::path models_folder) : folder_(std::move(models_folder)) {}

Result<std::vector<InstalledModel>> ModelStore::list(bool verify) const {
  std::vector<InstalledModel> models;
  for (const ModelManifest& manifest : built_in_models()) {
    models.push_back(TRY(inspect_built_in(folder_, manifest, verify)));
  }
  for (const std::string& name : own_model_names(folder_)) {
    models.push_back(TRY(inspect_own(folder_, name, verify)));
  }
  return models;
}

Result<InstalledModel> ModelStore::find(std::string_view name, bool verify) const {
  if (const ModelManifest* manifest = find_built_in(name); manifest != nullptr) {
    return inspect_built_in(folder_, *manifest, verify);
  }
  std::error_code error;
  if (!is_model_name(name) || !std::filesystem::is_directory(folder_ / name, error)) {
    return unknown_model(folder_, name);
  }
  return inspect_own(folder_, std::string(name), verify);
}

Result<std::filesystem::path> ModelStore::file(std::string_view name, std::string_view file) const {
  const InstalledModel model = TRY(find(name, /*verify=*/false));
  if (model.state != ModelState::kReady) {
    return fail(ErrorCode::kUnavailable,
                "the model " + std::string(name) + " is " +
                    std::string(model_state_name(model.state)) + ": " + model.detail,
                find_built_in(name) != nullptr
                    ? "run `beleg models fetch " + std::string(name) + "`"
                    : "add it again with `beleg models add`");
  }
  std::string known;
  for (const ModelFile& entry : model.manifest.files) {
    if (entry.name == file) return model.folder / entry.name;
    known += (known.empty() ? "" : ", ") + entry.name;
  }
  return fail(ErrorCode::kNotFound,
              "the model " + std::string(name) + " has no file " + printable_path(file),
              "it has " + known);
}

Result<InstalledModel> ModelStore::add(const std::string& source, std::string_view name,
                                       std::string_view role, std::string_view sha256,
                                       const Progress& progress) const {
  TRY(check_name_and_role(name, role));
  if (source.find("://") != std::string::npos) {
    TRY(add_model_from_url(folder_, source, name, role, sha256, progress));
    return find(name, /*verify=*/false);
  }
  if (!sha256.empty()) {
    return fail(ErrorCode::kInvalidArgument, "a SHA-256 belongs to a URL, not to a folder",
                "leave it out");
  }
  TRY(add_from_folder(folder_, source, name, role, progress));
  return find(name, /*verify=*/false);
}

}  // namespace beleg
