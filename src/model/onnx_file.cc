#include "model/onnx_file.h"

#include <bit>
#include <cstring>
#include <optional>
#include <utility>

namespace beleg {
namespace {

static_assert(std::endian::native == std::endian::little, "weights are read in place");

using Bytes = std::span<const std::byte>;

constexpr std::int64_t kFloatType = 1;
constexpr std::size_t kMaxDimensions = 16;
constexpr std::uint64_t kMaxElements = 1ULL << 40U;

// How a field of a message is stored (protocol-buffers encoding, "wire types").
constexpr std::uint64_t kVarint = 0;
constexpr std::uint64_t kFixed64 = 1;
constexpr std::uint64_t kLengthDelimited = 2;
constexpr std::uint64_t kFixed32 = 5;

/// A field of a message: its number, and its content as bytes or as a number.
struct Field {
  std::uint64_t number = 0;
  std::uint64_t kind = 0;
  std::uint64_t value = 0;  // Of a varint.
  Bytes bytes;              // Of all other kinds.

  [[nodiscard]] std::string_view text() const {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
};

/// Reads the fields of one message, front to back.
class Message {
 public:
  explicit Message(Bytes bytes) : rest_(bytes) {}

  /// The next field; nothing at the end, and nothing when the message is damaged.
  std::optional<Field> next() {
    if (rest_.empty() || damaged_) return std::nullopt;
    const std::uint64_t key = varint();
    Field field{.number = key >> 3U, .kind = key & 7U};
    if (field.kind == kVarint) {
      field.value = varint();
    } else if (field.kind == kLengthDelimited) {
      field.bytes = take(varint());
    } else if (field.kind == kFixed64) {
      field.bytes = take(8);
    } else if (field.kind == kFixed32) {
      field.bytes = take(4);
    } else {
      damaged_ = true;
    }
    if (damaged_) return std::nullopt;
    return field;
  }
  [[nodiscard]] bool damaged() const { return damaged_; }

 private:
  Bytes take(std::uint64_t size) {
    if (size > rest_.size()) damaged_ = true;
    if (damaged_) return {};
    const Bytes taken = rest_.first(static_cast<std::size_t>(size));
    rest_ = rest_.subspan(static_cast<std::size_t>(size));
    return taken;
  }

  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<std::uint8_t>(rest_.front());
      rest_ = rest_.subspan(1);
      value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
      if (byte < 0x80) return value;
    }
    damaged_ = true;
    return 0;
  }

  Bytes rest_;
  bool damaged_ = false;
};

}  // namespace

std::uint64_t OnnxTensor::elements() const {
  std::uint64_t product = 1;
  for (const std::uint64_t dimension : shape) {
    if (dimension == 0) return 0;
    if (product > kMaxElements / dimension) return kMaxElements + 1;
    product *= dimension;
  }
  return product;
}

bool OnnxTensor::holds_floats() const {
  const std::uint64_t count = elements();
  return type == kFloatType && count <= kMaxElements &&
         (bytes.size() == count * sizeof(float) || (bytes.empty() && listed.size() == count));
}

void OnnxTensor::copy_floats(std::size_t first, std::span<float> out) const {
  if (out.empty()) return;
  if (bytes.empty()) {
    std::memcpy(out.data(), listed.data() + first, out.size_bytes());
  } else {
    std::memcpy(out.data(), bytes.data() + first * sizeof(float), out.size_bytes());
  }
}

/// Field numbers are those of onnx.proto3.
class OnnxFile::Parser {
 public:
  explicit Parser(OnnxFile& file) : file_(file) {}

  Result<void> parse() {
    bool has_graph = false;
    Message model(file_.file_.bytes());
    while (const auto field = model.next()) {
      if (field->number != 7 || field->kind != kLengthDelimited) continue;
      has_graph = true;
      TRY(parse_graph(field->bytes));
    }
    if (model.damaged()) return damaged("the file");
    if (!has_graph) return fail(ErrorCode::kCorrupt, "it is no ONNX model: it has no graph");
    return {};
  }

 private:
  static std::unexpected<Error> damaged(const char* what) {
    return fail(ErrorCode::kCorrupt, std::string("cannot be read as ONNX: ") + what + " is damaged",
                "fetch or export the model again");
  }

  Result<void> parse_graph(Bytes bytes) {
    Message graph(bytes);
    while (const auto field = graph.next()) {
      if (field->kind != kLengthDelimited) continue;
      if (field->number == 1) TRY(parse_node(field->bytes));
      if (field->number == 5) TRY(parse_tensor(field->bytes, {}));
    }
    if (graph.damaged()) return damaged("the graph");
    return {};
  }

  Result<void> parse_node(Bytes bytes) {
    OnnxNode node;
    std::vector<Bytes> attributes;
    Message message(bytes);
    while (const auto field = message.next()) {
      if (field->kind != kLengthDelimited) continue;
      if (field->number == 1) node.inputs.push_back(field->text());
      if (field->number == 2) node.outputs.push_back(field->text());
      if (field->number == 4) node.type = field->text();
      if (field->number == 5) attributes.push_back(field->bytes);
    }
    if (message.damaged()) return damaged("an operation");
    if (node.type == "Constant" && node.outputs.size() == 1) {
      for (const Bytes attribute : attributes) {
        TRY(parse_constant(attribute, node.outputs.front()));
      }
    }
    file_.nodes_.push_back(std::move(node));
    return {};
  }

  /// The attribute of a Constant that is a tensor.
  Result<void> parse_constant(Bytes bytes, std::string_view name) {
    Message attribute(bytes);
    while (const auto field = attribute.next()) {
      if (field->number == 5 && field->kind == kLengthDelimited) {
        TRY(parse_tensor(field->bytes, name));
      }
    }
    if (attribute.damaged()) return damaged("a constant");
    return {};
  }

  Result<void> parse_tensor(Bytes bytes, std::string_view name) {
    OnnxTensor tensor;
    Message message(bytes);
    while (const auto field = message.next()) {
      const bool is_bytes = field->kind == kLengthDelimited;
      if (field->number == 1) TRY(parse_shape(*field, tensor));
      if (field->number == 2 && field->kind == kVarint) {
        tensor.type = static_cast<std::int64_t>(field->value);
      }
      if (field->number == 4) add_floats(*field, tensor);
      if (field->number == 8 && is_bytes && name.empty()) name = field->text();
      if (field->number == 9 && is_bytes) tensor.bytes = field->bytes;
      if (field->number == 14 && field->kind == kVarint && field->value == 1) {
        return fail(ErrorCode::kUnsupported, "its weights are in another file",
                    "export the model into a single file");
      }
    }
    if (message.damaged()) return damaged("a tensor");
    file_.tensors_.emplace(name, std::move(tensor));
    return {};
  }

  /// A dimension by itself, or several in one field ("packed").
  Result<void> parse_shape(const Field& field, OnnxTensor& tensor) {
    if (field.kind == kVarint) {
      tensor.shape.push_back(field.value);
    } else if (field.kind == kLengthDelimited) {
      for (std::size_t at = 0; at < field.bytes.size();) {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64 && at < field.bytes.size(); shift += 7) {
          const auto byte = static_cast<std::uint8_t>(field.bytes[at++]);
          value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
          if (byte < 0x80) break;
        }
        tensor.shape.push_back(value);
        if (tensor.shape.size() > kMaxDimensions) break;
      }
    }
    if (tensor.shape.size() > kMaxDimensions) return damaged("the shape of a tensor");
    return {};
  }

  static void add_floats(const Field& field, OnnxTensor& tensor) {
    if (field.kind != kLengthDelimited && field.kind != kFixed32) return;
    const std::size_t before = tensor.listed.size();
    const std::size_t count = field.bytes.size() / sizeof(float);
    if (count == 0) return;
    tensor.listed.resize(before + count);
    std::memcpy(tensor.listed.data() + before, field.bytes.data(), count * sizeof(float));
  }

  OnnxFile& file_;
};

Result<OnnxFile> OnnxFile::open(const std::filesystem::path& path) {
  OnnxFile file;
  file.file_ = TRY(MappedFile::open(path));
  const Result<void> parsed = Parser(file).parse();
  if (!parsed) return std::unexpected(parsed.error().with_context(printable_path(path)));
  return file;
}

const OnnxTensor* OnnxFile::find(std::string_view name) const {
  const auto found = tensors_.find(name);
  return found == tensors_.end() ? nullptr : &found->second;
}

}  // namespace beleg
