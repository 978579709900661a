#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "route/english_forms.h"
#include "route/german_forms.h"
#include "route/plan_sides.h"

namespace beleg {
namespace {

/// A comparative in a clause: "besser", "more effective", "mehr Koffein".
struct Comparative {
  WordRange range;       // The words that the question about one side does not keep.
  std::string positive;  // "gut", "effective", "viel Koffein"
};

std::optional<Comparative> find_comparative(const Words& words, std::size_t begin,
                                            std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    if (words.words[i].shielded || words.is_capital(i) || words.is_punctuation(i)) continue;
    const std::string_view low = words.low(i);
    const bool amount = is_one_of(low, "mehr weniger more less fewer");
    if (amount && i + 1 < end && !words.is_punctuation(i + 1)) {
      const std::size_t next = i + 1;
      if (words.german && words.is_capital(next))
        return Comparative{{i, next + 1}, "viel " + std::string(words.at(next))};
      if (!words.german && !words.is(next, WordClass::kPreposition | WordClass::kSubordinator |
                                               WordClass::kPersonal)) {
        const std::string word(words.at(next));
        const bool adjective =
            words.is(next, WordClass::kDegree | WordClass::kParticiple) ||
            ends_with_one_of(word, "ive ous ful al able ible ic ly ent ant ed ing ate");
        const bool many = is_english_plural(word);
        return Comparative{{i, next + 1}, adjective ? word : (many ? "many " : "much ") + word};
      }
    }
    if (low == "schwerer" || low == "höher" ||
        !words.is(i, WordClass::kDeterminer | WordClass::kPossessive | WordClass::kInterrogative |
                         WordClass::kPreposition)) {
      std::string positive = words.german ? german_positive(low) : english_positive(low);
      // In German an attributive ending looks the same: "ein neuer Wagen".
      if (words.german && words.is_capital(i + 1) && i + 1 < end) positive.clear();
      if (!positive.empty()) return Comparative{{i, i + 1}, std::move(positive)};
    }
  }
  return std::nullopt;
}

/// A side in the nominative of its own sub-question "Was ist …?".
std::string german_definition(const Words& words, WordRange side, const Sides& sides, bool dative,
                              WordRange aspect) {
  std::vector<std::string> parts;
  for (std::size_t i = side.begin; i < side.end; ++i) parts.emplace_back(words.at(i));
  const std::string text(words.slice(side));
  const std::string_view first = words.low(side.begin);
  const bool plural = is_plural_side(words, side, sides);
  std::string nominative = text;
  if (!sides.shared.empty()) {
    // The case of the shared noun depends on the sentence; this question takes any.
    Draft draft;
    draft.add("was gilt für").add(words, sides.shared).add(text).add(words, aspect);
    return draft.question();
  }
  if (dative) {
    const char gender = gender_by_ending(words.low(side.end - 1));
    if (first == "dem" && (gender == 'm' || gender == 'n')) {
      nominative = (gender == 'm' ? "der" : "das") + text.substr(3);
    } else if (first == "dem") {
      // The gender is not known; this question keeps the dative.
      Draft draft;
      draft.add(aspect.empty() ? "was versteht man unter" : "was gilt bei")
          .add(text)
          .add(words, aspect);
      return draft.question();
    } else if (first == "einem") {
      nominative = "ein" + text.substr(5);
    } else if (first == "der") {
      nominative = "die" + text.substr(3);
    } else if (plural || first == "den") {
      for (std::string& part : parts) {
        if (part == parts.back()) part = nominative_plural(part);
      }
      nominative = recase(parts, GermanCase::kNominative, true);
    } else {
      nominative = recase(parts, GermanCase::kNominative, false);
    }
  }
  const bool unsure = !plural && !words.is(side.begin, WordClass::kDeterminer) &&
                      may_be_plural(words.low(side.end - 1)) && side.size() > 1;
  Draft draft;
  if (aspect.empty()) {
    draft.add(unsure                     ? "was versteht man unter"
              : plural || first == "den" ? "was sind"
                                         : "was ist");
    draft.add(unsure ? text : nominative);
  } else {
    draft.add("was kennzeichnet").add(nominative).add(words, aspect);
  }
  return draft.question();
}

std::string english_definition(const Words& words, WordRange side, const Sides& sides,
                               WordRange aspect) {
  Draft draft;
  draft.add(is_plural_side(words, side, sides) ? "what are" : "what is");
  draft.add(words, sides.shared).add(words, side);
  if (!aspect.empty()) draft.add("like").add(words, aspect);
  return draft.question();
}

class Comparer {
 public:
  Comparer(const Words& words, WordRange sentence)
      : words_(words),
        begin_(skip_fillers(words, sentence.begin, sentence.end)),
        end_(trim_end(words, begin_, sentence.end)) {}

  std::vector<std::string> run() {
    if (end_ <= begin_ + 2) return {};
    if (auto out = difference(); !out.empty()) return out;
    if (auto out = choice(); !out.empty()) return out;
    if (auto out = than(); !out.empty()) return out;
    if (auto out = versus(); !out.empty()) return out;
    if (auto out = advantage(); !out.empty()) return out;
    return compared_with();
  }

 private:
  std::vector<std::string> define(const Sides& sides, bool dative, WordRange aspect) const {
    std::vector<std::string> out;
    out.reserve(sides.items.size());
    for (const WordRange side : sides.items)
      out.push_back(words_.german ? german_definition(words_, side, sides, dative, aspect)
                                  : english_definition(words_, side, sides, aspect));
    return out;
  }

  /// "Unterschied zwischen A und B", "How do A and B differ", "Was unterscheidet A von B",
  /// "Vergleiche A mit B".
  std::vector<std::string> difference() const {
    for (std::size_t i = begin_; i < end_; ++i) {
      if (words_.words[i].shielded) continue;
      const bool noun = words_.is_word(i,
                                       "unterschied unterschiede unterschieden vergleich gegensatz "
                                       "difference differences comparison");
      if (noun) {
        for (std::size_t k = i + 1; k < end_ && k < i + 6; ++k) {
          if (words_.is_word(k, "zwischen between von of"))
            return sides_after(k + 1, "und and sowie to mit with", words_.german,
                               WordRange{i + 1, k});
        }
      }
      if (words_.german) {
        if (words_.is_word(i, "unterscheiden unterscheidet"))
          return sides_after(words_.is_word(i + 1, "sich") ? i + 2 : i + 1, "und von sowie", false,
                             {});
        if (words_.is_word(i, "vergleiche vergleichen") && i <= begin_ + 1)
          return sides_after(words_.is_word(i + 1, "sie bitte") ? i + 2 : i + 1, "und mit sowie",
                             false, {});
      } else if (auto out = english_difference(i); !out.empty()) {
        return out;
      }
    }
    return {};
  }

  std::vector<std::string> english_difference(std::size_t i) const {
    if (words_.is_word(i, "compare") && i == begin_)
      return sides_after(i + 1, "and with to", false, {});
    if (words_.is_word(i, "distinguishes distinguish"))
      return sides_after(i + 1, "from and", false, {});
    if (!words_.is_word(i, "differ compare different") || i < begin_ + 3) return {};
    const std::size_t start = begin_ + 2;
    if (!words_.is_word(begin_, "how") || !words_.is(begin_ + 1, WordClass::kAuxiliary)) return {};
    // "How does A differ from B in price"
    if (words_.is_word(i + 1, "from to with and")) {
      const WordRange right = single_side(i + 2);
      if (right.empty() || i - start > 7) return {};
      const Sides sides = make_sides(words_, {start, i}, right);
      return sides.items.empty() ? std::vector<std::string>()
                                 : define(sides, false, {right.end, end_});
    }
    const Sides sides = read_sides(words_, start, i, "and");
    if (sides.items.empty() || sides.end != i) return {};
    return define(sides, false, {i + 1, end_});
  }

  /// One side at `at`, read as the second of a pair; empty when there is none.
  [[nodiscard]] WordRange single_side(std::size_t at) const {
    if (at >= end_ || words_.is_word(at, "other others anderen heute it they ever usual"))
      return {at, at};
    const bool stands_for = words_.is_word(at, "that those dem denen der den die das") &&
                            words_.is(at + 1, WordClass::kPreposition);
    const std::size_t first = stands_for                               ? at + 2
                              : words_.is(at, WordClass::kPreposition) ? at + 1
                                                                       : at;
    return {at, side_end(words_, first, end_, true)};
  }

  std::vector<std::string> sides_after(std::size_t at, std::string_view links, bool dative,
                                       WordRange middle) const {
    const Sides sides = read_sides(words_, at, end_, links);
    if (sides.items.empty()) return {};
    WordRange aspect{sides.end, end_};
    // Something else follows: not a comparison alone.
    if (!aspect.empty() && words_.is_punctuation(aspect.begin)) return {};
    if (!middle.empty() && aspect.empty()) aspect = middle;
    return define(sides, dative, aspect);
  }

  /// "Wie gut ist A?" for every side. `clause` is what the comparative stands in, verb first after
  /// phrase.
  std::vector<std::string> grade(const Sides& sides, std::size_t verb, WordRange rest,
                                 const Comparative& comparative, std::string_view category,
                                 WordRange tail) const {
    std::vector<std::string> out;
    for (const WordRange side : sides.items) {
      const bool plural = is_plural_side(words_, side, sides);
      Draft draft;
      draft.add(words_.german ? "wie" : "how");
      const bool auxiliary = words_.is(verb, WordClass::kAuxiliary);
      const bool copula = is_copula(words_, verb);
      std::string positive = comparative.positive;
      if (!words_.german && !copula) positive = english_adverb(positive);
      draft.add(positive);
      const WordRange before{rest.begin, comparative.range.begin};
      const WordRange after{comparative.range.end, rest.end};
      std::string lexical;
      if (words_.german) {
        const std::string plural_verb =
            plural ? german_plural_verb(words_.low(verb)) : std::string();
        draft.add(plural_verb.empty() ? uncapitalized(words_.at(verb)) : plural_verb);
      } else if (copula) {
        const bool past = words_.is_word(verb, "was were");
        draft.add(past ? (plural ? "were" : "was") : (plural ? "are" : "is"));
      } else if (auxiliary && !words_.is_word(verb, "has have had")) {
        draft.add(words_.is_word(verb, "do does") ? (plural ? "do" : "does")
                                                  : std::string_view(words_.low(verb)));
      } else {
        lexical = words_.low(verb);
        const std::string past = english_base_of_past(lexical);
        draft.add(!past.empty() ? "did" : plural ? "do" : "does");
        if (!past.empty()) lexical = past;
        if (lexical == "has") lexical = "have";
        if (past.empty() && lexical.ends_with('s') && lexical.size() > 3) lexical.pop_back();
      }
      if (!category.empty() && !words_.is(side.begin, WordClass::kDeterminer) && !plural)
        draft.add(category);
      draft.add(words_, sides.shared)
          .add(words_, side)
          .add(lexical)
          .add(words_, before)
          .add(words_, after)
          .add(words_, tail);
      out.push_back(draft.question());
    }
    return out;
  }

  /// "Was ist besser, A oder B?", "A oder B: was ist besser?"
  std::vector<std::string> choice() const {
    for (std::size_t i = begin_ + 1; i < end_; ++i) {
      if (words_.words[i].shielded || !words_.is_punctuation(i)) continue;
      const std::string_view mark = words_.at(i);
      if (!is_one_of(mark, ", : – — -")) continue;
      const Sides after = read_sides(words_, i + 1, end_, "oder or vs versus");
      if (!after.items.empty() && after.end == end_) return choose({begin_, i}, after);
      const Sides before = read_sides(words_, begin_, i, "oder or vs versus und and");
      if (!before.items.empty() && before.end == i && parse_question_phrase(words_, i + 1, end_))
        return choose({i + 1, end_}, before);
    }
    return {};
  }

  std::vector<std::string> choose(WordRange clause, const Sides& sides) const {
    const std::optional<QuestionPhrase> phrase =
        parse_question_phrase(words_, clause.begin, clause.end);
    if (!phrase || phrase->has_preposition()) return {};
    if (!words_.is_word(phrase->head, "wer was welcher welche welches which what who")) return {};
    const std::size_t verb = phrase->range.end;
    if (verb >= clause.end || !looks_finite(words_, verb)) return {};
    const WordRange rest{verb + 1, clause.end};
    const bool noun = phrase->kind == QuestionPhrase::Kind::kNoun;
    const std::string_view category = noun ? words_.slice(phrase->noun) : std::string_view();
    if (const auto comparative = find_comparative(words_, rest.begin, rest.end))
      return grade(sides, verb, rest, *comparative, words_.german ? category : std::string_view(),
                   {});
    if (!is_copula(words_, verb) && !words_.german) return {};
    std::vector<std::string> out;
    for (const WordRange side : sides.items) {
      Draft draft;
      draft.add(words_.at(verb)).add(words_, sides.shared).add(words_, side);
      if (noun && rest.empty()) draft.add(category);
      draft.add(words_, rest);
      out.push_back(draft.question());
    }
    return out;
  }

  /// "Ist A besser als B?", "Is A or B better for C?"
  std::vector<std::string> than() const {
    const std::size_t verb = begin_;
    if (!looks_finite(words_, verb) || !(words_.is(verb, WordClass::kAuxiliary | WordClass::kVerb)))
      return {};
    const std::size_t first = verb + 1;
    const auto comparative = find_comparative(words_, first, end_);
    if (!comparative) return {};
    for (std::size_t i = first; i < end_; ++i) {
      if (!words_.words[i].shielded && words_.is_word(i, "oder or"))
        return choice_between(verb, i, *comparative);
    }
    std::size_t link = comparative->range.end;
    while (link < end_ && !words_.is_word(link, "als than")) ++link;
    if (link + 1 >= end_) return {};
    const WordRange left = find_noun_phrase(words_, first, comparative->range.begin);
    const WordRange right = single_side(link + 1);
    if (left.begin != first || left.empty() || right.empty()) return {};
    const Sides sides = make_sides(words_, left, right);
    if (sides.items.empty()) return {};
    return grade(sides, verb, {left.end, link}, *comparative, {}, {right.end, end_});
  }

  /// "Did emissions rise faster in India or in China?", "Ist A oder B besser?"; `link` is the
  /// "oder".
  std::vector<std::string> choice_between(std::size_t verb, std::size_t link,
                                          const Comparative& comparative) const {
    const std::size_t right = link + 1;
    if (words_.is(right, WordClass::kPreposition)) {
      std::size_t left = link;
      while (left > verb + 1 && words_.low(left) != words_.low(right)) --left;
      const WordRange second = single_side(right);
      if (words_.low(left) != words_.low(right) || second.empty() || left + 1 >= link) return {};
      std::vector<std::string> out;
      for (const WordRange side : {WordRange{left, link}, second}) {
        // The sentence with this side alone, the comparative moved to the front.
        Draft draft;
        std::string positive = comparative.positive;
        if (!words_.german) positive = english_adverb(positive);
        draft.add(words_.german ? "wie" : "how").add(positive).add(uncapitalized(words_.at(verb)));
        add_without(draft, {verb + 1, left}, comparative.range);
        draft.add(words_, side);
        add_without(draft, {second.end, end_}, comparative.range);
        out.push_back(draft.question());
      }
      return out;
    }
    const Sides pair = read_sides(words_, verb + 1, comparative.range.begin, "oder or");
    if (pair.items.empty()) return {};
    if (!words_.german && pair.end < comparative.range.begin &&
        !words_.is(verb, WordClass::kAuxiliary))
      return {};
    return grade(pair, verb, {pair.end, end_}, comparative, {}, {});
  }

  void add_without(Draft& draft, WordRange range, WordRange left_out) const {
    const bool inside = left_out.begin >= range.begin && left_out.end <= range.end;
    draft.add(words_, inside ? WordRange{range.begin, left_out.begin} : range);
    if (inside) draft.add(words_, {left_out.end, range.end});
  }

  static std::string english_adverb(const std::string& positive) {
    return positive == "good" ? "well" : positive == "bad" ? "badly" : positive;
  }

  /// "Was kostet A im Vergleich zu B?", "How much does A cost compared with B?"
  std::vector<std::string> compared_with() const {
    const std::optional<QuestionPhrase> phrase = parse_question_phrase(words_, begin_, end_);
    if (!phrase || words_.is_word(phrase->head + 1, "viel much")) return amount_compared(phrase);
    // "Was ist A im Vergleich zu B" asks for the relation itself.
    const bool relation = phrase->kind == QuestionPhrase::Kind::kBare &&
                          words_.is_word(phrase->head, "was what") &&
                          is_copula(words_, phrase->range.end);
    return relation ? std::vector<std::string>() : replace_side(*phrase);
  }

  /// "Wie viel höher war …", "How much higher was …" ask for one stated figure.
  std::vector<std::string> amount_compared(const std::optional<QuestionPhrase>& phrase) const {
    if (!phrase || find_comparative(words_, phrase->head + 1, end_)) return {};
    return replace_side(*phrase);
  }

  std::vector<std::string> replace_side(const QuestionPhrase& phrase) const {
    std::size_t link = phrase.range.end + 2;
    while (
        link < end_ && !(words_.is_word(link, "im") && words_.is_word(link + 1, "vergleich")) &&
        !(words_.is_word(link, "verglichen compared") && words_.is_word(link + 1, "mit with to")))
      ++link;
    std::size_t at = link + 2;
    if (link >= end_ || at >= end_) return {};
    if (words_.is_word(at, "zu zum zur mit with to")) ++at;
    const std::size_t verb = phrase.range.end;
    WordRange left = find_noun_phrase(words_, verb + 1, link);
    const WordRange right = single_side(at);
    if (left.begin != verb + 1 || left.empty() || right.empty()) return {};
    const Sides sides = make_sides(words_, left, right);
    if (sides.items.empty()) return {};
    std::vector<std::string> out;
    for (const WordRange side : sides.items) {
      Draft draft;
      draft.add(words_, {begin_, left.begin}).add(words_, sides.shared);
      const bool attribute = !sides.shared.empty();
      const std::string text =
          words_.german && !attribute ? nominative_side(side) : std::string(words_.slice(side));
      if (text.empty()) return {};
      draft.add(text);
      draft.add(words_, {left.end, link}).add(words_, {right.end, end_});
      out.push_back(draft.question());
    }
    return out;
  }

  /// "zu einer Gasheizung" names "eine Gasheizung". Empty where the nominative is not known.
  [[nodiscard]] std::string nominative_side(WordRange side) const {
    const std::string text(words_.slice(side));
    const std::string_view first = words_.low(side.begin);
    if (first == "einer") return "eine" + text.substr(5);
    if (first == "einem") return "ein" + text.substr(5);
    const bool named = side.begin > 0 && words_.is_word(side.begin - 1, "zu mit zur zum");
    if (named && first == "der") return "die" + text.substr(3);
    if (named && is_one_of(first, "dem den")) return {};
    if (side.begin > 0 && words_.low(side.begin - 1) == "zum") return {};
    const bool contracted = side.begin > 0 && words_.is_word(side.begin - 1, "zur");
    return contracted ? "die " + text : text;
  }

  /// "A vs. B bei Fieber"
  std::vector<std::string> versus() const {
    for (std::size_t i = begin_ + 1; i + 1 < end_; ++i) {
      if (!words_.is_word(i, "vs versus")) continue;
      if (parse_question_phrase(words_, begin_, end_) || words_.is(begin_, WordClass::kAuxiliary))
        return {};
      const Sides sides = read_sides(words_, begin_, end_, "vs versus");
      if (sides.items.size() != 2) return {};
      const WordRange aspect{sides.end, end_};
      if (aspect.empty()) return define(sides, false, {});
      std::vector<std::string> out;
      for (const WordRange side : sides.items) {
        Draft draft;
        out.push_back(draft.add(words_, side).add(words_, aspect).question());
      }
      return out;
    }
    return {};
  }

  /// "Welche Vorteile hat A gegenüber B?", "What are the advantages of A over B?"
  std::vector<std::string> advantage() const {
    std::size_t noun = begin_;
    while (noun < end_ &&
           !words_.is_word(noun,
                           "vorteile nachteile vorteil nachteil vorzüge stärken schwächen "
                           "advantages disadvantages advantage benefits drawbacks"))
      ++noun;
    if (noun >= end_ || !parse_question_phrase(words_, begin_, end_)) return {};
    std::size_t link = noun;
    while (link < end_ && !words_.is_word(link, "gegenüber over versus vs") &&
           !(words_.is_word(link, "im") && words_.is_word(link + 1, "vergleich")) &&
           !words_.is_word(link, "compared"))
      ++link;
    if (link + 1 >= end_) return {};
    std::size_t at = link + 1;
    if (words_.is_word(at, "vergleich")) ++at;
    if (words_.is_word(at, "zu zum zur to with mit")) ++at;
    const WordRange right = single_side(at);
    std::size_t start = noun + 1;
    if (words_.is_word(start, "hat haben bietet bieten von of does do")) ++start;
    std::size_t stop = link;
    while (stop > start && words_.is(stop - 1, WordClass::kVerb | WordClass::kAuxiliary) &&
           !words_.german)
      --stop;
    const WordRange left{start, stop};
    if (right.empty() || left.empty() || left.size() > 7) return {};
    std::vector<std::string> out;
    for (const WordRange side : {left, right}) {
      Draft draft;
      draft.add(words_, {begin_, start}).add(words_, side).add(words_, {stop, link});
      out.push_back(draft.add(words_, {right.end, end_}).question());
    }
    return out;
  }

  const Words& words_;
  std::size_t begin_;
  std::size_t end_;
};

}  // namespace

Decomposition compare_sides(const Words& words, WordRange sentence) {
  Decomposition out;
  std::vector<std::string> questions = Comparer(words, sentence).run();
  if (questions.size() < 2 || questions[0] == questions[1]) return out;
  for (std::string& text : questions) out.questions.push_back({std::move(text), "comparison"});
  out.reason = PlanReason::kComparison;
  out.features[PlanFeature::kComparisonPair] = 1.0;
  return out;
}

}  // namespace beleg
