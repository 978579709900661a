#include "route/plan_phrase.h"

namespace beleg {
namespace {

constexpr WordClass kFunctionWord =
    WordClass::kInterrogative | WordClass::kPreposition | WordClass::kDeterminer |
    WordClass::kPersonal | WordClass::kPossessive | WordClass::kDemonstrative |
    WordClass::kPronominal | WordClass::kSubject | WordClass::kCoordinator |
    WordClass::kSubordinator | WordClass::kAdverb | WordClass::kDegree;

bool looks_like_degree(const Words& words, std::size_t i, std::size_t end) {
  if (i >= end || words.is_punctuation(i)) return false;
  if (words.is(i, WordClass::kDegree)) return true;
  if (words.is(i, WordClass::kAuxiliary | WordClass::kVerb) && words.german) return false;
  if (words.is(i, WordClass::kAuxiliary) || words.is_capital(i)) return false;
  const std::string_view low = words.low(i);
  if (words.german && ends_with_one_of(low, "ig lich sam bar isch haft los voll arm reich"))
    return true;
  // An unknown word before the auxiliary: "wie digital ist", "how elastic is".
  return !words.is(i, kFunctionWord) && words.is(i + 1, WordClass::kAuxiliary) && i + 1 < end;
}

/// English: "causes", "caused", "helps" as a verb after who, what, which or a subject.
bool looks_finite_english(const Words& words, std::size_t i) {
  if (words.is(i, WordClass::kAuxiliary | WordClass::kVerb)) return true;
  if (words.is(i, kFunctionWord)) return false;
  const std::string_view low = words.low(i);
  if (low.size() > 4 && low.ends_with("ed")) return true;
  if (!low.ends_with('s') || low.size() < 4) return false;
  const auto is_verb = [](std::string_view base) {
    return has_class(classify_word(base, false), WordClass::kVerb);
  };
  return is_verb(low.substr(0, low.size() - 1)) ||
         (low.ends_with("es") && is_verb(low.substr(0, low.size() - 2)));
}

bool looks_finite_past(const Words& words, std::size_t i) {
  return words.is_word(i,
                       "wrote built made won led sold bought found held gave took saw sent left "
                       "lost paid said thought brought taught grew drew drove broke chose spoke "
                       "began sang ran became came went fell rose");
}

/// German: the noun phrase from `at` up to the finite verb of its clause.
WordRange german_noun_until_verb(const Words& words, std::size_t at, std::size_t end) {
  bool has_noun = false;
  bool expecting = true;
  std::size_t i = at;
  for (; i < end; ++i) {
    const bool shielded = words.words[i].shielded;
    if (!shielded && words.is_punctuation(i)) break;
    if (!shielded && words.is(i, WordClass::kCoordinator)) {
      if (!has_noun && !words.at(i - 1).ends_with('-')) break;
      if (words.is(i + 1, WordClass::kInterrogative | WordClass::kAuxiliary | WordClass::kVerb) ||
          i + 1 >= end)
        break;
      if (words.is(i + 1, WordClass::kPreposition) && words.is(i + 2, WordClass::kInterrogative))
        break;
      expecting = true;
      continue;
    }
    if (shielded || words.is_capital(i)) {
      has_noun = true;
      expecting = false;
      continue;
    }
    if (words.is(i, WordClass::kPreposition | WordClass::kDeterminer)) {
      expecting = true;
      continue;
    }
    if (words.is(i, WordClass::kPersonal | WordClass::kSubject | WordClass::kPossessive)) break;
    // A finite verb, known or not, or the subject of an embedded question.
    if (!expecting && has_noun && !words.no_capitals && !words.is(i, WordClass::kAdverb)) break;
    if (!expecting && looks_finite(words, i)) break;
    if (words.is(i, WordClass::kAuxiliary) && i == at) break;
    if (expecting && words.no_capitals) {
      if (has_noun && words.is(i, WordClass::kVerb | WordClass::kAuxiliary)) break;
      has_noun = true;
      expecting = false;
    }
  }
  // "welche wiegen am schwersten": no noun at all, the verb follows at once.
  if (!has_noun) return {at, at};
  return {at, i};
}

/// English: the noun phrase from `at` up to the auxiliary or verb of its clause.
WordRange english_noun_until_verb(const Words& words, std::size_t at, std::size_t end) {
  std::size_t i = at;
  for (; i < end; ++i) {
    if (words.words[i].shielded) continue;
    if (words.is_punctuation(i) || words.is(i, WordClass::kAuxiliary)) break;
    if (words.is(i, WordClass::kCoordinator)) {
      const std::size_t next = i + 1;
      if (i == at || next >= end ||
          words.is(next, WordClass::kInterrogative | WordClass::kAuxiliary) ||
          (words.is(next, WordClass::kPreposition) &&
           words.is(next + 1, WordClass::kInterrogative)))
        break;
      continue;
    }
    if (i == at) continue;
    const bool after_link =
        words.is(i - 1, WordClass::kPreposition | WordClass::kDeterminer | WordClass::kCoordinator);
    if (words.is(i, WordClass::kSubject | WordClass::kPersonal)) break;
    if (words.is(i, WordClass::kDeterminer) && !words.is(i - 1, WordClass::kPreposition)) break;
    if (!after_link && (looks_finite_english(words, i) || looks_finite_past(words, i))) {
      // "heart attack symptoms": a verb form between nouns is a noun when an auxiliary follows.
      const bool noun =
          words.is(i + 1, WordClass::kAuxiliary) && i + 1 < end && !words.low(i).ends_with("ed");
      if (!noun) break;
    }
    if (words.is(i, WordClass::kSubordinator)) break;
  }
  return {at, i};
}

QuestionPhrase german_phrase(const Words& words, std::size_t begin, std::size_t head,
                             std::size_t end) {
  QuestionPhrase phrase{{begin, head + 1}, head, {}, QuestionPhrase::Kind::kBare};
  std::size_t noun = 0;
  if (words.is(head, WordClass::kInterrogativeNoun)) {
    noun = head + 1;
  } else if (words.low(head) == "wie" && looks_like_degree(words, head + 1, end)) {
    phrase.kind = QuestionPhrase::Kind::kDegree;
    phrase.range.end = head + 2;
    if (words.is_word(head + 1, "viel viele vielen vieler")) noun = head + 2;
    if (words.is_word(head + 2, "und oder") && words.is(head + 3, WordClass::kDegree) &&
        !words.is(head + 3, WordClass::kInterrogative))
      phrase.range.end = head + 4;  // "wie sicher und wirksam ist …"
  } else if (words.low(head) == "was" && words.is_word(head + 1, "für")) {
    noun = words.is_word(head + 2, "ein eine einen einem einer") ? head + 3 : head + 2;
  }
  if (noun == 0 || noun >= end) return phrase;
  const WordRange range = german_noun_until_verb(words, noun, end);
  if (range.empty()) return phrase;
  phrase.kind = QuestionPhrase::Kind::kNoun;
  phrase.noun = range;
  phrase.range.end = range.end;
  return phrase;
}

QuestionPhrase english_phrase(const Words& words, std::size_t begin, std::size_t head,
                              std::size_t end) {
  QuestionPhrase phrase{{begin, head + 1}, head, {}, QuestionPhrase::Kind::kBare};
  const std::string_view low = words.low(head);
  std::size_t noun = 0;
  if (low == "which" && words.is_word(head + 1, "one ones") && head + 1 < end) {
    phrase.range.end = head + 2;
    return phrase;
  }
  if (words.is(head, WordClass::kInterrogativeNoun)) {
    // "what causes …" asks for the subject; "what causes does …" has a noun.
    const bool verb = looks_finite_english(words, head + 1) || looks_finite_past(words, head + 1);
    const bool noun_after_all =
        words.is(head + 2, WordClass::kAuxiliary) && !words.is(head + 1, WordClass::kAuxiliary);
    const bool determiner = words.is(head + 1, WordClass::kDeterminer | WordClass::kSubject |
                                                   WordClass::kPossessive | WordClass::kPersonal);
    if (!words.is_punctuation(head + 1) && !determiner && (!verb || noun_after_all) &&
        !words.is(head + 1, WordClass::kAdverb | WordClass::kPreposition | WordClass::kCoordinator))
      noun = head + 1;
  } else if (low == "how" && looks_like_degree(words, head + 1, end)) {
    phrase.kind = QuestionPhrase::Kind::kDegree;
    phrase.range.end = head + 2;
    if (words.is_word(head + 1, "many much") && !words.is(head + 2, WordClass::kPreposition))
      noun = head + 2;
    if (words.is_word(head + 2, "and or") && words.is(head + 3, WordClass::kDegree))
      phrase.range.end = head + 4;
  }
  if (noun == 0 || noun >= end) return phrase;
  const WordRange range = english_noun_until_verb(words, noun, end);
  if (range.empty()) return phrase;
  phrase.kind = QuestionPhrase::Kind::kNoun;
  phrase.noun = range;
  while (phrase.noun.size() > 1 && words.is(phrase.noun.end - 1, WordClass::kAdverb))
    --phrase.noun.end;
  phrase.range.end = range.end;
  return phrase;
}

/// German nouns after `i`: a run of capitalised words, digits and hyphens.
std::size_t skip_nouns(const Words& words, std::size_t i, std::size_t end) {
  while (i < end && (words.is_capital(i) || words.words[i].shielded ||
                     (words.is_word(i, "von van de del der") && i > 0 && words.is_capital(i - 1) &&
                      words.is_capital(i + 1) && i + 1 < end && words.low(i) != "von" &&
                      words.low(i) != "der")))
    ++i;
  return i;
}

WordRange german_noun_phrase(const Words& words, std::size_t at, std::size_t end) {
  std::size_t i = at;
  while (i < end && !words.is_capital(i) && !words.words[i].shielded &&
         words.is(i, WordClass::kPersonal | WordClass::kSubject | WordClass::kAdverb) &&
         !words.is(i, WordClass::kDeterminer))
    ++i;
  const std::size_t begin = i;
  const bool determiner = i < end && words.is(i, WordClass::kDeterminer);
  if (determiner) ++i;
  if (words.no_capitals) {
    if (i >= end || words.is_punctuation(i) ||
        words.is(i, WordClass::kPreposition | WordClass::kAuxiliary | WordClass::kCoordinator))
      return {};
    return {begin, i + 1};
  }
  const std::size_t adjectives = i;
  while (i < end && !words.is_capital(i) && !words.is_punctuation(i) && !words.words[i].shielded &&
         ends_with_one_of(words.low(i), "e en er es em") &&
         !words.is(i, WordClass::kPreposition | WordClass::kAuxiliary | WordClass::kCoordinator |
                          WordClass::kDeterminer))
    ++i;
  if (i >= end || (!words.is_capital(i) && !words.words[i].shielded)) return {};
  i = skip_nouns(words, i, end);
  // "Karikó und Weissman": one phrase in two words.
  if (i + 1 < end && words.is_word(i, "und") && words.is_capital(i + 1) && !determiner &&
      !words.is(i + 1, WordClass::kInterrogative))
    i = skip_nouns(words, i + 1, end);
  // Close attributes: a genitive, or "von/zur/zum/für/gegen" after a phrase with an article.
  while (i + 1 < end) {
    const bool genitive = words.is_word(i, "des der eines einer");
    const bool purpose =
        words.is_word(i, "zur zum") && ends_with_one_of(words.low(i + 1), "ung ion");
    const bool link =
        (determiner || i > adjectives + 1) && (purpose || words.is_word(i, "von vom"));
    if (!genitive && !link) break;
    std::size_t next = i + 1;
    while (next < end && !words.is_capital(next) && !words.is_punctuation(next) &&
           ends_with_one_of(words.low(next), "e en er es em n r s"))
      ++next;
    if (next >= end || !words.is_capital(next)) break;
    i = skip_nouns(words, next, end);
  }
  return {begin, i};
}

bool ends_english_noun_phrase(const Words& words, std::size_t i) {
  if (words.is_punctuation(i) && !words.words[i].shielded) return true;
  if (words.is(i, WordClass::kAuxiliary | WordClass::kParticiple | WordClass::kSubordinator |
                      WordClass::kCoordinator | WordClass::kAdverb | WordClass::kInterrogative |
                      WordClass::kPersonal))
    return !words.is_capital(i);
  if (words.is(i, WordClass::kPreposition)) return words.low(i) != "of";
  if (words.is_capital(i)) return false;
  const std::string_view low = words.low(i);
  // "gene editing cures …" has a noun in -ing, "Perseverance looking for" a verb.
  if (low.size() > 4 && low.ends_with("ing"))
    return !words.is(i + 1, WordClass::kVerb | WordClass::kAuxiliary);
  return words.is(i, WordClass::kVerb) || (low.size() > 4 && low.ends_with("ed"));
}

WordRange english_noun_phrase(const Words& words, std::size_t at, std::size_t end) {
  std::size_t i = at;
  while (i < end && words.is(i, WordClass::kAdverb | WordClass::kSubject | WordClass::kPersonal) &&
         !words.is(i, WordClass::kDeterminer) && (!words.is_capital(i) || words.low(i) == "i"))
    ++i;
  const std::size_t begin = i;
  bool content = false;
  // "flying on …", "retired": no noun phrase.
  if (begin < end && !words.is_capital(begin) && words.low(begin).size() > 4 &&
      ends_with_one_of(words.low(begin), "ed ing") && !words.is(begin + 1, WordClass::kAuxiliary))
    return {};
  if (begin < end && !words.is_capital(begin) && words.is(begin, WordClass::kVerb) &&
      !words.is(begin + 1, WordClass::kVerb | WordClass::kAuxiliary))
    return {};
  const bool name = words.is_capital(begin) && !words.is(begin, WordClass::kDeterminer);
  for (; i < end; ++i) {
    if (words.is(i, WordClass::kDeterminer) && (i == begin || words.low(i - 1) == "of")) continue;
    // "Does aspirin thin the blood": the word before an article is the verb.
    const bool supported =
        begin > 0 && words.is_word(begin - 1, "do does did can could will would");
    if (content && supported && words.is(i, WordClass::kDeterminer) && i > begin + 1) {
      --i;
      break;
    }
    const bool inside_name = words.is_capital(i) || words.words[i].shielded ||
                             (words.is_word(i, "of and") && words.is_capital(i + 1));
    if (name && content && !inside_name) break;
    if (name && content && words.low(i) == "and") continue;
    if (content && ends_english_noun_phrase(words, i)) {
      // "the heart attack of": a verb form directly before "of" is a noun.
      if (!(words.is(i, WordClass::kVerb) && words.is_word(i + 1, "of"))) break;
    }
    if (!content && (words.is_punctuation(i) && !words.words[i].shielded)) break;
    if (!content && words.is(i, WordClass::kAuxiliary | WordClass::kPreposition |
                                    WordClass::kInterrogative | WordClass::kCoordinator))
      break;
    content = true;
  }
  while (i > begin && words.low(i - 1) == "of") --i;
  return content ? WordRange{begin, i} : WordRange{};
}

}  // namespace

bool looks_finite(const Words& words, std::size_t i) {
  if (i >= words.size() || words.is_punctuation(i)) return false;
  if (!words.german) return looks_finite_english(words, i) || looks_finite_past(words, i);
  if (words.is(i, WordClass::kAuxiliary | WordClass::kVerb)) return !words.is_capital(i) || i == 0;
  if (words.is_capital(i) || words.is(i, kFunctionWord)) return false;
  return ends_with_one_of(words.low(i), "t en te ten eln ern");
}

bool is_copula(const Words& words, std::size_t i) {
  if (words.german) return words.is_word(i, "ist sind war waren wäre wären heißt bedeutet");
  return words.is_word(i, "is are was were");
}

std::optional<QuestionPhrase> parse_question_phrase(const Words& words, std::size_t at,
                                                    std::size_t end) {
  if (at >= end || words.words[at].shielded) return std::nullopt;
  std::size_t head = at;
  if (words.is(at, WordClass::kPreposition) && !words.is(at, WordClass::kInterrogative)) ++head;
  if (head >= end || !words.is(head, WordClass::kInterrogative)) return std::nullopt;
  // "WHO", "WO" inside a sentence is a name.
  if (head > at && words.is_word(head, "wann")) return QuestionPhrase{{at, head + 1}, head, {}, {}};
  return words.german ? german_phrase(words, at, head, end) : english_phrase(words, at, head, end);
}

ClauseShape shape_after(const Words& words, const QuestionPhrase& phrase, std::size_t end) {
  std::size_t i = phrase.range.end;
  const std::size_t stop = trim_end(words, i, end);
  if (!words.german &&
      (words.low(phrase.head).ends_with("'s") || words.low(phrase.head).ends_with("’s")))
    return ClauseShape::kDirect;
  while (i < stop && words.is_word(i, "genau eigentlich exactly denn")) ++i;
  if (i >= stop) return ClauseShape::kNothing;
  if (words.german) {
    if (looks_finite(words, i)) return ClauseShape::kDirect;
    // An unknown word in the verb's place: "in welchem Jahr gelang ihm …".
    const bool unknown = words.words[i].classes == WordClass::kNone && !words.words[i].capital &&
                         !words.words[i].punctuation && i + 1 < stop;
    const bool closed = looks_finite(words, stop - 1);
    if (unknown && (phrase.kind != QuestionPhrase::Kind::kBare || !closed))
      return ClauseShape::kDirect;
    return looks_finite(words, stop - 1) ? ClauseShape::kEmbedded : ClauseShape::kVerbless;
  }
  if (words.is(i, WordClass::kAuxiliary)) return ClauseShape::kDirect;
  const bool subject_possible =
      phrase.kind == QuestionPhrase::Kind::kNoun || words.is_word(phrase.head, "who what which");
  if (subject_possible && looks_finite(words, i)) return ClauseShape::kDirect;
  for (std::size_t k = i; k < stop; ++k) {
    if (looks_finite(words, k)) return ClauseShape::kEmbedded;
  }
  return ClauseShape::kVerbless;
}

WordRange find_noun_phrase(const Words& words, std::size_t at, std::size_t end) {
  return words.german ? german_noun_phrase(words, at, end) : english_noun_phrase(words, at, end);
}

std::size_t skip_fillers(const Words& words, std::size_t at, std::size_t end) {
  std::size_t i = at;
  while (i < end) {
    const bool comma_before_if =
        words.is_comma(i) && words.is_word(i + 1, "wenn falls if") && i + 3 < end;
    const bool if_so = (words.is_word(i, "wenn falls") && words.is_word(i + 1, "ja")) ||
                       (words.is_word(i, "if") && words.is_word(i + 1, "so yes"));
    const bool adverb = words.is(i, WordClass::kAdverb) && !words.is(i, WordClass::kInterrogative);
    if (if_so) {
      i += words.is_comma(i + 2) ? 3 : 2;
    } else if (comma_before_if || adverb) {
      ++i;
    } else if (words.is_word(i, "vor") && words.is_word(i + 1, "allem")) {
      i += 2;
    } else {
      break;
    }
  }
  return i;
}

std::size_t trim_end(const Words& words, std::size_t begin, std::size_t end) {
  while (end > begin && words.is_punctuation(end - 1) && !words.words[end - 1].shielded) --end;
  return end;
}

}  // namespace beleg
