#include "route/german_forms.h"

#include <gtest/gtest.h>

namespace beleg {
namespace {

TEST(GermanForms, DropsTheDativeOnlyWhereThePluralHasNone) {
  EXPECT_EQ(nominative_plural("Medikamenten"), "Medikamente");
  EXPECT_EQ(nominative_plural("Impfstoffen"), "Impfstoffe");
  EXPECT_EQ(nominative_plural("Ländern"), "Länder");
  EXPECT_EQ(nominative_plural("Mitteln"), "Mittel");
  EXPECT_EQ(nominative_plural("Städten"), "Städte");
  EXPECT_EQ(nominative_plural("Bäumen"), "Bäume");
  for (const char* same : {"Patienten", "Studien", "Zellen", "Krankheiten", "Therapien", "Behörden",
                           "Regeln", "Türen", "Daten", "Staaten", "Autos", "Virus", "Aue", ""}) {
    EXPECT_EQ(nominative_plural(same), same);
  }
}

TEST(GermanForms, ChangesTheCaseOfArticlesAndAdjectives) {
  EXPECT_EQ(recase({"den", "neuen", "Motor"}, GermanCase::kNominative, false), "der neue Motor");
  EXPECT_EQ(recase({"der", "neue", "Motor"}, GermanCase::kAccusative, false), "den neuen Motor");
  EXPECT_EQ(recase({"die", "Grippe"}, GermanCase::kDative, false), "der Grippe");
  EXPECT_EQ(recase({"ein", "Bypass"}, GermanCase::kDative, false), "einem Bypass");
  EXPECT_EQ(recase({"die", "Länder"}, GermanCase::kDative, true), "den Ländern");
  EXPECT_EQ(recase({"neuen", "Medikamente"}, GermanCase::kNominative, true), "neue Medikamente");
  EXPECT_EQ(recase({"Casgevy"}, GermanCase::kDative, false), "Casgevy");
  EXPECT_EQ(recase({}, GermanCase::kDative, false), "");
}

TEST(GermanForms, FindsThePositiveOfComparativesOnly) {
  EXPECT_EQ(german_positive("besser"), "gut");
  EXPECT_EQ(german_positive("gefährlicher"), "gefährlich");
  EXPECT_EQ(german_positive("höher"), "hoch");
  for (const char* none : {"immer", "aber", "sicher", "oder", "der", "unter", "wasser-", ""}) {
    EXPECT_EQ(german_positive(none), "") << none;
  }
}

TEST(GermanForms, ConvertsTheNumberOfVerbs) {
  EXPECT_EQ(german_singular_verb("haben"), "hat");
  EXPECT_EQ(german_singular_verb("wirken"), "wirkt");
  EXPECT_EQ(german_singular_verb("kosten"), "kostet");
  EXPECT_EQ(german_singular_verb("helfen"), "hilft");
  EXPECT_EQ(german_singular_verb("ab"), "");
  EXPECT_EQ(german_plural_verb("steht"), "stehen");
  EXPECT_EQ(german_plural_verb("hat"), "haben");
  EXPECT_EQ(german_plural_verb("ab"), "");
  EXPECT_TRUE(is_plural_verb("sind"));
  EXPECT_TRUE(is_plural_verb("wirken"));
  EXPECT_FALSE(is_plural_verb("wirkt"));
}

TEST(GermanForms, TellsSubstancesAndCountriesFromPlurals) {
  EXPECT_TRUE(is_surely_plural("Nebenwirkungen"));
  EXPECT_TRUE(is_surely_plural("Bakterien"));
  EXPECT_FALSE(is_surely_plural("Italien"));
  EXPECT_FALSE(may_be_plural("Ibuprofen"));
  EXPECT_FALSE(may_be_plural("Schweden"));
  EXPECT_TRUE(may_be_plural("Katzen"));
  EXPECT_EQ(gender_by_ending("Behandlung"), 'f');
  EXPECT_EQ(gender_by_ending("Preis"), 'm');
  EXPECT_EQ(gender_by_ending("Medikament"), 'n');
  EXPECT_EQ(gender_by_ending("Haus"), 0);
}

}  // namespace
}  // namespace beleg
