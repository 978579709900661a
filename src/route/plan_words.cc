#include "route/plan_words.h"

#include <algorithm>
#include <cstdint>

namespace beleg {
namespace {

bool is_ascii_alphanumeric(unsigned char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/// Length in bytes of the white space or invisible character at `i`, or 0.
std::size_t blank_length(std::string_view text, std::size_t i) {
  const auto c = static_cast<unsigned char>(text[i]);
  if (c <= 0x20 || c == 0x7F) return 1;
  const std::string_view two = text.substr(i, 2);
  // C1 control characters, no-break space, soft hyphen.
  if (two.size() == 2 && c == 0xC2) {
    const auto d = static_cast<unsigned char>(two[1]);
    if (d <= 0xA0 || d == 0xAD) return 2;
  }
  // U+2000 … U+200F (spaces, zero width, marks), U+2028 … U+202F (separators, embeddings),
  // U+205F … U+206F, U+3000, U+FEFF.
  const std::string_view three = text.substr(i, 3);
  if (three.size() < 3) return 0;
  const auto d = static_cast<unsigned char>(three[1]);
  const auto e = static_cast<unsigned char>(three[2]);
  const bool general = c == 0xE2 && ((d == 0x80 && (e <= 0x8F || (e >= 0xA8 && e <= 0xAF))) ||
                                     (d == 0x81 && e >= 0x9F && e <= 0xAF));
  return general || three == "\xE3\x80\x80" || three == "\xEF\xBB\xBF" ? 3 : 0;
}

std::string collapse_blanks(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t blank = blank_length(text, i);
    if (blank == 0) {
      out += text[i++];
      continue;
    }
    i += blank;
    if (!out.empty() && out.back() != ' ') out += ' ';
  }
  if (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

/// Length in bytes of the punctuation mark at `i`, or 0 where a word goes on.
std::size_t punctuation_length(std::string_view text, std::size_t i) {
  const auto c = static_cast<unsigned char>(text[i]);
  if (c < 0x80) return is_ascii_alphanumeric(c) || c == '_' ? 0 : 1;
  if (text.substr(i, 2) == "«" || text.substr(i, 2) == "»" || text.substr(i, 2) == "¿") return 2;
  // Dashes, quotation marks and the ellipsis: U+2010 … U+2027 and the single guillemets.
  const std::string_view three = text.substr(i, 3);
  if (three.size() == 3 && c == 0xE2 && static_cast<unsigned char>(three[1]) == 0x80) {
    const auto e = static_cast<unsigned char>(three[2]);
    if ((e >= 0x90 && e <= 0xA6) || e == 0xB9 || e == 0xBA) return 3;
  }
  return three == "？" ? 3 : 0;  // Full-width question mark.
}

bool is_upper(std::string_view word) {
  const auto c = static_cast<unsigned char>(word[0]);
  if (c < 0x80) return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  const auto d = static_cast<unsigned char>(word.size() > 1 ? word[1] : '\0');
  return c == 0xC3 && d >= 0x80 && d <= 0x9E && d != 0x97;
}

/// True when the mark at `i` stands inside a word: "COVID-19", "3.5", "what's", "U.S", "C++".
bool joins(std::string_view text, std::size_t i, std::size_t length) {
  const std::string_view mark = text.substr(i, length);
  if (mark == "+" || mark == "#") return i > 0 && text[i - 1] != ' ';
  if (mark != "-" && mark != "." && mark != "," && mark != "–" && mark != "'" && mark != "’" &&
      mark != "/" && mark != "&" && mark != "@" && mark != "_" && mark != "%" && mark != ":")
    return false;
  if (i == 0 || text[i - 1] == ' ') return false;
  const std::size_t next = i + length;
  if (mark == "," || mark == ":")
    // "1,5", "RTS,S", "12:30", but not a comma that lacks its space.
    return next < text.size() && is_upper(text.substr(i - 1, 1)) && is_upper(text.substr(next));
  if (mark == "-" && (next >= text.size() || text[next] == ' ')) return true;  // "Vor- und …"
  if (next >= text.size()) return false;
  return punctuation_length(text, next) == 0 && text[next] != ' ';
}

void shield_quotes(Words& out) {
  std::size_t open = 0;
  bool inside = false;
  for (std::size_t i = 0; i < out.words.size(); ++i) {
    if (!out.words[i].punctuation) continue;
    const std::string_view mark = out.at(i);
    const bool opens = is_one_of(mark, "( [ { „ “ \" « » ‚ ‘");
    const bool closes = is_one_of(mark, ") ] } “ ” \" » « ’ ‘");
    if (inside && closes) {
      // Only what is closed again is shielded: a lone quotation mark must not hide the rest.
      for (std::size_t k = open; k <= i; ++k) out.words[k].shielded = true;
      inside = false;
    } else if (!inside && opens) {
      open = i;
      inside = true;
    }
  }
}

/// Capitals tell something only where some words after the first have them and some do not.
bool tells_nothing_by_capitals(const Words& words) {
  bool lower = false;
  bool upper = false;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words.words[i].punctuation) continue;
    if (words.words[i].capital) {
      upper = true;
    } else {
      lower = true;
    }
  }
  return !(upper && lower);
}

}  // namespace

Words split_words(std::string_view question, bool german) {
  Words out;
  out.german = german;
  out.text = collapse_blanks(question);
  out.folded.resize(out.text.size());
  fold_case(out.text, out.folded.data());
  const std::string_view text = out.text;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == ' ') {
      ++i;
      continue;
    }
    Word word;
    word.begin = i;
    const std::size_t mark = punctuation_length(text, i);
    if (mark != 0) {
      word.punctuation = true;
      i += mark;
    } else {
      while (i < text.size() && text[i] != ' ') {
        const std::size_t length = punctuation_length(text, i);
        if (length == 0) {
          ++i;
        } else if (joins(text, i, length)) {
          i += length;
        } else {
          break;
        }
      }
    }
    word.end = i;
    word.capital = !word.punctuation && is_upper(text.substr(word.begin, word.end - word.begin));
    word.classes =
        word.punctuation
            ? WordClass::kNone
            : classify_word(std::string_view(out.folded).substr(word.begin, word.end - word.begin),
                            german);
    out.words.push_back(word);
  }
  shield_quotes(out);
  out.no_capitals = tells_nothing_by_capitals(out);
  return out;
}

Draft& Draft::add(std::string_view piece) {
  if (piece.empty()) return *this;
  const bool glued = text_.empty() || is_one_of(piece.substr(0, 1), ", . ; : ? ! )");
  if (!glued) text_ += ' ';
  text_ += piece;
  return *this;
}

std::string Draft::question() const {
  std::string_view body = text_;
  while (!body.empty() && is_one_of(body.substr(body.size() - 1), "? ! . , ; :")) {
    body.remove_suffix(1);
    while (!body.empty() && body.back() == ' ') body.remove_suffix(1);
  }
  std::string out = capitalized(body);
  out += '?';
  return out;
}

std::string capitalized(std::string_view text) {
  std::string out(text);
  if (out.empty()) return out;
  const auto c = static_cast<unsigned char>(out[0]);
  if (c >= 'a' && c <= 'z') out[0] = static_cast<char>(c - 0x20);
  if (c == 0xC3 && out.size() > 1) {
    const auto d = static_cast<unsigned char>(out[1]);
    if (d >= 0xA0 && d <= 0xBE && d != 0xB7) out[1] = static_cast<char>(d - 0x20);
  }
  return out;
}

std::string uncapitalized(std::string_view text) {
  const bool two_bytes = text.starts_with('\xC3');
  std::string out(text.substr(0, two_bytes ? 2 : 1));
  std::string folded = out;
  fold_case(out, folded.data());
  folded += text.substr(out.size());
  return folded;
}

}  // namespace beleg
