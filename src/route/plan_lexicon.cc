#include "route/plan_lexicon.h"

#include <cstddef>
#include <unordered_map>

namespace beleg {
namespace {

using Table = std::unordered_map<std::string_view, WordClass>;

/// Calls `visit` with each word of a space-separated list until it returns true.
template <class Visit>
bool any_word(std::string_view list, Visit visit) {
  std::size_t start = 0;
  while (start < list.size()) {
    std::size_t end = list.find(' ', start);
    if (end == std::string_view::npos) end = list.size();
    if (end > start && visit(list.substr(start, end - start))) return true;
    start = end + 1;
  }
  return false;
}

void add(Table& table, WordClass word_class, std::string_view words) {
  any_word(words, [&](std::string_view word) {
    WordClass& entry = table[word];
    entry = entry | word_class;
    return false;
  });
}

void add_german_function_words(Table& t) {
  add(t, WordClass::kInterrogative,
      "wer wen wem wessen was wo wohin woher wann warum weshalb wieso weswegen wozu wodurch womit "
      "wofür woran worauf worin worüber wovon wovor wogegen worum woraus wobei wonach worunter "
      "inwiefern inwieweit welche welcher welches welchen welchem wie wieviel wieviele");
  add(t, WordClass::kInterrogativeNoun,
      "wessen welche welcher welches welchen welchem wieviel wieviele");
  add(t, WordClass::kAuxiliary,
      "ist sind war waren wäre wären sei bin bist seid hat haben hatte hatten hätte hätten habe "
      "wird "
      "werden wurde wurden würde würden kann können konnte konnten könnte könnten könnt muss "
      "müssen "
      "musste mussten müsste müssten muß darf dürfen durfte durften dürfte dürften soll sollen "
      "sollte "
      "sollten will wollen wollte wollten mag mögen möchte möchten lässt lassen ließ ließen");
  add(t, WordClass::kPreposition,
      "an am ans auf aufs aus bei beim bis durch durchs für fürs gegen hinter in im ins mit nach "
      "neben "
      "ohne seit trotz über überm unter um ums von vom vor vorm während wegen zu zum zur zwischen "
      "laut "
      "gemäß hinsichtlich bezüglich innerhalb außerhalb anhand aufgrund mittels per pro statt "
      "anstatt "
      "ab gegenüber entlang mithilfe samt außer");
  add(t, WordClass::kDeterminer,
      "der die das den dem des ein eine einen einem einer eines kein keine keinen keinem keiner "
      "keines "
      "jede jeder jedes jeden jedem alle allen aller beide beiden einige einigen mehrere mehreren "
      "viele "
      "vielen manche manchen mein meine meinen meinem meiner unser unsere unseren dein deine "
      "deinen");
  add(t, WordClass::kPersonal, "sie er es ihn ihm ihnen");
  add(t, WordClass::kPossessive,
      "ihre ihren ihrem ihrer ihres ihr seine seinen seinem seiner seines sein deren dessen");
  add(t, WordClass::kDemonstrative,
      "diese dieser dieses diesen diesem dies jene jener jenes jenen jenem dieselbe dieselben "
      "solche "
      "solchen");
  add(t, WordClass::kPronominal,
      "dafür davon damit dagegen daran darüber dazu dabei darauf daraus darin darunter davor "
      "dadurch "
      "danach darum");
  add(t, WordClass::kSubject, "man ich wir du er sie es ihr jemand niemand das dies diese");
  add(t, WordClass::kCoordinator, "und oder sowie aber bzw beziehungsweise sondern");
  add(t, WordClass::kSubordinator,
      "wenn weil dass daß ob obwohl während bevor nachdem falls sofern sodass damit indem obgleich "
      "als "
      "seitdem solange");
}

void add_german_verbs(Table& t) {
  add(t, WordClass::kVerb,
      "gibt gab gäbe wirkt wirken wirkte wirkten hilft helfen half halfen heißt heißen hieß hießen "
      "liegt "
      "liegen lag lagen lebt leben lebte lebten kostet kosten kostete kosteten entsteht entstehen "
      "entstand entstanden besteht bestehen bestand funktioniert funktionieren dauert dauern "
      "dauerte "
      "kommt kommen kam kamen geht gehen ging gingen steht stehen stand standen macht machen "
      "machte "
      "machten braucht brauchen brauchte findet finden fand fanden gilt gelten galt galten gehört "
      "gehören "
      "gehörte bedeutet bedeuten bedeutete führt führen führte führten starb starben stirbt "
      "sterben "
      "spielt spielen spielte spielten trägt tragen trug zahlt zahlen zahlte bekommt bekommen "
      "bekam "
      "erhält erhalten erhielt erhielten nimmt nehmen nahm nahmen sieht sehen sah trifft treffen "
      "traf "
      "verursacht verursachen verursachte löst lösen löste tritt treten trat traten schützt "
      "schützen "
      "behandelt behandeln behandelte erkennt erkennen misst messen berechnet berechnen nutzt "
      "nutzen "
      "nutzte verwendet verwenden verwendete benutzt erfand erfanden erfindet entdeckt entdeckte "
      "entdeckten gründet gründete gründeten schrieb schrieben schreibt baut bauen baute bauten "
      "eröffnet "
      "eröffnete beginnt beginnen begann begannen endet enden endete sorgt sorgen schadet schaden "
      "reicht reichen unterscheidet unterscheiden unterschied unterschieden läuft laufen lief "
      "betrifft "
      "betreffen profitiert profitieren entwickelt entwickelte entwickelten produziert produzieren "
      "produzierte stellt stellen stellte bietet bieten bot enthält enthalten enthielt beeinflusst "
      "beeinflussen verhindert verhindern verändert verändern wächst wachsen wuchs stammt stammen "
      "stammte passiert passierte geschieht geschah geschieht sank sinkt stieg steigt steigen "
      "stiegen "
      "fällt fielen gewann gewinnt gewinnen gewannen verlor verliert wählt wählen wählte kauft "
      "kaufen "
      "verkauft arbeitet arbeiten arbeitete forscht forschen empfiehlt empfehlen droht drohen "
      "reagiert "
      "reagieren reagierte zeigt zeigen zeigte sagt sagen sagte schmeckt riecht wiegt wiegen wog "
      "frisst "
      "fressen isst essen ernährt ernähren überträgt übertragen verbreitet verbreiten lautet "
      "lauten "
      "bezeichnet nennt nennen nannte meint meinen regelt regeln regelte bestimmt bestimmen haftet "
      "haften "
      "muß tut tun tat lernt lernen speichert speichern erzeugt erzeugen erzeugte bildet bilden "
      "bildete "
      "beantragt beantragen kündigt kündigen zählt zählen folgt folgen folgte hält halten hielt "
      "bleibt bleiben blieb weiß wissen wusste kennt kennen scheint eignet eignen lohnt ändert "
      "ändern "
      "erfolgt erfolgen erfolgte fließt fließen mündet münden verläuft fährt fahren fuhr fliegt "
      "fliegen");
}

void add_german_other_words(Table& t) {
  add(t, WordClass::kAdverb,
      "auch dann also noch außerdem zudem genau eigentlich heute derzeit aktuell momentan gerade "
      "nicht "
      "nie oft meist meistens immer sonst dort hier da daher deshalb schon bereits nun jetzt "
      "damals "
      "früher später zuerst zuletzt überhaupt denn so sehr besonders insbesondere normalerweise "
      "typischerweise konkret üblicherweise bisher bislang weltweit insgesamt ungefähr etwa circa "
      "wohl "
      "jeweils dabei selbst erstmals ebenfalls wieder weiterhin sich mir mich uns dir euch bitte "
      "mal "
      "ja nein eher lieber am nur allem doch stattdessen gegebenenfalls ggf");
  add(t, WordClass::kDegree,
      "viel viele vielen vieler oft lange lang hoch groß alt gut schnell stark weit teuer sicher "
      "häufig "
      "wirksam gefährlich schwer tief warm kalt heiß breit klein jung genau zuverlässig früh spät "
      "schlecht "
      "verbreitet nah hart dick hell laut leicht wichtig bekannt effektiv effizient giftig "
      "ansteckend "
      "gesund ungesund nützlich sinnvoll bald rasch intensiv regelmäßig erfolgreich fest dicht "
      "schwierig "
      "kompliziert komplex sauber präzise stabil beliebt selten schädlich tödlich einfach "
      "beständig "
      "umweltfreundlich nachhaltig anfällig wahrscheinlich");
  add(t, WordClass::kReciprocal,
      "zusammen gemeinsam miteinander voneinander zueinander einander gegenseitig aufeinander "
      "beide beiden "
      "untereinander gegeneinander ineinander zwischen verbinden verbindet heirateten heiraten");
  add(t, WordClass::kCompareCue,
      "unterschied unterschiede unterschieden unterscheidet unterscheiden unterschieds vergleich "
      "vergleiche "
      "vergleichen verglichen vs versus gegenüber besser schlechter gemeinsamkeiten gemeinsamkeit "
      "gegensatz");
  add(t, WordClass::kRequest,
      "erkläre erklär erklären erkläret nenne nenn nennen beschreibe beschreib beschreiben sage "
      "sag sagen "
      "zeige zeig zeigen erläutere erläutern schildere weißt wissen wisst interessiert "
      "interessieren "
      "verrate vergleiche vergleichen erzähl erzähle");
}

void add_english_function_words(Table& t) {
  add(t, WordClass::kInterrogative,
      "who whom whose what which when where why how what's who's where's how's when's why's what’s "
      "who’s "
      "where’s how’s when’s why’s");
  add(t, WordClass::kInterrogativeNoun, "whose which what");
  add(t, WordClass::kAuxiliary,
      "is are was were am be do does did has have had can could will would shall should may might "
      "must "
      "isn't aren't wasn't weren't don't doesn't didn't can't couldn't won't wouldn't hasn't "
      "haven't "
      "isn’t aren’t wasn’t weren’t don’t doesn’t didn’t can’t couldn’t won’t wouldn’t hasn’t "
      "haven’t");
  add(t, WordClass::kPreposition,
      "about above across after against along among around as at before behind below beneath "
      "beside "
      "between beyond by despite down during except for from in inside into like near of off on "
      "onto out "
      "outside over past per regarding since through throughout to toward towards under until up "
      "upon "
      "via with within without concerning");
  add(t, WordClass::kDeterminer,
      "the a an any some every each all no both another other many several my your our most few");
  add(t, WordClass::kPersonal, "they them it he him she");
  add(t, WordClass::kPossessive, "its their his her theirs hers");
  add(t, WordClass::kDemonstrative, "this these that those");
  add(t, WordClass::kSubject,
      "i you he she it we they there one someone somebody anyone people this these that those");
  add(t, WordClass::kCoordinator, "and or but");
  add(t, WordClass::kSubordinator,
      "if because that although though while before after unless since until when whether as once "
      "so than");
}

void add_english_content_words(Table& t) {
  add(t, WordClass::kVerb,
      "work function act help treat cause cost affect spread happen occur begin start end live die "
      "grow "
      "eat drink make produce use need mean contain include protect prevent develop form kill cure "
      "heal "
      "differ compare get take come go become look see find feel know think say play win lose "
      "build move "
      "fly run travel exist last arise originate measure store charge contribute interact support "
      "control "
      "regulate convert absorb generate reduce increase improve influence damage harm infect "
      "transmit "
      "evolve migrate reproduce sleep hunt survive divide bind target attack fight handle process "
      "manage "
      "detect apply pay earn own sell buy export import trade operate provide offer require "
      "recommend "
      "suggest describe define determine calculate compute invest borrow lend vote elect govern "
      "rule "
      "decide enforce invent discover found create approve receive belong consist depend flow rise "
      "fall "
      "collapse change perform weigh call represent lead hold keep give put set allow learn teach "
      "write "
      "read open close leave arrive appear react respond break burn freeze melt fail taste smell "
      "sound "
      "benefit trigger block inhibit activate stop reject refuse accept warn ban postpone delay "
      "launch land orbit cancel "
      "fund publish issue adopt apply join attack boil leak beat digest sting bite spawn "
      "hatch nest "
      "migrate separate mix face cover serve stand");
  add(t, WordClass::kParticiple,
      "built made won led sold bought written known found held born taken given seen sent done put "
      "cut "
      "kept left lost paid said told thought brought caught taught shown grown drawn driven broken "
      "chosen "
      "spoken worn begun sung run become come gone hit set spread read laid met shot fought struck "
      "sunk "
      "worth called used able safe good bad dangerous better effective important different located "
      "based");
  add(t, WordClass::kAdverb,
      "also then currently now today not never often usually always still already just exactly "
      "actually ever first again really typically generally normally mostly mainly instead too "
      "even only "
      "please more so else otherwise");
  add(t, WordClass::kDegree,
      "many much often long high big large old good well fast quickly strong strongly far "
      "expensive safe "
      "common dangerous effective effectively deep hot cold wide small young accurate reliable "
      "early late "
      "heavy tall short thick loud bright important frequently widespread toxic contagious healthy "
      "useful likely severe serious soon hard easy difficult complex stable popular rare harmful "
      "deadly "
      "cheap close likely sustainable efficient efficiently");
  add(t, WordClass::kReciprocal,
      "together both each other another jointly mutually between collaborate cooperate relate "
      "related "
      "interact meet met marry married connected linked combined combine");
  add(t, WordClass::kCompareCue,
      "difference differences differ differs compare compared compares comparison versus vs better "
      "worse "
      "unlike similarities distinguish distinguishes");
  add(t, WordClass::kRequest,
      "explain tell describe name list say show know compare discuss outline summarize summarise "
      "wonder "
      "wondering");
}

Table german_table() {
  Table table;
  add_german_function_words(table);
  add_german_verbs(table);
  add_german_other_words(table);
  return table;
}

Table english_table() {
  Table table;
  add_english_function_words(table);
  add_english_content_words(table);
  return table;
}

}  // namespace

WordClass classify_word(std::string_view folded, bool german) {
  static const Table kGerman = german_table();
  static const Table kEnglish = english_table();
  const Table& table = german ? kGerman : kEnglish;
  const auto found = table.find(folded);
  return found == table.end() ? WordClass::kNone : found->second;
}

bool is_one_of(std::string_view word, std::string_view list) {
  return any_word(list, [word](std::string_view entry) { return entry == word; });
}

bool ends_with_one_of(std::string_view word, std::string_view list) {
  return any_word(list, [word](std::string_view ending) { return word.ends_with(ending); });
}

void fold_case(std::string_view text, char* out) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool ascii_upper = byte >= 'A' && byte <= 'Z';
    // U+00C0 … U+00DE are C3 80 … C3 9E; U+00D7 (×) is not a letter.
    const bool latin_upper = i > 0 && static_cast<unsigned char>(text[i - 1]) == 0xC3 &&
                             byte >= 0x80 && byte <= 0x9E && byte != 0x97;
    out[i] = static_cast<char>(ascii_upper || latin_upper ? byte + 0x20 : byte);
  }
}

}  // namespace beleg
