#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/tokenizer.h"

namespace beleg {

/// One place of the pattern that a model wants its input in, like "[CLS] A [SEP] B [SEP]".
struct TemplatePart {
  enum class Kind : std::uint8_t { kSpecial, kFirst, kSecond };
  Kind kind = Kind::kSpecial;
  TokenId id = 0;         ///< Of a special token.
  std::int64_t type = 0;  ///< What `token_type_ids` says there.
};

/// A tokenizer as a tokenizer.json of Hugging Face describes it: WordPiece with BERT's normaliser,
/// or SentencePiece unigram with its precompiled character map; and the patterns for one text and
/// for a pair. Truncation and padding settings of the file are reported, not applied. Unlike the
/// reference, special tokens are never read from text: "[SEP]" in a document stays text.
class HfTokenizer {
 public:
  /// Errors: kNotFound, kIo; kCorrupt naming the field; kUnsupported naming the kind of model,
  /// normaliser or splitter that is not known here.
  static Result<HfTokenizer> open(const std::filesystem::path& path);
  static Result<HfTokenizer> parse(std::string_view json);

  [[nodiscard]] const Tokenizer& tokenizer() const { return *tokenizer_; }
  /// Empty when the file has no pattern of that kind.
  [[nodiscard]] std::span<const TemplatePart> single_template() const { return single_; }
  [[nodiscard]] std::span<const TemplatePart> pair_template() const { return pair_; }
  [[nodiscard]] TokenId pad_id() const { return pad_id_; }
  [[nodiscard]] std::int64_t pad_type() const { return pad_type_; }
  /// One more than the largest token id.
  [[nodiscard]] std::uint32_t vocabulary_size() const { return vocabulary_size_; }
  /// The length that the file's truncation setting names.
  [[nodiscard]] std::optional<std::uint32_t> truncation_length() const { return truncation_; }

 private:
  friend class HfTokenizerReader;
  HfTokenizer() = default;
  std::unique_ptr<Tokenizer> tokenizer_;
  std::vector<TemplatePart> single_;
  std::vector<TemplatePart> pair_;
  TokenId pad_id_ = 0;
  std::int64_t pad_type_ = 0;
  std::uint32_t vocabulary_size_ = 0;
  std::optional<std::uint32_t> truncation_;
};

}  // namespace beleg
