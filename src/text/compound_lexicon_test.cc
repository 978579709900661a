#include "text/compound_lexicon.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "text/analyzer.h"
#include "text/snowball.h"

namespace beleg {
namespace {

using Parts = std::vector<std::string>;

// A little corpus, so that the lexicon rests on counted words as well as on the shipped list.
constexpr std::string_view kCorpus =
    "Nach dem langen Streit um das Beben an der Donau bat die Stadt um Hilfe. Viele Berater und "
    "Geber kamen mit neuem Passwort und neuer Software in das Netzwerk. Das Passwort schützt die "
    "Software, das Netzwerk und die Tastatur. Ohne Tastatur hilft kein Computer. Wer im Lotto "
    "gewinnt, spielt weiter im Lotto. Jeder Infarkt und jede Entzündung ist für die Klinik ein "
    "Fall; gegen die Entzündung hilft kein Virus. Das Format der Datei ist neu, ein anderes Format "
    "gibt es nicht. Im Norden liegt Afrika nicht, denn Afrika liegt im Süden. Die Nehmer danken "
    "den Gebern, und jeder Nehmer und jeder Geber kennt den Berater. Zwischen den Zeilen steht "
    "eine Lücke, und eine Lücke bleibt. Ein Virus kommt selten allein. Die Donau fließt nach "
    "Osten, und das Beben war an der Donau zu spüren. Eine Olive liegt neben der anderen Olive. "
    "Im Fernsehen läuft ein Film, und das Fernsehen bleibt an. Der Infarkt kam in der Nacht.";

std::shared_ptr<const CompoundLexicon> small_lexicon() {
  static const std::shared_ptr<const CompoundLexicon> lexicon = [] {
    CompoundLexiconBuilder builder;
    builder.add_text(kCorpus);
    return builder.build();
  }();
  return lexicon;
}

struct LabelledWord {
  std::string word;
  Parts parts;
};

// One word a line, a compound with its parts behind it; a word without has none that a reader would
// search for alone. Folded: lower case, ss for ß. The last 61 compounds and 37 others were labelled
// after the shipped list was written, and not used for it.
std::vector<LabelledWord> labelled_words() {
  std::vector<LabelledWord> labelled;
  std::ifstream lines(BELEG_SOURCE_DIR "/src/text/testdata/german_compounds.txt");
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    LabelledWord entry;
    if (!(words >> entry.word)) continue;
    for (std::string part; words >> part;) entry.parts.push_back(part);
    labelled.push_back(std::move(entry));
  }
  return labelled;
}

// The terms of all parts down to the smallest.
void add_leaves(const CompoundLexicon& lexicon, const std::string& word, Parts& leaves) {
  const Parts parts = lexicon.split(word);
  if (parts.empty()) leaves.push_back(snowball_stem(StemAlgorithm::kGerman, word));
  for (const std::string& part : parts) add_leaves(lexicon, part, leaves);
}

std::string joined(const Parts& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : "+") + part;
  return text;
}

TEST(CompoundLexicon, SplitsLabelledWordsPrecisely) {
  int correct = 0;
  int proposed = 0;
  int compounds = 0;
  int simplex = 0;
  std::string mistakes;
  for (const LabelledWord& labelled : labelled_words()) {
    Parts wanted;
    for (const std::string& part : labelled.parts) add_leaves(*small_lexicon(), part, wanted);
    Parts found;
    add_leaves(*small_lexicon(), labelled.word, found);
    const bool split = found.size() > 1;
    (labelled.parts.empty() ? simplex : compounds) += 1;
    proposed += split ? 1 : 0;
    const bool right = split && found == wanted;
    correct += right ? 1 : 0;
    if (split != !labelled.parts.empty() || (split && !right)) {
      mistakes += labelled.word + ": " + joined(found) + " for " + joined(wanted) + "\n";
    }
  }
  ASSERT_GE(compounds, 150);
  ASSERT_GE(simplex, 50);
  const double precision = static_cast<double>(correct) / proposed;
  const double recall = static_cast<double>(correct) / compounds;
  EXPECT_GE(precision, 0.95) << mistakes;
  EXPECT_GE(recall, 0.85) << mistakes;
  RecordProperty("precision", std::to_string(precision));
  RecordProperty("recall", std::to_string(recall));
}

TEST(CompoundLexicon, CoversTheWordWithoutOverlap) {
  // "zeh" stands in the middle, and overlaps both words.
  EXPECT_EQ(small_lexicon()->split("kurzehose"), (Parts{"kurz", "hose"}));
  EXPECT_EQ(small_lexicon()->split("donaudampfschifffahrt"),
            (Parts{"donau", "dampf", "schiff", "fahrt"}));
}

TEST(CompoundLexicon, TakesLinkingElementsAway) {
  EXPECT_EQ(small_lexicon()->split("kündigungsfristen"), (Parts{"kündigung", "fristen"}));
  EXPECT_EQ(small_lexicon()->split("hundesteuer"), (Parts{"hunde", "steuer"}));
  EXPECT_EQ(small_lexicon()->split("olivenöl"), (Parts{"olive", "öl"}));
}

TEST(CompoundLexicon, SplitsBothSpellingsAlike) {
  EXPECT_EQ(small_lexicon()->split("haustuer"), (Parts{"haus", "tür"}));
  EXPECT_EQ(small_lexicon()->split("kuendigungsfrist"), small_lexicon()->split("kündigungsfrist"));
}

TEST(CompoundLexicon, FindsInflectedHeads) {
  EXPECT_EQ(small_lexicon()->split("wohnhäusern"), (Parts{"wohn", "häusern"}));
}

TEST(CompoundLexicon, LeavesWordsThatAreMoreFrequentThanTheirParts) {
  CompoundLexiconBuilder builder;
  std::string text;
  for (int i = 0; i < 400; ++i) text += "das Wasserkind und ";
  builder.add_text(text);
  EXPECT_TRUE(builder.build()->split("wasserkind").empty());
  EXPECT_EQ(small_lexicon()->split("wasserkind"), (Parts{"wasser", "kind"}));
}

TEST(CompoundLexicon, LearnsFromTheCorpus) {
  EXPECT_TRUE(small_lexicon()->split("blorkensteuer").empty());
  CompoundLexiconBuilder builder;
  builder.add_text("Wir sehen den Blorken, und der Blorken sieht uns.");
  EXPECT_EQ(builder.build()->split("blorkensteuer"), (Parts{"blorken", "steuer"}));
}

TEST(CompoundLexicon, HandlesNastyInput) {
  EXPECT_TRUE(small_lexicon()->split("").empty());
  EXPECT_TRUE(small_lexicon()->split("a").empty());
  EXPECT_TRUE(small_lexicon()->split(std::string(100000, 'a')).empty());
  EXPECT_TRUE(small_lexicon()->split("приветпривет").empty());
  EXPECT_TRUE(small_lexicon()->split("\xFF\xFE\xC3").empty());
}

TEST(CompoundLexiconFormat, ReadsWhatItWrites) {
  const std::string bytes = small_lexicon()->serialize();
  const std::shared_ptr<const CompoundLexicon> read = read_compound_lexicon(bytes);
  ASSERT_NE(read, nullptr);
  EXPECT_EQ(read->serialize(), bytes);
  for (const LabelledWord& labelled : labelled_words()) {
    EXPECT_EQ(read->split(labelled.word), small_lexicon()->split(labelled.word));
  }
}

TEST(CompoundLexiconFormat, DoesNotDependOnTheOrderOfTexts) {
  CompoundLexiconBuilder forward;
  forward.add_text("Der Hafen und das Schiff. ");
  forward.add_text("Die alte Mühle.");
  CompoundLexiconBuilder backward;
  backward.add_text("Die alte Mühle.");
  backward.add_text("Der Hafen und das Schiff. ");
  EXPECT_EQ(forward.build()->serialize(), backward.build()->serialize());
}

TEST(CompoundLexiconFormat, RefusesDamagedBytes) {
  const std::string bytes = serialize_lexicon(
      {{"haus", 4, kModifier | kHead | kStem}, {"hausbau", 1, kHead}, {"t\xFCr", 300, kHead}});
  ASSERT_NE(read_compound_lexicon(bytes), nullptr);
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_EQ(read_compound_lexicon(bytes.substr(0, length)), nullptr) << length;
  }
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_EQ(read_compound_lexicon(damaged), nullptr) << bit;
  }
  EXPECT_EQ(read_compound_lexicon(bytes + '\0'), nullptr);
}

}  // namespace
}  // namespace beleg
