#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/byte_trie.h"
#include "model/tokenizer.h"

namespace beleg {

/// The normaliser of BERT, switch by switch.
struct WordPieceOptions {
  bool clean_text = true;            ///< Drop control characters; every white space is a space.
  bool handle_chinese_chars = true;  ///< Each CJK ideograph is a word of its own.
  bool strip_accents = true;         ///< Canonical decomposition without its nonspacing marks.
  bool lowercase = true;
  std::string_view continuing_prefix = "##";  ///< Marks pieces that do not begin a word.
  std::uint32_t max_word_chars = 100;         ///< A longer word is the unknown token.
  TokenId unknown_id = 0;
};

/// BERT's tokenizer: normalise, split at white space and around punctuation, then cut each word
/// greedily into the longest pieces of the vocabulary (Devlin et al. 2019). A span is the bytes of
/// the original text that the piece was made from, with the accents taken from it. Text that looks
/// like a special token ("[SEP]") is ordinary text. A run of invalid UTF-8 is one unknown token.
class WordPieceTokenizer final : public Tokenizer {
 public:
  /// Errors: kCorrupt for an empty vocabulary.
  static Result<std::unique_ptr<WordPieceTokenizer>> create(
      std::span<const ByteTrie::Entry> vocabulary, const WordPieceOptions& options);
  ~WordPieceTokenizer() override;
  WordPieceTokenizer(const WordPieceTokenizer&) = delete;
  WordPieceTokenizer& operator=(const WordPieceTokenizer&) = delete;

  /// Texts of 4 GiB and more are cut there (spans are 32 bits).
  [[nodiscard]] std::vector<Token> tokenize(std::string_view text) const override;
  [[nodiscard]] std::vector<Token> tokenize(std::string_view text,
                                            std::size_t limit) const override;

 private:
  struct State;
  explicit WordPieceTokenizer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace beleg
