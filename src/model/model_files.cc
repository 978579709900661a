#include "model/model_files.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <thread>

namespace beleg {
namespace {

constexpr std::string_view kDownloadFolder = ".download";
constexpr std::array<std::string_view, 4> kRoles = {"encoder", "cross-encoder", "entailment",
                                                    "language-model"};

struct FileCloser {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using FileHandle = std::unique_ptr<std::FILE, FileCloser>;

std::unexpected<Error> io_failure(std::string_view action, const std::filesystem::path& path,
                                  int number) {
  const ErrorCode code = number == ENOENT                      ? ErrorCode::kNotFound
                         : number == EACCES || number == EPERM ? ErrorCode::kPermission
                                                               : ErrorCode::kIo;
  return fail(
      code,
      "cannot " + std::string(action) + " " + printable_path(path) + ": " + std::strerror(number),
      number == ENOSPC ? "free some disk space and run the command again"
                       : "check the path and its permissions");
}

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == '-';
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool has_onnx(const std::vector<std::string>& names) {
  return contains(names, "model.onnx") || contains(names, "onnx/model.onnx") ||
         contains(names, "model_quantized.onnx") || contains(names, "onnx/model_quantized.onnx");
}

bool has_ending(const std::vector<std::string>& names, std::string_view ending) {
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& name) { return name.ends_with(ending); });
}

std::string fetch_remedy(const ModelManifest& manifest) {
  const bool built_in = manifest.registry == "pypi" || manifest.registry == "maven";
  return built_in ? "run `beleg models fetch " + manifest.name + "`"
                  : "add its files again with `beleg models add`";
}

}  // namespace

bool is_safe_relative_path(std::string_view path) {
  if (path.empty() || path.size() > 255) return false;
  while (true) {
    const std::size_t slash = path.find('/');
    const std::string_view component = path.substr(0, slash);
    // A leading dot covers "." and ".." and keeps our own temporary names apart.
    if (component.empty() || component.front() == '.') return false;
    for (const char c : component) {
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == '\\') return false;
    }
    if (slash == std::string_view::npos) return true;
    path.remove_prefix(slash + 1);
  }
}

bool is_model_name(std::string_view name) {
  return !name.empty() && name.size() <= 64 && name.front() != '.' && name.front() != '-' &&
         name.front() != '_' && std::all_of(name.begin(), name.end(), is_plain);
}

bool is_model_role(std::string_view role) {
  return std::find(kRoles.begin(), kRoles.end(), role) != kRoles.end();
}

std::string model_role_list() {
  std::string list;
  for (const std::string_view role : kRoles) {
    if (!list.empty()) list += ", ";
    list += role;
  }
  return list;
}

bool is_model_file(std::string_view path) {
  if (!is_safe_relative_path(path)) return false;
  const bool below_onnx = path.starts_with("onnx/");
  const std::string_view name = below_onnx ? path.substr(5) : path;
  if (name.find('/') != std::string_view::npos) return false;
  if (name == "model.onnx" || name == "model.onnx_data" || name == "model.onnx.data" ||
      name == "model_quantized.onnx") {
    return true;
  }
  if (below_onnx) return false;
  constexpr std::array<std::string_view, 6> kSettings = {
      "tokenizer.json",          "config.json",      "tokenizer_config.json",
      "special_tokens_map.json", "calibration.json", "labels.json"};
  if (std::find(kSettings.begin(), kSettings.end(), name) != kSettings.end()) return true;
  return name.ends_with(".gguf") || (name.starts_with("e5-") && name.ends_with(".bin")) ||
         name.starts_with("LICENSE") || name.starts_with("LICENCE") || name.starts_with("NOTICE");
}

std::string missing_for_role(std::string_view role, const std::vector<std::string>& names) {
  if (role == "language-model") return has_ending(names, ".gguf") ? "" : "a .gguf file";
  if (role == "encoder" && has_ending(names, ".bin")) return "";
  std::string missing;
  if (!has_onnx(names)) missing = "model.onnx";
  if (!contains(names, "tokenizer.json")) {
    missing += missing.empty() ? "tokenizer.json" : " and tokenizer.json";
  }
  return missing;
}

Result<DownloadFolder> DownloadFolder::open(const std::filesystem::path& models_folder,
                                            std::string_view name,
                                            const ModelStore::Progress& progress) {
  const std::filesystem::path downloads = models_folder / kDownloadFolder;
  TRY(create_folder(downloads));
  const std::filesystem::path lock_path = downloads / (std::string(name) + ".lock");
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::hours(6);
  for (bool told = false;;) {
    auto lock = FileLock::try_acquire(lock_path);
    if (lock) {
      std::filesystem::path path = downloads / name;
      TRY(create_folder(path));
      return DownloadFolder(lock.take(), std::move(path));
    }
    if (lock.error().code != ErrorCode::kConflict || std::chrono::steady_clock::now() > give_up) {
      return std::unexpected(lock.error());
    }
    if (!told && progress) {
      progress("waiting for another process that fetches " + std::string(name));
    }
    told = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

void DownloadFolder::clear() const {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

bool has_unfinished_download(const std::filesystem::path& models_folder, std::string_view name) {
  std::error_code error;
  const std::filesystem::path folder = models_folder / kDownloadFolder / name;
  return std::filesystem::is_directory(folder, error) && !std::filesystem::is_empty(folder, error);
}

Result<ModelFile> copy_model_file(const std::filesystem::path& from,
                                  const std::filesystem::path& to) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(from, error)) {
    return fail(ErrorCode::kUnsupported, printable_path(from) + " is not a regular file",
                "give a folder with the model's files");
  }
  const FileHandle source(std::fopen(from.c_str(), "rbe"));
  if (!source) return io_failure("open", from, errno);
  FileHandle target(std::fopen(to.c_str(), "wbe"));
  if (!target) return io_failure("create", to, errno);
  Sha256Hasher hasher;
  ModelFile file;
  std::vector<char> buffer(1U << 20U);
  while (true) {
    const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), source.get());
    if (n == 0) break;
    if (std::fwrite(buffer.data(), 1, n, target.get()) != n) return io_failure("write", to, errno);
    hasher.update({buffer.data(), n});
    file.bytes += n;
    if (file.bytes > kMaxModelFileBytes) {
      return fail(ErrorCode::kLimit, printable_path(from) + " is larger than 64 GiB",
                  "choose a smaller model");
    }
  }
  if (std::ferror(source.get()) != 0) return io_failure("read", from, errno);
  if (std::fclose(target.release()) != 0) return io_failure("write", to, errno);
  file.sha256 = hasher.finish().hex();
  return file;
}

Result<void> install_file(const std::filesystem::path& finished,
                          const std::filesystem::path& destination) {
  TRY(create_folder(destination.parent_path()));
  TRY(sync_file(finished));
  if (std::rename(finished.c_str(), destination.c_str()) != 0) {
    return io_failure("move a file to", destination, errno);
  }
  return sync_directory(destination.parent_path());
}

Result<void> create_folder(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return io_failure("create the folder", path, error.value());
  return {};
}

Result<void> inspect_model(InstalledModel& model, const std::filesystem::path& models_folder,
                           bool verify) {
  const std::string remedy = fetch_remedy(model.manifest);
  std::size_t present = 0;
  std::string missing;
  std::vector<std::string> names;
  for (const ModelFile& file : model.manifest.files) {
    names.push_back(file.name);
    const std::filesystem::path path = model.folder / file.name;
    std::error_code error;
    const bool there = std::filesystem::is_regular_file(path, error);
    if (!there) {
      if (missing.empty()) missing = file.name;
      continue;
    }
    ++present;
    const std::uintmax_t size = std::filesystem::file_size(path, error);
    if (error || size != file.bytes) {
      model.state = ModelState::kDamaged;
      model.detail = file.name + " has " + std::to_string(error ? 0 : size) + " bytes instead of " +
                     std::to_string(file.bytes) + "; " + remedy;
      return {};
    }
    if (verify && TRY(sha256_file(path)).hex() != file.sha256) {
      model.state = ModelState::kDamaged;
      model.detail = file.name + " does not have the expected SHA-256; " + remedy;
      return {};
    }
  }
  if (missing.empty()) missing = missing_for_role(model.manifest.role, names);
  const bool begun = has_unfinished_download(models_folder, model.manifest.name);
  if (missing.empty() && present > 0) {
    model.state = ModelState::kReady;
    model.detail.clear();
  } else if (present == 0 && !begun) {
    model.state = ModelState::kAbsent;
    model.detail = "not installed; " + remedy;
  } else {
    model.state = ModelState::kIncomplete;
    model.detail = missing + " is missing; " + remedy + (begun ? " to continue the download" : "");
  }
  return {};
}

Result<void> write_manifest(const std::filesystem::path& model_folder,
                            const ModelManifest& manifest) {
  TRY(create_folder(model_folder));
  return write_file_atomically(model_folder / "manifest.json", manifest_to_json(manifest));
}

Result<ModelManifest> read_or_begin_manifest(const std::filesystem::path& model_folder,
                                             std::string_view name, std::string_view role) {
  ModelManifest manifest;
  manifest.name = name;
  manifest.role = role;
  manifest.licence = "not stated";
  auto json = read_file(model_folder / "manifest.json", 1U << 20U);
  if (!json) {
    if (json.error().code == ErrorCode::kNotFound) return manifest;
    return std::unexpected(json.error());
  }
  auto existing = manifest_from_json(*json);
  if (!existing || existing->name != name) return manifest;  // Damaged: begun anew.
  if (existing->role != role) {
    return fail(ErrorCode::kConflict,
                "the model " + std::string(name) + " is there already, as " + existing->role,
                "choose another name, or remove its folder");
  }
  return existing;
}

void put_file(ModelManifest& manifest, ModelFile file) {
  for (ModelFile& known : manifest.files) {
    if (known.name == file.name) {
      known = std::move(file);
      return;
    }
  }
  manifest.files.push_back(std::move(file));
}

}  // namespace beleg
