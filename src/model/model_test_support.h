#pragma once

// For the tests of this folder only.

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace beleg {

/// A folder of its own for a test, removed at its end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "beleg-test-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  std::filesystem::path write(const std::string& name, std::string_view bytes) const {
    const std::filesystem::path file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << bytes;
    return file;
  }

 private:
  std::filesystem::path path_;
};

/// The folder of a downloaded test model (see tests/fetch_test_models); empty when it is not there.
inline std::filesystem::path test_model_folder(const std::string& name, const char* variable) {
  std::filesystem::path folder;
  if (const char* value = variable != nullptr ? std::getenv(variable) : nullptr; value != nullptr) {
    folder = value;
  } else {
    const auto root = std::filesystem::path(__FILE__).parent_path().parent_path().parent_path();
    folder = root / ".cache" / "test-models" / name;
  }
  return std::filesystem::exists(folder / "tokenizer.json") ? folder : std::filesystem::path();
}

/// Writes small ONNX files (protocol buffers by hand; field numbers from onnx.proto3).
class OnnxWriter {
 public:
  static constexpr std::int64_t kFloat = 1;
  static constexpr std::int64_t kInt8 = 3;
  static constexpr std::int64_t kInt32 = 6;
  static constexpr std::int64_t kInt64 = 7;

  /// A dimension of −1 varies.
  void input(std::string_view name, std::int64_t type, const std::vector<std::int64_t>& shape) {
    graph_ += field(11, value_info(name, type, shape));
  }
  void output(std::string_view name, std::int64_t type, const std::vector<std::int64_t>& shape) {
    graph_ += field(12, value_info(name, type, shape));
  }
  void constant(std::string_view name, std::int64_t type, const std::vector<std::int64_t>& shape,
                std::string_view raw) {
    std::string tensor;
    for (const std::int64_t dimension : shape) tensor += number(1, dimension);
    tensor += number(2, type) + field(8, name) + field(9, raw);
    graph_ += field(5, tensor);
  }
  using Attribute = std::pair<std::string, std::vector<std::int64_t>>;
  /// An attribute with one value and a name that does not end in "es" is an integer, else a list.
  void node(std::string_view op, const std::vector<std::string>& inputs,
            const std::vector<std::string>& outputs,
            const std::vector<Attribute>& attributes = {}) {
    std::string node;
    for (const std::string& name : inputs) node += field(1, name);
    for (const std::string& name : outputs) node += field(2, name);
    node += field(4, op);
    for (const auto& [name, values] : attributes) {
      std::string attribute = field(1, name);
      const bool list = name.ends_with("es");
      for (const std::int64_t value : values) attribute += number(list ? 8 : 3, value);
      node += field(5, attribute + number(20, list ? 7 : 2));
    }
    graph_ += field(1, node);
  }
  [[nodiscard]] std::string bytes() const {
    return number(1, 8) + field(7, graph_ + field(2, "test")) + field(8, number(2, 13));
  }

 private:
  static std::string varint(std::uint64_t value) {
    std::string bytes;
    for (; value >= 0x80; value >>= 7U) bytes.push_back(static_cast<char>(value | 0x80U));
    bytes.push_back(static_cast<char>(value));
    return bytes;
  }
  static std::string number(std::uint64_t field, std::int64_t value) {
    return varint(field << 3U) + varint(static_cast<std::uint64_t>(value));
  }
  static std::string field(std::uint64_t field, std::string_view bytes) {
    return varint(field << 3U | 2U) + varint(bytes.size()) + std::string(bytes);
  }
  static std::string value_info(std::string_view name, std::int64_t type,
                                const std::vector<std::int64_t>& shape) {
    std::string dimensions;
    for (const std::int64_t dimension : shape) {
      dimensions += field(1, dimension < 0 ? field(2, "n") : number(1, dimension));
    }
    return field(1, name) + field(2, field(1, number(1, type) + field(2, dimensions)));
  }

  std::string graph_;
};

/// The bytes of numbers as they stand in memory.
template <class T>
std::string raw_bytes(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

/// A small tokenizer.json: WordPiece over a vocabulary of whole words; ids in the order given,
/// after [PAD] 0, [UNK] 1, [CLS] 2, [SEP] 3.
inline std::string small_tokenizer_json(const std::vector<std::string>& words) {
  std::string vocabulary = R"("[PAD]":0,"[UNK]":1,"[CLS]":2,"[SEP]":3)";
  for (std::size_t i = 0; i < words.size(); ++i) {
    vocabulary += ",\"" + words[i] + "\":" + std::to_string(i + 4);
  }
  return R"({"added_tokens":[{"id":0,"content":"[PAD]","special":true}],
 "normalizer":{"type":"BertNormalizer","clean_text":true,"handle_chinese_chars":true,
   "strip_accents":null,"lowercase":true},
 "pre_tokenizer":{"type":"BertPreTokenizer"},
 "post_processor":{"type":"BertProcessing","sep":["[SEP]",3],"cls":["[CLS]",2]},
 "model":{"type":"WordPiece","unk_token":"[UNK]","continuing_subword_prefix":"##",
   "max_input_chars_per_word":100,"vocab":{)" +
         vocabulary + "}}}";
}

}  // namespace beleg
