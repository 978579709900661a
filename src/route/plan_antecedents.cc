#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "route/english_forms.h"
#include "route/german_forms.h"
#include "route/plan_phrase.h"
#include "route/plan_refer.h"

namespace beleg {
namespace {

constexpr std::size_t kMaxRelativeWords = 12;

std::vector<std::string> as_strings(const Words& words, WordRange range) {
  std::vector<std::string> out;
  for (std::size_t i = range.begin; i < range.end; ++i) {
    const bool glued = i > range.begin && words.words[i].begin == words.words[i - 1].end;
    if (glued) {
      out.back() += words.at(i);
    } else {
      out.emplace_back(words.at(i));
    }
  }
  return out;
}

/// The first capitalised word of a range, or its last word.
std::size_t head_noun(const Words& words, WordRange range) {
  for (std::size_t i = range.begin; i < range.end; ++i) {
    if (words.is_capital(i) && !words.is(i, WordClass::kDeterminer)) return i;
  }
  std::size_t i = range.begin;
  while (i + 1 < range.end && words.is(i, WordClass::kDeterminer)) ++i;
  return i;
}

char gender_of(const Words& words, WordRange range, bool plural) {
  if (plural || range.empty()) return 0;
  const std::size_t first = range.begin;
  if (words.is_word(first, "der den einen")) return 'm';
  if (words.is_word(first, "die eine")) return 'f';
  if (words.is_word(first, "das")) return 'n';
  if (words.is_word(first, "dem einem ein")) return 'x';
  return gender_by_ending(words.low(head_noun(words, range)));
}

Antecedent german_antecedent(const Words& words, WordRange range, bool plural) {
  const std::vector<std::string> parts = as_strings(words, range);
  Antecedent out;
  out.plural = plural;
  out.gender = gender_of(words, range, plural);
  out.nominative = recase(parts, GermanCase::kNominative, plural);
  out.accusative = recase(parts, GermanCase::kAccusative, plural);
  out.dative = recase(parts, GermanCase::kDative, plural);
  out.noun = words.low(head_noun(words, range));
  return out;
}

bool governs_dative(const Words& words, std::size_t i) {
  return words.is_word(i,
                       "an aus bei mit nach seit von zu in unter vor zwischen auf neben hinter "
                       "gegenüber laut");
}

/// "Medikamente" + ", die gegen Alzheimer helfen". Empty when there is nothing to add.
std::string german_relative(const Words& words, const QuestionPhrase& phrase, std::size_t verb,
                            std::size_t end, bool plural, char gender) {
  WordRange rest{verb + 1, end};
  if (rest.empty() || rest.size() > kMaxRelativeWords) return {};
  if (rest.size() == 1 && words.low(rest.begin) == "es") return {};  // "welche Therapien gibt es"
  std::string pronoun = plural ? "die" : gender == 'm' ? "der" : gender == 'n' ? "das" : "die";
  if (!phrase.has_preposition()) {
    if (!plural && words.low(phrase.head) == "welchen") pronoun = "den";
  } else if (governs_dative(words, phrase.range.begin)) {
    pronoun = plural ? "denen" : gender == 'f' ? "der" : "dem";
  } else if (!plural && gender == 'm') {
    pronoun = "den";
  }
  std::string finite(words.at(verb));
  // A separable prefix returns to its verb: "nehmen … teil" → "teilnehmen".
  if (words.is_word(rest.end - 1,
                    "teil ab an auf aus bei ein her hin mit nach vor weg zu zurück statt "
                    "fest fort um durch bereit zusammen")) {
    --rest.end;
    finite = std::string(words.at(rest.end)) + finite;
  }
  Draft out;
  out.add(",");
  if (phrase.has_preposition()) out.add(uncapitalized(words.at(phrase.range.begin)));
  out.add(pronoun).add(words, rest).add(finite);
  return out.text();
}

bool german_plural_phrase(const Words& words, const QuestionPhrase& phrase, std::size_t verb) {
  const std::string_view head = words.low(phrase.head);
  const std::string_view noun = words.low(head_noun(words, phrase.noun));
  if (head == "wie") return words.low(phrase.head + 1) != "viel";
  if (head == "wieviele") return true;
  if (head == "welchen") {
    // "mit welchen" can only be a dative plural; "welchen Impfstoff" is a singular.
    const bool dative = phrase.has_preposition() && governs_dative(words, phrase.range.begin);
    return ends_with_one_of(noun, "n s") && (dative || may_be_plural(noun));
  }
  if (head != "welche" && head != "was") return false;
  if (is_surely_plural(noun)) return true;
  return is_plural_verb(words.low(verb)) || may_be_plural(noun);
}

/// "welche Medikamente zur Behandlung von Alzheimer" → "Medikamente zur Behandlung von Alzheimer".
Antecedent from_german_phrase(const Words& words, const QuestionPhrase& phrase, std::size_t verb,
                              std::size_t end) {
  const bool plural = german_plural_phrase(words, phrase, verb);
  std::vector<std::string> parts = as_strings(words, phrase.noun);
  const std::size_t head = head_noun(words, phrase.noun);
  const bool dative = phrase.has_preposition() && governs_dative(words, phrase.range.begin);
  Antecedent out;
  out.plural = plural;
  out.noun = words.low(head);
  if (plural) {
    const std::size_t index = std::min(head - phrase.noun.begin, parts.size() - 1);
    if (dative && words.low(phrase.head) == "welchen")
      parts[index] = nominative_plural(parts[index]);
  } else {
    const std::string_view word = words.low(phrase.head);
    const bool feminine = word == "welche" || (word == "welcher" && phrase.has_preposition());
    out.gender = feminine                                 ? 'f'
                 : word == "welches"                      ? 'n'
                 : word == "welcher" || word == "welchen" ? 'm'
                 : gender_by_ending(out.noun) != 0        ? gender_by_ending(out.noun)
                                                          : 'x';
    if (word.starts_with("welche"))
      parts.insert(parts.begin(), feminine ? "die" : out.gender == 'm' ? "der" : "das");
  }
  out.nominative = recase(parts, GermanCase::kNominative, plural);
  out.accusative = recase(parts, GermanCase::kAccusative, plural);
  out.dative = recase(parts, GermanCase::kDative, plural);
  // A noun alone says too little: add what the clause says of it.
  const bool bare = head + 1 == phrase.noun.end;
  if (!bare || verb >= end) return out;
  std::string addition;
  const WordRange owner = find_noun_phrase(words, verb + 1, end);
  if (words.is_word(verb, "hat haben") && owner.begin == verb + 1 && owner.end == end) {
    const Antecedent subject = german_antecedent(words, owner, words.low(verb) == "haben");
    addition = " von " + subject.dative;
  } else {
    addition = german_relative(words, phrase, verb, end, plural, out.gender);
    out.relative = !addition.empty();
  }
  for (std::string* form : {&out.nominative, &out.accusative, &out.dative}) *form += addition;
  return out;
}

/// "Wer muss der Wärmeplanung zustimmen": an object with "der" is a feminine dative.
void as_feminine(Antecedent& entry) {
  entry.gender = 'f';
  for (std::string* form : {&entry.nominative, &entry.accusative}) form->replace(0, 3, "die");
  entry.dative.replace(0, 3, "der");
}

/// "the symptoms of bird flu": a later "it" may mean bird flu.
void add_complement(const Words& words, WordRange range, std::vector<Antecedent>& out) {
  for (std::size_t i = range.end; i-- > range.begin + 1;) {
    if (!words.is_word(i, "of von") || i + 1 >= range.end) continue;
    const WordRange inner{i + 1, range.end};
    if (words.german) {
      out.push_back(german_antecedent(words, inner, is_surely_plural(words.low(inner.begin))));
      return;
    }
    Antecedent entry;
    entry.nominative = entry.accusative = entry.dative = std::string(words.slice(inner));
    entry.noun = words.low(inner.end - 1);
    entry.plural = is_english_plural(entry.noun);
    out.push_back(std::move(entry));
    return;
  }
}

/// Noun phrases after the finite verb: the subject first, then those after prepositions.
void add_following(const Words& words, std::size_t verb, std::size_t end, bool subject,
                   std::vector<Antecedent>& out) {
  std::size_t i = verb + 1;
  for (int found = 0; i < end && found < 3;) {
    const WordRange range = find_noun_phrase(words, i, end);
    // A year alone is nothing that a pronoun stands for.
    const bool number = !range.empty() && range.size() == 1 && words.at(range.begin)[0] <= '9';
    if (range.empty() || number) {
      i = range.empty() ? i + 1 : range.end;
      continue;
    }
    const std::string_view noun = words.low(head_noun(words, range));
    const bool agrees = subject && found == 0 && range.begin <= verb + 3;
    bool plural = words.german ? agrees && verb < words.size() ? is_plural_verb(words.low(verb))
                                                               : is_surely_plural(noun)
                               : is_english_plural(words.low(range.end - 1));
    if (words.german) {
      if (words.is_word(range.begin, "das dem ein eine einen einem")) plural = false;
      if (words.is_word(range.begin, "den")) plural = noun.ends_with('n');
      out.push_back(german_antecedent(words, range, plural));
      if (!subject && !plural && words.low(range.begin) == "der") as_feminine(out.back());
      for (std::size_t k = range.begin; k < range.end; ++k) {
        if (words.is_word(k, "und") && !words.words[k].shielded) out.back().plural = true;
      }
    } else {
      Antecedent entry;
      entry.nominative = words.slice(range);
      entry.noun = words.low(range.end - 1);
      entry.plural = plural;
      entry.accusative = entry.dative = entry.nominative;
      entry.plural = plural || entry.nominative.find(" and ") != std::string::npos;
      out.push_back(std::move(entry));
    }
    add_complement(words, range, out);
    ++found;
    i = range.end;
  }
}

/// "Was ist ein Bypass am Herzen": all of the predicate is what is spoken of.
bool add_predicate(const Words& words, std::size_t verb, std::size_t end,
                   std::vector<Antecedent>& out) {
  std::size_t begin = verb + 1;
  while (begin < end && words.is(begin, WordClass::kAdverb)) ++begin;
  WordRange range{begin, end};
  if (range.empty() || range.size() > kMaxRelativeWords) return false;
  if (!words.german) {
    // "Who is flying on …", "What is used for …"
    if (words.low(begin).size() > 4 && ends_with_one_of(words.low(begin), "ed ing") &&
        !words.is_capital(begin))
      return false;
    // "What is heat pump efficiency measured in": a passive, not a definition.
    const WordRange subject = find_noun_phrase(words, begin, end);
    if (!subject.empty() && subject.begin == begin && subject.end < end &&
        (words.low(subject.end).ends_with("ed") || words.is(subject.end, WordClass::kParticiple)))
      range = subject;
  }
  if (words.is(begin, WordClass::kPersonal | WordClass::kPreposition | WordClass::kDemonstrative))
    return false;
  if (words.german) {
    out.push_back(german_antecedent(words, range, is_plural_verb(words.low(verb))));
    return true;
  }
  Antecedent entry;
  entry.nominative = entry.accusative = entry.dative = std::string(words.slice(range));
  entry.plural = words.is_word(verb, "are were");
  const WordRange noun = find_noun_phrase(words, begin, range.end);
  entry.noun = words.low(noun.empty() ? end - 1 : noun.end - 1);
  out.push_back(std::move(entry));
  return true;
}

/// "the person who invented the telephone", "die Person, die das Telefon erfunden hat".
void add_person(const Words& words, const QuestionPhrase& phrase, std::size_t verb, std::size_t end,
                std::vector<Antecedent>& out) {
  if (is_copula(words, verb) || verb + 1 >= end || end - verb > kMaxRelativeWords) return;
  Antecedent person;
  person.gender = 'p';
  Draft draft;
  if (words.german) {
    draft.add("die Person").add(",").add("die");
    draft.add(words, {verb + 1, end}).add(words.at(verb));
  } else {
    draft.add("the person who").add(words, {phrase.range.end, end});
  }
  person.relative = words.german;
  person.nominative = person.accusative = draft.text();
  person.dative = words.german ? "der" + draft.text().substr(3) : draft.text();
  person.noun = "person";
  out.push_back(std::move(person));
}

Antecedent from_english_phrase(const Words& words, const QuestionPhrase& phrase, std::size_t verb,
                               std::size_t end) {
  Antecedent out;
  const std::size_t last = phrase.noun.end - 1;
  // The head of "drugs for the treatment of …" is what stands before the first preposition.
  std::size_t head = phrase.noun.begin;
  while (head + 1 < phrase.noun.end && !words.is(head + 1, WordClass::kPreposition)) ++head;
  out.noun = words.low(head);
  out.plural = words.is_word(phrase.head + 1, "many") || is_english_plural(out.noun);
  Draft draft;
  if (!out.plural) draft.add("the");
  draft.add(words, phrase.noun);
  const bool bare = head == last;
  if (bare && verb < end && end - verb <= kMaxRelativeWords) {
    const WordRange subject = find_noun_phrase(words, verb + 1, end);
    if (words.is_word(verb, "do does did") && end >= 1 && words.is_word(end - 1, "have") &&
        subject.begin == verb + 1 && subject.end == end - 1) {
      draft.add("of").add(words, subject);
    } else if (!words.is_word(verb, "do does did can could will would should may might must") &&
               !(is_copula(words, verb) && (words.is_capital(verb + 1) || verb + 1 >= end))) {
      draft.add("that").add(words, {verb, end});
    } else if (words.is_word(verb, "do does did") && verb + 2 < end) {
      draft.add("that").add(words, {verb + 1, end});
    }
  }
  out.nominative = out.accusative = out.dative = draft.text();
  return out;
}

}  // namespace

std::string question_noun(const Words& words, const QuestionPhrase& phrase, std::size_t verb) {
  // With nothing after the verb there is no relative clause to add.
  return words.german ? from_german_phrase(words, phrase, verb, verb).nominative
                      : from_english_phrase(words, phrase, verb, verb).nominative;
}

std::vector<Antecedent> find_antecedents(const Words& words, WordRange clause) {
  std::vector<Antecedent> out;
  const std::size_t end = trim_end(words, clause.begin, clause.end);
  std::size_t start = clause.begin;
  std::optional<QuestionPhrase> phrase = parse_question_phrase(words, start, end);
  // A request: "Erkläre, was X ist", "Can you tell me what X is".
  for (std::size_t i = start + 1; !phrase && i < end; ++i) {
    phrase = parse_question_phrase(words, i, end);
    if (phrase) start = i;
  }
  if (!phrase) {
    add_following(words, clause.begin, end, true, out);
    return out;
  }
  const ClauseShape shape = shape_after(words, *phrase, end);
  const bool contracted = !words.german && shape == ClauseShape::kDirect &&
                          ends_with_one_of(words.low(phrase->head), "'s ’s");
  std::size_t verb = contracted ? phrase->head : phrase->range.end;
  if (shape == ClauseShape::kEmbedded && !phrase->range.empty()) {
    add_following(words, phrase->range.end - 1, words.german ? end - 1 : end, false, out);
    return out;
  }
  if (!words.german && phrase->kind == QuestionPhrase::Kind::kNoun && verb + 1 == end &&
      is_copula(words, verb)) {
    // "(tell me) what dialysis is"
    add_following(words, phrase->head, verb, false, out);
    return out;
  }
  const bool what = words.is_word(phrase->head, "was wer what who what's who's what’s who’s");
  const bool bare = phrase->kind == QuestionPhrase::Kind::kBare;
  if (bare && what && (contracted || is_copula(words, verb)) &&
      add_predicate(words, verb, end, out)) {
    add_following(words, verb, end, false, out);
    return out;
  }
  if (phrase->kind == QuestionPhrase::Kind::kNoun && !phrase->noun.empty()) {
    out.push_back(words.german ? from_german_phrase(words, *phrase, verb, end)
                               : from_english_phrase(words, *phrase, verb, end));
    out.back().asked_for = true;
  }
  const bool asks_subject = bare && what;
  add_following(words, verb, end, !asks_subject, out);
  if (bare && words.is_word(phrase->head, "wer who")) add_person(words, *phrase, verb, end, out);
  return out;
}

}  // namespace beleg
