#include "model/e5_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "text/utf8.h"

namespace beleg {
namespace {

static_assert(std::endian::native == std::endian::little, "the file is read in place");

constexpr std::size_t kBlockWeights = Q4Matrix::kBlockWeights;
constexpr std::size_t kBlockBytes = 18;  // A half-precision scale, then 16 bytes of two nibbles.
constexpr std::uint8_t kTypeF32 = 0;
constexpr std::uint8_t kTypeQ4 = 1;

// Far above any encoder of this family, low enough that no product of two of them overflows.
constexpr std::uint32_t kMaxDimension = 1U << 16U;
constexpr std::uint32_t kMaxLayers = 1U << 8U;
constexpr std::uint32_t kMaxPieces = 1U << 24U;
constexpr std::size_t kMaxReplacement = 64;  // Code points.

float half_to_float(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000U) << 16U;
  const std::uint32_t exponent = half >> 10U & 0x1fU;
  const std::uint32_t mantissa = half & 0x3ffU;
  if (exponent == 0) {  // Zero and the subnormal numbers: mantissa · 2^-24.
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24F;
    return sign != 0 ? -magnitude : magnitude;
  }
  const std::uint32_t wide = exponent == 31 ? 255 : exponent + 127 - 15;
  return std::bit_cast<float>(sign | wide << 23U | mantissa << 13U);
}

float block_scale(const std::byte* block) {
  std::uint16_t half = 0;
  std::memcpy(&half, block, sizeof half);
  return half_to_float(half);
}

}  // namespace

void Q4Matrix::dequantize_row(std::size_t row, std::span<float> out) const {
  const std::size_t blocks = columns / kBlockWeights;
  const std::byte* block = bytes.data() + row * blocks * kBlockBytes;
  for (float* weights = out.data(); weights != out.data() + columns;
       weights += kBlockWeights, block += kBlockBytes) {
    const float scale = block_scale(block);
    for (std::size_t j = 0; j < kBlockWeights / 2; ++j) {
      const auto pair = static_cast<std::uint8_t>(block[2 + j]);
      weights[j] = static_cast<float>((pair & 15) - 8) * scale;
      weights[j + kBlockWeights / 2] = static_cast<float>((pair >> 4) - 8) * scale;
    }
  }
}

Q4Matrix::Block Q4Matrix::block(std::size_t row, std::size_t index) const {
  const std::size_t blocks = columns / kBlockWeights;
  const std::span<const std::byte> own =
      bytes.subspan((row * blocks + index) * kBlockBytes, kBlockBytes);
  return {.scale = block_scale(own.data()), .pairs = own.last<kBlockWeights / 2>()};
}

/// Reads the header from front to back. Every read is checked against the end of the file.
class E5File::Parser {
 public:
  explicit Parser(E5File& file) : file_(file), rest_(file.file_.bytes()) {}

  Result<void> parse() {
    TRY(parse_sizes());
    TRY(parse_pieces());
    TRY(parse_normalization());
    return parse_directory();
  }

 private:
  [[nodiscard]] std::unexpected<Error> corrupt(const std::string& what) const {
    return fail(ErrorCode::kCorrupt, file_.name_ + ": " + what,
                "fetch the model again: beleg models fetch multilingual-e5-small");
  }

  Result<std::span<const std::byte>> take(std::uint64_t size, const char* what) {
    if (size > rest_.size()) return corrupt(std::string("the file ends within ") + what);
    const std::span<const std::byte> taken = rest_.first(static_cast<std::size_t>(size));
    rest_ = rest_.subspan(static_cast<std::size_t>(size));
    return taken;
  }

  template <class T>
  Result<T> number(const char* what) {
    const std::span<const std::byte> bytes = TRY(take(sizeof(T), what));
    T value{};
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }

  Result<std::uint32_t> size_between(std::uint32_t low, std::uint32_t high, const char* what) {
    const auto value = TRY(number<std::uint32_t>(what));
    if (value < low || value > high) {
      return corrupt(std::string(what) + " is " + std::to_string(value) + ", not between " +
                     std::to_string(low) + " and " + std::to_string(high));
    }
    return value;
  }

  Result<void> parse_sizes() {
    const std::span<const std::byte> magic = TRY(take(4, "the magic"));
    if (std::memcmp(magic.data(), "E5S1", 4) != 0) return corrupt("it does not begin with 'E5S1'");
    const auto version = TRY(number<std::uint32_t>("the version"));
    if (version != 1) {
      return fail(ErrorCode::kUnsupported,
                  file_.name_ + ": format version " + std::to_string(version) + ", not 1");
    }
    E5Shape& shape = file_.shape_;
    shape.hidden = TRY(size_between(32, kMaxDimension, "the hidden size"));
    shape.layers = TRY(size_between(1, kMaxLayers, "the number of layers"));
    shape.heads = TRY(size_between(1, kMaxDimension, "the number of heads"));
    shape.feed_forward = TRY(size_between(32, kMaxDimension, "the feed-forward size"));
    shape.vocabulary = TRY(size_between(1, kMaxPieces, "the vocabulary size"));
    shape.positions = TRY(size_between(8, kMaxDimension, "the number of positions"));
    shape.types = TRY(size_between(1, kMaxDimension, "the number of token types"));
    shape.epsilon = TRY(number<float>("epsilon"));
    const auto block = TRY(number<std::int32_t>("the block size"));
    if (block != static_cast<std::int32_t>(kBlockWeights)) {
      return corrupt("blocks of " + std::to_string(block) + " weights, not 32");
    }
    if (shape.hidden % kBlockWeights != 0 || shape.feed_forward % kBlockWeights != 0 ||
        shape.hidden % shape.heads != 0) {
      return corrupt("hidden, feed-forward and head sizes do not divide");
    }
    if (!(shape.epsilon > 0.0F && shape.epsilon < 1.0F)) return corrupt("epsilon is out of range");
    return {};
  }

  Result<void> parse_pieces() {
    const auto count = TRY(size_between(1, file_.shape_.vocabulary, "the number of pieces"));
    std::array<TokenId, 4> special{};
    for (TokenId& id : special) {
      id = static_cast<TokenId>(TRY(size_between(0, count - 1, "the id of a special token")));
    }
    file_.special_ = {
        .begin = special[0], .end = special[1], .pad = special[2], .unknown = special[3]};
    const auto text_size = TRY(number<std::uint64_t>("the size of the pieces"));
    const auto offsets = TRY(take((count + 1) * std::uint64_t{4}, "the offsets of the pieces"));
    const auto scores = TRY(take(count * std::uint64_t{4}, "the scores of the pieces"));
    const auto text = TRY(take(text_size, "the pieces"));
    // The header is 72 bytes long and all that follows it are four-byte numbers: aligned.
    file_.scores_ = {reinterpret_cast<const float*>(scores.data()), count};
    if (!std::ranges::all_of(file_.scores_, [](float score) { return std::isfinite(score); })) {
      return corrupt("the score of a piece is not a finite number");
    }
    file_.pieces_.reserve(count);
    const auto* offset = reinterpret_cast<const std::uint32_t*>(offsets.data());
    for (std::size_t i = 0; i < count; ++i) {
      if (offset[i] > offset[i + 1] || offset[i + 1] > text.size()) {
        return corrupt("the offsets of piece " + std::to_string(i) + " are out of range");
      }
      file_.pieces_.emplace_back(reinterpret_cast<const char*>(text.data()) + offset[i],
                                 offset[i + 1] - offset[i]);
    }
    return {};
  }

  Result<void> append_code_point(std::string& out) {
    const auto code_point = TRY(number<std::uint32_t>("the normaliser"));
    if (code_point > 0x10ffff || (code_point >= 0xd800 && code_point < 0xe000)) {
      return corrupt("the normaliser holds what is no code point");
    }
    append_utf8(static_cast<char32_t>(code_point), out);
    return {};
  }

  Result<void> parse_normalization() {
    const auto count = TRY(size_between(0, 0x110000, "the number of normaliser rules"));
    const auto size = TRY(number<std::uint32_t>("the size of the normaliser"));
    const std::span<const std::byte> rules = TRY(take(size, "the normaliser"));
    const std::span<const std::byte> after = std::exchange(rest_, rules);
    for (std::uint32_t i = 0; i < count; ++i) {
      std::pair<std::string, std::string> rule;
      TRY(append_code_point(rule.first));
      const auto length = TRY(number<std::uint8_t>("the normaliser"));
      if (length > kMaxReplacement) return corrupt("a normaliser rule is too long");
      for (unsigned j = 0; j < length; ++j) TRY(append_code_point(rule.second));
      file_.normalization_.push_back(std::move(rule));
    }
    rest_ = after;
    return {};
  }

  Result<void> parse_directory() {
    const auto count = TRY(size_between(1, 1U << 16U, "the number of tensors"));
    const std::span<const std::byte> all = file_.file_.bytes();
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto length = TRY(number<std::uint16_t>("the directory of tensors"));
      const auto name = TRY(take(length, "the directory of tensors"));
      Tensor tensor;
      tensor.type = TRY(number<std::uint8_t>("the directory of tensors"));
      TRY(number<std::uint32_t>("the directory of tensors"));  // Weights; follows from the shape.
      const auto offset = TRY(number<std::uint64_t>("the directory of tensors"));
      const auto size = TRY(number<std::uint64_t>("the directory of tensors"));
      if (offset > all.size() || size > all.size() - offset) {
        return corrupt("a tensor lies outside of the file");
      }
      tensor.bytes = all.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(size));
      file_.tensors_.emplace(std::string(reinterpret_cast<const char*>(name.data()), name.size()),
                             tensor);
    }
    return {};
  }

  E5File& file_;
  std::span<const std::byte> rest_;
};

Result<E5File> E5File::open(const std::filesystem::path& path) {
  E5File file;
  file.name_ = printable_path(path);
  file.file_ = TRY(MappedFile::open(path));
  TRY(Parser(file).parse());
  return file;
}

Result<const E5File::Tensor*> E5File::find(std::string_view name, std::uint8_t type,
                                           std::size_t bytes) const {
  const auto corrupt = [&](const std::string& what) {
    return fail(ErrorCode::kCorrupt, name_ + ": tensor '" + std::string(name) + "' " + what,
                "fetch the model again: beleg models fetch multilingual-e5-small");
  };
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) return corrupt("is missing");
  const Tensor& tensor = found->second;
  if (tensor.type != type) return corrupt("has type " + std::to_string(tensor.type));
  if (tensor.bytes.size() != bytes) {
    return corrupt("has " + std::to_string(tensor.bytes.size()) + " bytes, not " +
                   std::to_string(bytes));
  }
  return &tensor;
}

Result<std::span<const float>> E5File::floats(std::string_view name, std::size_t count) const {
  const Tensor* tensor = TRY(find(name, kTypeF32, count * sizeof(float)));
  const std::byte* data = tensor->bytes.data();
  if (reinterpret_cast<std::uintptr_t>(data) % alignof(float) != 0) {
    return fail(ErrorCode::kCorrupt, name_ + ": tensor '" + std::string(name) + "' is unaligned");
  }
  return std::span(reinterpret_cast<const float*>(data), count);
}

Result<Q4Matrix> E5File::q4(std::string_view name, std::size_t rows, std::size_t columns) const {
  const std::size_t bytes = rows * (columns / kBlockWeights * kBlockBytes);
  const Tensor* tensor = TRY(find(name, kTypeQ4, bytes));
  return Q4Matrix{tensor->bytes, rows, columns};
}

}  // namespace beleg
