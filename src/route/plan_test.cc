#include "route/plan.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <new>
#include <random>
#include <thread>

#include "route/plan_testdata.h"
#include "route/plan_words.h"
#include "text/utf8.h"

namespace {

/// Of this thread, so that the number is the same on every run.
thread_local std::size_t allocations = 0;

}  // namespace

// The program's own allocation, counted. The other forms of new and delete come down to these.
void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace beleg {
namespace {

std::vector<std::string> texts_of(const QueryPlan& plan) {
  std::vector<std::string> out;
  for (const SubQuestion& sub : plan.sub_questions) out.push_back(sub.text);
  return out;
}

/// What must hold for every plan, whatever the question.
void expect_sound(const QueryPlan& plan, std::string_view question) {
  EXPECT_EQ(plan.question, question);
  EXPECT_TRUE(plan.complexity >= 0.0 && plan.complexity <= 1.0);
  EXPECT_FALSE(plan.reason.empty());
  EXPECT_EQ(plan.decomposed, !plan.sub_questions.empty());
  EXPECT_NE(plan.sub_questions.size(), 1U);
  EXPECT_LE(plan.sub_questions.size(), 4U);
  for (const auto& [name, value] : plan.features) EXPECT_TRUE(std::isfinite(value)) << name;
  for (const SubQuestion& sub : plan.sub_questions) {
    EXPECT_TRUE(sub.text.ends_with('?')) << sub.text;
    EXPECT_TRUE(is_valid_utf8(sub.text)) << sub.text;
    EXPECT_EQ(sub.text.find('\n'), std::string::npos);
    EXPECT_FALSE(sub.rule.empty());
  }
}

TEST(Plan, FormsTheExpectedSubQuestions) {
  const auto cases = read_plan_cases(source_root() / "src/route/testdata/plan_cases.jsonl");
  ASSERT_GE(cases.size(), 60U);
  std::size_t positives = 0;
  for (const PlanCase& entry : cases) {
    const QueryPlan plan = plan_question(entry.question.text, entry.question.language, {});
    expect_sound(plan, entry.question.text);
    EXPECT_EQ(texts_of(plan), entry.sub) << entry.question.text;
    EXPECT_EQ(plan.decomposed, entry.question.decompose) << entry.question.text;
    positives += entry.question.decompose ? 1 : 0;
  }
  EXPECT_GE(positives, 40U);
}

TEST(Plan, KeepsTheContentWordsOfTheQuestion) {
  // A capitalised word of a German question that is in none of its parts has been dropped.
  const auto cases = read_plan_cases(source_root() / "src/route/testdata/plan_cases.jsonl");
  std::size_t checked = 0;
  for (const PlanCase& entry : cases) {
    if (!entry.question.decompose || entry.question.language != "de") continue;
    const QueryPlan plan = plan_question(entry.question.text, "de", {});
    if (plan.cause == PlanReason::kComparison)
      continue;  // "Unterschied" is what it is taken apart by.
    std::string all;
    for (const SubQuestion& sub : plan.sub_questions) all += sub.text + " ";
    const Words words = split_words(entry.question.text, true);
    for (std::size_t i = 1; i < words.size(); ++i) {
      // Up to the ending: "Medikamenten" becomes "Medikamente".
      if (!words.is_capital(i) || words.at(i) == "Frage") continue;
      const std::string_view stem =
          words.at(i).substr(0, std::max<std::size_t>(words.at(i).size(), 2) - 1);
      EXPECT_NE(all.find(stem), std::string::npos) << words.at(i) << " of " << entry.question.text;
      ++checked;
    }
  }
  EXPECT_GT(checked, 40U);
}

TEST(Plan, SaysWhyAndByWhichRule) {
  const QueryPlan clause = plan_question("Was ist Rost und warum entsteht er?", "de", {});
  EXPECT_EQ(clause.cause, PlanReason::kReasonOrMannerClause);
  EXPECT_EQ(plan_reason_name(clause.cause), "reason_or_manner_clause");
  EXPECT_EQ(clause.sub_questions.at(1).rule, "clause");
  EXPECT_EQ(plan_question("How do asthma and COPD differ?", "en", {}).cause,
            PlanReason::kComparison);
  EXPECT_EQ(plan_question("Wann und wo starb Bach?", "de", {}).cause,
            PlanReason::kSeveralQuestionWords);
  EXPECT_EQ(plan_question("Was ist Rost? Was ist Stahl?", "de", {}).cause,
            PlanReason::kSeveralQuestions);
  EXPECT_EQ(plan_question("Was ist Rost?", "de", {}).cause, PlanReason::kSingle);
}

TEST(Plan, ObeysTheSettings) {
  const std::string question = "Was ist Rost, wie entsteht er, was kostet er und wer haftet dafür?";
  EXPECT_EQ(plan_question(question, "de", {}).sub_questions.size(), 4U);
  PlanSettings settings;
  settings.max_sub_questions = 2;
  EXPECT_EQ(plan_question(question, "de", settings).sub_questions.size(), 2U);
  settings.max_sub_questions = 0;  // Below the least that makes sense.
  EXPECT_EQ(plan_question(question, "de", settings).sub_questions.size(), 2U);
  settings.max_sub_questions = 99;
  EXPECT_EQ(plan_question(question, "de", settings).sub_questions.size(), 4U);
  settings.threshold = 1.0;
  const QueryPlan strict = plan_question(question, "de", settings);
  EXPECT_FALSE(strict.decomposed);
  EXPECT_LT(strict.complexity, 1.0);
  settings = {};
  settings.decompose = false;
  const QueryPlan off = plan_question(question, "de", settings);
  EXPECT_FALSE(off.decomposed);
  EXPECT_EQ(off.cause, PlanReason::kSwitchedOff);
  EXPECT_GT(off.complexity, 0.5);
}

TEST(Plan, ChoosesTheRulesByLanguage) {
  EXPECT_EQ(plan_question("Was ist Rost und wie entsteht er?", "und", {}).language, "de");
  EXPECT_EQ(plan_question("What is rust and how does it form?", "", {}).language, "en");
  const QueryPlan french = plan_question("Qu'est-ce que c'est et comment ça marche ?", "fr", {});
  EXPECT_FALSE(french.decomposed);
  EXPECT_EQ(french.cause, PlanReason::kUnsupported);
  EXPECT_EQ(french.language, "fr");
}

TEST(Plan, TakesAnyTextAsData) {
  const std::vector<std::string> nasty = {
      "",
      " ",
      "?",
      "? ? ! ? ...",
      "und",
      "und und und und wie wie wie",
      "wie",
      "Wie?",
      "and how",
      "Was ist \"X\" und wie wirkt (es)?",
      "Was ist „X und wie wirkt Y?",
      "\"}]}; DROP TABLE questions; -- und wie wirkt es?",
      "<script>alert(1)</script> Was ist das und wie geht das?",
      "Was\nist\r\nRost\tund\x01wie\x7f entsteht\x1b[31m er?",
      "Was ist 🦠 und wie wirkt 🦠?",
      "🦠🦠🦠",
      "Was ist A,B und C,D,,, und, und wie?",
      "Wer, wann, wo, wie, was, warum?",
      "welche und welche und welche?",
      "Unterschied zwischen und",
      "vs vs vs vs",
      "A vs. ",
      "Was ist besser, oder?",
      "What is better, or?",
      "Is than better than than?",
      "Who's who and what's what?",
      "und wer und wer und wer?",
      std::string("Was ist\0Rost und wie entsteht er?", 33),
      "Was ist Rost\xC2\xA0und\xE2\x80\x8Bwie entsteht er?",
      "was ist rost und wie entsteht er",
  };
  for (const std::string& question : nasty) {
    for (const char* language : {"de", "en", "und", "fr", ""}) {
      expect_sound(plan_question(question, language, {}), question);
    }
  }
}

TEST(Plan, RefusesBytesThatAreNotUtf8) {
  const std::string question = "Was ist \xFF und wie wirkt \xC3?";
  const QueryPlan plan = plan_question(question, "de", {});
  EXPECT_EQ(plan.cause, PlanReason::kUnsupported);
  EXPECT_FALSE(plan.decomposed);
}

TEST(Plan, ControlCharactersDoNotReachTheSubQuestions) {
  const QueryPlan plan =
      plan_question("Was ist Rost\n\n und\x07 wie\tentsteht\xE2\x80\xAE er?", "de", {});
  EXPECT_EQ(texts_of(plan), (std::vector<std::string>{"Was ist Rost?", "Wie entsteht Rost?"}));
}

TEST(Plan, SurvivesRandomWordSalad) {
  const std::vector<std::string> pool = {
      "und",  "oder",       "wie",         "was",     "welche",
      "wer",  ",",          "?",           ".",       "ist",
      "sind", "hat",        "haben",       "es",      "sie",
      "er",   "deren",      "dafür",       "die",     "der",
      "den",  "dem",        "Rost",        "Casgevy", "Medikamenten",
      "von",  "zwischen",   "Unterschied", "besser",  "als",
      "vs",   "„",          "“",           "(",       ")",
      "and",  "or",         "how",         "which",   "who",
      "it",   "its",        "they",        "do",      "does",
      "the",  "difference", "between",     "than",    "better",
      ":",    "-",          "Vor-",        "Ä",       "🦠",
      "1,5",  "that",       "those",       "of",      "compared",
      "with", "im",         "Vergleich",   "zu"};
  std::mt19937 random(7);
  for (int round = 0; round < 20000; ++round) {
    std::string question;
    const std::size_t length = 1 + random() % 24;
    for (std::size_t i = 0; i < length; ++i)
      question += pool[random() % pool.size()] + (random() % 8 == 0 ? "" : " ");
    expect_sound(plan_question(question, round % 2 == 0 ? "de" : "en", {}), question);
    if (HasFailure()) FAIL() << question;
  }
}

// Hostile ends of a question: what the rules look at again and again.
constexpr std::array<std::string_view, 8> kHostileUnits = {"und wie wirkt es ",
                                                           "Wer, ",
                                                           "A vs B ",
                                                           "„(",
                                                           "and does it ",
                                                           "x",
                                                           "welche Nebenwirkungen von ",
                                                           "zwischen A und B "};

std::string hostile_question(std::string_view unit, std::size_t bytes) {
  std::string question = "Was ist Rost ";
  while (question.size() + unit.size() <= bytes) question += unit;
  return question;
}

TEST(Plan, LongQuestionsAreNotLookedAt) {
  // No rule sees more than 4096 bytes or 256 words: what is longer costs its own length.
  for (const std::string_view unit : kHostileUnits) {
    for (const std::size_t bytes : {5000U, 10000U, 1000000U}) {
      const std::string question = hostile_question(unit, bytes);
      const QueryPlan plan = plan_question(question, "de", {});
      expect_sound(plan, question);
      EXPECT_EQ(plan.cause, PlanReason::kUnsupported) << unit << bytes;
      EXPECT_TRUE(plan.features.empty()) << unit << bytes;
    }
  }
}

/// The longest question of these units that uses at most `share` of what the rules look at.
std::string admitted_question(std::string_view unit, double share) {
  std::string question = "Was ist Rost ";
  while (true) {
    const std::string longer = question + std::string(unit);
    if (static_cast<double>(longer.size()) > share * 4096) return question;
    if (static_cast<double>(split_words(longer, true).size()) > share * 256) return question;
    question = longer;
  }
}

TEST(Plan, WorkGrowsWithTheLengthOfHostileQuestions) {
  // Counted in allocations: every form that a rule tries is a text of its own. Four times the
  // length may take eight times as many, and not the sixteen of a rule that tries all pairs.
  for (const std::string_view unit : kHostileUnits) {
    const auto cost = [&](double share) {
      const std::string question = admitted_question(unit, share);
      const std::size_t before = allocations;
      const QueryPlan plan = plan_question(question, "de", {});
      const std::size_t took = allocations - before;
      expect_sound(plan, question);
      EXPECT_NE(plan.cause, PlanReason::kUnsupported) << unit << share;
      return took;
    };
    const std::size_t few = cost(0.25);
    EXPECT_GT(few, 0U);
    EXPECT_LE(cost(1.0), 8 * few) << unit;
  }
}

TEST(Plan, IsDeterministicAcrossThreads) {
  const auto cases = read_plan_cases(source_root() / "src/route/testdata/plan_cases.jsonl");
  const auto run = [&cases] {
    std::string all;
    for (const PlanCase& entry : cases) {
      const QueryPlan plan = plan_question(entry.question.text, entry.question.language, {});
      for (const SubQuestion& sub : plan.sub_questions) all += sub.text + "\n";
      all += std::to_string(plan.complexity);
    }
    return all;
  };
  std::array<std::string, 4> results;
  {
    std::vector<std::jthread> threads;
    for (std::string& result : results) threads.emplace_back([&result, &run] { result = run(); });
  }
  for (const std::string& result : results) EXPECT_EQ(result, results[0]);
}

TEST(Plan, SeldomTakesASingleQuestionApart) {
  const char* const variable = std::getenv("BELEG_TEST_DATA");
  const std::filesystem::path data =
      variable != nullptr ? std::filesystem::path(variable) : source_root() / "../shared/data";
  std::size_t questions = 0;
  std::size_t decomposed = 0;
  for (const std::string language : {"de", "en"}) {
    const auto path = data / "retrieval_qa" / ("xquad_" + language) / "queries.jsonl";
    if (!std::filesystem::exists(path)) GTEST_SKIP() << "no data set at " << path;
    for (const PlanCase& entry : read_plan_cases(path, language)) {
      ++questions;
      decomposed += plan_question(entry.question.text, language, {}).decomposed ? 1 : 0;
    }
  }
  ASSERT_GT(questions, 2000U);
  // Reading comprehension asks one thing at a time, with a handful of exceptions.
  EXPECT_LE(static_cast<double>(decomposed), 0.01 * static_cast<double>(questions));
}

TEST(PlanWords, JoinsWhatBelongsTogether) {
  const Words words =
      split_words("RTS,S, COVID-19, 1,5 Grad und 12:30: z. B. what's Vor- und", true);
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < words.size(); ++i) parts.emplace_back(words.at(i));
  EXPECT_EQ(parts,
            (std::vector<std::string>{"RTS,S", ",", "COVID-19", ",", "1,5", "Grad", "und", "12:30",
                                      ":", "z", ".", "B", ".", "what's", "Vor-", "und"}));
}

TEST(PlanWords, ShieldsQuotedTextButNotAfterALoneMark) {
  const Words quoted = split_words("Wer sang „Wer bist du“ heute?", true);
  EXPECT_TRUE(quoted.words[3].shielded);
  EXPECT_FALSE(quoted.words[7].shielded);
  const Words lone = split_words("Wer sang „Wer bist du heute?", true);
  for (const Word& word : lone.words) EXPECT_FALSE(word.shielded);
}

TEST(PlanWords, ChangesTheFirstLetterOnly) {
  EXPECT_EQ(capitalized("über uns"), "Über uns");
  EXPECT_EQ(uncapitalized("Über UNS"), "über UNS");
  EXPECT_EQ(capitalized("ß"), "ß");
  EXPECT_EQ(capitalized(""), "");
  EXPECT_EQ(uncapitalized("IBM"), "iBM");
}

}  // namespace
}  // namespace beleg
