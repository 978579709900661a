#include "route/plan_refer.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>

#include "route/german_forms.h"
#include "route/plan_phrase.h"

namespace beleg {
namespace {

enum class Slot : std::uint8_t { kNominative, kAccusative, kDative };

/// What a pronoun asks of its antecedent.
struct Wanted {
  std::optional<bool> plural;
  char gender = 0;      // 0: any
  bool person = false;  // The pronoun can stand for the person that "wer" asks for.
  bool strict = false;  // The number must agree.
  bool known = false;   // Not what the first clause asks for.
};

const Antecedent* choose(const std::vector<Antecedent>& antecedents, const Wanted& wanted) {
  const Antecedent* best = nullptr;
  int best_score = 0;
  for (const Antecedent& entry : antecedents) {
    // "it" is never two people.
    const bool pair = entry.nominative.find(" and ") != std::string::npos ||
                      entry.nominative.find(" und ") != std::string::npos;
    if (pair && wanted.plural == false) continue;
    int score = wanted.known && entry.asked_for ? 8 : 10;
    if (wanted.plural && *wanted.plural != entry.plural) score -= wanted.strict ? 10 : 5;
    if (entry.gender == 'p') {
      score += wanted.person ? 3 : -6;
    } else if (wanted.gender == 'f' && entry.plural) {
      score += 2;  // "sie" may always be a plural; the verb tells where it is the subject.
    } else if (wanted.gender != 0 && !entry.plural) {
      const bool either = entry.gender == 'x' && (wanted.gender == 'm' || wanted.gender == 'n');
      if (entry.gender == wanted.gender) {
        score += 2;
      } else if (entry.gender == 0 || either) {
        score += 1;
      } else {
        score -= 2;
      }
    }
    if (score > best_score) {
      best = &entry;
      best_score = score;
    }
  }
  return best;
}

/// Builds the clause word by word.
class Resolver {
 public:
  Resolver(const Words& words, WordRange clause, const std::vector<Antecedent>& antecedents)
      : words_(words),
        begin_(clause.begin),
        end_(trim_end(words, clause.begin, clause.end)),
        antecedents_(antecedents) {
    const std::optional<QuestionPhrase> phrase = parse_question_phrase(words, begin_, end_);
    after_phrase_ = phrase ? phrase->range.end : begin_;
    noun_asked_ = phrase && phrase->kind == QuestionPhrase::Kind::kNoun;
    finite_ = after_phrase_;
    if (!looks_finite(words_, finite_) || finite_ >= end_) finite_ = end_ == 0 ? 0 : end_ - 1;
    speaks_of_person_ = words.german && speaks_of_person();
  }

  ResolvedClause run() {
    for (std::size_t i = begin_; i < end_;) {
      const std::size_t used = words_.german ? german_word(i) : english_word(i);
      if (used == 0) {
        emit(i);
        ++i;
      } else {
        referred_ = true;
        i += used;
      }
    }
    if (!referred_) add_topic();
    return {draft_.text(), referred_};
  }

 private:
  void emit(std::size_t i) {
    const bool glued = i > begin_ && words_.words[i].begin == words_.words[i - 1].end;
    if (glued && !open_relative_) {
      draft_.glue(words_.at(i));
    } else {
      pad_relative();
      draft_.add(words_.at(i));
    }
  }

  /// A relative clause ends with a comma before anything that follows.
  void pad_relative() {
    if (open_relative_) draft_.add(",");
    open_relative_ = false;
  }

  void insert(const Antecedent& entry, Slot slot, std::string_view before = {}) {
    pad_relative();
    const std::string_view form = slot == Slot::kDative       ? entry.dative
                                  : slot == Slot::kAccusative ? entry.accusative
                                                              : entry.nominative;
    add_contracted(before, form);
    open_relative_ = entry.relative;
  }

  /// "von dem Ticket" → "vom Ticket".
  void add_contracted(std::string_view preposition, std::string_view phrase) {
    if (words_.german && phrase.starts_with("dem ") && is_one_of(preposition, "von bei")) {
      draft_.add(preposition == "von" ? "vom" : "beim").add(phrase.substr(4));
    } else if (words_.german && is_one_of(preposition, "zu") &&
               (phrase.starts_with("dem ") || phrase.starts_with("der "))) {
      draft_.add(phrase.starts_with("dem ") ? "zum" : "zur").add(phrase.substr(4));
    } else {
      draft_.add(preposition).add(phrase);
    }
  }

  [[nodiscard]] bool followed_by_noun(std::size_t i) const {
    if (!words_.german) {
      return i + 1 < end_ && !words_.is_punctuation(i + 1) &&
             !words_.is(i + 1, WordClass::kAuxiliary | WordClass::kPreposition | WordClass::kVerb |
                                   WordClass::kAdverb | WordClass::kCoordinator);
    }
    std::size_t k = i + 1;
    if (words_.no_capitals)
      return k < end_ && !words_.is_punctuation(k) &&
             !words_.is(k, WordClass::kAuxiliary | WordClass::kVerb | WordClass::kPreposition |
                               WordClass::kAdverb | WordClass::kPersonal | WordClass::kDeterminer);
    while (k < end_ && !words_.is_capital(k) && !words_.is_punctuation(k) &&
           ends_with_one_of(words_.low(k), "e en er es em") && !looks_finite(words_, k))
      ++k;
    return k < end_ && words_.is_capital(k);
  }

  [[nodiscard]] bool plural_clause() const { return is_plural_verb(words_.low(finite_)); }

  [[nodiscard]] bool speaks_of_person() const {
    for (std::size_t i = begin_; i < end_; ++i) {
      if (words_.is_word(
              i,
              "starb geboren lebte lebt heißt hieß verheiratet alt wohnte wohnt studierte "
              "verdient verdiente gestorben die died born live lived married old"))
        return true;
    }
    return false;
  }

  /// Position of the last word of "adjective* noun" after `i`.
  [[nodiscard]] std::size_t noun_after(std::size_t i) const {
    std::size_t k = i + 1;
    if (words_.german && !words_.no_capitals) {
      while (k < end_ && !words_.is_capital(k)) ++k;
      while (k + 1 < end_ && words_.is_capital(k + 1)) ++k;
      return k;
    }
    while (k + 1 < end_ && !words_.is_punctuation(k + 1) &&
           !words_.is(k + 1, WordClass::kAuxiliary | WordClass::kPreposition | WordClass::kVerb |
                                 WordClass::kCoordinator | WordClass::kAdverb |
                                 WordClass::kDeterminer | WordClass::kParticiple) &&
           !(k > i && words_.low(k + 1).ends_with("ed")) && !words_.german)
      ++k;
    return k;
  }

  [[nodiscard]] bool expletive(std::size_t i) const {
    if (words_.german) {
      const std::string_view near = "gibt gab gäbe geht ging handelt handelte kommt regnet heißt";
      if ((i > begin_ && words_.is_word(i - 1, near)) || words_.is_word(i + 1, near)) return true;
      if (!words_.is_word(i + 1,
                          "möglich nötig erlaubt wahr sinnvoll notwendig üblich verboten "
                          "ratsam strafbar wichtig"))
        return false;
      for (std::size_t k = i + 2; k < end_; ++k) {
        if (words_.is_word(k, "zu dass daß wenn") || words_.is_comma(k)) return true;
      }
      return false;
    }
    return words_.is_word(i + 1,
                          "possible true necessary legal important common likely better "
                          "dangerous safe advisable illegal worth") &&
           (words_.is_word(i + 2, "to that if") ||
            (words_.low(i + 2) == "for" && has_later(i + 3, "to")));
  }

  [[nodiscard]] bool has_later(std::size_t from, std::string_view list) const {
    for (std::size_t k = from; k < end_; ++k) {
      if (words_.is_word(k, list)) return true;
    }
    return false;
  }

  std::size_t insert_chosen(const Wanted& wanted, Slot slot, std::string_view before = {}) {
    const Antecedent* entry = choose(antecedents_, wanted);
    if (entry == nullptr) return 0;
    insert(*entry, slot, before);
    return 1;
  }

  std::size_t german_word(std::size_t i) {
    if (words_.words[i].shielded) return 0;
    const bool polite = words_.is_capital(i) && i > begin_;
    if (words_.is(i, WordClass::kPersonal) && !polite) return referred_ ? 0 : german_personal(i);
    if (words_.is(i, WordClass::kPronominal)) return german_pronominal(i);
    if (words_.is(i, WordClass::kPossessive) && !polite && followed_by_noun(i))
      return has_local_owner(i) ? 0 : possessive(i);
    if (words_.low(i) == "ihr" && !polite) return insert_chosen({false, 'f', false}, Slot::kDative);
    if (words_.is_word(i, "diese dieser dieses diesen diesem solche dies das"))
      return demonstrative(i);
    return 0;
  }

  /// "wie können Schäfer ihre Herden schützen": the owner stands in the clause itself.
  [[nodiscard]] bool has_local_owner(std::size_t i) const {
    if (referred_) return true;
    const WordRange subject = find_noun_phrase(words_, finite_ + 1, i);
    return !subject.empty() && finite_ < i;
  }

  std::size_t german_personal(std::size_t i) {
    const std::string_view word = words_.low(i);
    if (word == "es" && expletive(i)) return 0;
    const bool person = speaks_of_person_;
    if (word == "sie") {
      // The subject agrees with the verb; "wie behandelt man sie" tells nothing.
      const bool subject = i == finite_ + 1 || i == after_phrase_ || i == begin_ + 1;
      Wanted wanted{std::nullopt, 'f', person};
      if (subject) wanted.plural = plural_clause();
      if (wanted.plural && *wanted.plural) wanted.person = false;
      return insert_chosen(wanted, Slot::kNominative);
    }
    if (word == "ihnen") return insert_chosen({true, 0, false}, Slot::kDative);
    if (word == "ihm") return insert_chosen({false, 'm', person}, Slot::kDative);
    if (word == "ihn") {
      const Antecedent* entry = choose(antecedents_, {false, 'm', person});
      if (entry == nullptr) return 0;
      // The pronoun tells the gender that "ein" leaves open.
      Antecedent masculine = *entry;
      if (masculine.accusative.starts_with("ein ")) masculine.accusative.insert(3, "en");
      insert(masculine, Slot::kAccusative);
      return 1;
    }
    return insert_chosen({false, word == "er" ? 'm' : 'n', word == "er" && person},
                         Slot::kNominative);
  }

  std::size_t german_pronominal(std::size_t i) {
    const std::string_view word = words_.low(i);
    // "danach" is a time, not a thing.
    if (is_one_of(word, "danach davor darum")) return 0;
    if (words_.is_comma(i + 1) || (word == "damit" && (i == begin_ || words_.is_comma(i - 1))))
      return 0;
    std::string_view preposition = word.substr(2);
    static constexpr std::string_view kWithR[] = {"an", "auf", "aus", "in", "unter", "über", "um"};
    for (const std::string_view candidate : kWithR) {
      if (preposition.size() == candidate.size() + 1 && preposition.substr(1) == candidate)
        preposition = candidate;
    }
    const bool accusative = is_one_of(preposition, "für gegen durch über um");
    return insert_chosen({}, accusative ? Slot::kAccusative : Slot::kDative, preposition);
  }

  /// "deren Nebenwirkungen" → "die Nebenwirkungen von Casgevy"; "its price" → "Casgevy's price".
  std::size_t possessive(std::size_t i) {
    const std::string_view word = words_.low(i);
    Wanted wanted;
    if (words_.german) {
      const bool feminine_or_plural = word.starts_with("ihr") || word == "deren";
      if (feminine_or_plural) {
        wanted.gender = 'f';
      } else {
        wanted = {false, 'm', true};
      }
    } else {
      wanted = {word == "their", 0, is_one_of(word, "his her")};
    }
    const Antecedent* entry = choose(antecedents_, wanted);
    if (entry == nullptr) return 0;
    const std::size_t last = noun_after(i);
    if (last >= end_) return 0;
    pad_relative();
    const std::string_view owner = words_.german ? entry->dative : entry->nominative;
    if (!words_.german && owner.find(' ') == std::string_view::npos) {
      draft_.add(std::string(owner) + (owner.ends_with('s') ? "'" : "'s"));
      draft_.add(words_, {i + 1, last + 1});
      return last + 1 - i;
    }
    draft_.add(words_.german ? article_for(word, words_.low(last)) : std::string_view("the"));
    draft_.add(words_, {i + 1, last + 1});
    add_contracted(words_.german ? "von" : "of", owner);
    open_relative_ = entry->relative;
    return last + 1 - i;
  }

  [[nodiscard]] std::string_view article_for(std::string_view possessive,
                                             std::string_view noun) const {
    if (ends_with_one_of(possessive, "inen hren")) return "den";
    if (ends_with_one_of(possessive, "inem hrem")) return "dem";
    if (ends_with_one_of(possessive, "iner hrer")) return "der";
    if (ends_with_one_of(possessive, "ines hres")) return "des";
    if (ends_with_one_of(possessive, "ine hre")) return "die";
    if (may_be_plural(noun) && plural_clause()) return "die";
    const char gender = gender_by_ending(noun);
    return gender == 'f' ? "die" : gender == 'm' ? "der" : gender == 'n' ? "das" : "";
  }

  /// "diese" alone is a pronoun; before a noun the noun stays, and what it is follows in brackets.
  std::size_t demonstrative(std::size_t i) {
    const std::string_view word = words_.low(i);
    if (!followed_by_noun(i)) {
      if (words_.german && words_.is_comma(i + 1)) return 0;
      Wanted wanted;
      if (is_one_of(word, "das dies this")) wanted = {false, 0, false, true};
      if (word == "these" || word == "those") wanted.plural = true;
      if (word == "diese" && finite_ < end_) wanted.plural = plural_clause();
      if (word == "dieser") wanted = {false, 'm', false};
      return insert_chosen(wanted, word == "diesem" ? Slot::kDative : Slot::kNominative);
    }
    if (word == "das") return 0;
    const std::size_t last = noun_after(i);
    if (last >= end_) return 0;
    const std::string_view noun = words_.low(last);
    for (const Antecedent& entry : antecedents_) {
      // The same noun again: the whole phrase replaces it.
      if (!entry.noun.empty() && (noun.starts_with(entry.noun) || entry.noun.starts_with(noun))) {
        insert(entry, is_one_of(word, "diesem diesen") ? Slot::kDative : Slot::kNominative);
        return last + 1 - i;
      }
    }
    if (antecedents_.empty()) return 0;
    draft_.add(words_, {i, last + 1});
    draft_.add("(" + antecedents_.front().nominative + ")");
    return last + 1 - i;
  }

  std::size_t english_word(std::size_t i) {
    if (words_.words[i].shielded) return 0;
    const std::string_view word = words_.low(i);
    if (words_.is(i, WordClass::kPossessive) && followed_by_noun(i))
      return has_local_owner(i) ? 0 : possessive(i);
    if (words_.is(i, WordClass::kPersonal) || word == "her") {
      // A second pronoun may mean something else; the first has named the topic.
      if (referred_ || (word == "it" && expletive(i))) return 0;
      const bool person = is_one_of(word, "he him she her");
      // "… and which one tested it": "one" is what was asked for, "it" something else.
      const bool known = words_.is_word(begin_, "which") && after_phrase_ <= begin_ + 2;
      return insert_chosen({is_one_of(word, "they them"), 0, person, false, known},
                           Slot::kNominative);
    }
    if (is_one_of(word, "this these those")) return demonstrative(i);
    if (word == "that" &&
        (i + 1 == end_ ||
         (i > begin_ && words_.is(i - 1, WordClass::kAuxiliary) && !followed_by_noun(i))))
      return insert_chosen({}, Slot::kNominative);
    return 0;
  }

  /// "Welche Risiken gibt es?" and "How long does the mission last?" have no topic of their own:
  /// every noun is general or points back by its article. A name or a bare noun is a topic.
  void add_topic() {
    const Antecedent* topic = topic_of_first();
    if (topic == nullptr || has_own_topic(*topic)) return;
    if (words_.german) {
      // Before a participle or infinitive that closes the clause.
      const std::size_t last = end_ - 1;
      const bool particle = last > after_phrase_ &&
                            words_.is_word(last, "auf an ab aus ein mit teil vor zu statt her hin");
      const bool closes = particle || (last > after_phrase_ && !words_.is_capital(last) &&
                                       words_.is(after_phrase_, WordClass::kAuxiliary) &&
                                       words_.words[last].classes == WordClass::kNone &&
                                       ends_with_one_of(words_.low(last), "t en"));
      if (closes) {
        const std::string text = draft_.text();
        draft_ = Draft();
        draft_.add(std::string_view(text).substr(0, text.size() - words_.at(last).size() - 1));
      }
      insert(*topic, Slot::kDative, "bei");
      if (closes) draft_.add(words_.at(last));
      return;
    }
    const bool nouns = is_copula(words_, finite_) && words_.low(finite_ + 1) == "the" &&
                       end_ <= finite_ + 4 && !words_.is(end_ - 1, WordClass::kParticiple) &&
                       !words_.low(end_ - 1).ends_with("ed");
    if (nouns) {
      insert(*topic, Slot::kNominative, "of");
    } else {
      draft_.add("(" + topic->nominative + ")");
    }
  }

  /// The shortest name for what the first clause is about.
  [[nodiscard]] const Antecedent* topic_of_first() const {
    const Antecedent* asked_for = nullptr;
    for (const Antecedent& entry : antecedents_) {
      const bool brief = std::count(entry.nominative.begin(), entry.nominative.end(), ' ') < 6;
      if (entry.relative || entry.gender == 'p' || !brief) continue;
      if (!entry.asked_for) return &entry;
      if (asked_for == nullptr) asked_for = &entry;
    }
    return asked_for;
  }

  [[nodiscard]] bool has_own_topic(const Antecedent& topic) const {
    if (after_phrase_ == begin_ || !looks_finite(words_, after_phrase_)) return true;
    for (std::size_t i = begin_; i < end_; ++i) {
      if (words_.words[i].shielded) return true;
      // "dem widersprechen": a pronoun that no rule resolved.
      if (words_.german && words_.is_word(i, "das dem") && !followed_by_noun(i)) return true;
      if (i < after_phrase_ && !words_.is(i, WordClass::kPreposition)) continue;
      const std::string_view low = words_.low(i);
      if (topic.noun.size() > 3 && low.substr(0, 5) == std::string_view(topic.noun).substr(0, 5))
        return true;
      if (words_.german ? words_.is_capital(i) && (noun_asked_ || !points_back(i))
                        : !is_general_english(i))
        return true;
    }
    return words_.german && words_.no_capitals;
  }

  /// "die Mission", "am Steuer", "beim letzten Start": a definite article before the noun.
  [[nodiscard]] bool points_back(std::size_t i) const {
    std::size_t k = i;
    while (k > begin_ && !words_.is_capital(k - 1) &&
           ends_with_one_of(words_.low(k - 1), "e en er es em") &&
           !words_.is(k - 1, WordClass::kDeterminer | WordClass::kPreposition))
      --k;
    return k > begin_ &&
           words_.is_word(k - 1, "der die das dem den des am im beim zum zur vom ins ans");
  }

  /// A function word, or a noun after "the".
  [[nodiscard]] bool is_general_english(std::size_t i) const {
    if (words_.words[i].classes != WordClass::kNone) return !words_.is_capital(i);
    if (words_.is_punctuation(i)) return false;
    const bool definite = i > begin_ && (words_.low(i - 1) == "the" ||
                                         (i > begin_ + 1 && words_.low(i - 2) == "the"));
    return definite && !words_.is_capital(i);
  }

  const Words& words_;
  std::size_t begin_;
  std::size_t end_;
  const std::vector<Antecedent>& antecedents_;
  std::size_t after_phrase_ = 0;
  std::size_t finite_ = 0;
  bool noun_asked_ = false;  // "welche Leistung": the question phrase has a noun of its own.
  Draft draft_;
  bool referred_ = false;
  bool open_relative_ = false;
  bool speaks_of_person_ = false;
};

}  // namespace

ResolvedClause resolve_references(const Words& words, WordRange clause,
                                  const std::vector<Antecedent>& antecedents) {
  const std::size_t end = trim_end(words, clause.begin, clause.end);
  if (antecedents.empty() || end <= clause.begin)
    return {std::string(words.slice({clause.begin, end})), false};
  return Resolver(words, clause, antecedents).run();
}

bool has_pronoun(const Words& words, WordRange clause) {
  for (std::size_t i = clause.begin; i < clause.end; ++i) {
    if (words.words[i].shielded) continue;
    const bool polite = words.german && words.is_capital(i) && i > clause.begin;
    if (!polite && words.is(i, WordClass::kPersonal | WordClass::kPossessive |
                                   WordClass::kDemonstrative | WordClass::kPronominal))
      return true;
  }
  return false;
}

}  // namespace beleg
