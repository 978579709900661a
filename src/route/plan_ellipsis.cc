#include <cstddef>
#include <optional>
#include <string>

#include "route/english_forms.h"
#include "route/german_forms.h"
#include "route/plan_clauses.h"

namespace beleg {
namespace {

/// The clause that lends its verb.
struct Base {
  QuestionPhrase phrase;
  std::size_t verb = 0;
  WordRange rest;  ///< After the verb.
};

/// True when a noun phrase or a subject pronoun follows the verb at once.
bool subject_follows(const Words& words, const Base& base) {
  const std::size_t i = base.rest.begin;
  if (i >= base.rest.end) return false;
  if (words.is(i, WordClass::kSubject | WordClass::kPersonal | WordClass::kPossessive)) return true;
  return find_noun_phrase(words, i, base.rest.end).begin == i &&
         !find_noun_phrase(words, i, base.rest.end).empty();
}

/// Where an object goes: before a participle or infinitive that ends the clause.
std::size_t object_place(const Words& words, const Base& base) {
  const std::size_t last = base.rest.end - 1;
  const bool nonfinite = words.german && base.rest.size() > 1 && !words.is_capital(last) &&
                         words.is(base.verb, WordClass::kAuxiliary) &&
                         ends_with_one_of(words.low(last), "en t n");
  return nonfinite ? last : base.rest.end;
}

std::string with_object(const Words& words, const Base& base, Draft& draft) {
  const std::size_t place = object_place(words, base);
  draft.add(words.at(base.verb)).add(words, {base.rest.begin, place});
  draft.add(question_noun(words, base.phrase, base.verb));
  draft.add(words, {place, base.rest.end});
  return draft.question();
}

std::string with_subject(const Words& words, const Base& base, Draft& draft,
                         std::string_view subject) {
  draft.add(words.at(base.verb)).add(subject).add(words, base.rest);
  return draft.question();
}

std::string plain(const Words& words, const Base& base, Draft& draft) {
  return with_subject(words, base, draft, {});
}

std::string german_ellipsis(const Words& words, const Base& base, Draft& draft) {
  const std::string_view head = words.low(base.phrase.head);
  if (base.phrase.has_preposition() || base.phrase.kind == QuestionPhrase::Kind::kDegree)
    return plain(words, base, draft);
  if (base.phrase.kind == QuestionPhrase::Kind::kNoun) {
    const bool object = !is_copula(words, base.verb) && subject_follows(words, base);
    return object ? with_object(words, base, draft)
                  : with_subject(words, base, draft, question_noun(words, base.phrase, base.verb));
  }
  if (head == "wer" && !(is_copula(words, base.verb) && subject_follows(words, base)))
    return with_subject(words, base, draft, "man");
  if (head == "was") {
    if (is_copula(words, base.verb)) return {};
    return subject_follows(words, base) ? plain(words, base, draft)
                                        : with_subject(words, base, draft, "das");
  }
  return plain(words, base, draft);
}

/// Past "founded" → "was X founded"; the object becomes the subject.
std::string english_passive(const Words& words, const Base& base, Draft& draft) {
  const std::string participle = english_participle_of_past(words.low(base.verb));
  const WordRange object = find_noun_phrase(words, base.rest.begin, base.rest.end);
  if (participle.empty() || object.empty() || object.begin != base.rest.begin) return {};
  draft.add(is_english_plural(words.low(object.end - 1)) ? "were" : "was");
  draft.add(words, object).add(participle).add(words, {object.end, base.rest.end});
  return draft.question();
}

/// A lexical verb needs do-support: "happened" → "did it happen", "causes" → "does something
/// cause".
std::string english_do_support(const Words& words, const Base& base, Draft& draft,
                               std::string_view subject, bool plural) {
  const std::string_view verb = words.low(base.verb);
  std::string bare = english_base_of_past(verb);
  std::string_view support = "did";
  if (bare.empty()) {
    const bool third = verb.ends_with('s') && !verb.ends_with("ss");
    bare = third ? verb.substr(0, verb.size() - 1) : verb;
    support = third ? "does" : plural ? "do" : "does";
  }
  draft.add(support).add(subject).add(bare).add(words, base.rest);
  return draft.question();
}

std::string english_noun_ellipsis(const Words& words, const Base& base, Draft& draft) {
  const std::string noun = question_noun(words, base.phrase, base.verb);
  if (!words.is(base.verb, WordClass::kAuxiliary))
    return english_do_support(words, base, draft, noun, !noun.starts_with("the "));
  const bool object = words.is_word(base.verb, "do does did") ||
                      (!is_copula(words, base.verb) && subject_follows(words, base));
  return object ? with_object(words, base, draft) : with_subject(words, base, draft, noun);
}

std::string english_ellipsis(const Words& words, const Base& base, Draft& draft) {
  const std::string_view head = words.low(base.phrase.head);
  if (base.phrase.has_preposition() || base.phrase.kind == QuestionPhrase::Kind::kDegree)
    return plain(words, base, draft);
  if (base.phrase.kind == QuestionPhrase::Kind::kNoun)
    return english_noun_ellipsis(words, base, draft);
  const bool auxiliary = words.is(base.verb, WordClass::kAuxiliary);
  const std::size_t next = base.rest.begin;
  if (head == "who") {
    if (!auxiliary) return english_passive(words, base, draft);
    const bool predicate = is_copula(words, base.verb) && !words.is(next, WordClass::kParticiple) &&
                           !words.low(next).ends_with("ed");
    return predicate || subject_follows(words, base) ? plain(words, base, draft)
                                                     : with_subject(words, base, draft, "someone");
  }
  if (head == "what" || head == "which") {
    if (!auxiliary) {
      const bool event = words.is_word(base.verb, "happened happens occurred occurs");
      return english_do_support(words, base, draft, event ? "it" : "something", false);
    }
    if (words.is_word(base.verb, "do does did")) return plain(words, base, draft);
    if (!is_copula(words, base.verb) || !words.low(base.rest.end - 1).ends_with("ed")) return {};
    return subject_follows(words, base) ? plain(words, base, draft)
                                        : with_subject(words, base, draft, "something");
  }
  return plain(words, base, draft);
}

}  // namespace

bool shares_noun(const Words& words, const QuestionPhrase& first, const QuestionPhrase& later) {
  if (first.kind != QuestionPhrase::Kind::kNoun || later.kind == QuestionPhrase::Kind::kNoun)
    return false;
  if (words.is_word(later.head, "welche welcher welches welchen which"))
    return words.low(first.head) == words.low(later.head);
  return words.is_word(later.range.end - 1, "viel viele many much") &&
         words.low(first.head) == words.low(later.head) &&
         words.low(first.head + 1) == words.low(later.head + 1);
}

std::string complete_ellipsis(const Words& words, WordRange base_range,
                              const QuestionPhrase& phrase, WordRange part) {
  const std::size_t end = trim_end(words, base_range.begin, base_range.end);
  const std::size_t part_end = trim_end(words, part.begin, part.end);
  WordRange remainder{phrase.range.end, part_end};
  Draft draft;
  const std::optional<QuestionPhrase> opening = parse_question_phrase(words, base_range.begin, end);
  // "How much weight … on A, and how much on B": the noun is that of the first.
  const bool same = opening && shares_noun(words, *opening, phrase);
  draft.add(words, same ? opening->range : phrase.range);
  while (!remainder.empty() && words.is(remainder.begin, WordClass::kAdverb)) {
    draft.add(words.at(remainder.begin));
    ++remainder.begin;
  }
  if (!opening) {
    if (!looks_finite(words, base_range.begin) || !remainder.empty()) return {};
    draft.add(uncapitalized(words.at(base_range.begin))).add(words, {base_range.begin + 1, end});
    return draft.question();
  }
  if (shape_after(words, *opening, end) != ClauseShape::kDirect || opening->range.end >= end)
    return {};
  const Base base{*opening, opening->range.end, {opening->range.end + 1, end}};
  if (base.rest.empty()) return {};
  if (!remainder.empty()) {
    if (words.is(remainder.begin, WordClass::kPreposition)) {
      // "… in the United States and when in the European Union": the same preposition again.
      for (std::size_t i = base.rest.end; i-- > base.rest.begin;) {
        if (words.low(i) != words.low(remainder.begin)) continue;
        draft.add(words.at(base.verb)).add(words, {base.rest.begin, i}).add(words, remainder);
        return draft.question();
      }
      const std::string core =
          words.german ? german_ellipsis(words, base, draft) : english_ellipsis(words, base, draft);
      if (core.empty()) return {};
      Draft longer;
      longer.add(std::string_view(core).substr(0, core.size() - 1)).add(words, remainder);
      return longer.question();
    }
    // "Wann starb Goethe und wann Schiller?": the new subject takes the place of the old.
    const WordRange old_subject = find_noun_phrase(words, base.rest.begin, base.rest.end);
    const WordRange new_subject = find_noun_phrase(words, remainder.begin, remainder.end);
    if (old_subject.begin != base.rest.begin || old_subject.empty() ||
        new_subject.begin != remainder.begin || new_subject.end != remainder.end)
      return {};
    const bool plural = words.german && words.low(new_subject.begin) == "die" &&
                        ends_with_one_of(words.low(new_subject.end - 1), "n s") &&
                        gender_by_ending(words.low(new_subject.end - 1)) == 0 &&
                        !is_plural_verb(words.low(base.verb));
    const std::string agreeing = plural ? german_plural_verb(words.low(base.verb)) : std::string();
    draft.add(agreeing.empty() ? words.at(base.verb) : std::string_view(agreeing));
    draft.add(words, new_subject).add(words, {old_subject.end, base.rest.end});
    return draft.question();
  }
  return words.german ? german_ellipsis(words, base, draft) : english_ellipsis(words, base, draft);
}

std::string complete_verb_ellipsis(const Words& words, WordRange base_range,
                                   const QuestionPhrase& phrase, WordRange part) {
  const std::size_t end = trim_end(words, part.begin, part.end);
  const std::size_t auxiliary = phrase.range.end;
  if (words.german ||
      !words.is_word(auxiliary, "do does did can could will would should has have had"))
    return {};
  const WordRange subject = find_noun_phrase(words, auxiliary + 1, end);
  if (subject.begin != auxiliary + 1 || subject.empty() || subject.end != end) return {};
  const std::size_t base_end = trim_end(words, base_range.begin, base_range.end);
  const std::optional<QuestionPhrase> opening =
      parse_question_phrase(words, base_range.begin, base_end);
  if (!opening || !words.is(opening->range.end, WordClass::kAuxiliary)) return {};
  const std::size_t first = opening->range.end + 1;
  const WordRange old_subject = find_noun_phrase(words, first, base_end);
  if (old_subject.begin != first || old_subject.empty() || old_subject.end >= base_end) return {};
  Draft draft;
  draft.add(words, {phrase.range.begin, end}).add(words, {old_subject.end, base_end});
  return draft.question();
}

}  // namespace beleg
