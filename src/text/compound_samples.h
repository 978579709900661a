#pragma once

#include <string_view>

namespace beleg {

/// Labelled German words for tests: one per line, a compound with its parts behind it, a word that
/// has none a reader would search for alone. Folded: lower case, ss for ß.
inline constexpr std::string_view kLabelledWords = R"(
kündigungsfrist kündigung frist
mietvertrag miet vertrag
arbeitsvertrag arbeit vertrag
datenschutz daten schutz
datenschutzverordnung datenschutz verordnung
brandschutztür brand schutz tür
haustür haus tür
haustürschlüssel haustür schlüssel
gartenzaun garten zaun
krankenhaus kranken haus
krankenkasse kranken kasse
krankenversicherung kranken versicherung
pflegeversicherung pflege versicherung
rentenversicherung renten versicherung
lebensversicherung leben versicherung
versicherungspflicht versicherung pflicht
schulpflicht schul pflicht
schulbuch schul buch
schulleiter schul leiter
sprachkurs sprach kurs
kirchturm kirch turm
grenzkontrolle grenz kontrolle
strafrecht straf recht
strafgericht straf gericht
bundesland bundes land
bundesregierung bundes regierung
bundesgericht bundes gericht
landesregierung landes regierung
staatsanwalt staats anwalt
rechtsanwalt recht anwalt
regierungserklärung regierung erklärung
wirtschaftskrise wirtschaft krise
finanzkrise finanz krise
finanzminister finanz minister
umweltminister umwelt minister
umweltschutz umwelt schutz
klimawandel klima wandel
klimaschutz klima schutz
energiewende energie wende
windkraft wind kraft
wasserkraft wasser kraft
sonnenenergie sonnen energie
dampfmaschine dampf maschine
dampfschiff dampf schiff
dampfschifffahrt dampf schiff fahrt
waschmaschine wasch maschine
nähmaschine näh maschine
kaffeemaschine kaffee maschine
kaffeetasse kaffee tasse
teekanne tee kanne
milchkuh milch kuh
kuhmilch kuh milch
apfelkuchen apfel kuchen
apfelbaum apfel baum
kirschbaum kirsch baum
weinberg wein berg
rotwein rot wein
weisswein weiss wein
bierglas bier glas
weinflasche wein flasche
wasserflasche wasser flasche
olivenöl olive öl
erdöl erd öl
ölpreis öl preis
erdbeben erd beben
benzinpreis benzin preis
strompreis strom preis
stromnetz strom netz
atomkraft atom kraft
kernkraftwerk kern kraft werk
zeitung
tageszeitung tages zeitung
wochenzeitung wochen zeitung
zeitungsartikel zeitung artikel
fernsehsender fern seh sender
radiosender radio sender
fussball fuss ball
fussballspiel fussball spiel
fussballspieler fussball spieler
handball hand ball
handschuh
bushaltestelle bus halte stelle
bahnhof bahn hof
hauptbahnhof haupt bahn hof
flughafen flug hafen
flugzeug
flugzeugträger flugzeug träger
fahrrad fahr rad
fahrkarte fahr karte
fahrplan fahr plan
eisenbahn eisen bahn
strassenbahn strassen bahn
autobahn auto bahn
autounfall auto unfall
unfallversicherung unfall versicherung
verkehrsunfall verkehr unfall
verkehrsampel verkehr ampel
stadtrat stadt rat
stadtverwaltung stadt verwaltung
hauptstadt haupt stadt
grossstadt gross stadt
altbau alt bau
neubau neu bau
rathaus rat haus
wohnhaus wohn haus
wohnzimmer wohn zimmer
schlafzimmer schlaf zimmer
badezimmer bade zimmer
esszimmer ess zimmer
küchentisch küchen tisch
schreibtisch schreib tisch
tischlampe tisch lampe
kinderzimmer kinder zimmer
kindergarten kinder garten
kindergeld kinder geld
elterngeld eltern geld
steuererklärung steuer erklärung
steuerberater steuer berater
einkommensteuer einkommen steuer
mehrwertsteuer mehrwert steuer
gewinnspiel gewinn spiel
lottogewinn lotto gewinn
arbeitsplatz arbeit platz
arbeitszeit arbeit zeit
arbeitgeber arbeit geber
arbeitnehmer arbeit nehmer
gewerkschaftsmitglied gewerkschaft mitglied
mitgliedsbeitrag mitglied beitrag
jahresbericht jahres bericht
jahreszeit jahres zeit
monatsbericht monat bericht
geburtstag geburts tag
geburtsort geburts ort
hochschule hoch schule
hochschulreform hochschul reform
universitätsklinik universität klinik
impfstoff impf stoff
impfpflicht impf pflicht
maskenpflicht masken pflicht
coronavirus corona virus
virusinfektion virus infektion
infektionskrankheit infektion krankheit
lungenentzündung lungen entzündung
herzinfarkt herz infarkt
herzoperation herz operation
augenarzt augen arzt
zahnarzt zahn arzt
tierarzt tier arzt
arztpraxis arzt praxis
blutdruck blut druck
knochenbruch knochen bruch
hausarzt haus arzt
hundefutter hunde futter
katzenfutter katzen futter
vogelfutter vogel futter
fischmarkt fisch markt
wochenmarkt wochen markt
aktienmarkt aktien markt
aktienkurs aktien kurs
zinssatz zins satz
kreditkarte kredit karte
bankkonto bank konto
kontonummer konto nummer
telefonnummer telefon nummer
hausnummer haus nummer
postleitzahl post leit zahl
briefkasten brief kasten
computerprogramm computer programm
datenbank daten bank
dateiformat datei format
netzwerkkabel netzwerk kabel
passwortschutz passwort schutz
sicherheitslücke sicherheit lücke
speicherkarte speicher karte
bildschirm bild schirm
tastaturkabel tastatur kabel
softwarefehler software fehler
donaudampfschiff donau dampf schiff
weltkrieg welt krieg
bürgerkrieg bürger krieg
bürgermeister bürger meister
weltmeister welt meister
nordsee nord see
ostsee ost see
südafrika süd afrika
winterreifen winter reifen
sommerferien sommer ferien
regenschirm regen schirm
schneemann schnee mann
kurzehose kurz hose
freitag
dienstag
abenteuer
elefant
karotte
tomate
restaurant
religion
minister
diamant
parlament
dokument
kommentar
kompetenz
konkurrenz
interessen
adressen
karten
garten
gestern
western
manifest
autoren
direktoren
zigarette
gitarre
banane
kartoffel
überraschung
verantwortung
herausforderung
entscheidung
entwicklung
gesellschaft
wissenschaft
mannschaft
freundschaft
eigentum
möglichkeit
geschwindigkeit
gerechtigkeit
öffentlichkeit
hamburg
salzburg
deutschland
frankreich
washington
universität
professor
präsident
studenten
musikerin
lehrerinnen
bedeutung
untersuchung
unterstützung
bearbeiten
verstehen
gearbeitet
besonders
allerdings
natürlich
wahrscheinlich
freundlich
wunderbar
arbeitslos
furchtbar
langsam
gemeinsame
steigenden
laufende
entsprechend
notieren
telefonieren
organisieren
kandidaten
demokraten
polizisten
tendenziell
charakter
philosophie
temperatur
lieferkette liefer kette
lieferschein liefer schein
rechnungsbetrag rechnung betrag
zahlungsziel zahlung ziel
zahlungsverzug zahlung verzug
vertragsstrafe vertrag strafe
hausratversicherung hausrat versicherung
brandmeldeanlage brand melde anlage
sicherheitsgurt sicherheit gurt
bremsscheibe brems scheibe
motorhaube motor haube
schraubenschlüssel schrauben schlüssel
stromspannung strom spannung
spannungsabfall spannung abfall
wärmepumpe wärme pumpe
heizkörper heiz körper
fensterrahmen fenster rahmen
dachfenster dach fenster
holzbrücke holz brücke
seilbahn seil bahn
hafenstadt hafen stadt
inselgruppe insel gruppe
vulkanausbruch vulkan ausbruch
sternwarte stern warte
mondlandung mond landung
raumschiff raum schiff
forschungsinstitut forschung institut
hörsaal hör saal
prüfungsordnung prüfung ordnung
klassenarbeit klassen arbeit
lesebuch lese buch
volkslied volks lied
opernhaus opern haus
theaterstück theater stück
filmmusik film musik
königreich könig reich
kaiserkrone kaiser krone
ritterburg ritter burg
goldmünze gold münze
silberlöffel silber löffel
hühnerei hühner ei
schweinefleisch schweine fleisch
rindfleischsuppe rind fleisch suppe
gemüsegarten gemüse garten
zitronensaft zitronen saft
pfefferminztee pfeffer minz tee
blumenstrauss blumen strauss
rosengarten rosen garten
waldbrand wald brand
wolkenbruch wolken bruch
hagelschaden hagel schaden
hochwasserschutz hoch wasser schutz
seehund see hund
zugvogel zug vogel
lehrerzimmer lehrer zimmer
betriebsrat betrieb rat
aufsichtsrat aufsicht rat
stellenanzeige stellen anzeige
bewerbungsgespräch bewerbung gespräch
urlaubsanspruch urlaub anspruch
krankmeldung krank meldung
orchester
symphonie
kathedrale
schokolade
apotheke
paprika
trompete
krokodil
schildern
wandern
ernsthaft
einsam
hoffnungslos
tapferkeit
ewigkeit
lehrling
königin
bäckerei
druckerei
regieren
verlieren
erinnerung
vergebung
beamtinnen
amerikanisch
katholisch
politisch
praktisch
automatisch
logistik
statistisch
notwendigkeit
barmherzig
armenien
rumänien
argentinien
marokko
)";

}  // namespace beleg
