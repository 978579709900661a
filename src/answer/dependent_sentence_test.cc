#include "answer/dependent_sentence.h"

#include <gtest/gtest.h>

namespace beleg {
namespace {

TEST(LeansOnTheSentenceBefore, WordsThatStandForSomethingSaidBefore) {
  for (const char* sentence :
       {"Es soll Entzündungen im Gehirn dämpfen.", "Beide lindern Symptome.",
        "Diese Studie endete früh.", "Dafür gab es kein Geld.", "„Sie wirkt“, sagte die Ärztin.",
        "It binds to the messenger RNA.", "These duties start in 2026.", "They were approved."}) {
    EXPECT_TRUE(leans_on_the_sentence_before(sentence)) << sentence;
  }
}

TEST(LeansOnTheSentenceBefore, SentencesThatStandAlone) {
  for (const char* sentence : {"", "–", "Lecanemab bindet Protofibrillen.", "Es gibt zwei Mittel.",
                               "It is known that tau spreads.", "Esel sind Tiere.",
                               "The drug binds it.", "2024 ist das neue Rekordjahr."}) {
    EXPECT_FALSE(leans_on_the_sentence_before(sentence)) << sentence;
  }
}

}  // namespace
}  // namespace beleg
