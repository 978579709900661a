#include "answer/dependent_sentence.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "answer/words.h"

namespace beleg {
namespace {

bool is_one_of(const std::string& word, std::span<const std::string_view> list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

}  // namespace

bool leans_on_the_sentence_before(std::string_view sentence) {
  static constexpr std::array<std::string_view, 31> kStandIns = {
      "er",      "sie",    "es",    "beide",   "beides",   "dieser",    "diese",    "dieses",
      "diesem",  "diesen", "dies",  "dadurch", "damit",    "dabei",     "dazu",     "dafuer",
      "dagegen", "davon",  "daher", "deshalb", "deswegen", "daraufhin", "it",       "they",
      "he",      "she",    "this",  "these",   "both",     "those",     "therefore"};
  static constexpr std::array<std::string_view, 12> kEmptyAfterIt = {
      "gibt",   "gab", "geht", "ging",  "handelt", "kommt",
      "heisst", "is",  "was",  "takes", "took",    "remains"};
  const auto words =
      statement_words(sentence.substr(0, std::min<std::size_t>(sentence.size(), 80)));
  if (words.empty() || !is_one_of(words[0].folded, kStandIns)) return false;
  const bool it = words[0].folded == "es" || words[0].folded == "it";
  return !(it && words.size() > 1 && is_one_of(words[1].folded, kEmptyAfterIt));
}

}  // namespace beleg
