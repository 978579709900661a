#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/tokenizer.h"

namespace beleg {

/// A SentencePiece unigram vocabulary. Everything is copied where needed: the views may die after
/// UnigramTokenizer::create.
struct UnigramVocabulary {
  std::span<const std::string_view> pieces;  ///< UTF-8, index = token id; word starts carry U+2581.
  std::span<const float> scores;             ///< Log probability of each piece.
  TokenId unknown_id = 0;
  std::span<const TokenId> control_ids;  ///< <s>, [CLS], … : never produced from text.
};

/// One line of a normaliser map: `from` is replaced by `to`. Both UTF-8; the longest `from` wins.
/// `from` may be several code points; an empty `to` deletes. A space in `to` separates words.
struct NormalizationRule {
  std::string_view from;
  std::string_view to;
};

struct UnigramOptions {
  bool fuse_unknown = true;  ///< Neighbouring unknown characters of a word become one token.
};

/// Splits text into the most probable pieces (Viterbi; Kudo 2018). Steps: normaliser map, words
/// split at runs of white space (nothing is left of the white space itself), U+2581 put before each
/// word, best segmentation of each word. A span is the bytes of the original text that the piece
/// was made from, without the white space before it; a piece that is only the word mark has an
/// empty span at the start of its word. Invalid UTF-8 bytes become the unknown token.
class UnigramTokenizer final : public Tokenizer {
 public:
  /// Errors: kCorrupt when pieces and scores differ in number, when an id is out of range, or when
  /// a score is not finite.
  static Result<std::unique_ptr<UnigramTokenizer>> create(const UnigramVocabulary& vocabulary,
                                                          std::span<const NormalizationRule> rules,
                                                          const UnigramOptions& options);
  ~UnigramTokenizer() override;
  UnigramTokenizer(const UnigramTokenizer&) = delete;
  UnigramTokenizer& operator=(const UnigramTokenizer&) = delete;

  /// Texts of 4 GiB and more are cut there (spans are 32 bits).
  [[nodiscard]] std::vector<Token> tokenize(std::string_view text) const override;
  [[nodiscard]] std::vector<Token> tokenize(std::string_view text,
                                            std::size_t limit) const override;
  [[nodiscard]] std::uint32_t vocabulary_size() const;

 private:
  struct State;
  explicit UnigramTokenizer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace beleg
