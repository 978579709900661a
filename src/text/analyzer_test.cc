#include "text/analyzer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "text/token_cache.h"
#include "text/word_breaker.h"

namespace beleg {
namespace {

using Terms = std::vector<std::string>;

const Analyzer& analyzer(std::string_view language) {
  static const std::unique_ptr<Analyzer> german =
      make_analyzer("de", CompoundLexiconBuilder().build());
  static const std::unique_ptr<Analyzer> english = make_analyzer("en", nullptr);
  static const std::unique_ptr<Analyzer> other = make_analyzer("fr", nullptr);
  return language == "de" ? *german : language == "en" ? *english : *other;
}

Terms terms(std::string_view text, std::string_view language) {
  Terms found;
  for (const AnalyzedTerm& term : analyzer(language).analyze(text)) found.push_back(term.term);
  return found;
}

std::string only(std::string_view text, std::string_view language) {
  const Terms found = terms(text, language);
  return found.size() == 1 ? found[0] : "not one term";
}

bool has_all(std::string_view text, std::string_view language, const Terms& wanted) {
  const Terms found = terms(text, language);
  return std::ranges::all_of(wanted, [&](const std::string& term) {
    return std::ranges::find(found, term) != found.end();
  });
}

TEST(GermanAnalyzer, FoldsSpellings) {
  EXPECT_EQ(only("Kündigung", "de"), "kundig");
  for (const auto& [one, other] :
       std::vector<std::pair<const char*, const char*>>{{"Kuendigung", "Kündigung"},
                                                        {"Groesse", "Größe"},
                                                        {"GRÖSSE", "größe"},
                                                        {"Strasse", "Straße"},
                                                        {"Haeuser", "Häuser"},
                                                        {"Haus", "Häuser"},
                                                        {"kündigen", "Kündigung"},
                                                        {"Oefen", "Öfen"},
                                                        {"Café", "Cafe"},
                                                        {"Bläue", "Blaeue"},
                                                        {"u\u0308ber", "ueber"},
                                                        {"ﬁnden", "finden"},
                                                        {"Gefä\u00ADngnis", "Gefängnis"},
                                                        {"Wort\u200B", "Wort"},
                                                        {"Buecher", "Buch"},
                                                        {"Europas", "Europa"},
                                                        {"Autos", "Auto"},
                                                        {"Kreises", "Kreis"}}) {
    EXPECT_EQ(only(one, "de"), only(other, "de")) << one;
  }
  EXPECT_NE(only("Poet", "de"), only("Pot", "de"));
  EXPECT_EQ(only("neue", "de"), "neu");
  EXPECT_EQ(only("aktuell", "de"), "aktuell");
}

TEST(GermanAnalyzer, FlagsStopWordsAndKeepsPositions) {
  const std::vector<AnalyzedTerm> found = analyzer("de").analyze("Für die Kündigung, danach.");
  ASSERT_EQ(found.size(), 4U);
  const bool stop[] = {true, true, false, true};
  for (std::uint32_t i = 0; i < 4; ++i) {
    EXPECT_EQ(found[i].stop_word, stop[i]) << found[i].term;
    EXPECT_EQ(found[i].position, i);
  }
  EXPECT_EQ(found[2].span, (ByteSpan{9, 19}));
  EXPECT_EQ(found[2].form, TermForm::kWord);
}

TEST(GermanAnalyzer, EmitsCompoundsWholeAndInParts) {
  const std::vector<AnalyzedTerm> found = analyzer("de").analyze("Die Kündigungsfristen");
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[1].term, "kundigungsfrist");
  EXPECT_EQ(found[1].weight, 1.0F);
  EXPECT_EQ(found[2].term, "kundig");
  EXPECT_EQ(found[3].term, "frist");
  for (const std::size_t part : {2U, 3U}) {
    EXPECT_EQ(found[part].form, TermForm::kCompoundPart);
    EXPECT_EQ(found[part].position, 1U);
    EXPECT_GT(found[part].weight, 0.0F);
    EXPECT_LT(found[part].weight, 1.0F);
    EXPECT_FALSE(found[part].stop_word);
  }
}

TEST(GermanAnalyzer, JoinsAndSplitsHyphens) {
  EXPECT_EQ(terms("E-Mail", "de")[0], only("Email", "de"));
  EXPECT_TRUE(has_all("Donau-Dampfschiff", "de", {"donaudampfschiff", "donau", "dampf", "schiff"}));
  EXPECT_TRUE(has_all("Covid-19-Impfung", "de", {"covid-19-impfung", "covid", "19", "impfung"}));
  EXPECT_EQ(terms("Covid\u201119\u2010Impfung", "de").size(), 4U);
}

TEST(GermanAnalyzer, ReadsGenderForms) {
  for (const char* form :
       {"Bürger:innen", "Bürger*innen", "Bürger_innen", "Bürger/innen", "BürgerInnen"}) {
    EXPECT_EQ(terms(form, "de"), (Terms{"burgerinn", "burg"})) << form;
  }
}

TEST(GermanAnalyzer, KeepsTokensOfAnyLength) {
  const std::string word(100000, 'a');
  EXPECT_EQ(only(word, "de"), word);
  EXPECT_EQ(only(word, "en"), word);
  const std::string path = "x/" + std::string(5000, 'b') + "/y";
  EXPECT_TRUE(has_all(path, "de", {path, "x", std::string(5000, 'b'), "y"}));
}

TEST(EnglishAnalyzer, StemsAndStripsPossessives) {
  EXPECT_EQ(only("running", "en"), "run");
  EXPECT_EQ(only("dog's", "en"), "dog");
  EXPECT_EQ(only("dog’s", "en"), "dog");
  EXPECT_EQ(only("naïve", "en"), only("naive", "en"));
  EXPECT_TRUE(analyzer("en").analyze("don't")[0].stop_word);
  EXPECT_TRUE(analyzer("en").analyze("don’t")[0].stop_word);
  EXPECT_TRUE(analyzer("en").analyze("The")[0].stop_word);
  EXPECT_TRUE(analyzer("en").analyze("us")[0].stop_word);
  EXPECT_FALSE(analyzer("en").analyze("US")[0].stop_word);
  EXPECT_TRUE(has_all("O'Brien", "en", {"obrien", "brien"}));
}

TEST(Analyzer, KeepsIdentifiersWholeAndInParts) {
  for (const char* language : {"de", "en", "fr"}) {
    EXPECT_TRUE(has_all("siehe DEC-0054.", language, {"dec-0054", "dec", "0054"}));
    EXPECT_TRUE(has_all("(a_b)", language, {"a_b", "a", "b"}));
    EXPECT_TRUE(has_all("x/y", language, {"x/y", "x", "y"}));
    EXPECT_TRUE(has_all("0x1F", language, {"0x1f"}));
    EXPECT_TRUE(has_all("802.11ax,", language, {"802.11ax", "802", "11ax", "11", "ax"}));
    EXPECT_TRUE(has_all("v1.2.3", language, {"v1.2.3", "v1", "2", "3"}));
    EXPECT_TRUE(has_all("1.2.3", language, {"1.2.3", "1", "2", "3"}));
    EXPECT_TRUE(
        has_all("max.muster@firma.de", language, {"max.muster@firma.de", "max", "firma", "de"}));
    EXPECT_TRUE(has_all("(https://www.beispiel.org/a/b?c=1#d).", language,
                        {"beispiel.org/a/b?c=1#d", "beispiel", "org", "1", "d"}));
    EXPECT_TRUE(has_all("C++ und C#", language, {"c++", "c#", "c"}));
    EXPECT_TRUE(has_all("std::vector", language, {"std::vector", "std", "vector"}));
    EXPECT_TRUE(has_all("covid19", language, {"covid19", "covid", "19"}));
  }
  EXPECT_TRUE(has_all("getUserName", "fr", {"getusername", "get", "user", "name"}));
  EXPECT_EQ(terms("getUserName", "en")[0], only("getusername", "en"));
  EXPECT_EQ(analyzer("en").analyze("DEC-0054")[0].form, TermForm::kIdentifier);
  EXPECT_EQ(analyzer("en").analyze("DEC-0054")[1].form, TermForm::kIdentifierPart);
  EXPECT_EQ(analyzer("de").analyze("§ 5 Abs. 2")[0].form, TermForm::kReference);
  EXPECT_EQ(analyzer("de").analyze("§ 5 Abs. 2")[1].form, TermForm::kReferencePart);
}

TEST(Analyzer, FindsIdentifiersWhateverTheirCase) {
  for (const char* text :
       {"DEC-0054", "camelCase", "GmbH", "iPhone", "E-Mail", "Node.js", "HTML5"}) {
    std::string lower(text);
    std::ranges::transform(lower, lower.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    for (const char* language : {"de", "en", "fr"}) {
      EXPECT_EQ(terms(text, language)[0], terms(lower, language)[0]) << text << ' ' << language;
    }
  }
}

TEST(Analyzer, ReadsNumbersByLanguage) {
  EXPECT_EQ(only("1.234.567", "de"), "1234567");
  EXPECT_EQ(only("1,234,567", "en"), "1234567");
  EXPECT_EQ(only("1.234,5", "de"), "1234.5");
  EXPECT_EQ(only("1,234.5", "en"), "1234.5");
  EXPECT_EQ(only("3,5", "de"), "3.5");
  EXPECT_EQ(only("3.5", "en"), "3.5");
  EXPECT_EQ(only("16.04", "de"), "16.04");
  EXPECT_EQ(only("10'000", "de"), "10000");
  EXPECT_EQ(terms("CO₂, 5 m²", "de"), terms("CO2, 5 m2", "de"));
}

TEST(Analyzer, JoinsAcronymsWithPoints) {
  EXPECT_EQ(only("U.S.A.", "en"), "usa");
  EXPECT_EQ(only("USA", "en"), "usa");
  EXPECT_TRUE(analyzer("de").analyze("z.B.")[0].stop_word);
  EXPECT_FALSE(analyzer("en").analyze("U.S.")[0].stop_word);
}

TEST(OtherAnalyzer, BreaksUnspacedScriptsAndFoldsCase) {
  EXPECT_EQ(terms("Любимая КНИГА", "ru"), (Terms{"любимая", "книга"}));
  EXPECT_EQ(terms("ΟΔΟΣ", "el"), terms("οδος", "el"));
  const Terms japanese = terms("東京都に住んでいます。", "ja");
  EXPECT_GT(japanese.size(), 2U);
  EXPECT_LT(japanese.size(), 9U);
  EXPECT_GT(terms("ภาษาไทยง่าย", "th").size(), 1U);
  EXPECT_TRUE(has_all("l'amour", "fr", {"lamour", "amour"}));
  EXPECT_EQ(only("école", "fr"), "ecole");
}

TEST(Analyzer, HandlesNastyInput) {
  for (const char* language : {"de", "en", "fr"}) {
    EXPECT_TRUE(terms("", language).empty());
    EXPECT_TRUE(terms(" -_./:@ '' \"” \xFF\xC3\xE2\x82 ", language).empty());
    EXPECT_TRUE(terms("\u00AD\u200B\uFEFF", language).empty());
    EXPECT_EQ(only("http://", language), "http");
  }
}

// Spans lie in the text, in order of their words; positions never fall; weights are in (0,1].
TEST(Analyzer, KeepsItsPromisesOnRandomText) {
  const std::vector<std::string> pieces = {
      "Haus",   "tür",  "ä",    "ß",  "19", "A",      "a",     "-",     "_",
      ".",      ",",    "'",    "’",  ":",  "/",      "@",     "+",     "#",
      " ",      " ",    "\n",   "京", "ไ",  "🎉",     "www.",  "://",   "\u0308",
      "\u00AD", "\xFF", "\xC3", "İ",  "ﬁ",  "*innen", "Innen", "ueber", "Bundesland"};
  std::mt19937 random(5);
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (std::size_t i = random() % 16; i > 0; --i) text += pieces[random() % pieces.size()];
    for (const char* language : {"de", "en", "ja"}) {
      std::uint32_t position = 0;
      for (const AnalyzedTerm& term : analyzer(language).analyze(text)) {
        ASSERT_FALSE(term.term.empty()) << text;
        ASSERT_LT(term.span.start, term.span.end) << text;
        ASSERT_LE(term.span.end, text.size()) << text;
        ASSERT_GE(term.position, position) << text;
        ASSERT_GT(term.weight, 0.0F);
        ASSERT_LE(term.weight, 1.0F);
        position = term.position;
      }
    }
  }
}

// Hostile runs must not cost more than linear time; quadratic would take minutes here.
TEST(Analyzer, IsLinearOnHostileInput) {
  constexpr std::size_t kRepeats = 50000;
  for (const char* unit : {"a-", "a’", "a.", ")", "1.", "_", "a\u0301'", "aA", "/x", "a:::"}) {
    std::string text = "http://";
    for (std::size_t i = 0; i < kRepeats; ++i) text += unit;
    for (const char* language : {"de", "en"}) {
      EXPECT_FALSE(terms(text, language).empty());
      EXPECT_FALSE(terms("a" + text.substr(7) + "a", language).empty());
    }
  }
}

// Numbers terms in the order in which they come, as an index does.
class Vocabulary final : public TermSink {
 public:
  Vocabulary() : TermSink(true) {}
  std::uint32_t number_of(std::string_view term) override {
    ++asked;
    return numbers.emplace(term, static_cast<std::uint32_t>(numbers.size())).first->second;
  }
  void add(const TermView& term) override {
    const auto named = std::ranges::find(numbers, term.number,
                                         &std::map<std::string, std::uint32_t>::value_type::second);
    terms.push_back({named == numbers.end() ? "no such number" : named->first, term.position,
                     term.span, term.form, term.weight, term.stop_word});
  }

  std::map<std::string, std::uint32_t> numbers;
  std::vector<AnalyzedTerm> terms;
  std::size_t asked = 0;
};

void expect_same(const std::vector<AnalyzedTerm>& found, const std::vector<AnalyzedTerm>& wanted,
                 std::string_view text) {
  ASSERT_EQ(found.size(), wanted.size()) << text;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_EQ(found[i].term, wanted[i].term) << text;
    EXPECT_EQ(found[i].position, wanted[i].position) << text;
    EXPECT_EQ(found[i].span.start, wanted[i].span.start) << text;
    EXPECT_EQ(found[i].span.end, wanted[i].span.end) << text;
    EXPECT_EQ(found[i].form, wanted[i].form) << text;
    EXPECT_EQ(found[i].weight, wanted[i].weight) << text;
    EXPECT_EQ(found[i].stop_word, wanted[i].stop_word) << text;
  }
}

// Text of pieces that become words, identifiers, numbers, references and more, in any order.
std::string random_text(std::mt19937& random) {
  static const Terms pieces = {"Haustür", "die",         "Kündigungsfrist",
                               "US",      "it",          "don't",
                               "O'Brien", "DEC-0054",    "a",
                               "B",       "getUserName", "x86",
                               "3.14",    "1.234",       "§ 5",
                               "Abs. 2",  "Art.",        "5",
                               "U.S.",    "C++",         "東京都",
                               "été",     "STRASSE",     "Straße",
                               "ﬁn",      "\xFF",        "http://a.b/c",
                               "e@f.g",   "Bürger",      ":innen",
                               "E",       "Mail",        std::string(50, 'q')};
  static const Terms between = {" ", " ", " ", " ", "", "-", "_", ".", ", ", "'", "/", "\n"};
  std::string text;
  for (std::size_t i = random() % 12 + 1; i > 0; --i) {
    text += pieces[random() % pieces.size()];
    text += between[random() % between.size()];
  }
  return text;
}

TEST(Analyzer, GivesASinkThatNumbersTermsTheSameFromTheCache) {
  std::mt19937 random(11);
  for (const char* language : {"de", "en", "fr"}) {
    Vocabulary sink;
    for (int i = 0; i < 3000; ++i) {
      const std::string text = random_text(random);
      const std::vector<AnalyzedTerm> wanted = analyzer(language).analyze(text);
      // The second time, all of it is known.
      for (int round = 0; round < 2; ++round) {
        sink.terms.clear();
        analyzer(language).for_each_term(text, sink);
        expect_same(sink.terms, wanted, text);
        if (HasFailure()) return;
      }
    }
  }
}

// Takes only the numbers, which are those of the tokens in the texts below.
class Numbers final : public TermSink {
 public:
  Numbers() : TermSink(true) {}
  std::uint32_t number_of(std::string_view term) override {
    return static_cast<std::uint32_t>(std::stoul(std::string(term)));
  }
  void add(const TermView& term) override { found.push_back(term.number); }

  std::vector<std::uint32_t> found;
};

TEST(Analyzer, RemembersABoundedNumberOfTokens) {
  Numbers sink;
  constexpr std::uint32_t kTokens = 300'000;
  for (int round = 0; round < 2; ++round) {
    sink.found.clear();
    for (std::uint32_t token = 1; token <= kTokens; ++token) {
      analyzer("en").for_each_term(std::to_string(token), sink);
    }
    ASSERT_EQ(sink.found.size(), kTokens);
    for (std::uint32_t token = 1; token <= kTokens; ++token) {
      ASSERT_EQ(sink.found[token - 1], token);
    }
  }
  EXPECT_LE(token_cache_of_this_thread().size(), TokenCache::kMaxEntries);
}

// The breaker looks at eight characters at a time; this looks at one.
std::uint32_t plain_traits(std::string_view word) {
  std::uint32_t traits = 0;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const char c = word[i];
    if (c >= 'a' && c <= 'z') traits |= kHasLower;
    if (c >= '0' && c <= '9') traits |= kHasDigit;
    if (c >= 'A' && c <= 'Z') traits |= i == 0 ? kHasUpper : kHasUpper | kHasInnerUpper;
    if (word.substr(i).starts_with("ö")) traits |= kHasNonAscii | kHasLower;
    if (word.substr(i).starts_with("Ö")) {
      traits |= i == 0 ? kHasNonAscii | kHasUpper : kHasNonAscii | kHasUpper | kHasInnerUpper;
    }
  }
  return traits;
}

TEST(WordBreaker, FindsRunsOfAnyLengthAndTheirTraits) {
  static const Terms letters = {"a", "z", "b", "c", "d", "e", "A", "Z", "0", "9", "ö", "Ö"};
  static const Terms separators = {" ",    "  ",   "@ ", "[", "{", "`` ",
                                   "\x7F", "\x80", "\n", "(", "; "};
  std::mt19937 random(5);
  for (int i = 0; i < 20'000; ++i) {
    std::string text = separators[random() % separators.size()];
    std::vector<std::string> words(random() % 4 + 1);
    // Most of one kind, as words are.
    const std::size_t kinds = random() % letters.size() + 1;
    for (std::string& word : words) {
      for (std::size_t k = random() % 20 + 1; k > 0; --k) word += letters[random() % kinds];
      text += word;
      text += separators[random() % separators.size()];
    }
    WordBreaker breaker(text);
    RawToken token;
    for (const std::string& word : words) {
      ASSERT_TRUE(breaker.next(token)) << text;
      ASSERT_EQ(text.substr(token.span.start, token.span.size()), word) << text;
      ASSERT_EQ(token.traits, plain_traits(word)) << word;
    }
    EXPECT_FALSE(breaker.next(token)) << text;
  }
}

TEST(Analyzer, NumbersTermsForEachSinkItsOwnWay) {
  const std::string text =
      "Die Haustür, DEC-0054, Büro-Haustür; die Haustür " + std::string(60, 'x');
  Vocabulary first;
  Vocabulary second;
  second.numbers.emplace("other", 0);
  for (int round = 0; round < 3; ++round) {
    for (Vocabulary* sink : {&first, &second}) {
      sink->terms.clear();
      analyzer("de").for_each_term(text, *sink);
      expect_same(sink->terms, analyzer("de").analyze(text), text);
    }
  }
  EXPECT_NE(first.numbers.at("haustur"), second.numbers.at("haustur"));
}

TEST(Analyzer, AsksForTheNumberOfAFrequentWordOnce) {
  Vocabulary sink;
  for (int i = 0; i < 100; ++i) analyzer("de").for_each_term("Haustür", sink);
  EXPECT_EQ(sink.asked, 3U);
  EXPECT_EQ(sink.terms.size(), 300U);
}

TEST(Analyzer, GivesEveryThreadTheSame) {
  const std::string text = "Die Kündigungsfrist der Haustür läuft, don't 1.2.3 東京都 DEC-0054.";
  const Terms wanted = terms(text, "de");
  std::vector<Terms> found(8);
  std::vector<std::thread> threads;
  for (Terms& slot : found) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) slot = terms(text, "de");
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Terms& slot : found) EXPECT_EQ(slot, wanted);
}

TEST(Analyzer, KeepsAnalyzersApartInTheCache) {
  const std::unique_ptr<Analyzer> without = make_analyzer("de", nullptr);
  EXPECT_EQ(terms("Haustür", "de").size(), 3U);
  EXPECT_EQ(without->analyze("Haustür").size(), 1U);
  EXPECT_EQ(terms("Haustür", "de").size(), 3U);
}

}  // namespace
}  // namespace beleg
