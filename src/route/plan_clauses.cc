#include "route/plan_clauses.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>

#include "route/english_forms.h"

namespace beleg {
namespace {

// More clauses than a plan can hold are not looked at: the last part then runs to the end.
constexpr std::size_t kMaxParts = 6;

enum class PartKind : std::uint8_t { kFirst, kDirect, kElliptic, kEmbedded, kYesNo };

/// A clause of the sentence, without the coordinator before it.
struct Part {
  WordRange range;
  PartKind kind = PartKind::kFirst;
  std::optional<QuestionPhrase> phrase;
  bool comma = false;  ///< A comma stands before it.
};

bool is_separator(const Words& words, std::size_t i) {
  return words.is_comma(i) || (words.is_punctuation(i) && is_one_of(words.at(i), "; – — - /"));
}

/// First word after a coordinator or separator at `i`, and whether a coordinator was there.
struct Link {
  std::size_t next = 0;
  bool coordinator = false;
  bool alternative = false;  ///< "oder", "or"
};

Link read_link(const Words& words, std::size_t i, std::size_t end) {
  Link link{i + 1, false, false};
  if (is_separator(words, i) && words.is(i + 1, WordClass::kCoordinator)) {
    link.next = i + 2;
    link.coordinator = true;
    link.alternative = words.is_word(i + 1, "oder or");
  } else if (words.is(i, WordClass::kCoordinator)) {
    link.coordinator = true;
    link.alternative = words.is_word(i, "oder or");
    // "as well as how", "sowie auch wie"
  }
  link.next = skip_fillers(words, link.next, end);
  return link;
}

bool may_link(const Words& words, std::size_t i) {
  return !words.words[i].shielded &&
         (words.is(i, WordClass::kCoordinator) || is_separator(words, i));
}

/// Where the clause that starts at `at` ends: before the next coordinator or comma that a question
/// phrase follows.
std::size_t next_question_link(const Words& words, std::size_t at, std::size_t end) {
  for (std::size_t i = at; i < end; ++i) {
    if (!may_link(words, i)) continue;
    const Link link = read_link(words, i, end);
    if (parse_question_phrase(words, link.next, end)) return i;
  }
  return end;
}

bool is_only_phrase(const Words& words, WordRange range) {
  const std::size_t end = trim_end(words, range.begin, range.end);
  const std::optional<QuestionPhrase> phrase = parse_question_phrase(words, range.begin, end);
  return phrase && skip_fillers(words, phrase->range.end, end) >= end;
}

/// The place of an embedded question in the first clause: "Erkläre, | was X ist".
std::optional<QuestionPhrase> embedded_phrase(const Words& words, WordRange first) {
  for (std::size_t i = first.begin + 1; i < first.end; ++i) {
    if (words.german && !words.is_comma(i - 1) && !words.is_word(i - 1, "darüber :")) continue;
    if (auto phrase = parse_question_phrase(words, i, first.end)) return phrase;
  }
  return std::nullopt;
}

/// True when a finite verb at `i` opens a question of its own: its subject follows.
bool opens_yes_no(const Words& words, std::size_t i, std::size_t end, bool subject_asked,
                  bool after_comma) {
  const bool finite =
      words.german ? words.is(i, WordClass::kAuxiliary | WordClass::kVerb) && !words.is_capital(i)
                   : words.is(i, WordClass::kAuxiliary);
  if (!finite || i + 2 >= end) return false;
  if (words.is(i + 1, WordClass::kSubject | WordClass::kPersonal)) {
    // "und wird das Gerät …": an article, not a pronoun.
    const bool article = words.is_word(i + 1, "das diese") && words.is_capital(i + 2);
    return !(article && subject_asked);
  }
  if (subject_asked) return false;
  const bool noun = words.is(i + 1, WordClass::kDeterminer | WordClass::kPossessive |
                                        WordClass::kDemonstrative) ||
                    words.is_capital(i + 1);
  // "and can citizens opt out": these auxiliaries never go on without their subject.
  const bool plain_noun =
      !words.german && words.words[i + 1].classes == WordClass::kNone &&
      (after_comma || words.is_word(i, "do does did can could will would should"));
  return noun || plain_noun;
}

/// The first clause asks for its own subject, so a verb after "und" may go on with that subject.
bool asks_subject(const Words& words, const std::optional<QuestionPhrase>& phrase,
                  std::size_t end) {
  if (!phrase || phrase->has_preposition()) return false;
  const std::size_t verb = phrase->range.end;
  // "Was besagt das Abkommen", "What does the Act allow": what follows the verb is the subject.
  if (!is_copula(words, verb)) {
    const WordRange subject = find_noun_phrase(words, verb + 1, end);
    const bool inverted = words.german || words.is(verb, WordClass::kAuxiliary);
    if (inverted && !subject.empty() && subject.begin == verb + 1 &&
        words.low(phrase->head) != "wer")
      return false;
  }
  return phrase->kind == QuestionPhrase::Kind::kNoun ||
         words.is_word(phrase->head, "wer was who what which");
}

class Splitter {
 public:
  Splitter(const Words& words, WordRange sentence) : words_(words), sentence_(sentence) {
    sentence_.begin = skip_fillers(words, sentence.begin, sentence.end);
    sentence_.end = trim_end(words, sentence_.begin, sentence.end);
    opening_ = parse_question_phrase(words, sentence_.begin, sentence_.end);
  }

  std::vector<Part> parts() {
    if (!opens_question(words_, sentence_)) return {};
    std::vector<Part> out;
    Part current{{sentence_.begin, sentence_.end}, PartKind::kFirst, opening_, false};
    for (std::size_t i = sentence_.begin + 1; i < sentence_.end && out.size() < kMaxParts; ++i) {
      if (!may_link(words_, i)) continue;
      const Link link = read_link(words_, i, sentence_.end);
      std::optional<Part> next = part_at(i, link, WordRange{current.range.begin, i}, out.empty());
      if (!next) continue;
      current.range.end = i;
      out.push_back(current);
      current = *next;
      i = current.range.begin;
    }
    out.push_back(current);
    return out;
  }

  [[nodiscard]] WordRange sentence() const { return sentence_; }

 private:
  std::optional<Part> part_at(std::size_t i, const Link& link, WordRange before, bool first) const {
    const bool comma = is_separator(words_, i);
    Part part{{link.next, sentence_.end}, PartKind::kDirect, std::nullopt, comma};
    part.phrase = parse_question_phrase(words_, link.next, sentence_.end);
    if (!part.phrase) {
      const bool yes_no =
          link.coordinator && !link.alternative &&
          opens_yes_no(words_, link.next, sentence_.end,
                       !comma && asks_subject(words_, opening_, sentence_.end), comma);
      if (!yes_no || is_only_phrase(words_, before)) return std::nullopt;
      part.kind = PartKind::kYesNo;
      return part;
    }
    // A part of the question phrase itself: "Wie viele und welche", "für wen oder was".
    const bool series = is_only_phrase(words_, before);
    const std::size_t end = next_question_link(words_, part.phrase->range.end, sentence_.end);
    switch (shape_after(words_, *part.phrase, end)) {
      case ClauseShape::kDirect:
        if (!link.coordinator && !may_follow_comma(*part.phrase, end, series)) return std::nullopt;
        return part;
      case ClauseShape::kNothing:
      case ClauseShape::kVerbless:
        part.kind = PartKind::kElliptic;
        // Without coordinator only in a series that a coordinator closes.
        if (!link.coordinator && end == sentence_.end) return std::nullopt;
        if (!opening_ && embedded_phrase(words_, before)) part.kind = PartKind::kEmbedded;
        return part;
      case ClauseShape::kEmbedded:
        // "Who, when and where founded …": the verb is that of "who".
        if (series && link.coordinator) return part;
        part.kind = PartKind::kEmbedded;
        if (!link.coordinator && first) return std::nullopt;
        if (!repeats_embedded(i)) return std::nullopt;
        return part;
    }
    return std::nullopt;
  }

  /// The first clause holds an embedded question ("Tell me what …"), not a relative clause ("What
  /// is the town where … and which …").
  [[nodiscard]] bool repeats_embedded(std::size_t end) const {
    const std::optional<QuestionPhrase> phrase = embedded_phrase(words_, {sentence_.begin, end});
    if (!phrase) return false;
    if (!opening_) return true;
    if (words_.german)
      return !words_.is_word(phrase->head, "wo was welche welcher welches welchen");
    const std::size_t before = phrase->range.begin - 1;
    return words_.is(before, WordClass::kPreposition | WordClass::kVerb | WordClass::kRequest) ||
           words_.low(before).ends_with("ed");
  }

  /// After a mere comma a question phrase may as well open a relative clause ("a penalty, which
  /// gave …"), unless it is a list of questions that a coordinator closes.
  [[nodiscard]] bool may_follow_comma(const QuestionPhrase& phrase, std::size_t end,
                                      bool series) const {
    if (end < sentence_.end || closes_with_yes_no(phrase.range.end))
      return series || direct_opening();
    const bool relative = words_.is_word(
        phrase.head, "which who whose whom where when welche welcher welches welchen welchem wo");
    return !series && !relative && !phrase.has_preposition() && direct_opening();
  }

  /// "…, and is milk still safe?" follows.
  [[nodiscard]] bool closes_with_yes_no(std::size_t at) const {
    for (std::size_t i = at; i < sentence_.end; ++i) {
      if (!may_link(words_, i)) continue;
      const Link link = read_link(words_, i, sentence_.end);
      if (link.coordinator && !link.alternative &&
          opens_yes_no(words_, link.next, sentence_.end, !is_separator(words_, i),
                       is_separator(words_, i)))
        return true;
    }
    return false;
  }

  /// The sentence starts with a question phrase and its verb: not "When X happened, what …".
  [[nodiscard]] bool direct_opening() const {
    return opening_ && shape_after(words_, *opening_, sentence_.end) == ClauseShape::kDirect;
  }

  const Words& words_;
  WordRange sentence_;
  std::optional<QuestionPhrase> opening_;
};

/// "Wer, wann und wo hat X gegründet?": every phrase takes the clause of the last.
std::vector<std::string> expand_series(const Words& words, const std::vector<Part>& parts,
                                       std::size_t count) {
  std::vector<std::string> out;
  std::vector<QuestionPhrase> phrases;  // All have one: none is a yes-no question.
  phrases.reserve(count);
  bool who = false;
  for (const Part& part : std::span(parts).first(count)) {
    phrases.push_back(part.phrase.value_or(QuestionPhrase{}));
    who = who || words.is_word(phrases.back().head, "wer who");
  }
  const Part& last = parts[count - 1];
  const std::size_t end = trim_end(words, last.range.begin, last.range.end);
  const WordRange rest{phrases.back().range.end, end};
  for (std::size_t k = 0; k < count; ++k) {
    const QuestionPhrase& phrase = phrases[k];
    const bool subject = words.is_word(phrase.head, "wer who");
    Draft draft;
    draft.add(words, k + 1 < count
                         ? WordRange{phrase.range.begin,
                                     trim_end(words, phrase.range.begin, parts[k].range.end)}
                         : phrase.range);
    // "Wie viele und welche Länder": the noun belongs to both.
    if (k + 1 < count && phrases.back().kind == QuestionPhrase::Kind::kNoun &&
        phrase.kind != QuestionPhrase::Kind::kNoun &&
        words.is_word(phrase.range.end - 1,
                      "viele vielen wieviele many much welche welchen which what"))
      draft.add(words, phrases.back().noun);
    if (who && !subject && !rest.empty() && !is_copula(words, rest.begin)) {
      // The clause lacks its subject once "wer" is gone.
      if (words.german) {
        draft.add(words.at(rest.begin)).add("man").add(words, {rest.begin + 1, rest.end});
      } else if (words.is(rest.begin, WordClass::kAuxiliary)) {
        draft.add(words.at(rest.begin)).add("someone").add(words, {rest.begin + 1, rest.end});
      } else {
        const WordRange object = find_noun_phrase(words, rest.begin + 1, rest.end);
        const std::string participle = english_participle_of_past(words.low(rest.begin));
        if (object.begin == rest.begin + 1 && !object.empty() && !participle.empty()) {
          draft.add(is_english_plural(words.low(object.end - 1)) ? "were" : "was");
          draft.add(words, object).add(participle).add(words, {object.end, rest.end});
        } else {
          draft.add(words, rest);
        }
      }
    } else {
      draft.add(words, rest);
    }
    out.push_back(draft.question());
  }
  return out;
}

/// "Was ist und wie wirkt Casgevy?": the first clause lacks what stands at the end.
std::string borrow_topic(const Words& words, const Part& first, const Part& second) {
  const std::size_t end = trim_end(words, first.range.begin, first.range.end);
  if (!first.phrase || first.phrase->range.end + 1 != end || !second.phrase) return {};
  const std::size_t second_end = trim_end(words, second.range.begin, second.range.end);
  const WordRange topic = find_noun_phrase(words, second.phrase->range.end + 1, second_end);
  if (topic.empty()) return {};
  Draft draft;
  draft.add(words, {first.range.begin, end}).add(words, topic);
  return draft.question();
}

/// Turns the parts into sub-questions.
class Builder {
 public:
  Builder(const Words& words, const std::vector<Part>& parts,
          const std::vector<Antecedent>& earlier)
      : words_(words), parts_(parts), earlier_(earlier) {}

  Decomposition build() {
    std::size_t next = add_opening();
    std::vector<Antecedent> antecedents = antecedents_of_first();
    for (; next < parts_.size(); ++next) {
      add_part(parts_[next], antecedents);
      // What a clause brings in comes after what the first one spoke of.
      if (next + 1 == parts_.size() || parts_[next].kind != PartKind::kDirect) continue;
      for (Antecedent& entry : find_antecedents(words_, parts_[next].range))
        antecedents.push_back(std::move(entry));
    }
    if (out_.questions.size() < 2) out_.questions.clear();
    out_.reason = reason();
    return std::move(out_);
  }

 private:
  /// The first clause, or the series of question words that opens the sentence. Returns the next
  /// part.
  std::size_t add_opening() {
    std::size_t series = 0;
    while (series < parts_.size() && is_only_phrase(words_, parts_[series].range)) ++series;
    const bool clause_follows =
        series > 0 && series < parts_.size() && parts_[series].kind == PartKind::kDirect;
    if (clause_follows) {
      base_ = parts_[series].range;
      for (std::string& text : expand_series(words_, parts_, series + 1))
        push(std::move(text), "question_word");
      set(PlanFeature::kQuestionWordSeries);
      return series + 1;
    }
    base_ = parts_[0].range;
    std::string borrowed;
    if (parts_.size() > 1 && parts_[1].kind == PartKind::kDirect)
      borrowed = borrow_topic(words_, parts_[0], parts_[1]);
    if (!borrowed.empty()) {
      push(std::move(borrowed), "shared_topic");
      return 1;
    }
    push_clause(base_, earlier_, "clause");
    return 1;
  }

  [[nodiscard]] std::vector<Antecedent> antecedents_of_first() const {
    std::vector<Antecedent> found = find_antecedents(words_, base_);
    return found.empty() ? earlier_ : found;
  }

  void add_part(const Part& part, const std::vector<Antecedent>& antecedents) {
    const QuestionPhrase phrase = part.phrase.value_or(QuestionPhrase{});  // None for kYesNo.
    if (part.comma) set(PlanFeature::kCommaCoordinator);
    if (has_pronoun(words_, part.range)) set(PlanFeature::kPronoun);
    if (part.phrase && words_.is_word(part.phrase->head, "warum weshalb wieso wie wodurch why how"))
      set(PlanFeature::kReasonOrManner);
    switch (part.kind) {
      case PartKind::kElliptic: {
        set(PlanFeature::kEllipticSplit);
        push(complete_ellipsis(words_, base_, phrase, part.range), "ellipsis");
        break;
      }
      case PartKind::kEmbedded:
        set(PlanFeature::kEmbeddedSplit);
        add_embedded(part, antecedents);
        break;
      case PartKind::kYesNo:
        set(PlanFeature::kYesNoSplit);
        push_clause(part.range, antecedents, "yes_no");
        break;
      case PartKind::kFirst:
      case PartKind::kDirect:
        set(PlanFeature::kClauseSplit);
        if (std::string text = complete_verb_ellipsis(words_, base_, phrase, part.range);
            !text.empty()) {
          push(std::move(text), "ellipsis");
        } else {
          push_clause(part.range, antecedents, "clause", part.phrase);
        }
        break;
    }
  }

  /// The main clause is repeated: "Erkläre, was X ist" + "Erkläre, wie X funktioniert".
  void add_embedded(const Part& part, const std::vector<Antecedent>& antecedents) {
    const std::optional<QuestionPhrase> place = embedded_phrase(words_, parts_[0].range);
    if (!place || !part.phrase) return;
    Draft draft;
    draft.add(words_, {parts_[0].range.begin, place->range.begin});
    const std::size_t end = trim_end(words_, part.range.begin, part.range.end);
    if (skip_fillers(words_, part.phrase->range.end, end) >= end) {
      const std::size_t first_end = trim_end(words_, parts_[0].range.begin, parts_[0].range.end);
      draft.add(words_, {part.range.begin, end}).add(words_, {place->range.end, first_end});
    } else {
      draft.add(resolve_references(words_, {part.range.begin, end}, antecedents).text);
    }
    push(draft.question(), "embedded");
  }

  void push_clause(WordRange range, const std::vector<Antecedent>& antecedents, const char* rule,
                   const std::optional<QuestionPhrase>& phrase = std::nullopt) {
    Draft draft;
    const std::optional<QuestionPhrase> opening =
        parse_question_phrase(words_, base_.begin, base_.end);
    if (phrase && opening && shares_noun(words_, *opening, *phrase)) {
      // "Which have phased them out?" asks which countries.
      const ResolvedClause resolved = resolve_references(words_, range, antecedents);
      // The noun is topic enough.
      const std::string text =
          resolved.referred
              ? resolved.text
              : std::string(words_.slice({range.begin, trim_end(words_, range.begin, range.end)}));
      const std::size_t length = words_.slice(phrase->range).size();
      const bool one = words_.is_word(phrase->range.end - 1, "one ones");
      const std::size_t kept = phrase->range.end - (one ? 1 : 0);
      draft.add(words_, {phrase->range.begin, kept}).add(words_, opening->noun);
      draft.add(std::string_view(text).substr(std::min(text.size(), length + 1)));
      push(draft.question(), rule);
      return;
    }
    if (antecedents.empty()) {
      draft.add(words_, {range.begin, trim_end(words_, range.begin, range.end)});
    } else {
      draft.add(resolve_references(words_, range, antecedents).text);
    }
    if (!draft.empty()) push(draft.question(), rule);
  }

  void push(std::string text, const char* rule) {
    if (text.size() < 4) return;
    for (const SubQuestion& other : out_.questions) {
      if (other.text == text) return;
    }
    out_.questions.push_back({std::move(text), rule});
  }

  void set(PlanFeature feature) { out_.features[feature] = 1.0; }

  [[nodiscard]] PlanReason reason() const {
    if (out_.questions.empty()) return PlanReason::kSingle;
    if (out_.features[PlanFeature::kQuestionWordSeries] > 0)
      return PlanReason::kSeveralQuestionWords;
    return out_.features[PlanFeature::kReasonOrManner] > 0 ? PlanReason::kReasonOrMannerClause
                                                           : PlanReason::kCoordination;
  }

  const Words& words_;
  const std::vector<Part>& parts_;
  const std::vector<Antecedent>& earlier_;
  WordRange base_;
  Decomposition out_;
};

}  // namespace

bool opens_question(const Words& words, WordRange range) {
  const std::size_t i = skip_fillers(words, range.begin, range.end);
  if (i >= range.end) return false;
  if (parse_question_phrase(words, i, range.end)) return true;
  if (words.is(i, WordClass::kAuxiliary | WordClass::kRequest)) return true;
  if (words.german && words.is(i, WordClass::kVerb)) return true;
  if (words.is_word(i, "please bitte")) return true;
  // "Ich möchte wissen, …", "I would like to know …"
  for (std::size_t k = i; k < range.end && k < i + 6; ++k) {
    if (words.is(k, WordClass::kRequest)) return words.is_word(i, "ich mich uns wir i we i'd i’d");
  }
  return false;
}

Decomposition split_clauses(const Words& words, WordRange sentence,
                            const std::vector<Antecedent>& antecedents) {
  Splitter splitter(words, sentence);
  const std::vector<Part> parts = splitter.parts();
  if (parts.size() < 2) return {};
  return Builder(words, parts, antecedents).build();
}

}  // namespace beleg
