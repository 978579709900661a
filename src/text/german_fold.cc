#include "text/german_fold.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "text/case_fold.h"

namespace beleg {
namespace {

// Words in which ae, oe, ue are two sounds, or foreign: so that they do not fall together with
// others (Poet, Pot) and keep the form that other languages look for. Prefixes, sorted.
constexpr auto kNoUmlaut = std::to_array<std::string_view>({
    "aero",    "aloe",      "boeing",  "bueno",    "citroen",  "coen",     "duell",
    "duett",   "guerilla",  "guern",   "guerr",    "immanuel", "israel",   "joel",
    "koedu",   "koeffi",    "koexist", "kongruen", "maestro",  "manuel",   "michael",
    "miguel",  "noel",      "oboe",    "phoebe",   "phoenix",  "poes",     "poet",
    "puerto",  "rafael",    "raphael", "samuel",   "soeben",   "statue",   "suez",
    "tuesday", "venezuela", "zuein",   "zuerkenn", "zuerst",   "zuerteil",
});

// The second byte of an umlaut counts: "bläue" has no ü.
bool is_vowel(char c) {
  return static_cast<unsigned char>(c) >= 0x80U || c == 'a' || c == 'e' || c == 'i' || c == 'o' ||
         c == 'u' || c == 'y';
}

bool is_exception(std::string_view word) {
  const auto* after = std::upper_bound(kNoUmlaut.begin(), kNoUmlaut.end(), word);
  return after != kNoUmlaut.begin() && word.starts_with(*(after - 1));
}

// Whether the digraph at `i` of `word` stands for an umlaut.
bool is_umlaut(std::string_view word, std::size_t i) {
  const char before = i > 0 ? word[i - 1] : ' ';
  const char after = i + 2 < word.size() ? word[i + 2] : ' ';
  switch (word[i]) {
    case 'a':
      // "aeu" is äu. A word-final "ael" is that of Hebrew names.
      if (word.substr(i) == "ael" || word.substr(i) == "aels") return false;
      return after != 'i' && after != 'a' && after != 'o';
    case 'o':
      return !is_vowel(before) && (!is_vowel(after) || after == 'e');
    case 'u':
      // Not in "neue", "Bauer", "Quelle", nor in the adjectives in -uell.
      if (is_vowel(before) || before == 'q') return false;
      if (word.substr(i + 2).starts_with("ll") &&
          std::string_view("dnstx").find(before) != std::string_view::npos) {
        return false;
      }
      return !is_vowel(after) || after == 'e';
    default:
      return false;
  }
}

std::string contract_digraphs(std::string_view word) {
  std::string contracted;
  contracted.reserve(word.size());
  for (std::size_t i = 0; i < word.size(); ++i) {
    const bool digraph = i + 1 < word.size() && word[i + 1] == 'e' &&
                         (word[i] == 'a' || word[i] == 'o' || word[i] == 'u');
    if (!digraph || !is_umlaut(word, i)) {
      contracted.push_back(word[i]);
      continue;
    }
    contracted.append(word[i] == 'a' ? "ä" : word[i] == 'o' ? "ö" : "ü");
    ++i;
  }
  return contracted;
}

bool has_digraph(std::string_view word) {
  for (std::size_t i = 1; i < word.size(); ++i) {
    if (word[i] == 'e' && (word[i - 1] == 'a' || word[i - 1] == 'o' || word[i - 1] == 'u')) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::string fold_german(std::string_view folded) {
  std::string word = is_ascii(folded) ? std::string(folded) : strip_accents(folded, true);
  if (!has_digraph(word) || is_exception(word)) return word;
  return contract_digraphs(word);
}

}  // namespace beleg
