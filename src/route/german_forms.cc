#include "route/german_forms.h"

#include <array>
#include <cstddef>
#include <utility>

#include "route/plan_lexicon.h"

namespace beleg {
namespace {

std::string folded(std::string_view text) {
  std::string out(text);
  fold_case(text, out.data());
  return out;
}

using Pair = std::pair<std::string_view, std::string_view>;

template <std::size_t Size>
std::string_view lookup(const std::array<Pair, Size>& table, std::string_view key) {
  for (const Pair& entry : table) {
    if (entry.first == key) return entry.second;
  }
  return {};
}

constexpr std::array<Pair, 30> kComparatives = {{
    {"besser", "gut"},         {"schlechter", "schlecht"}, {"mehr", "viel"},
    {"weniger", "wenig"},      {"höher", "hoch"},          {"größer", "groß"},
    {"älter", "alt"},          {"länger", "lang"},         {"stärker", "stark"},
    {"gesünder", "gesund"},    {"wärmer", "warm"},         {"kälter", "kalt"},
    {"jünger", "jung"},        {"kürzer", "kurz"},         {"näher", "nah"},
    {"teurer", "teuer"},       {"schwächer", "schwach"},   {"härter", "hart"},
    {"öfter", "oft"},          {"eher", "früh"},           {"dunkler", "dunkel"},
    {"lieber", "gern"},        {"ärmer", "arm"},           {"klüger", "klug"},
    {"flexibler", "flexibel"}, {"stabiler", "stabil"},     {"häufiger", "häufig"},
    {"gröber", "grob"},        {"schwerer", "schwer"},     {"schärfer", "scharf"},
}};

constexpr std::array<Pair, 44> kSingularVerbs = {{
    {"sind", "ist"},
    {"haben", "hat"},
    {"werden", "wird"},
    {"können", "kann"},
    {"müssen", "muss"},
    {"dürfen", "darf"},
    {"sollen", "soll"},
    {"wollen", "will"},
    {"mögen", "mag"},
    {"helfen", "hilft"},
    {"nehmen", "nimmt"},
    {"sehen", "sieht"},
    {"treffen", "trifft"},
    {"betreffen", "betrifft"},
    {"enthalten", "enthält"},
    {"laufen", "läuft"},
    {"wachsen", "wächst"},
    {"fahren", "fährt"},
    {"essen", "isst"},
    {"fressen", "frisst"},
    {"geben", "gibt"},
    {"gelten", "gilt"},
    {"sterben", "stirbt"},
    {"tragen", "trägt"},
    {"erhalten", "erhält"},
    {"treten", "tritt"},
    {"messen", "misst"},
    {"fallen", "fällt"},
    {"halten", "hält"},
    {"lassen", "lässt"},
    {"verlaufen", "verläuft"},
    {"waren", "war"},
    {"hatten", "hatte"},
    {"wurden", "wurde"},
    {"konnten", "konnte"},
    {"mussten", "musste"},
    {"schlafen", "schläft"},
    {"wissen", "weiß"},
    {"tun", "tut"},
    {"übertragen", "überträgt"},
    {"verraten", "verrät"},
    {"empfehlen", "empfiehlt"},
    {"brechen", "bricht"},
    {"sprechen", "spricht"},
}};

bool starts_with_vowel_umlaut_stem(std::string_view stem) {
  // The last vowel of the stem is an umlaut: "Städt", "Fäll", "Gründ", "Bäum".
  for (std::size_t i = stem.size(); i > 0; --i) {
    const auto c = static_cast<unsigned char>(stem[i - 1]);
    if (i > 1 && static_cast<unsigned char>(stem[i - 2]) == 0xC3)
      return c == 0xA4 || c == 0xB6 || c == 0xBC;
    if (c == 'u' && i > 2 && stem.substr(0, i - 1).ends_with("ä")) return true;
    if (is_one_of(std::string_view(&stem[i - 1], 1), "a e i o u y")) return false;
  }
  return false;
}

/// Adjective ending for the slot, -e or -en, keeping the stem; "" article means a bare phrase.
std::string adjective_form(std::string_view adjective, std::string_view ending) {
  for (const std::string_view old : {"en", "em", "er", "es", "e"}) {
    if (adjective.size() > old.size() + 2 && adjective.ends_with(old)) {
      return std::string(adjective.substr(0, adjective.size() - old.size())) + std::string(ending);
    }
  }
  return std::string(adjective);
}

struct Slot {
  std::string article;
  std::string_view adjective_ending;  // Empty: leave the adjective alone.
};

/// The article in the target case and the ending of adjectives after it.
Slot recase_article(std::string_view article, GermanCase target, bool plural) {
  const bool dative = target == GermanCase::kDative;
  if (plural) {
    if (is_one_of(article, "die den der")) return {dative ? "den" : "die", "en"};
    return {std::string(article), {}};
  }
  if (is_one_of(article, "der den") && target != GermanCase::kDative)
    return {target == GermanCase::kNominative ? "der" : "den",
            target == GermanCase::kNominative ? "e" : "en"};
  if (is_one_of(article, "der den das dem") && dative) return {"dem", "en"};
  if (article == "die") return {dative ? "der" : "die", dative ? "en" : "e"};
  if (is_one_of(article, "ein einen") && dative) return {"einem", "en"};
  if (article == "einen" && target == GermanCase::kNominative) return {"ein", "er"};
  if (article == "eine") return {dative ? "einer" : "eine", dative ? "en" : "e"};
  if (article == "einer" && !dative) return {"eine", "e"};
  return {std::string(article), {}};
}

std::string dative_plural(const std::string& noun) {
  if (ends_with_one_of(noun, "n s a")) return noun;
  return ends_with_one_of(noun, "e er el") ? noun + "n" : noun;
}

bool is_capital(std::string_view word) {
  const std::string low = folded(word);
  return low != word;
}

}  // namespace

std::string nominative_plural(std::string_view noun) {
  const std::string low = folded(noun);
  const std::string_view word = low;
  std::string cut(noun.substr(0, noun.empty() ? 0 : noun.size() - 1));
  if (!word.ends_with('n') || word.size() < 5) return std::string(noun);
  if (word.ends_with("ern")) {
    return is_one_of(word, "bayern bauern ungarn eltern ostern") ||
                   ends_with_one_of(word,
                                    "mauern federn schwestern steuern ziffern kammern feiern "
                                    "nummern opern muskeln fasern adern lebern bauern trauern")
               ? std::string(noun)
               : cut;
  }
  if (word.ends_with("eln")) {
    return ends_with_one_of(word,
                            "regeln formeln inseln schüsseln nadeln muskeln tafeln kugeln "
                            "zwiebeln wurzeln kartoffeln klauseln vokabeln fackeln achseln")
               ? std::string(noun)
               : cut;
  }
  if (!word.ends_with("en")) return std::string(noun);
  constexpr std::string_view kStrong =
      "menten stoffen raten katen gasen jahren tagen monaten teilen werten produkten projekten "
      "effekten tieren spielen zielen kriegen preisen steinen betrieben berichten gesetzen "
      "systemen "
      "problemen programmen organen proteinen enzymen vitaminen metallen kontinenten bereichen "
      "gebieten pilzen genen schritten griffen symptomen syndromen hormonen allergenen geräten "
      "dingen "
      "punkten dokumenten versuchen rezepten prozessen schiffen brennstoffen feldern briefen "
      "diensten "
      "freunden feinden tischen wegen konflikten objekten paketen formaten modulen aspekten "
      "konzepten "
      "unterschieden bestandteilen beispielen ereignissen ergebnissen erkenntnissen kreisen "
      "stücken "
      "texten filmen orten angeboten verboten geboten";
  constexpr std::string_view kWeak =
      "daten staaten soldaten kandidaten demokraten diplomaten "
      "automaten pflanzarten sorten worten raten karten arten";
  if (is_one_of(word, kWeak) || ends_with_one_of(word, "staaten daten soldaten kandidaten karten"))
    return std::string(noun);
  if (ends_with_one_of(word, kStrong)) return cut;
  constexpr std::string_view kUmlautWeak =
      "türen hürden bären behörden größen höhen flächen stärken schwächen lücken brücken küsten "
      "wüsten täten hüllen mühlen düsen drüsen blüten tüten mücken säuren säulen gebühren bürden "
      "führungen gefäßen zähnen mädchen gefühlen prämien völkern allüren strömungen";
  if (starts_with_vowel_umlaut_stem(word.substr(0, word.size() - 2)) &&
      (!ends_with_one_of(word, kUmlautWeak) || ends_with_one_of(word, "gefäßen zähnen gefühlen")) &&
      !is_one_of(word, kUmlautWeak))
    return cut;
  return std::string(noun);
}

std::string recase(const std::vector<std::string>& words, GermanCase target, bool plural) {
  std::string out;
  std::string_view ending;
  bool before_noun = true;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string word = words[i];
    if (i == 0) {
      const std::string low = folded(word);
      const Slot slot = recase_article(low, target, plural);
      if (slot.article != low) word = slot.article;
      ending = slot.adjective_ending;
      if (ending.empty() && plural && !is_capital(word) && word.size() > 4) {
        // A bare plural: "neue Medikamente", "mit neuen Medikamenten".
        word = adjective_form(word, target == GermanCase::kDative ? "en" : "e");
        ending = target == GermanCase::kDative ? "en" : "e";
      }
    }
    if (before_noun && is_capital(word)) {
      before_noun = false;
      if (plural && target == GermanCase::kDative) word = dative_plural(word);
    } else if (before_noun && i > 0 && !ending.empty()) {
      word = adjective_form(word, ending);
    }
    if (!out.empty() && word != "," && word != ")") out += ' ';
    out += word;
  }
  return out;
}

std::string german_positive(std::string_view comparative) {
  if (const std::string_view found = lookup(kComparatives, comparative); !found.empty())
    return std::string(found);
  // Adjectives that end in -er, pronouns and particles are no comparatives.
  if (is_one_of(
          comparative,
          "aber oder über unter hinter immer wieder welcher dieser jener einer keiner jeder "
          "weiter sicher leider wer der er her hier ihrer seiner unser euer sondern außer "
          "bisher vorher nachher daher woher lecker bitter sauber tapfer finster zwischendurch "
          "hinterher schwer vier später nieder mager munter heiter integer selber für unserer"))
    return {};
  // Degree endings: "gefährlicher", "wirksamer", "billiger", "schneller", "teurer".
  if (!comparative.ends_with("er") || comparative.size() < 6) return {};
  return std::string(comparative.substr(0, comparative.size() - 2));
}

std::string german_singular_verb(std::string_view plural) {
  if (const std::string_view found = lookup(kSingularVerbs, plural); !found.empty())
    return std::string(found);
  if (!plural.ends_with("en") || plural.size() < 5) return {};
  const std::string stem(plural.substr(0, plural.size() - 2));
  return stem.ends_with("d") || stem.ends_with("t") ? stem + "et" : stem + "t";
}

std::string german_plural_verb(std::string_view singular) {
  for (const Pair& entry : kSingularVerbs) {
    if (entry.second == singular) return std::string(entry.first);
  }
  if (singular.ends_with("te")) return std::string(singular) + "n";
  if (singular.ends_with("et") && singular.size() > 4)
    return std::string(singular.substr(0, singular.size() - 1)) + "n";
  if (singular.ends_with('t') && singular.size() > 3)
    return std::string(singular.substr(0, singular.size() - 1)) + "en";
  return {};
}

bool is_plural_verb(std::string_view verb) {
  if (is_one_of(verb, "sind waren sollen wollen tun")) return true;
  return verb.ends_with("en") || verb.ends_with("eln") || verb.ends_with("ern");
}

bool is_surely_plural(std::string_view noun) {
  const std::string low = folded(noun);
  if (is_one_of(
          low,
          "spanien italien belgien indien australien brasilien rumänien bulgarien kroatien "
          "slowenien albanien serbien bosnien argentinien kolumbien bolivien tunesien algerien "
          "syrien libyen asien indonesien tansania großbritannien bayern skandinavien "
          "kalifornien sizilien sardinien andalusien katalonien georgien armenien mongolien "
          "saudi-arabien jordanien äthiopien kambodscha mazedonien moldawien magnesium"))
    return false;
  return ends_with_one_of(
      low,
      "ungen heiten keiten schaften täten ionen innen ien viren zellen pflanzen "
      "mente stoffe enzen anzen ismen enten anten isten logen pumpen autos wagen "
      "kredite fonds aktien renten steuern versicherungen anleihen katzen hunde "
      "pferde vögel bäume batterien akkus kraftwerke zahlen daten vitamine "
      "antibiotika statine hormone enzyme proteine kräfte länder städte kinder "
      "männer frauen menschen tiere arten");
}

bool may_be_plural(std::string_view noun) {
  const std::string low = folded(noun);
  // Names of substances and countries end like plurals: Ibuprofen, Naproxen, Schweden, Norwegen.
  if (ends_with_one_of(low,
                       "fen xen zin din lin min kin tin schweden norwegen polen ien bayern "
                       "sachsen hessen bremen thüringen ägypten jemen china essen münchen "
                       "dresden aachen us is as os chen") &&
      !is_surely_plural(low))
    return false;
  return is_surely_plural(low) || ends_with_one_of(low, "e en er eln ern s");
}

char gender_by_ending(std::string_view noun) {
  const std::string low = folded(noun);
  if (ends_with_one_of(low,
                       "ung heit keit schaft ion tät ik ei enz anz ur itis ose ie age rate quote "
                       "dauer wirkung zahl kosten therapie krankheit"))
    return 'f';
  if (ends_with_one_of(low, "chen lein ment tum um ium system mittel protein gerät risiko"))
    return 'n';
  if (is_one_of(low, "preis stoff zweck grund ursprung wert nutzen name sitz umsatz anteil aufbau"))
    return 'm';
  if (is_one_of(low, "risiko gerät ziel alter gewicht gehalt")) return 'n';
  if (ends_with_one_of(low,
                       "ismus ling or eur ist rat preis stoff zweck grund ursprung wert nutzen"))
    return 'm';
  return 0;
}

}  // namespace beleg
