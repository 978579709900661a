#include "text/legal_reference.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

namespace beleg {
namespace {

constexpr std::string_view kSectionSign = "\u00A7";
constexpr std::size_t kMaxSpaces = 4;
constexpr std::size_t kMaxWordLetters = 12;
constexpr std::size_t kMaxDigits = 6;
constexpr std::size_t kMaxDottedNumbers = 5;
constexpr std::size_t kMaxSubunits = 6;
constexpr std::size_t kMaxListed = 16;

using Alias = std::pair<std::string_view, std::string_view>;

// What a provision may be called. A paragraph is a section in German ("Paragraph 5" is § 5 read
// aloud), and the sign stands for the English section as well.
constexpr auto kUnits = std::to_array<Alias>({{"art", "art"},
                                              {"article", "art"},
                                              {"artikel", "art"},
                                              {"artikels", "art"},
                                              {"paragraf", "§"},
                                              {"paragrafen", "§"},
                                              {"paragraph", "§"},
                                              {"paragraphen", "§"},
                                              {"sec", "§"},
                                              {"section", "§"}});

// What its pieces may be called.
constexpr auto kSubunits = std::to_array<Alias>(
    {{"abs", "abs"},         {"absatz", "abs"}, {"absatzes", "abs"},    {"alt", "alt"},
     {"alternative", "alt"}, {"buchst", "lit"}, {"buchstabe", "lit"},   {"halbsatz", "hs"},
     {"hs", "hs"},           {"letter", "lit"}, {"lit", "lit"},         {"no", "nr"},
     {"nr", "nr"},           {"number", "nr"},  {"nummer", "nr"},       {"paragraph", "abs"},
     {"point", "nr"},        {"s", "s"},        {"satz", "s"},          {"satzes", "s"},
     {"sentence", "s"},      {"uabs", "uabs"},  {"unterabsatz", "uabs"}});

// What stands between the numbers after a doubled sign.
constexpr auto kListWords = std::to_array<std::string_view>({"and", "bis", "bzw", "u", "und"});

template <std::size_t Size>
std::optional<std::string_view> canonical(const std::array<Alias, Size>& names,
                                          std::string_view word) {
  const auto* found = std::ranges::find(names, word, &Alias::first);
  if (found == names.end()) return std::nullopt;
  return found->second;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

// Reads a reference from left to right. What does not fit leaves the position where it was.
class ReferenceReader {
 public:
  ReferenceReader(std::string_view text, std::size_t position) : text_(text), position_(position) {}

  [[nodiscard]] std::size_t position() const { return position_; }

  // Also where it does not matter whether it was there.
  bool take(std::string_view wanted) {
    if (!text_.substr(position_).starts_with(wanted)) return false;
    position_ += wanted.size();
    return true;
  }

  void skip_spaces() {
    for (std::size_t i = 0; i < kMaxSpaces; ++i) {
      const bool space = take(" ") || take("\u00A0") || take("\u202F") || take("\u2009") ||
                         take("\n") || take("\t");
      if (!space) return;
    }
  }

  // A word in lower case with its point; empty when there is none, or a longer one.
  std::string take_word() {
    std::string word;
    std::size_t end = position_;
    while (end < text_.size() && is_letter(text_[end]) && word.size() <= kMaxWordLetters) {
      word.push_back(lower(text_[end++]));
    }
    if (!ends_at(end) || word.size() > kMaxWordLetters) return {};
    position_ = end;
    take(".");
    return word;
  }

  // "5", "5a", "5.2.3".
  std::string take_number() {
    std::string number;
    std::size_t end = position_;
    for (std::size_t group = 0; group < kMaxDottedNumbers; ++group) {
      const std::size_t first = end;
      while (end < text_.size() && is_digit(text_[end])) number.push_back(text_[end++]);
      if (end == first || end - first > kMaxDigits) return {};
      const bool goes_on = end + 1 < text_.size() && text_[end] == '.' && is_digit(text_[end + 1]);
      if (!goes_on) break;
      number.push_back(text_[end++]);
    }
    for (int letters = 0; letters < 2 && end < text_.size() && is_letter(text_[end]); ++letters) {
      number.push_back(lower(text_[end++]));
    }
    return finish(end, std::move(number));
  }

  // "f", as in "lit. f", doubled as in "lit. aa".
  std::string take_letter() {
    std::string letters;
    std::size_t end = position_;
    while (end < text_.size() && is_letter(text_[end]) && letters.size() < 2) {
      letters.push_back(lower(text_[end++]));
    }
    return letters.empty() ? std::string() : finish(end, std::move(letters));
  }

 private:
  // Whether no letter or digit follows.
  [[nodiscard]] bool ends_at(std::size_t end) const {
    return end >= text_.size() || (!is_letter(text_[end]) && !is_digit(text_[end]) &&
                                   static_cast<unsigned char>(text_[end]) != 0xC3U);
  }
  std::string finish(std::size_t end, std::string taken) {
    if (!ends_at(end)) return {};
    position_ = end;
    return taken;
  }

  std::string_view text_;
  std::size_t position_;
};

// ".abs2" for " Abs. 2" or "(2)"; empty when the reference ends here.
std::string take_subunit(ReferenceReader& reader) {
  ReferenceReader ahead = reader;
  ahead.take(",");
  ahead.skip_spaces();
  std::string key;
  std::string value;
  if (ahead.take("(")) {
    value = ahead.take_number();
    key = value.empty() ? "lit" : "abs";
    if (value.empty()) value = ahead.take_letter();
    if (!ahead.take(")")) return {};
  } else {
    key = canonical(kSubunits, ahead.take_word()).value_or("");
    if (key.empty()) return {};
    ahead.skip_spaces();
    value = key == "lit" ? ahead.take_letter() : ahead.take_number();
  }
  if (value.empty()) return {};
  reader = ahead;
  return "." + key + value;
}

std::optional<LegalReference> take_reference(ReferenceReader& reader, std::size_t start,
                                             std::string_view unit) {
  std::string term(unit);
  const std::string number = reader.take_number();
  if (number.empty()) return std::nullopt;
  term += number;
  LegalReference reference;
  reference.terms.push_back(term);
  for (std::size_t i = 0; i < kMaxSubunits; ++i) {
    const std::string subunit = take_subunit(reader);
    if (subunit.empty()) break;
    term += subunit;
    reference.terms.insert(reference.terms.begin(), term);
  }
  reference.span = {static_cast<std::uint32_t>(start),
                    static_cast<std::uint32_t>(reader.position())};
  return reference;
}

bool take_list_separator(ReferenceReader& reader) {
  reader.skip_spaces();
  if (reader.take(",") || reader.take("-") || reader.take("\u2013") || reader.take("/")) {
    reader.skip_spaces();
    return true;
  }
  const std::string word = reader.take_word();
  if (std::ranges::find(kListWords, word) == kListWords.end()) return false;
  reader.skip_spaces();
  return true;
}

}  // namespace

std::size_t legal_reference_start(std::string_view text, std::size_t start) {
  const char first = lower(text[start]);
  if (first == 'a' || first == 'p' || first == 's') {
    const std::string_view rest = text.substr(start);
    if (rest.size() < 4) return std::string_view::npos;
    const char second = lower(rest[1]);
    const char third = lower(rest[2]);
    const bool looks_so = (first == 'a' && second == 'r' && third == 't') ||
                          (first == 'p' && second == 'a' && third == 'r') ||
                          (first == 's' && second == 'e' && third == 'c');
    if (!looks_so) return std::string_view::npos;
    return canonical(kUnits, ReferenceReader(text, start).take_word()) ? start
                                                                       : std::string_view::npos;
  }
  if (!is_digit(first)) return std::string_view::npos;
  std::size_t end = start;
  for (std::size_t spaces = 0; spaces < kMaxSpaces && end > 0; ++spaces) {
    const std::string_view before = text.substr(0, end);
    if (before.ends_with(' ') || before.ends_with('\n')) {
      --end;
    } else if (before.ends_with("\u00A0")) {
      end -= 2;
    } else if (before.ends_with("\u202F") || before.ends_with("\u2009")) {
      end -= 3;
    } else {
      break;
    }
  }
  if (!text.substr(0, end).ends_with(kSectionSign)) return std::string_view::npos;
  end -= kSectionSign.size();
  if (text.substr(0, end).ends_with(kSectionSign)) end -= kSectionSign.size();
  return end;
}

std::vector<LegalReference> legal_references_at(std::string_view text, std::size_t start) {
  ReferenceReader reader(text, start);
  std::string_view unit = kSectionSign;
  bool several = false;
  if (reader.take(kSectionSign)) {
    several = reader.take(kSectionSign);
  } else {
    const std::optional<std::string_view> named = canonical(kUnits, reader.take_word());
    if (!named) return {};
    unit = *named;
  }
  reader.skip_spaces();
  std::vector<LegalReference> references;
  std::size_t from = start;
  while (references.size() < kMaxListed) {
    std::optional<LegalReference> reference = take_reference(reader, from, unit);
    if (!reference) break;
    references.push_back(*std::move(reference));
    if (!several || !take_list_separator(reader)) break;
    from = reader.position();
  }
  return references;
}

}  // namespace beleg
