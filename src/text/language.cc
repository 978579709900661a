#include "text/language.h"

#include <cld2/public/compact_lang_det.h>
#include <cld2/public/encodings.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "text/case_fold.h"
#include "text/language_words.h"
#include "text/word_breaker.h"

namespace beleg {
namespace {

// Enough to know the language; more only costs time.
constexpr std::size_t kMaxBytes = std::size_t{16} << 10U;
constexpr int kMaxWords = 200;
// From this many words on, a reliable guess of CLD2 outweighs our own word lists.
constexpr int kLongText = 40;
// Evidence of one function word; with less, the text does not tell.
constexpr double kMinEvidence = 0.55;
// Evidence for "neither", so that the confidence grows with the amount of evidence.
constexpr double kPrior = 0.35;
// Share of its evidence that an English word within a name keeps.
constexpr double kNameShare = 0.3;
constexpr double kFirstWordWeight = 1.6;
constexpr double kMinVote = 0.7;
// A third language is known to CLD2 only.
constexpr double kOtherVotes = 2.0;
constexpr double kOverruledShare = 0.4;
// With fewer words, a guess of CLD2 between languages in Latin letters is chance; letters outside
// ASCII tell it more.
constexpr int kMinAsciiWordsForOthers = 4;
constexpr int kMinWordsForOthers = 3;

struct Evidence {
  double german = 0;
  double english = 0;
  int words = 0;  // Words of letters only, identifiers left out.
};

// Endings and letter groups of content words.
WordEvidence inflection_evidence(std::string_view word) {
  constexpr auto kStrongGermanEndings =
      std::to_array<std::string_view>({"ung", "ungen", "keit", "keiten", "heit", "heiten", "schaft",
                                       "schaften", "lich", "liche", "lichen", "licher", "liches"});
  constexpr auto kGermanEndings =
      std::to_array<std::string_view>({"ische", "ischen", "ischer", "isches", "ieren", "iert",
                                       "ierte", "ierten", "igen", "iger", "tete", "teten"});
  constexpr auto kEnglishEndings = std::to_array<std::string_view>(
      {"ing", "ings", "ness", "ly", "ity", "ities", "ies", "ous", "ful", "ould", "ought", "ship",
       "ance", "ence", "ical", "tions", "ed"});
  const auto ends = [&](std::string_view ending) {
    return word.back() == ending.back() && word.size() > ending.size() + 2 &&
           word.ends_with(ending);
  };
  const auto has = [&](std::string_view group) {
    return word.find(group) != std::string_view::npos;
  };
  WordEvidence evidence;
  if (word.empty()) return evidence;
  if (std::ranges::any_of(kStrongGermanEndings, ends)) {
    evidence.german += 0.6;
  } else if (std::ranges::any_of(kGermanEndings, ends)) {
    evidence.german += 0.4;
  }
  if (std::ranges::any_of(kEnglishEndings, ends)) evidence.english += 0.3;
  if (has("sch") || has("pf") || has("tz")) evidence.german += 0.15;
  if (has("wh") || has("th") || has("oo") || has("ough")) evidence.english += 0.15;
  if (has("ä") || has("ö") || has("ü")) evidence.german += 0.5;
  return evidence;
}

bool starts_with_capital(std::string_view text, const RawToken& token) {
  return token.span.size() > 0 && (token.traits & kHasUpper) != 0 &&
         !(text[token.span.start] >= 'a' && text[token.span.start] <= 'z');
}

WordEvidence evidence_of(std::string_view word, std::string_view folded, bool in_name) {
  WordEvidence found = function_word_evidence(folded);
  if (found.german == 0 && found.english == 0) {
    found = inflection_evidence(folded);
    // ß stands in no other language; folding has made it ss.
    if (word.find("ß") != std::string_view::npos) found.german += 0.8;
  }
  // Names and titles in a German text are often English: "School of Public Health". English has
  // capitals there only, so that these words say little.
  if (in_name) found.english *= kNameShare;
  return found;
}

Evidence collect_evidence(std::string_view text) {
  constexpr std::uint32_t kNoWord = kHasDigit | kHasConnector | kIsUrl | kIsDictionaryWord;
  std::vector<RawToken> tokens;
  WordBreaker breaker(text);
  RawToken token;
  while (static_cast<int>(tokens.size()) < kMaxWords && breaker.next(token)) {
    if ((token.traits & kNoWord) == 0) tokens.push_back(token);
  }
  const bool has_lower_case = std::ranges::any_of(
      tokens, [](const RawToken& word) { return (word.traits & kHasLower) != 0; });
  Evidence evidence;
  std::string folded;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    // "WHO" and "US" among words in lower case are names.
    if (has_lower_case && (tokens[i].traits & kHasLower) == 0 && tokens[i].span.size() > 1)
      continue;
    const std::string_view word = text.substr(tokens[i].span.start, tokens[i].span.size());
    folded.clear();
    append_folded(word, folded);
    const bool between_capitals = i > 0 && i + 1 < tokens.size() &&
                                  starts_with_capital(text, tokens[i - 1]) &&
                                  starts_with_capital(text, tokens[i + 1]);
    const bool in_name = i > 0 && (starts_with_capital(text, tokens[i]) || between_capitals);
    const WordEvidence found = evidence_of(word, folded, in_name);
    // A question opens with its interrogative or its verb, which no name or quotation precedes.
    const double weight = i == 0 ? kFirstWordWeight : 1.0;
    evidence.german += weight * found.german;
    evidence.english += weight * found.english;
  }
  evidence.words = static_cast<int>(tokens.size());
  return evidence;
}

struct CldGuess {
  std::string code = "und";
  bool reliable = false;
  double share = 0;  // Of the text, in [0,1].
};

// CLD2 has some codes from before ISO 639-1's changes, script suffixes, and three-letter ones.
std::string iso_639_1(std::string_view code) {
  if (code == "iw") return "he";
  if (code == "jw") return "jv";
  if (code == "mo") return "ro";
  const std::string_view base = code.substr(0, code.find('-'));
  return base.size() == 2 ? std::string(base) : std::string("und");
}

CldGuess ask_cld2(std::string_view text) {
  const CLD2::CLDHints hints = {nullptr, nullptr, CLD2::UNKNOWN_ENCODING, CLD2::UNKNOWN_LANGUAGE};
  std::array<CLD2::Language, 3> languages{};
  std::array<int, 3> percents{};
  std::array<double, 3> scores{};
  int text_bytes = 0;
  bool reliable = false;
  int valid_prefix = 0;
  CLD2::ExtDetectLanguageSummaryCheckUTF8(text.data(), static_cast<int>(text.size()), true, &hints,
                                          0, languages.data(), percents.data(), scores.data(),
                                          nullptr, &text_bytes, &reliable, &valid_prefix);
  CldGuess guess;
  if (languages[0] == CLD2::UNKNOWN_LANGUAGE) return guess;
  guess.code = iso_639_1(CLD2::LanguageCode(languages[0]));
  guess.reliable = reliable && guess.code != "un" && guess.code != "und";
  guess.share = 0.01 * percents[0];
  return guess;
}

// At most kMaxBytes, cut before a character's first byte.
std::string_view head_of(std::string_view text) {
  if (text.size() <= kMaxBytes) return text;
  std::size_t end = kMaxBytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end);
}

}  // namespace

LanguageGuess detect_language(std::string_view text) {
  const std::string_view head = head_of(text);
  const Evidence evidence = collect_evidence(head);
  // Numbers, identifiers and URLs only.
  if (evidence.words == 0 && is_ascii(head)) return {};
  double german = evidence.german;
  double english = evidence.english;
  // Worth as much as a function word in every fifth word; in long texts CLD2 has seen enough to
  // outweigh our short lists.
  const double share_of_words = evidence.words >= kLongText ? 0.4 : 0.2;
  const double full_vote = std::max(kMinVote, share_of_words * evidence.words);
  const double best_of_words = std::max(german, english);
  const double most_of_others = std::min(german, english) + kOtherVotes * full_vote;
  if (best_of_words > kMinEvidence && best_of_words > most_of_others + kPrior) {
    // Whatever CLD2 says of so short and so clear a text, the language stays the same.
    return {german > english ? "de" : "en", best_of_words / (german + english + kPrior)};
  }
  const CldGuess cld = ask_cld2(head);
  double other = 0;
  const int min_words = is_ascii(head) ? kMinAsciiWordsForOthers : kMinWordsForOthers;
  if (cld.reliable) {
    const double vote = full_vote * cld.share;
    // Names mislead CLD2 between the two; where the function words are clear, they decide.
    const double on_german = english > 2 * german ? kOverruledShare : 1.0;
    const double on_english = german > 2 * english ? kOverruledShare : 1.0;
    if (cld.code == "de") {
      german += vote * on_german;
    } else if (cld.code == "en") {
      english += vote * on_english;
    } else if (evidence.words == 0 || evidence.words >= min_words) {
      other += kOtherVotes * vote;
    }
  }
  const double best = std::max({german, english, other});
  if (best < kMinEvidence) return {};
  const double confidence = best / (german + english + other + kPrior);
  if (confidence < 0.5) return {"und", confidence};
  if (best == other) return {cld.code, confidence};
  return {best == german ? "de" : "en", confidence};
}

}  // namespace beleg
