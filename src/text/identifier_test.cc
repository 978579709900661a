#include "text/identifier.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "text/analyzer.h"
#include "text/legal_reference.h"

namespace beleg {
namespace {

const Analyzer& analyzer(std::string_view language) {
  static const std::unique_ptr<Analyzer> german =
      make_analyzer("de", CompoundLexiconBuilder().build());
  static const std::unique_ptr<Analyzer> english = make_analyzer("en", nullptr);
  static const std::unique_ptr<Analyzer> other = make_analyzer("fr", nullptr);
  return language == "de" ? *german : language == "en" ? *english : *other;
}

// "term" for a word, "term!" for a whole identifier or reference, "term?" for a part of one,
// "term+" for a part of a compound; positions are separated by " | ".
std::string written_out(std::string_view text, std::string_view language) {
  std::ostringstream out;
  std::uint32_t position = 0;
  bool first = true;
  for (const AnalyzedTerm& term : analyzer(language).analyze(text)) {
    if (!first) out << (term.position != position ? " | " : " ");
    first = false;
    position = term.position;
    out << term.term;
    const bool named = term.form == TermForm::kIdentifier || term.form == TermForm::kReference;
    if (named) out << '!';
    if (term.form == TermForm::kIdentifierPart || term.form == TermForm::kReferencePart) out << '?';
    if (term.form == TermForm::kCompoundPart) out << '+';
    const bool whole = named || term.form == TermForm::kWord;
    EXPECT_EQ(whole, term.weight == 1.0F) << term.term;
  }
  return out.str();
}

struct TermsOfText {
  const char* text;
  const char* terms;
};

class Identifiers : public testing::TestWithParam<TermsOfText> {};

TEST_P(Identifiers, HaveTheseTerms) {
  EXPECT_EQ(written_out(GetParam().text, "de"), GetParam().terms);
}

INSTANTIATE_TEST_SUITE_P(
    Table, Identifiers,
    testing::Values(
        TermsOfText{"DEC-0054", "dec-0054! dec? 0054?"}, TermsOfText{"(a_b)", "a_b! a? b?"},
        TermsOfText{"x/y", "x/y! x? y?"}, TermsOfText{"0x1F", "0x1f!"},
        TermsOfText{"802.11ax", "802.11ax! 802? 11ax? 11? ax?"},
        TermsOfText{"v1.2.3-rc1", "v1.2.3-rc1! v1? 2? 3? rc1? rc? 1?"},
        TermsOfText{"<max.frisch@firma.de>", "max.frisch@firma.de! max? frisch? firma? de?"},
        TermsOfText{"https://www.beispiel.org/a?b=1#c.",
                    "beispiel.org/a?b=1#c! beispiel? org? a? b? 1? c?"},
        TermsOfText{"ISO/IEC 27001:2022", "iso/iec! iso? iec? | 27001:2022! 27001? 2022?"},
        TermsOfText{"DIN EN 60601-1,", "din | en | 60601-1! 60601? 1?"},
        TermsOfText{"STM32F103C8T6", "stm32f103c8t6!"},
        TermsOfText{"/etc/apt/sources", "etc/apt/sources! etc? apt? sourc?"},
        TermsOfText{R"(C:\Daten\a.txt)", R"(c:\daten\a.txt! c? dat? a? txt?)"},
        TermsOfText{"C++ und C#", "c++! c? | und | c#! c?"},
        TermsOfText{"Nr. 5.2.3", "nr | 5.2.3! 5? 2? 3?"},
        TermsOfText{"192.168.0.1", "192.168.0.1! 192? 168? 0? 1?"},
        TermsOfText{"EU-Gipfel", "eugipfel eu+ gipfel+"},
        TermsOfText{"Beta-Amyloid-Antikörper", "betaamyloidantikorp beta+ amyloid+ antikorp+"}));

INSTANTIATE_TEST_SUITE_P(
    LegalReferences, Identifiers,
    testing::Values(
        TermsOfText{"§ 5", "§5! | 5"}, TermsOfText{"§5", "§5! | 5"},
        TermsOfText{"§\u00A05", "§5! | 5"}, TermsOfText{"§ 5 Abs. 2", "§5.abs2! §5? | 5 | abs | 2"},
        TermsOfText{"§5 Abs.2", "§5.abs2! §5? | 5 | abs.2! abs? 2?"},
        TermsOfText{"§ 5 Absatz 2", "§5.abs2! §5? | 5 | absatz | 2"},
        TermsOfText{"§ 5 (2)", "§5.abs2! §5? | 5 | 2"},
        TermsOfText{"§§ 5 und 6a", "§5! | §6a! | 5 | und | 6a!"},
        TermsOfText{"§§ 5 Abs. 1, 6", "§5.abs1! §5? | §6! | 5 | abs | 1 | 6"},
        TermsOfText{"Art. 3 Abs. 1 Satz 2",
                    "art3.abs1.s2! art3.abs1? art3? | art | 3 | abs | 1 | satz | 2"},
        TermsOfText{"Article 6(1)(f)", "art6.abs1.litf! art6.abs1? art6? | articl | 6 | 1 | f"},
        TermsOfText{"Artikel 6 Abs. 1 lit. f",
                    "art6.abs1.litf! art6.abs1? art6? | artikel | 6 | abs | 1 | lit | f"},
        TermsOfText{"Paragraph 5", "§5! | paragraph | 5"}, TermsOfText{"§ 5 Abs.", "§5! | 5 | abs"},
        TermsOfText{"§ Abs. 5", "abs | 5"}, TermsOfText{"eine Art Baum", "ein | art | baum"},
        TermsOfText{"§", ""}));

// What a question shares with a text, by weight: enough to tell which of two texts is meant.
float shared_weight(std::string_view question, std::string_view text, std::string_view language) {
  std::map<std::string, float> present;
  for (const AnalyzedTerm& term : analyzer(language).analyze(text)) {
    float& weight = present[term.term];
    weight = std::max(weight, term.weight);
  }
  float shared = 0;
  for (const AnalyzedTerm& term : analyzer(language).analyze(question)) {
    const auto found = present.find(term.term);
    if (found != present.end() && !term.stop_word) shared += found->second * term.weight;
  }
  return shared;
}

struct QuestionAndTexts {
  const char* question;
  const char* found;
  const char* not_found;  // Or found worse.
};

class Questions : public testing::TestWithParam<QuestionAndTexts> {};

TEST_P(Questions, FindTheRightText) {
  const QuestionAndTexts& pair = GetParam();
  for (const char* language : {"de", "en", "fr"}) {
    const float right = shared_weight(pair.question, pair.found, language);
    EXPECT_GT(right, 0.0F) << language;
    EXPECT_GT(right, shared_weight(pair.question, pair.not_found, language)) << language;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Table, Questions,
    testing::Values(
        QuestionAndTexts{"dec-0054", "siehe DEC-0054.", "siehe DEC-0055."},
        QuestionAndTexts{"0054", "siehe DEC-0054.", "siehe DEC-0055."},
        QuestionAndTexts{"0x1f", "Wert 0x1F", "Wert 0x2F"},
        QuestionAndTexts{"802.11ax", "WLAN nach 802.11ax", "WLAN nach 802.11ac"},
        QuestionAndTexts{"v1.2.3-rc1", "Version v1.2.3-rc1", "Version v1.2.3-rc2"},
        QuestionAndTexts{"ISO 27001", "ISO/IEC 27001:2022", "ISO/IEC 27002:2022"},
        QuestionAndTexts{"ISO/IEC 27001:2022", "ISO/IEC 27001:2022", "ISO/IEC 27001:2013"},
        QuestionAndTexts{"DIN EN 60601-1", "nach DIN EN 60601-1", "nach DIN EN 60601-2"},
        QuestionAndTexts{"stm32f103c8t6", "der STM32F103C8T6", "der STM32F103C8T7"},
        QuestionAndTexts{"beispiel.org/a", "http://www.beispiel.org/a/", "http://beispiel.com/a/"},
        QuestionAndTexts{"sources.list", "/etc/apt/sources.list", "/etc/apt/preferences"},
        QuestionAndTexts{"C++", "in C++ geschrieben", "in C# geschrieben"},
        QuestionAndTexts{"Was sagt § 5 Abs. 2?", "nach § 5 Abs. 2 gilt", "nach § 2 Abs. 5 gilt"},
        QuestionAndTexts{"§5 Absatz 2", "nach § 5 Abs. 2 gilt", "nach § 2 Abs. 5 gilt"},
        QuestionAndTexts{"§ 5", "nach § 5 Abs. 2 gilt", "nach § 2 Abs. 5 gilt"},
        QuestionAndTexts{"§ 6", "nach §§ 5 und 6 gilt", "nach § 5 gilt in 6 Fällen"},
        QuestionAndTexts{"Paragraph 5", "nach § 5 gilt", "nach § 6 gilt in 5 Fällen"},
        QuestionAndTexts{"Art. 6 Abs. 1 lit. f", "Article 6(1)(f) GDPR", "Article 6(1)(e) GDPR"},
        QuestionAndTexts{"Artikel 3 Absatz 1", "Art. 3 Abs. 1 GG", "Art. 1 Abs. 3 GG"}));

TEST(LegalReference, CoversWhatIsWritten) {
  const std::string_view text = "Nach § 433 Abs. 1 Satz 2 BGB";
  const std::size_t number = text.find("433");
  const std::size_t start = legal_reference_start(text, number);
  ASSERT_EQ(start, 5U);
  const std::vector<LegalReference> found = legal_references_at(text, start);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(text.substr(found[0].span.start, found[0].span.size()), "§ 433 Abs. 1 Satz 2");
}

TEST(LegalReference, NeedsASignOrName) {
  EXPECT_EQ(legal_reference_start("5 Abs. 2", 0), std::string_view::npos);
  EXPECT_EQ(legal_reference_start("Arten 5", 0), std::string_view::npos);
  EXPECT_TRUE(legal_references_at("Art. der", 0).empty());
  EXPECT_TRUE(legal_references_at("§ 5555555", 0).empty());
}

// A sign in front of endless numbers, and endless signs, cost what their length costs.
TEST(LegalReference, LooksAtABoundedNumberOfBytes) {
  std::string list = "§§ 1";
  std::string signs;
  for (int i = 0; i < 20000; ++i) {
    list += ", 1 Abs. 1";
    signs += "§§ 1, ";
  }
  EXPECT_EQ(legal_references_at(list, 0).size(), 16U);
  EXPECT_LE(legal_references_at(list, 0).back().span.end, 400U);
  EXPECT_LE(analyzer("de").analyze(signs).size(), 20000U * 17U);
}

}  // namespace
}  // namespace beleg
