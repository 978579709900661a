#include "text/identifier.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "text/characters.h"

namespace beleg {
namespace {

constexpr std::size_t kMaxBytesToSplitByCase = 64;

bool is_letter(CharClass c) { return c == CharClass::kLower || c == CharClass::kUpper; }

bool is_inside_word(CharClass c) {
  return is_letter(c) || c == CharClass::kDigit || c == CharClass::kMark ||
         c == CharClass::kIgnorable || c == CharClass::kDictionary;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

struct Piece {
  std::size_t start;
  std::size_t end;
  bool letters = false;
  bool digits = false;
};

// The runs between punctuation.
std::vector<Piece> pieces_between_punctuation(std::string_view token) {
  std::vector<Piece> pieces;
  bool open = false;
  for (std::size_t i = 0; i < token.size();) {
    const ClassAt here = class_at(token, i);
    if (is_inside_word(here.char_class)) {
      if (!open) pieces.push_back({i, i});
      open = true;
      Piece& piece = pieces.back();
      piece.end = i + here.length;
      piece.letters = piece.letters || is_letter(here.char_class);
      piece.digits = piece.digits || here.char_class == CharClass::kDigit;
    } else {
      open = false;
    }
    i += here.length;
  }
  return pieces;
}

// True where a new hump starts: "get|User", "HTTP|Server", "covid|19".
bool is_hump(CharClass before, CharClass here, CharClass after) {
  const bool digit_edge = is_letter(before) != is_letter(here);
  const bool up = before == CharClass::kLower && here == CharClass::kUpper;
  const bool acronym_end =
      before == CharClass::kUpper && here == CharClass::kUpper && after == CharClass::kLower;
  return digit_edge || up || acronym_end;
}

// Splits one piece of at most kMaxBytesToSplitByCase at its humps; none when that would leave a
// letter or digit alone among letters, as in "GmbH", "iPhone" or "0x1F".
std::vector<Piece> split_humps(std::string_view token, const Piece& piece) {
  std::array<CharClass, kMaxBytesToSplitByCase> classes;
  std::array<std::size_t, kMaxBytesToSplitByCase> offsets;
  std::size_t count = 0;
  for (std::size_t i = piece.start; i < piece.end;) {
    const ClassAt here = class_at(token, i);
    if (here.char_class != CharClass::kMark && here.char_class != CharClass::kIgnorable) {
      classes[count] = here.char_class;
      offsets[count++] = i;
    }
    i += here.length;
  }
  std::vector<Piece> humps;
  std::size_t letters_in_hump = 0;
  const auto close = [&](std::size_t end) {
    const bool letters = is_letter(classes[letters_in_hump]);
    humps.push_back({offsets[letters_in_hump], end, letters, !letters});
  };
  for (std::size_t k = 1; k < count; ++k) {
    const CharClass after = k + 1 < count ? classes[k + 1] : CharClass::kSeparator;
    if (!is_hump(classes[k - 1], classes[k], after)) continue;
    if (is_letter(classes[letters_in_hump]) && k - letters_in_hump < 2) return {};
    close(offsets[k]);
    letters_in_hump = k;
  }
  if (humps.empty()) return {};
  if (is_letter(classes[letters_in_hump]) && count - letters_in_hump < 2) return {};
  close(piece.end);
  return humps;
}

}  // namespace

std::vector<IdentifierPart> split_identifier(std::string_view token) {
  const std::vector<Piece> pieces = pieces_between_punctuation(token);
  std::vector<IdentifierPart> parts;
  const auto add = [&](const Piece& piece) {
    parts.push_back(
        {{static_cast<std::uint32_t>(piece.start), static_cast<std::uint32_t>(piece.end)},
         piece.letters && !piece.digits});
  };
  for (const Piece& piece : pieces) {
    // Alone and shorter than the token it is the name in "C++".
    if (pieces.size() > 1 || piece.end - piece.start < token.size()) add(piece);
    if (piece.end - piece.start > kMaxBytesToSplitByCase) continue;
    for (const Piece& hump : split_humps(token, piece)) add(hump);
  }
  return parts;
}

std::string canonical_number(std::string_view token, bool comma_decimal) {
  const char decimal = comma_decimal ? ',' : '.';
  const char thousands = comma_decimal ? '.' : ',';
  std::string number;
  std::size_t digits_in_group = 0;
  bool grouped = false;
  bool fraction = false;
  std::size_t other_points = 0;
  for (std::size_t i = 0; i < token.size(); ++i) {
    const char c = token[i];
    if (is_digit(c)) {
      number.push_back(c);
      ++digits_in_group;
      continue;
    }
    const bool separates_group =
        (c == thousands || c == '\'') && !fraction && i + 3 < token.size() &&
        is_digit(token[i + 1]) && is_digit(token[i + 2]) && is_digit(token[i + 3]) &&
        (i + 4 == token.size() || !is_digit(token[i + 4])) &&
        (grouped ? digits_in_group == 3 : digits_in_group >= 1 && digits_in_group <= 3);
    if (separates_group && other_points == 0) {
      grouped = true;
    } else if (c == decimal && !fraction) {
      fraction = true;
      number.push_back('.');
    } else if (c == thousands && !grouped && !fraction) {
      // "16.04" in German, "3,5" in English: not a group of three, so the other habit's decimal.
      ++other_points;
      fraction = true;
      number.push_back('.');
    } else {
      return {};
    }
    digits_in_group = 0;
  }
  return number;
}

std::string join_acronym(std::string_view token) {
  std::string joined;
  std::size_t letters = 0;
  for (std::size_t i = 0; i < token.size();) {
    const ClassAt here = class_at(token, i);
    if (!is_letter(here.char_class)) return {};
    joined.append(token.substr(i, here.length));
    ++letters;
    i += here.length;
    if (i == token.size()) break;
    if (token[i] != '.' || i + 1 == token.size()) return {};
    ++i;
  }
  return letters > 1 ? joined : std::string();
}

std::string_view canonical_url(std::string_view url) {
  if (const std::size_t scheme = url.find("://"); scheme != std::string_view::npos) {
    url.remove_prefix(scheme + 3);
  }
  if (url.size() > 4 && (url.starts_with("www.") || url.starts_with("WWW."))) url.remove_prefix(4);
  while (url.size() > 1 && url.back() == '/') url.remove_suffix(1);
  return url;
}

std::size_t gender_form_stem(std::string_view token) {
  for (const std::string_view ending : {"innen", "in"}) {
    if (token.size() < ending.size() + 4) continue;
    const std::size_t at = token.size() - ending.size();
    if (token.substr(at) == ending &&
        std::string_view(":*_/").find(token[at - 1]) != std::string_view::npos) {
      return at - 1;
    }
    const bool inner_capital = token[at] == 'I' && token.substr(at + 1) == ending.substr(1) &&
                               byte_class(token[at - 1]) != CharClass::kUpper;
    if (inner_capital) return at;
  }
  return 0;
}

}  // namespace beleg
