#include "text/abbreviations.h"

#include <algorithm>
#include <array>

namespace beleg {
namespace {

// All lists are sorted by bytes; their words are folded (lower case, ss for ß) and lack the last
// point.

// After these the sentence goes on.
constexpr auto kGermanInside = std::to_array<std::string_view>({
    "abb",    "abs",    "abschn",  "abt",   "allg",    "amtl",  "anh",     "anl",     "anm",
    "aufl",   "b.z.w",  "bd",      "bde",   "bearb",   "begr",  "bes",     "betr",    "bez",
    "bgm",    "bspw",   "bzgl",    "bzw",   "ca",      "d.h",   "d.i",     "dgl",     "dipl",
    "dr",     "dt",     "e.g",     "ebd",   "ehem",    "eigtl", "einschl", "engl",    "entspr",
    "erw",    "evtl",   "exkl",    "fa",    "feat",    "fr",    "frl",     "frz",     "geb",
    "gebr",   "gegr",   "gest",    "ggf",   "ggfs",    "ggü",   "griech",  "habil",   "hd",
    "hg",     "hl",     "hr",      "hrsg",  "i.a",     "i.e",   "i.s.d",   "i.w",     "ing",
    "inkl",   "insb",   "insbes",  "ital",  "jur",     "kap",   "kath",    "kfm",     "kgl",
    "lat",    "lt",     "m.a.w",   "m.e",   "mind",    "mrz",   "mt",      "nat",     "nr",
    "nrn",    "o.g",    "pfr",     "phil",  "prof",    "prot",  "q",       "rd",      "rer",
    "resp",   "russ",   "s",       "s.g",   "schweiz", "sog",   "sogen",   "span",    "st",
    "stellv", "stv",    "städt",   "tab",   "techn",   "tel",   "tgl",     "theol",   "u",
    "u.u",    "u.z",    "univ",    "urspr", "v.a",     "verf",  "verh",    "vermutl", "versch",
    "vertr",  "vgl",    "vollst",  "vorm",  "vs",      "wg",    "wirtsch", "wiss",    "z",
    "z.b",    "z.hd",   "z.t",     "z.zt",  "ziff",    "zit",   "zw",      "zz",      "zzgl",
    "zzt",    "österr", "überarb", "übers",
});

constexpr auto kEnglishInside = std::to_array<std::string_view>({
    "adm",  "approx", "asst", "brig", "ca",     "capt", "cf",      "cmdr",   "col",  "cpl", "dir",
    "dr",   "drs",    "e.g",  "eg",   "esp",    "fig",  "figs",    "fr",     "gen",  "gov", "hon",
    "i.e",  "ie",     "incl", "lt",   "lt-col", "maj",  "maj-gen", "messrs", "mlle", "mme", "mr",
    "mrs",  "ms",     "mt",   "mx",   "orig",   "pres", "prof",    "rep",    "reps", "rev", "sen",
    "sens", "sgt",    "st",   "ste",  "supt",   "univ", "v",       "ven",    "viz",  "vs",
});

// These may end a sentence.
constexpr auto kGermanAnywhere = std::to_array<std::string_view>({
    "a.a.o", "a.d",  "a.m", "apr",   "art", "aug",  "bio", "bros", "chr",  "cm",  "co",
    "corp",  "d.j",  "dez", "e.v",   "etc", "ew",   "f",   "feb",  "febr", "ff",  "g.m.b.h",
    "gem",   "h",    "hbf", "i.d.r", "inc", "jan",  "jh",  "jhd",  "jhdt", "jhs", "jr",
    "jul",   "jun",  "k.o", "kg",    "km",  "ltd",  "mag", "max",  "med",  "mio", "mm",
    "mrd",   "mw",   "mär", "n.chr", "nov", "o.ä",  "okt", "p.a",  "p.m",  "pl",  "red",
    "s.o",   "s.u",  "sek", "sen",   "sep", "sept", "sr",  "std",  "stdn", "str", "tl",
    "tsd",   "u.a",  "u.s", "u.s.a", "u.ä", "ua",   "uam", "usf",  "usw",  "uvm", "uä",
    "v.chr", "verb", "ä",   "ähnl",
});

constexpr auto kEnglishAnywhere = std::to_array<std::string_view>({
    "a.d",   "a.m",  "al",   "apr",  "ariz",  "assn",  "aug", "ave",  "b.a",   "b.c",
    "b.c.e", "b.sc", "blvd", "bros", "c.e",   "calif", "co",  "colo", "conn",  "corp",
    "d.c",   "dec",  "del",  "dept", "e.u",   "ed",    "eds", "esq",  "est",   "et.al",
    "etc",   "feb",  "fla",  "ft",   "hr",    "hrs",   "inc", "intl", "jan",   "jr",
    "jul",   "jun",  "kan",  "ky",   "l.a",   "lb",    "lbs", "llc",  "ltd",   "m.a",
    "m.d",   "m.sc", "mar",  "md",   "mich",  "minn",  "n.y", "natl", "neb",   "nev",
    "nov",   "oct",  "okla", "oz",   "p.m",   "p.s",   "pa",  "penn", "ph.d",  "plc",
    "sep",   "sept", "sq",   "sr",   "tenn",  "tex",   "thu", "thur", "thurs", "tue",
    "tues",  "u.k",  "u.n",  "u.s",  "u.s.a", "univ",  "va",  "vt",   "wis",   "wyo",
});

// Abbreviations of a numbered thing: "no. 5", but "I said no."
constexpr auto kBeforeNumber = std::to_array<std::string_view>({
    "abb", "abs", "anm",  "approx", "art",  "aufl", "az",  "bd",   "bl", "ca",   "ch",
    "eq",  "fig", "figs", "h",      "hs",   "jg",   "kap", "lfd",  "no", "nos",  "nr",
    "nrn", "num", "p",    "par",    "para", "pkt",  "pp",  "rdnr", "rn", "rz",   "s",
    "sec", "st",  "tab",  "tbl",    "v",    "ver",  "vol", "vols", "z",  "ziff", "§",
});

// Words that seldom have a capital unless they start a sentence.
constexpr auto kGermanStarters = std::to_array<std::string_view>({
    "aber",    "alle",     "allerdings", "als",          "am",         "an",        "andere",
    "auch",    "auf",      "aus",        "ausserdem",    "ausserhalb", "bei",       "beide",
    "beim",    "bereits",  "bevor",      "bis",          "da",         "dabei",     "dafür",
    "daher",   "damit",    "danach",     "dann",         "daraufhin",  "darüber",   "das",
    "dass",    "dem",      "den",        "denn",         "dennoch",    "der",       "des",
    "deshalb", "deswegen", "die",        "diese",        "diesem",     "diesen",    "dieser",
    "dieses",  "doch",     "dort",       "du",           "durch",      "ebenso",    "ein",
    "eine",    "einem",    "einen",      "einer",        "eines",      "einige",    "entweder",
    "er",      "es",       "falls",      "früher",       "für",        "gegen",     "heute",
    "hier",    "hinter",   "ich",        "ihr",          "ihre",       "ihrem",     "ihren",
    "ihrer",   "im",       "in",         "innerhalb",    "ins",        "insgesamt", "jede",
    "jeder",   "jedes",    "jedoch",     "jetzt",        "kein",       "keine",     "laut",
    "man",     "manche",   "mehrere",    "mein",         "meine",      "mit",       "nach",
    "nachdem", "neben",    "nicht",      "noch",         "nun",        "nur",       "ob",
    "obwohl",  "oder",     "ohne",       "schliesslich", "schon",      "sein",      "seine",
    "seinem",  "seinen",   "seiner",     "seit",         "sie",        "so",        "sobald",
    "sofern",  "sogar",    "solche",     "sowohl",       "später",     "trotz",     "trotzdem",
    "um",      "und",      "unser",      "unsere",       "unter",      "viele",     "vom",
    "von",     "vor",      "wann",       "warum",        "was",        "weder",     "wegen",
    "weil",    "welche",   "welcher",    "wenn",         "wer",        "wie",       "wir",
    "wo",      "während",  "zu",         "zudem",        "zum",        "zur",       "zuvor",
    "zwar",    "zwischen", "über",
});

constexpr auto kEnglishStarters = std::to_array<std::string_view>({
    "a",       "according", "additionally", "after",    "all",         "also",  "although",
    "among",   "an",        "and",          "another",  "are",         "as",    "at",
    "because", "before",    "between",      "both",     "but",         "by",    "can",
    "despite", "did",       "do",           "does",     "during",      "each",  "even",
    "finally", "first",     "for",          "from",     "furthermore", "he",    "he's",
    "her",     "here",      "his",          "how",      "however",     "i",     "if",
    "in",      "instead",   "into",         "is",       "it",          "it's",  "its",
    "later",   "many",      "meanwhile",    "moreover", "most",        "my",    "nevertheless",
    "no",      "nor",       "not",          "of",       "on",          "once",  "one",
    "only",    "or",        "other",        "others",   "our",         "over",  "second",
    "she",     "she's",     "since",        "so",       "some",        "such",  "that",
    "the",     "their",     "then",         "there",    "therefore",   "these", "they",
    "they're", "this",      "those",        "through",  "thus",        "to",    "today",
    "two",     "under",     "unlike",       "until",    "was",         "we",    "were",
    "what",    "when",      "where",        "whether",  "which",       "while", "who",
    "why",     "with",      "within",       "without",  "yet",         "you",   "your",
});

// Nouns that commonly follow a German ordinal: "3. März", "19. Jahrhundert".
constexpr auto kAfterOrdinal = std::to_array<std::string_view>({
    "apr",          "april",
    "armee",        "arrondissement",
    "auflage",      "aug",
    "august",       "ausgabe",
    "band",         "bataillon",
    "bezirk",       "breitengrad",
    "brigade",      "bundestag",
    "dez",          "dezember",
    "division",     "etage",
    "etappe",       "feb",
    "febr",         "februar",
    "geburtstag",   "geburtstags",
    "grad",         "internationale",
    "jahr",         "jahrestag",
    "jahrestages",  "jahrhundert",
    "jahrhunderte", "jahrhunderten",
    "jahrhunderts", "jahrtausend",
    "jahrtausende", "jahrtausends",
    "jan",          "januar",
    "jh",           "jhd",
    "jhdt",         "jul",
    "juli",         "jun",
    "juni",         "jänner",
    "kaiser",       "kapitel",
    "klasse",       "kongress",
    "korps",        "könig",
    "lebensjahr",   "lebensjahres",
    "längengrad",   "mai",
    "mal",          "minute",
    "monat",        "mär",
    "märz",         "nov",
    "november",     "okt",
    "oktober",      "papst",
    "platz",        "präsident",
    "rang",         "regiment",
    "reich",        "runde",
    "saison",       "semester",
    "sep",          "sept",
    "september",    "sitzung",
    "spieltag",     "staffel",
    "stelle",       "stock",
    "stockwerk",    "stufe",
    "tag",          "todestag",
    "weltkrieg",    "weltkriegs",
    "woche",
});

template <std::size_t Size>
bool contains(const std::array<std::string_view, Size>& sorted, std::string_view word) {
  return std::binary_search(sorted.begin(), sorted.end(), word);
}

}  // namespace

AbbreviationKind abbreviation_kind(std::string_view word, std::string_view language) {
  const bool german = language != "en";
  const bool english = language != "de";
  if ((german && contains(kGermanInside, word)) || (english && contains(kEnglishInside, word))) {
    return AbbreviationKind::kInside;
  }
  if ((german && contains(kGermanAnywhere, word)) ||
      (english && contains(kEnglishAnywhere, word))) {
    return AbbreviationKind::kAnywhere;
  }
  return AbbreviationKind::kNone;
}

bool is_abbreviation_before_number(std::string_view word) { return contains(kBeforeNumber, word); }

bool is_sentence_starter(std::string_view word, std::string_view language) {
  return (language != "en" && contains(kGermanStarters, word)) ||
         (language != "de" && contains(kEnglishStarters, word));
}

bool follows_ordinal(std::string_view word) { return contains(kAfterOrdinal, word); }

}  // namespace beleg
