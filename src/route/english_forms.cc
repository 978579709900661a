#include "route/english_forms.h"

#include <array>
#include <cstddef>

#include "route/plan_lexicon.h"

namespace beleg {
namespace {

struct PastForm {
  std::string_view past;
  std::string_view base;
  std::string_view participle;
};

constexpr std::array<PastForm, 36> kIrregular = {{
    {"wrote", "write", "written"},   {"built", "build", "built"},
    {"made", "make", "made"},        {"won", "win", "won"},
    {"led", "lead", "led"},          {"sold", "sell", "sold"},
    {"bought", "buy", "bought"},     {"found", "find", "found"},
    {"held", "hold", "held"},        {"gave", "give", "given"},
    {"took", "take", "taken"},       {"saw", "see", "seen"},
    {"sent", "send", "sent"},        {"did", "do", "done"},
    {"left", "leave", "left"},       {"lost", "lose", "lost"},
    {"paid", "pay", "paid"},         {"said", "say", "said"},
    {"thought", "think", "thought"}, {"brought", "bring", "brought"},
    {"taught", "teach", "taught"},   {"grew", "grow", "grown"},
    {"drew", "draw", "drawn"},       {"drove", "drive", "driven"},
    {"broke", "break", "broken"},    {"chose", "choose", "chosen"},
    {"spoke", "speak", "spoken"},    {"began", "begin", "begun"},
    {"sang", "sing", "sung"},        {"ran", "run", "run"},
    {"became", "become", "become"},  {"came", "come", "come"},
    {"went", "go", "gone"},          {"fell", "fall", "fallen"},
    {"rose", "rise", "risen"},       {"founded", "found", "founded"},
}};

bool is_vowel(char c) { return is_one_of(std::string_view(&c, 1), "a e i o u"); }

/// Undoes the spelling change before -er and -ed: "bigg" → "big", "happi" → "happy".
std::string restore_stem(std::string_view stem) {
  if (stem.ends_with('i')) return std::string(stem.substr(0, stem.size() - 1)) + "y";
  const std::size_t n = stem.size();
  if (n > 3 && stem[n - 1] == stem[n - 2] && !is_vowel(stem[n - 1]) &&
      !is_one_of(stem.substr(n - 2), "ll ss ff zz"))
    return std::string(stem.substr(0, n - 1));
  return std::string(stem);
}

}  // namespace

std::string english_positive(std::string_view word) {
  if (word == "better") return "good";
  if (word == "worse") return "bad";
  if (word == "more") return "much";
  if (word == "less") return "little";
  if (word == "further" || word == "farther") return "far";
  if (word == "older" || word == "elder") return "old";
  if (is_one_of(word,
                "other either neither whether another never ever over under after number "
                "however together rather later former latter water paper power order member "
                "offer consider super computer per her cancer fever liver river winter "
                "summer center server user layer driver browser container docker teacher "
                "mother father brother sister corner proper clever bitter"))
    return {};
  if (!word.ends_with("er") || word.size() < 5) return {};
  const std::string_view stem = word.substr(0, word.size() - 2);
  if (is_one_of(stem,
                "saf larg lat clos wid rar nic strang simpl hug wis rip pur dens sever gentl "
                "abl stabl fin brav loos tam whit blu tru humbl nobl subtl"))
    return std::string(stem) + "e";
  // Only adjectives that are often compared; any noun may end in -er.
  std::string base = restore_stem(stem);
  if (is_one_of(base,
                "cheap fast slow big small high low long short strong weak hot cold warm cool "
                "heavy light easy hard healthy tall deep thick thin quick young old new rich "
                "poor dark bright smart clean dirty dry wet loud quiet soft sweet tasty early "
                "near great kind mild sharp smooth steep tight wild risky pricey costly happy "
                "lively likely friendly greasy noisy sturdy tough rough bold fair fresh full"))
    return base;
  return {};
}

std::string english_base_of_past(std::string_view past) {
  for (const PastForm& form : kIrregular) {
    if (form.past == past) return std::string(form.base);
  }
  if (!past.ends_with("ed") || past.size() < 5) return {};
  const std::string_view stem = past.substr(0, past.size() - 2);
  if (ends_with_one_of(stem, "c g s v z u at ir ir ut id ib ok ap rc") &&
      !ends_with_one_of(stem, "ss zz ing ong ang oat gg heat treat repeat cheat defeat seat")) {
    return std::string(stem) + "e";
  }
  return restore_stem(stem);
}

std::string english_participle_of_past(std::string_view past) {
  for (const PastForm& form : kIrregular) {
    if (form.past == past) return std::string(form.participle);
  }
  return past.ends_with("ed") && past.size() >= 5 ? std::string(past) : std::string();
}

std::string english_singular_auxiliary(std::string_view plural) {
  if (plural == "do") return "does";
  if (plural == "are") return "is";
  if (plural == "have") return "has";
  if (plural == "were") return "was";
  return is_one_of(plural, "did had can could will would should may might must is was does has")
             ? std::string(plural)
             : std::string();
}

bool is_english_plural(std::string_view noun) {
  std::string low(noun);
  fold_case(noun, low.data());
  if (is_one_of(low,
                "people children men women mice teeth feet bacteria data media species viruses"))
    return true;
  return low.size() > 3 && low.ends_with('s') && !ends_with_one_of(low, "ss us is os as ics 's");
}

}  // namespace beleg
