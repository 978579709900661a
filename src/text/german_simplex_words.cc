#include "text/german_base_words.h"

namespace beleg {
namespace {

// All words are folded as fold_german does: lower case, ss for ß.

constexpr std::string_view kSimplexWords =
    "abenteuer achtung ackermann adressen aktion alexander alternative altertum amerika "
    "andreas angelegenheit angelika anstand arbeiten aufeinander aufstand augsburg "
    "ausdruck australien autoren barbar barbaren baron baumann bearbeitung bedeutung "
    "begegnung begehren beginn begleitung beobachter beobachtung bereitschaft bergmann "
    "beschreibung beschäftigung besonderheit bestand bestandteil bestimmung beteiligung "
    "beton bevölkerung bewerbung beziehung beziehungsweise bielefeld billigung billion "
    "blumenthal botschaft brandenburg brinkmann champion charlottenburg christentum "
    "christian christine daniel darmstadt deutschland dezember diamant diamanten "
    "dienstag direktoren dokument donnerstag dramatisch drittel duisburg dunkel "
    "durcheinander dänemark düsseldorf eigenschaft eindruck einfluss einigung einwand "
    "eisenach elefanten elisabeth england entfernen entfernt entscheidung entschuldigung "
    "enttäuschung entwurf erfindung erfurt erinnerung erlangen ermittlung ernst "
    "erwartung erziehung eröffnung facebook fantastisch feldmann finnland frankfurt "
    "frankreich freiburg freitag freundschaft friedrich füreinander gastronomen "
    "gefängnis gegenwart gegner gelegenheit geländer genehmigung gerechtfertigt "
    "gerechtigkeit gespenst gestern gewissen gewohnheit goldberg greifswald griechenland "
    "gründonnerstag göttingen hamburg hammel hartmann heidelberg heiligtum heinemann "
    "heinrich herausforderung herberge hermann herrmann hildesheim hintergrund "
    "hinterlassen hochzeit hoffmann hoffnung hofmann holland horizontal ingolstadt "
    "interessen international irland irrtum island italien jahrtausend jahrzehnt "
    "johannes jungfrau junggeselle kalifornien kamerad kapelle kapitel karfreitag "
    "karneval karriere karton kastanie katalog katastrophe katharina kavalier klarinette "
    "kollege kolonne kommandant kommentar kommissar kompetenz konsonant kontinent "
    "kontinuierlich korrespondent krefeld kreuzberg kritiker königsberg königstein "
    "lavendel legion lehmann lehrerin leidenschaft leutnant libelle liebknecht limonade "
    "lindemann lokomotive ludwig luxemburg magdeburg magister mandarine manifest "
    "mannheim mannschaft manuskript margarete margarine marionette marmelade martin "
    "matratze matrose matthias medaille meinung melodie melone metapher michael "
    "mikroskop minderheit mirakel mischung miteinander mittwoch moderator monster montag "
    "monument motiv musikant musiker muster möglicherweise möglichkeit nachbarschaft "
    "nachdruck nachteil nachtigall national nebeneinander neukölln neumann neutral "
    "niedermeier november nürnberg obermeier offenbach oktober oldenburg olive operation "
    "opposition orakel orchester organismus original osnabrück paderborn pantoffel "
    "papagei parade paradies paragraph parameter parasit parlament partikel patrone "
    "perspektive petersilie pfifferling pflaster pforzheim philosoph plastik polen "
    "polster portion portugal porzellan priester profitieren protokoll präsident "
    "pyramide quadrat quartier redaktion referat regensburg reichtum reinigung reporter "
    "reptil residenz restaurants resultat rhabarber rheuma rivale romantisch rosenberg "
    "rosenheim rosenthal russland saarbrücken sakrament salami salzburg samstag sandale "
    "satellit schaltung schottland schrauber schwerin schöneberg schülerin sebastian "
    "sektion seminar senator september skelett skorpion skulptur sonntag sortiment "
    "spaltung spanien spargel spektakel spektrum spinat spion standard steinberg "
    "steinmeier stellung stralsund strategie substanz symbol symphonie tapete tausend "
    "tausende temperament tendenz terrasse testament thermometer titel tomate tomaten "
    "tragödie traumatisch trennung trompete tyrann tätigkeit umgang umstand ungarn union "
    "universum unterhaltung unterschied unterstützung urinstinkt urkunde vanille "
    "variante vegetarier ventil veranda verantwortung vereinsamen vergangenheit version "
    "verstehen verteidigung vertrauen verzicht veränderung vielleicht viertel violine "
    "vision vitamin vorausgesetzt voraussetzung voraussicht vorsitzende vorteil vorwurf "
    "vulkan waggon wahrheit wahrscheinlich washington western widerstand wiesbaden "
    "wilhelm wirklichkeit wolfgang wolfsburg wuppertal würzburg zentner zeremonie "
    "zigarette zigeuner zimmermann zugeschnitten zuverlässig zylinder zypresse "
    "öffentlichkeit öffnung österreich überraschung übersetzung überzeugung ";

// Suffixes, prefixes, particles, endings of names, and words that far more often are the tail of
// another word: "steigende" has no end in it.
constexpr std::string_view kNeverParts =
    "alle artig auer bar bare baren barer chen eine einen eins elle ellen empor end ende "
    "enden ender endes entf entgegen erei eren erling erweise fach fache fachen gene "
    "haft hafte haften hausen heimer heit heiten heraus herbei herein hinaus hint hinter "
    "hofer hoff igen iger igst igste inne innen inter isch ische ischen ismus keit "
    "keiten lein lich liche lichen ling linge los lose losen losigkeit lung maier malig "
    "malige mals mayer meier meyer nisch nische nischen nissen rin rinn rinnen sam same "
    "samen samkeit schaft schaften seits sion steigende tat tig tion tionen trop ungen "
    "voran voraus vorbei weise weisen wider wärts zurück zusammen ";

}  // namespace

std::string_view german_simplex_words() { return kSimplexWords; }

std::string_view german_never_parts() { return kNeverParts; }

}  // namespace beleg
