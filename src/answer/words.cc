#include "answer/words.h"

#include <algorithm>
#include <array>

#include "text/utf8.h"

namespace beleg {
namespace {

bool is_digit(char32_t c) { return c >= U'0' && c <= U'9'; }

bool is_upper(char32_t c) {
  return (c >= U'A' && c <= U'Z') || (c >= 0xC0 && c <= 0xDE && c != 0xD7);
}

bool is_letter(char32_t c) {
  return (c >= U'a' && c <= U'z') || is_upper(c) || (c >= 0xDF && c <= 0xFF && c != 0xF7) ||
         (c >= 0x100 && c < 0x2000) || (c >= 0x2C00 && c < 0x3000) || c >= 0x3040;
}

/// Joins the halves of one word when it stands between letters or digits.
bool is_joiner(char32_t c) {
  return c == U'-' || c == U'.' || c == U',' || c == U'\'' || c == 0x2019;
}

void append_folded(char32_t c, std::string& out) {
  switch (c) {
    case 0xE4:
    case 0xC4:
      out += "ae";
      return;
    case 0xF6:
    case 0xD6:
      out += "oe";
      return;
    case 0xFC:
    case 0xDC:
      out += "ue";
      return;
    case 0xDF:
      out += "ss";
      return;
    default:
      break;
  }
  if (c >= U'A' && c <= U'Z') c += 32;
  if (c >= 0xC0 && c <= 0xDE && c != 0xD7) c += 32;
  append_utf8(c, out);
}

/// "1.234,5" and "1,234.5" become "1234.5"; "58,5" becomes "58.5".
std::string normalise_number(const std::string& text) {
  std::string digits = text;
  while (!digits.empty() && !std::isdigit(static_cast<unsigned char>(digits.back()))) {
    if (digits.back() != '.' && digits.back() != ',') return text;
    digits.pop_back();
  }
  const std::size_t last = digits.find_last_of(".,");
  if (last == std::string::npos) return digits;
  const bool only_separator = digits.find_first_of(".,") == last;
  const bool groups_of_three = digits.size() - last - 1 == 3 && last <= 3;
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const char c = digits[i];
    if (c != '.' && c != ',') {
      out.push_back(c);
    } else if (i == last && !(only_separator && groups_of_three)) {
      const bool repeated = std::count(digits.begin(), digits.end(), c) > 1;
      if (!repeated) out.push_back('.');
    }
  }
  return out;
}

}  // namespace

std::vector<StatementWord> statement_words(std::string_view text) {
  const std::u32string points = decode_utf8(text);
  std::vector<StatementWord> words;
  bool sentence_start = true;
  std::size_t i = 0;
  while (i < points.size()) {
    const char32_t c = points[i];
    if (!is_letter(c) && !is_digit(c)) {
      if (c == U'.' || c == U'!' || c == U'?' || c == U':' || c == U'\n') sentence_start = true;
      ++i;
      continue;
    }
    StatementWord word;
    word.is_number = is_digit(c);
    word.is_capitalised = is_upper(c);
    word.starts_sentence = sentence_start;
    sentence_start = false;
    while (i < points.size()) {
      const bool inside = is_letter(points[i]) || is_digit(points[i]);
      const bool joins = is_joiner(points[i]) && i + 1 < points.size() &&
                         (is_letter(points[i + 1]) || is_digit(points[i + 1]));
      const bool stop_between_words = joins && points[i] != U'-' && points[i] != U'\'' &&
                                      points[i] != 0x2019 && !is_digit(points[i + 1]);
      if (!inside && (!joins || stop_between_words)) break;
      append_folded(points[i], word.folded);
      ++i;
    }
    if (word.is_number) word.folded = normalise_number(word.folded);
    words.push_back(std::move(word));
  }
  return words;
}

bool is_negation(std::string_view folded) {
  static constexpr std::array kWords = {"nicht",   "nie", "niemals", "keinerlei", "ohne",
                                        "weder",   "not", "no",      "never",     "none",
                                        "neither", "nor", "without", "cannot",    "nichts"};
  if (std::find(kWords.begin(), kWords.end(), folded) != kWords.end()) return true;
  if (folded.starts_with("kein") && folded.size() <= 6) return true;
  return folded.ends_with("n't") || folded.ends_with("n’t");
}

bool is_content(const StatementWord& word) {
  static constexpr std::array kFunctionWords = {
      "aber",  "alle",  "allem", "allen",  "aller",  "auch",   "beim",   "dann",   "dass",
      "dazu",  "denn",  "dies",  "diese",  "diesem", "diesen", "dieser", "dieses", "doch",
      "durch", "eine",  "einem", "einen",  "einer",  "eines",  "haben",  "hatte",  "ihre",
      "ihrem", "ihren", "ihrer", "jede",   "jeder",  "kann",   "mehr",   "nach",   "noch",
      "nur",   "oder",  "sein",  "seine",  "seit",   "sich",   "sind",   "sowie",  "ueber",
      "unter", "viele", "wenn",  "werden", "wird",   "wurde",  "wurden", "about",  "after",
      "also",  "been",  "could", "does",   "from",   "have",   "into",   "more",   "only",
      "other", "over",  "some",  "such",   "than",   "that",   "their",  "them",   "then",
      "there", "these", "they",  "this",   "those",  "were",   "what",   "when",   "which",
      "will",  "with",  "would"};
  if (word.is_number) return true;
  if (word.folded.size() < 4) return false;
  return std::find(kFunctionWords.begin(), kFunctionWords.end(), word.folded) ==
         kFunctionWords.end();
}

}  // namespace beleg
