#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

#include "route/english_forms.h"
#include "route/german_forms.h"
#include "route/plan_sides.h"

namespace beleg {
namespace {

constexpr std::size_t kMaxSideWords = 7;
constexpr std::size_t kMaxSides = 4;

bool is_side(const Words& words, WordRange side) {
  if (side.empty() || side.size() > kMaxSideWords) return false;
  const std::size_t first = side.begin;
  if (words.is(first, WordClass::kPersonal | WordClass::kInterrogative | WordClass::kSubordinator |
                          WordClass::kDemonstrative | WordClass::kAuxiliary |
                          WordClass::kPreposition) &&
      !(words.is_capital(first) && first > 0))
    return false;
  if (words.is_word(first, "other others anderen andere another not nicht")) return false;
  for (std::size_t i = first; i < side.end; ++i) {
    if (words.words[i].shielded) return true;
    if (words.is_punctuation(i) || words.is(i, WordClass::kDeterminer)) continue;
    if (words.german && !words.no_capitals) {
      if (words.is_capital(i) && !words.at(i).ends_with('-')) return true;
    } else if (!words.is(i, WordClass::kPreposition | WordClass::kAdverb)) {
      return true;
    }
  }
  return false;
}

/// Position of the last preposition inside a range, or its end.
std::size_t last_preposition(const Words& words, WordRange range) {
  for (std::size_t i = range.end; i-- > range.begin + 1;) {
    if (words.is(i, WordClass::kPreposition) && i + 1 < range.end) return i;
  }
  return range.end;
}

/// "die Malaria-Impfstoffe RTS,S und R21": a plural before the first of two names.
bool names_one_kind(const Words& words, WordRange left, WordRange right) {
  if (left.size() != 3 || right.size() != 1 || !words.is_word(left.begin, "die den")) return false;
  const std::string_view kind = words.low(left.begin + 1);
  return words.is_capital(left.begin + 1) && words.is_capital(left.begin + 2) &&
         words.is_capital(right.begin) && may_be_plural(kind) && !kind.ends_with("sche");
}

void find_shared(const Words& words, Sides& sides) {
  if (sides.items.size() != 2) return;
  WordRange& left = sides.items[0];
  WordRange& right = sides.items[1];
  const bool stands_for = words.is_word(right.begin, "that those dem denen der den die das") &&
                          words.is(right.begin + 1, WordClass::kPreposition) &&
                          right.begin + 2 < right.end;
  if (stands_for) {
    // "… or that of Hubble": up to the same preposition, or the noun phrase before a genitive.
    std::size_t cut = right.begin + 1;
    for (std::size_t i = left.end; i-- > left.begin + 1;) {
      if (words.low(i) != words.low(cut)) continue;
      sides.shared = {left.begin, i};
      left.begin = i;
      right.begin = cut;
      return;
    }
    for (std::size_t i = left.begin + 1; i < left.end; ++i) {
      if (!words.is_word(i, "des der eines einer")) continue;
      sides.shared = {left.begin, i};
      left.begin = i;
      right.begin = cut;
      return;
    }
    right.end = right.begin;  // Nothing that it could stand for: no side.
    return;
  }
  if (words.is_word(right.begin, "that those denen")) {
    right = {right.begin, right.begin};  // Nothing that it could stand for: no side.
    return;
  }
  if (names_one_kind(words, left, right)) {
    sides.shared = {left.begin, left.end - 1};
    left.begin = left.end - 1;
    return;
  }
  const std::size_t cut = last_preposition(words, left);
  const bool bare_right = right.size() <= left.end - std::min(left.end, cut + 1) + 1 &&
                          last_preposition(words, right) == right.end &&
                          !words.is(right.begin, WordClass::kDeterminer);
  const bool attribute = cut < left.end && words.is_word(cut, "von of in for für bei");
  if (!attribute || !bare_right) return;
  sides.shared = {left.begin, cut + 1};
  left.begin = cut + 1;
}

}  // namespace

std::size_t side_end(const Words& words, std::size_t at, std::size_t end, bool attributes) {
  std::size_t i = at;
  for (; i < end; ++i) {
    if (words.words[i].shielded) continue;
    if (words.is_punctuation(i)) {
      const bool glued = i > at && words.words[i].begin == words.words[i - 1].end && i + 1 < end &&
                         words.words[i + 1].begin == words.words[i].end;
      if (!glued) break;
      continue;
    }
    if (i == at) continue;
    const bool attribute = words.is_word(i, "von of des der");
    if (words.is(i, WordClass::kPreposition) && !(attribute && attributes) && !words.is_capital(i))
      break;
    if (words.is(i, WordClass::kSubordinator | WordClass::kPersonal | WordClass::kInterrogative) &&
        !words.is_capital(i))
      break;
    if (words.german) {
      const bool before_noun = !words.no_capitals && i + 1 < end && words.is_capital(i + 1);
      if (!words.is_capital(i) && !before_noun && !attribute) break;
    } else if (words.is(i, WordClass::kAuxiliary | WordClass::kAdverb) ||
               (looks_finite(words, i) && !words.is_capital(i)) ||
               !english_positive(words.low(i)).empty()) {
      break;
    }
  }
  return i;
}

Sides make_sides(const Words& words, WordRange left, WordRange right) {
  Sides out;
  out.items = {left, right};
  out.end = right.end;
  find_shared(words, out);
  if (!is_side(words, out.items[0]) || !is_side(words, out.items[1])) {
    const bool attributes = !out.shared.empty();
    // After "the mirror" a side is an attribute: "of Webb".
    if (!attributes || out.items[0].empty() || out.items[1].empty()) return {};
  }
  return out;
}

Sides read_sides(const Words& words, std::size_t at, std::size_t end, std::string_view links) {
  Sides out;
  std::size_t begin = at;
  if (words.is_word(begin, "entweder either sowohl both")) ++begin;
  bool attributes = false;
  std::size_t i = begin;
  for (; i < end; ++i) {
    if (words.words[i].shielded) continue;
    if (words.is_word(i, "von of") && i > begin) attributes = true;
    const bool link = words.is_word(i, links);
    if (!link && !words.is_comma(i)) {
      if (words.is_punctuation(i) && words.at(i) != "." && words.at(i) != "-") return {};
      continue;
    }
    out.items.push_back({begin, i});
    if (words.is_comma(i) && words.is_word(i + 1, links)) ++i;
    begin = i + 1;
    if (words.is_word(i, "vs") && begin < end && words.at(begin) == ".") ++begin;
    if (words.is_word(i, "versus vs") || (link && i < end) || words.is_word(i, links)) break;
  }
  if (out.items.empty() || begin >= end) return {};
  out.end = side_end(words, begin, end, attributes);
  out.items.push_back({begin, out.end});
  find_shared(words, out);
  if (out.items.size() > kMaxSides ||
      !std::all_of(out.items.begin(), out.items.end(), [&](WordRange side) {
        return is_side(words, side) || (!out.shared.empty() && side.size() > 1);
      }))
    return {};
  return out;
}

bool is_plural_side(const Words& words, WordRange side, const Sides& all) {
  if (!all.shared.empty()) {
    // The number is that of the shared noun: "die größten Chips von".
    if (names_one_kind(words, {all.shared.begin, all.shared.end + 1}, {side.begin, side.begin + 1}))
      return true;
    WordRange shared{all.shared.begin, all.shared.begin + 1};
    while (shared.end < all.shared.end && !words.is(shared.end, WordClass::kPreposition))
      ++shared.end;
    Sides none;
    none.items = {shared};
    if (!words.german || !words.is_word(shared.begin, "die"))
      return is_plural_side(words, shared, none);
    return ends_with_one_of(words.low(shared.end - 1), "s en er") ||
           words.low(shared.begin + 1).ends_with("en") ||
           is_surely_plural(words.low(shared.end - 1));
  }
  if (words.is_word(side.begin, "der das dem ein eine einen einem einer a an")) return false;
  std::size_t last = side.begin;
  for (std::size_t i = side.begin; i < side.end; ++i) {
    if (words.is_capital(i) || !words.german) last = i;
    if (words.german && words.is_capital(i)) break;  // The head comes before genitives.
  }
  if (!words.german) return is_english_plural(words.low(side.end - 1));
  const std::string_view noun = words.low(last);
  if (is_surely_plural(noun)) return true;
  // "die …en" is a plural: hardly any feminine singular ends so.
  if (words.low(side.begin) == "die")
    return ends_with_one_of(noun, "n s") && gender_by_ending(noun) == 0;
  if (words.low(side.begin) == "den") return may_be_plural(noun);
  // "Hunde und Katzen", but "Butter und Margarine": one of them must have a strong ending.
  const auto last_of = [&](WordRange other) { return words.low(other.end - 1); };
  return std::all_of(all.items.begin(), all.items.end(),
                     [&](WordRange other) {
                       return may_be_plural(last_of(other)) &&
                              !words.is(other.begin, WordClass::kDeterminer);
                     }) &&
         std::any_of(all.items.begin(), all.items.end(), [&](WordRange other) {
           return ends_with_one_of(last_of(other), "en eln ern s");
         });
}

namespace {

/// Nouns that need both things at once.
bool needs_both(const Words& words, WordRange range) {
  for (std::size_t i = range.begin; i < range.end; ++i) {
    if (words.is(i, WordClass::kReciprocal)) return true;
    if (words.is_word(
            i,
            "beziehung beziehungen zusammenhang zusammenhänge verhältnis grenze entfernung "
            "abstand kombination wechselwirkung wechselwirkungen gemeinsamkeiten handel "
            "rolle relationship relationships connection link border distance combination "
            "interaction interactions correlation mix role ratio sum differ"))
      return true;
  }
  return false;
}

/// The sub-question for one side: what stands before the verb, the verb in number, the side, the
/// rest.
std::string ask_of(const Words& words, WordRange before, std::string_view verb, WordRange side,
                   WordRange rest, WordRange shared) {
  Draft draft;
  draft.add(words, before).add(verb).add(words, shared).add(words, side).add(words, rest);
  return draft.question();
}

/// "… von A und B", "… of A and B" at the end of a question about what is.
std::size_t pair_preposition(const Words& words, std::size_t at, std::size_t end) {
  for (std::size_t i = at; i + 3 < end; ++i) {
    if (words.is_word(i, words.german ? std::string_view("von bei für in gegen")
                                      : std::string_view("of for in")))
      return i;
  }
  return end;
}

void ask_each(const Words& words, const Sides& sides, WordRange before,
              std::string_view plural_verb, std::string_view singular_verb, std::size_t end,
              Decomposition& out) {
  for (const WordRange side : sides.items) {
    const bool plural = is_plural_side(words, side, sides) || singular_verb.empty();
    out.questions.push_back({ask_of(words, before, plural ? plural_verb : singular_verb, side,
                                    {sides.end, end}, sides.shared),
                             "entity"});
  }
}

void split_subject(const Words& words, const QuestionPhrase& phrase, std::size_t end,
                   Decomposition& out) {
  const std::size_t verb = phrase.range.end;
  const bool degree = phrase.kind == QuestionPhrase::Kind::kDegree;
  const bool noun = phrase.kind == QuestionPhrase::Kind::kNoun;
  if (words.german) {
    const bool stative =
        (noun && words.is_word(verb, "haben brauchen enthalten")) ||
        (degree && words.is_word(verb, "sind wirken leben")) || words.is_word(verb, "kosten") ||
        (words.is_word(phrase.head, "wie wogegen wofür") && words.is_word(verb, "wirken helfen"));
    if (!stative || verb + 3 > end) return;
    const Sides sides = read_sides(words, verb + 1, end, "und oder sowie");
    if (sides.items.empty()) return;
    const WordRange front = sides.items.front();
    if (sides.items.back().size() > front.size() + 1) return;
    // "die Kosten für Bau und Betrieb des Endlagers": unclear what belongs to what.
    if (sides.shared.empty() && last_preposition(words, front) < front.end) return;
    ask_each(words, sides, phrase.range, words.at(verb), german_singular_verb(words.low(verb)), end,
             out);
    return;
  }
  const std::size_t last = end - 1;
  const bool support =
      words.is_word(verb, "do") && words.is_word(last, "have cost need contain weigh work");
  const bool predicate = degree && words.is_word(verb, "are");
  if (!support && !predicate) return;
  const Sides sides = read_sides(words, verb + 1, support ? last : end, "and or");
  if (sides.items.empty() || (support && sides.end != last)) return;
  ask_each(words, sides, phrase.range, words.at(verb), english_singular_auxiliary(words.low(verb)),
           end, out);
}

void split_attribute(const Words& words, const QuestionPhrase& phrase, std::size_t end,
                     Decomposition& out) {
  const std::size_t verb = phrase.range.end;
  const bool exists = words.is_word(verb, "gibt");
  if (!words.is_word(verb, "sind ist are is") && !exists) return;
  const bool what = words.is_word(phrase.head, "was what");
  const bool degree = phrase.kind == QuestionPhrase::Kind::kDegree;
  if (!what && !degree && !exists) return;
  const bool definite = words.is_word(verb + 1, "die der das the");
  if (!definite && !exists) return;
  const std::size_t preposition = pair_preposition(words, verb + 1, end);
  if (preposition >= end) return;
  const Sides sides = read_sides(words, preposition + 1, end, "und and sowie");
  if (sides.items.empty() || sides.end != end) return;
  if (!words.german && words.low(preposition + 1).ends_with("ing")) return;
  // "the northwestern and eastern regions": the last words belong to both.
  if (sides.items.back().size() > sides.items.front().size() + 1) return;
  for (const WordRange side : sides.items) {
    Draft draft;
    draft.add(words, {phrase.range.begin, preposition + 1}).add(words, side);
    out.questions.push_back({draft.question(), "entity"});
  }
}

}  // namespace

namespace {

/// "… für die Strompreise und für die Emissionen": the preposition stands before each thing.
void split_repeated(const Words& words, std::size_t begin, std::size_t end, Decomposition& out) {
  for (std::size_t i = begin + 3; i + 2 < end; ++i) {
    if (words.words[i].shielded || !words.is_word(i, "und oder and or")) continue;
    const std::size_t right = i + 1;
    if (!words.is(right, WordClass::kPreposition) ||
        words.is_word(right, "zwischen between from von to bis zu"))
      continue;
    std::size_t left = i;
    while (left > begin && words.low(left) != words.low(right) && left + 8 > i) --left;
    if (left <= begin + 1 || words.low(left) != words.low(right) || left + 1 >= i) continue;
    const std::size_t stop = side_end(words, right + 1, end, false);
    if (!is_side(words, {left + 1, i}) || !is_side(words, {right + 1, stop})) continue;
    for (const WordRange side : {WordRange{left, i}, WordRange{right, stop}}) {
      Draft draft;
      draft.add(words, {begin, left}).add(words, side).add(words, {stop, end});
      out.questions.push_back({draft.question(), "entity"});
    }
    return;
  }
}

}  // namespace

Decomposition split_entities(const Words& words, WordRange sentence) {
  Decomposition out;
  const std::size_t end = trim_end(words, sentence.begin, sentence.end);
  const std::optional<QuestionPhrase> phrase = parse_question_phrase(words, sentence.begin, end);
  if (needs_both(words, {sentence.begin, end})) return out;
  if (phrase && phrase->range.end + 3 <= end) {
    split_subject(words, *phrase, end, out);
    if (out.questions.empty()) split_attribute(words, *phrase, end, out);
  }
  if (out.questions.empty() && opens_question(words, {sentence.begin, end}))
    split_repeated(words, sentence.begin, end, out);
  if (out.questions.size() < 2) out.questions.clear();
  if (!out.questions.empty()) {
    out.reason = PlanReason::kEntities;
    out.features[PlanFeature::kEntityPair] = 1.0;
  }
  return out;
}

}  // namespace beleg
