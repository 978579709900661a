#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "text/analyzer.h"
#include "text/case_fold.h"
#include "text/german_fold.h"
#include "text/snowball.h"

// How well German compounds are split, on a labelled list: with the shipped words alone, with the
// sample newsroom, and with a larger corpus where there is one.

namespace beleg {
namespace {

using Parts = std::vector<std::string>;

// One line: word, tab, its parts joined by "+" (linking elements left out), or the word alone when
// it must not be split. Several right answers are joined by "|".
struct LabelledWord {
  std::string word;
  std::vector<Parts> answers;

  [[nodiscard]] bool is_compound() const { return answers.front().size() > 1; }
};

Parts fields_of(const std::string& line, char separator) {
  Parts fields;
  std::istringstream stream(line);
  for (std::string field; std::getline(stream, field, separator);) fields.push_back(field);
  return fields;
}

std::string folded(std::string_view word) {
  std::string lower;
  append_folded(word, lower);
  return fold_german(lower);
}

std::vector<LabelledWord> labelled_words() {
  std::vector<LabelledWord> labelled;
  std::ifstream lines(BELEG_SOURCE_DIR "/src/text/testdata/compounds_de.tsv");
  for (std::string line; std::getline(lines, line);) {
    const Parts fields = fields_of(line, '\t');
    if (fields.size() != 2) continue;
    LabelledWord entry{folded(fields[0]), {}};
    for (const std::string& answer : fields_of(fields[1], '|')) {
      Parts parts;
      for (const std::string& part : fields_of(answer, '+')) parts.push_back(folded(part));
      entry.answers.push_back(parts);
    }
    labelled.push_back(std::move(entry));
  }
  return labelled;
}

// The parts down to the smallest. The analyzer looks one level down as well.
void add_leaves(const CompoundLexicon& lexicon, const std::string& word, Parts& leaves) {
  const Parts parts = lexicon.split(word);
  if (parts.empty()) leaves.push_back(word);
  for (const std::string& part : parts) add_leaves(lexicon, part, leaves);
}

// Hyphens split by themselves.
Parts split_fully(const CompoundLexicon& lexicon, const std::string& word) {
  Parts leaves;
  for (const std::string& piece : fields_of(word, '-')) add_leaves(lexicon, piece, leaves);
  return leaves;
}

// Byte offsets at which the second and later parts start; hyphens do not count as letters.
std::set<std::size_t> boundaries_of(const std::string& word, const Parts& parts) {
  std::set<std::size_t> starts;
  std::size_t from = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t at = word.find(parts[i], from);
    EXPECT_NE(at, std::string::npos) << parts[i] << " in " << word;
    if (at == std::string::npos) return starts;
    if (i > 0) starts.insert(at);
    from = at + parts[i].size();
  }
  return starts;
}

Parts stems_of(const Parts& parts) {
  Parts stems;
  for (const std::string& part : parts) stems.push_back(german_stem(part));
  return stems;
}

std::string joined(const Parts& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : "+") + part;
  return text;
}

struct Quality {
  int right_boundaries = 0;
  int found_boundaries = 0;
  int labelled_boundaries = 0;
  int right_words = 0;  // Compounds with all parts right, by their stems, and none too many.
  int split_words = 0;
  int compounds = 0;
  std::string mistakes;

  [[nodiscard]] double boundary_precision() const {
    return ratio(right_boundaries, found_boundaries);
  }
  [[nodiscard]] double boundary_recall() const {
    return ratio(right_boundaries, labelled_boundaries);
  }
  [[nodiscard]] double word_precision() const { return ratio(right_words, split_words); }
  [[nodiscard]] double word_recall() const { return ratio(right_words, compounds); }

 private:
  static double ratio(int part, int whole) {
    return whole > 0 ? static_cast<double>(part) / whole : 1;
  }
};

Quality measure(const CompoundLexicon& lexicon) {
  Quality quality;
  for (const LabelledWord& labelled : labelled_words()) {
    const Parts found = split_fully(lexicon, labelled.word);
    const std::set<std::size_t> cuts = boundaries_of(labelled.word, found);
    // Of several right answers the one that agrees best is meant.
    std::set<std::size_t> wanted;
    int agreeing = -1;
    bool right = false;
    for (const Parts& answer : labelled.answers) {
      const std::set<std::size_t> starts = boundaries_of(labelled.word, answer);
      const auto common = static_cast<int>(
          std::ranges::count_if(cuts, [&](std::size_t cut) { return starts.contains(cut); }));
      right = right || stems_of(answer) == stems_of(found);
      const int missed = static_cast<int>(starts.size()) - common;
      const int score = 100 + common - missed;
      if (score > agreeing) {
        agreeing = score;
        wanted = starts;
      }
    }
    for (const std::size_t cut : cuts) quality.right_boundaries += wanted.contains(cut) ? 1 : 0;
    quality.found_boundaries += static_cast<int>(cuts.size());
    quality.labelled_boundaries += static_cast<int>(wanted.size());
    quality.compounds += labelled.is_compound() ? 1 : 0;
    quality.split_words += found.size() > 1 ? 1 : 0;
    quality.right_words += right && labelled.is_compound() ? 1 : 0;
    if (!right) {
      quality.mistakes +=
          labelled.word + ": " + joined(found) + " for " + joined(labelled.answers.front()) + "\n";
    }
  }
  return quality;
}

void report(const char* lexicon, const Quality& quality) {
  std::cout << lexicon << ": boundaries " << quality.boundary_precision() << " precise, "
            << quality.boundary_recall() << " found; words " << quality.word_precision()
            << " precise, " << quality.word_recall() << " found\n";
  if (std::getenv("BELEG_SHOW_MISTAKES") != nullptr) std::cout << quality.mistakes;
}

// All German texts of the sample newsroom.
std::vector<std::string> newsroom_texts() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(BELEG_SOURCE_DIR "/examples/newsroom/de")) {
    if (entry.is_regular_file()) paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  std::vector<std::string> texts;
  for (const std::filesystem::path& path : paths) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    texts.push_back(text.str());
  }
  return texts;
}

TEST(CompoundList, IsWellFormedAndLargeEnough) {
  const std::vector<LabelledWord> labelled = labelled_words();
  std::set<std::string> words;
  std::size_t simplex = 0;
  for (const LabelledWord& entry : labelled) {
    EXPECT_TRUE(words.insert(entry.word).second) << entry.word << " stands twice";
    for (const Parts& answer : entry.answers) {
      // Between the parts is nothing but a linking element or a hyphen.
      std::size_t letters = 0;
      for (const std::string& part : answer) letters += part.size();
      EXPECT_EQ(boundaries_of(entry.word, answer).size() + 1, answer.size());
      EXPECT_LE(entry.word.size(), letters + 2 * (answer.size() - 1)) << entry.word;
    }
    simplex += entry.is_compound() ? 0 : 1;
  }
  EXPECT_GE(labelled.size(), 700U);
  EXPECT_GE(simplex, 250U);
}

TEST(CompoundQuality, OfTheShippedWordsAlone) {
  const Quality quality = measure(*CompoundLexiconBuilder().build());
  report("shipped words", quality);
  EXPECT_GE(quality.boundary_precision(), 0.97) << quality.mistakes;
  EXPECT_GE(quality.boundary_recall(), 0.80) << quality.mistakes;
}

TEST(CompoundQuality, OfTheSampleNewsroom) {
  const std::vector<std::string> texts = newsroom_texts();
  ASSERT_GE(texts.size(), 20U);
  CompoundLexiconBuilder builder;
  for (const std::string& text : texts) builder.add_text(text);
  const Quality quality = measure(*builder.build());
  report("sample newsroom", quality);
  EXPECT_GE(quality.boundary_precision(), 0.97) << quality.mistakes;
  EXPECT_GE(quality.boundary_recall(), 0.85) << quality.mistakes;
  EXPECT_GE(quality.word_precision(), 0.95) << quality.mistakes;
  EXPECT_GE(quality.word_recall(), 0.85) << quality.mistakes;
}

// A text file of German, one document a line, named by BELEG_GERMAN_TEXT.
TEST(CompoundQuality, OfALargerCorpus) {
  const char* path = std::getenv("BELEG_GERMAN_TEXT");
  if (path == nullptr) GTEST_SKIP() << "BELEG_GERMAN_TEXT names no file of German text";
  std::ifstream lines(path);
  ASSERT_TRUE(lines.good()) << path;
  CompoundLexiconBuilder builder;
  for (std::string line; std::getline(lines, line);) builder.add_text(line);
  const Quality quality = measure(*builder.build());
  report("larger corpus", quality);
  EXPECT_GE(quality.boundary_precision(), 0.97) << quality.mistakes;
  EXPECT_GE(quality.boundary_recall(), 0.85) << quality.mistakes;
}

}  // namespace
}  // namespace beleg
