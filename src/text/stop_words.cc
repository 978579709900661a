#include "text/stop_words.h"

#include <algorithm>
#include <array>

namespace beleg {
namespace {

// The lists are sorted by bytes and hold folded words.

// Function words and the abbreviations that stand for them.
constexpr auto kGerman = std::to_array<std::string_view>({
    "ab",      "aber",      "alle",       "allem",      "allen",        "aller",     "alles",
    "als",     "also",      "am",         "an",         "ander",        "andere",    "anderem",
    "anderen", "anderer",   "anderes",    "anderm",     "andern",       "anders",    "auch",
    "auf",     "aus",       "ausser",     "ausserdem",  "bald",         "bei",       "beide",
    "beiden",  "beim",      "bereits",    "besonders",  "bezüglich",    "bin",       "bis",
    "bist",    "bspw",      "bzw",        "ca",         "da",           "dabei",     "dadurch",
    "dafür",   "dagegen",   "daher",      "dahin",      "damals",       "damit",     "danach",
    "daneben", "dann",      "daran",      "darauf",     "daraus",       "darf",      "darfst",
    "darin",   "darum",     "darunter",   "darüber",    "das",          "dass",      "davon",
    "davor",   "dazu",      "dazwischen", "dein",       "deine",        "deinem",    "deinen",
    "deiner",  "deines",    "dem",        "demnach",    "den",          "denen",     "denn",
    "dennoch", "der",       "deren",      "derer",      "derselbe",     "derselben", "des",
    "deshalb", "desselben", "dessen",     "desto",      "deswegen",     "dh",        "dich",
    "die",     "dies",      "diese",      "dieselbe",   "dieselben",    "diesem",    "diesen",
    "dieser",  "dieses",    "dir",        "doch",       "dort",         "du",        "durch",
    "dürfen",  "dürfte",    "eben",       "ebenso",     "ein",          "eine",      "einem",
    "einen",   "einer",     "eines",      "einig",      "einige",       "einigem",   "einigen",
    "einiger", "einiges",   "einmal",     "er",         "es",           "etc",       "etwa",
    "etwas",   "euch",      "euer",       "eure",       "eurem",        "euren",     "eurer",
    "eures",   "evtl",      "falls",      "für",        "gar",          "gegen",     "gegenüber",
    "gehabt",  "gerade",    "gewesen",    "geworden",   "ggf",          "gibt",      "hab",
    "habe",    "haben",     "hast",       "hat",        "hatte",        "hatten",    "hattest",
    "hattet",  "heraus",    "herein",     "herum",      "hier",         "hierbei",   "hierfür",
    "hin",     "hinauf",    "hinaus",     "hinein",     "hinsichtlich", "hinter",    "hinunter",
    "hinzu",   "hätte",     "hätten",     "hättest",    "ich",          "ihm",       "ihn",
    "ihnen",   "ihr",       "ihre",       "ihrem",      "ihren",        "ihrer",     "ihres",
    "im",      "immer",     "in",         "indem",      "infolge",      "ins",       "inzwischen",
    "ist",     "ja",        "je",         "jede",       "jedem",        "jeden",     "jeder",
    "jedes",   "jedoch",    "jene",       "jenem",      "jenen",        "jener",     "jenes",
    "jetzt",   "kann",      "kannst",     "kein",       "keine",        "keinem",    "keinen",
    "keiner",  "keines",    "konnte",     "konnten",    "können",       "könnt",     "könnte",
    "könnten", "lassen",    "liess",      "lässt",      "mag",          "man",       "manche",
    "manchem", "manchen",   "mancher",    "manches",    "mehr",         "mein",      "meine",
    "meinem",  "meinen",    "meiner",     "meines",     "meist",        "mich",      "mir",
    "mit",     "muss",      "musst",      "musste",     "mussten",      "möchte",    "möchten",
    "mögen",   "müssen",    "müsste",     "nach",       "nachdem",      "neben",     "nein",
    "nicht",   "nichts",    "noch",       "nun",        "nur",          "nämlich",   "ob",
    "obwohl",  "oder",      "ohne",       "schon",      "sehr",         "sei",       "seid",
    "sein",    "seine",     "seinem",     "seinen",     "seiner",       "seines",    "seit",
    "selbst",  "sich",      "sie",        "sind",       "so",           "sobald",    "sodann",
    "sodass",  "sofern",    "sog",        "sogar",      "solange",      "solch",     "solche",
    "solchem", "solchen",   "solcher",    "solches",    "soll",         "sollen",    "sollst",
    "sollt",   "sollte",    "sollten",    "sondern",    "sonst",        "soweit",    "sowie",
    "sowohl",  "statt",     "trotz",      "ua",         "um",           "und",       "uns",
    "unser",   "unsere",    "unserem",    "unseren",    "unserer",      "unseres",   "unter",
    "usw",     "uä",        "vgl",        "viel",       "viele",        "vielem",    "vielen",
    "vieler",  "vom",       "von",        "vor",        "wann",         "war",       "waren",
    "warst",   "warum",     "was",        "weder",      "wegen",        "weil",      "weiter",
    "weitere", "weiteren",  "weiterer",   "weiteres",   "welche",       "welchem",   "welchen",
    "welcher", "welches",   "wem",        "wen",        "wenn",         "wer",       "werde",
    "werden",  "werdet",    "weshalb",    "wessen",     "wie",          "wieder",    "wieso",
    "wieviel", "will",      "willst",     "wir",        "wird",         "wirst",     "wo",
    "wobei",   "wodurch",   "wofür",      "woher",      "wohin",        "wohl",      "wollen",
    "wollt",   "wollte",    "wollten",    "womit",      "woran",        "worauf",    "woraus",
    "worden",  "worin",     "worüber",    "wovon",      "wozu",         "wurde",     "wurden",
    "wurdest", "während",   "wäre",       "wären",      "würde",        "würden",    "würdest",
    "zb",      "zu",        "zudem",      "zueinander", "zuerst",       "zum",       "zur",
    "zwar",    "zwischen",  "über",
});

// Function words, contractions included.
constexpr auto kEnglish = std::to_array<std::string_view>({
    "a",         "about",      "above",   "after",      "again",   "against", "ain't",   "all",
    "also",      "am",         "among",   "an",         "and",     "any",     "are",     "aren't",
    "as",        "at",         "be",      "because",    "been",    "before",  "being",   "below",
    "between",   "both",       "but",     "by",         "can",     "can't",   "cannot",  "could",
    "couldn't",  "did",        "didn't",  "do",         "does",    "doesn't", "doing",   "don't",
    "down",      "during",     "each",    "eg",         "etc",     "few",     "for",     "from",
    "further",   "had",        "hadn't",  "has",        "hasn't",  "have",    "haven't", "having",
    "he",        "he'd",       "he'll",   "he's",       "her",     "here",    "here's",  "hers",
    "herself",   "him",        "himself", "his",        "how",     "how's",   "i",       "i'd",
    "i'll",      "i'm",        "i've",    "ie",         "if",      "in",      "into",    "is",
    "isn't",     "it",         "it's",    "its",        "itself",  "let's",   "me",      "might",
    "more",      "most",       "must",    "mustn't",    "my",      "myself",  "no",      "nor",
    "not",       "of",         "off",     "on",         "once",    "only",    "or",      "other",
    "ought",     "our",        "ours",    "ourselves",  "out",     "over",    "own",     "per",
    "same",      "shall",      "shan't",  "she",        "she'd",   "she'll",  "she's",   "should",
    "shouldn't", "so",         "some",    "such",       "than",    "that",    "that's",  "the",
    "their",     "theirs",     "them",    "themselves", "then",    "there",   "there's", "these",
    "they",      "they'd",     "they'll", "they're",    "they've", "this",    "those",   "through",
    "to",        "too",        "under",   "until",      "up",      "upon",    "us",      "very",
    "via",       "vs",         "was",     "wasn't",     "we",      "we'd",    "we'll",   "we're",
    "we've",     "were",       "weren't", "what",       "what's",  "when",    "when's",  "where",
    "where's",   "whether",    "which",   "while",      "who",     "who's",   "whom",    "whose",
    "why",       "why's",      "will",    "with",       "within",  "without", "won't",   "would",
    "wouldn't",  "you",        "you'd",   "you'll",     "you're",  "you've",  "your",    "yours",
    "yourself",  "yourselves",
});

// English function words that are no German words: noise in quotations and titles, and in an
// English question put to German documents.
constexpr auto kEnglishInGerman = std::to_array<std::string_view>({
    "about", "after", "and",  "are",   "at",    "be",    "been",  "before", "being", "between",
    "but",   "by",    "can",  "could", "did",   "do",    "does",  "during", "for",   "from",
    "had",   "has",   "have", "he",    "her",   "his",   "how",   "into",   "is",    "it",
    "its",   "might", "not",  "of",    "on",    "or",    "other", "our",    "she",   "should",
    "some",  "such",  "than", "that",  "the",   "their", "then",  "there",  "these", "they",
    "this",  "those", "to",   "we",    "were",  "what",  "when",  "where",  "which", "who",
    "whom",  "whose", "why",  "with",  "would", "you",   "your",
});

// German function words that are no English words.
constexpr auto kGermanInEnglish = std::to_array<std::string_view>({
    "aber",    "als",  "auch",   "auf",   "aus",     "bei",    "das",     "dem",     "den",
    "der",     "des",  "durch",  "ein",   "eine",    "einem",  "einen",   "einer",   "eines",
    "er",      "es",   "für",    "haben", "hatte",   "ich",    "ihr",     "im",      "ist",
    "mit",     "nach", "nicht",  "oder",  "sich",    "sie",    "sind",    "und",     "unter",
    "viele",   "vom",  "von",    "wann",  "warum",   "welche", "welchem", "welchen", "welcher",
    "welches", "wer",  "werden", "wie",   "wieviel", "wir",    "wird",    "wo",      "wurde",
    "wurden",  "zu",   "zum",    "zur",   "über",
});

template <std::size_t Size>
bool contains(const std::array<std::string_view, Size>& sorted, std::string_view word) {
  return std::binary_search(sorted.begin(), sorted.end(), word);
}

}  // namespace

bool is_german_stop_word(std::string_view word) {
  return contains(kGerman, word) || contains(kEnglishInGerman, word);
}

bool is_english_stop_word(std::string_view word) {
  return contains(kEnglish, word) || contains(kGermanInEnglish, word);
}

}  // namespace beleg
