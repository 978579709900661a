#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace beleg {

/// The fields of a row, in the order in which their positions are stored.
enum class TextField : std::uint8_t { kBody = 0, kTitle = 1, kHeadings = 2 };

/// What the words of a condition must do.
enum class TextConditionKind : std::uint8_t {
  kPhrase,    ///< Stand one behind the other in one field, in this order; stop words count.
  kAllWords,  ///< Stand somewhere; stop words are left out unless there is nothing else.
};

/// What a row must say. The text is analysed as documents in the row's language are, so that forms
/// of a word are one word; nothing in it is syntax. A word is there where the same word stands, or
/// a compound or an identifier that has it as a part; a reference to a provision where the same one
/// stands however it is written, or one inside it. A text without any word is said by no row.
struct TextCondition {
  std::string text;                ///< UTF-8.
  std::optional<TextField> field;  ///< Empty: any; a phrase stands in one of them.
  TextConditionKind kind = TextConditionKind::kPhrase;

  [[nodiscard]] bool operator==(const TextCondition&) const = default;
};

}  // namespace beleg
