#include "text/language_words.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace beleg {
namespace {

struct Row {
  std::string_view word;
  int german;
  int english;
};

// Tenths of evidence. Words that other languages share (in, de, is, an) count little. Sorted.
constexpr auto kRows = std::to_array<Row>({
    {"a", 0, 3},        {"aber", 10, 0},     {"about", 0, 10},    {"acht", 10, 0},
    {"after", 0, 10},   {"against", 0, 10},  {"all", 1, 8},       {"alle", 8, 0},
    {"alles", 10, 0},   {"als", 6, 0},       {"also", 3, 6},      {"am", 5, 2},
    {"among", 0, 10},   {"an", 4, 5},        {"and", 0, 10},      {"andere", 10, 0},
    {"anderen", 10, 0}, {"another", 0, 10},  {"any", 0, 8},       {"are", 0, 10},
    {"aren't", 0, 10},  {"art", 2, 2},       {"as", 0, 4},        {"at", 0, 8},
    {"auch", 10, 0},    {"auf", 10, 0},      {"aus", 10, 0},      {"be", 0, 8},
    {"became", 0, 10},  {"because", 0, 10},  {"bedeutet", 10, 0}, {"been", 0, 10},
    {"before", 0, 10},  {"bei", 9, 0},       {"beim", 10, 0},     {"being", 0, 10},
    {"bekannt", 10, 0}, {"bereich", 10, 0},  {"between", 0, 10},  {"bezeichnet", 10, 0},
    {"bin", 4, 0},      {"bis", 5, 0},       {"both", 0, 10},     {"but", 0, 6},
    {"by", 0, 8},       {"called", 0, 10},   {"can", 0, 6},       {"can't", 0, 10},
    {"could", 0, 10},   {"damit", 10, 0},    {"dann", 10, 0},     {"darf", 10, 0},
    {"das", 8, 0},      {"dass", 10, 0},     {"dein", 10, 0},     {"deine", 10, 0},
    {"dem", 8, 0},      {"den", 5, 0},       {"der", 8, 0},       {"des", 3, 0},
    {"dich", 10, 0},    {"did", 0, 10},      {"didn't", 0, 10},   {"die", 8, 1},
    {"dies", 10, 0},    {"diese", 10, 0},    {"diesem", 10, 0},   {"diesen", 10, 0},
    {"dieser", 10, 0},  {"dieses", 10, 0},   {"dir", 10, 0},      {"do", 0, 5},
    {"does", 0, 10},    {"doesn't", 0, 10},  {"don't", 0, 10},    {"dort", 10, 0},
    {"drei", 10, 0},    {"durch", 10, 0},    {"during", 0, 10},   {"dürfen", 10, 0},
    {"each", 0, 10},    {"ein", 8, 0},       {"eine", 10, 0},     {"einem", 10, 0},
    {"einen", 10, 0},   {"einer", 10, 0},    {"eines", 10, 0},    {"elf", 10, 0},
    {"er", 3, 0},       {"erste", 10, 0},    {"ersten", 10, 0},   {"es", 2, 0},
    {"etwas", 10, 0},   {"euer", 10, 0},     {"falls", 10, 0},    {"fand", 10, 0},
    {"findet", 10, 0},  {"first", 0, 10},    {"for", 0, 8},       {"from", 0, 10},
    {"fünf", 10, 0},    {"für", 10, 0},      {"gab", 10, 0},      {"ganz", 10, 0},
    {"gegen", 10, 0},   {"geht", 10, 0},     {"gibt", 10, 0},     {"haben", 10, 0},
    {"had", 0, 5},      {"happened", 0, 10}, {"has", 0, 10},      {"hat", 6, 1},
    {"hatte", 10, 0},   {"hatten", 10, 0},   {"have", 0, 10},     {"he", 0, 5},
    {"heissen", 10, 0}, {"heisst", 10, 0},   {"her", 2, 6},       {"heute", 10, 0},
    {"hier", 10, 0},    {"hiess", 10, 0},    {"him", 0, 8},       {"his", 0, 8},
    {"how", 0, 10},     {"i", 0, 4},         {"i'm", 0, 10},      {"ich", 10, 0},
    {"if", 0, 9},       {"ihm", 10, 0},      {"ihn", 10, 0},      {"ihnen", 10, 0},
    {"ihre", 10, 0},    {"ihrem", 10, 0},    {"ihren", 10, 0},    {"ihrer", 10, 0},
    {"im", 8, 0},       {"immer", 10, 0},    {"in", 3, 3},        {"insgesamt", 10, 0},
    {"into", 0, 10},    {"is", 0, 5},        {"isn't", 0, 10},    {"ist", 10, 0},
    {"it", 0, 10},      {"it's", 0, 10},     {"its", 0, 10},      {"ja", 6, 0},
    {"jahr", 10, 0},    {"jahre", 10, 0},    {"jahren", 10, 0},   {"jede", 10, 0},
    {"jedem", 10, 0},   {"jeden", 10, 0},    {"jeder", 10, 0},    {"jedes", 10, 0},
    {"jemand", 10, 0},  {"kam", 10, 0},      {"kann", 10, 0},     {"kein", 10, 0},
    {"keine", 10, 0},   {"keinem", 10, 0},   {"keinen", 10, 0},   {"keiner", 10, 0},
    {"kind", 0, 10},    {"known", 0, 10},    {"kommt", 10, 0},    {"konnte", 10, 0},
    {"können", 10, 0},  {"könnte", 10, 0},   {"lag", 10, 0},      {"lautet", 10, 0},
    {"letzte", 10, 0},  {"letzten", 10, 0},  {"liegen", 10, 0},   {"liegt", 10, 0},
    {"machen", 10, 0},  {"macht", 10, 0},    {"made", 0, 10},     {"man", 5, 2},
    {"many", 0, 10},    {"may", 0, 6},       {"me", 0, 3},        {"mehr", 10, 0},
    {"mein", 10, 0},    {"meine", 10, 0},    {"meinem", 10, 0},   {"meinen", 10, 0},
    {"meiner", 10, 0},  {"meisten", 10, 0},  {"mich", 10, 0},     {"mir", 10, 0},
    {"mit", 8, 0},      {"more", 0, 10},     {"most", 0, 10},     {"much", 0, 10},
    {"muss", 10, 0},    {"musste", 10, 0},   {"my", 0, 10},       {"möchte", 10, 0},
    {"müssen", 10, 0},  {"nach", 10, 0},     {"name", 1, 1},      {"named", 0, 10},
    {"nannte", 10, 0},  {"nein", 6, 0},      {"nennen", 10, 0},   {"nennt", 10, 0},
    {"neun", 10, 0},    {"nicht", 10, 0},    {"no", 0, 2},        {"noch", 10, 0},
    {"not", 0, 10},     {"nun", 3, 1},       {"nur", 10, 0},      {"ob", 7, 0},
    {"oder", 10, 0},    {"of", 0, 7},        {"oft", 10, 0},      {"ohne", 10, 0},
    {"on", 0, 4},       {"only", 0, 10},     {"or", 0, 5},        {"other", 0, 10},
    {"our", 0, 10},     {"ours", 0, 10},     {"out", 0, 10},      {"over", 0, 10},
    {"people", 0, 10},  {"schon", 10, 0},    {"sechs", 10, 0},    {"second", 0, 10},
    {"sehr", 10, 0},    {"seine", 10, 0},    {"seinem", 10, 0},   {"seinen", 10, 0},
    {"seiner", 10, 0},  {"seit", 10, 0},     {"she", 0, 10},      {"should", 0, 10},
    {"sich", 10, 0},    {"sie", 8, 0},       {"sieben", 10, 0},   {"since", 0, 10},
    {"sind", 10, 0},    {"so", 3, 3},        {"soll", 10, 0},     {"sollte", 10, 0},
    {"sollten", 10, 0}, {"some", 0, 10},     {"steht", 10, 0},    {"such", 0, 10},
    {"than", 0, 10},    {"that", 0, 10},     {"that's", 0, 10},   {"the", 0, 10},
    {"their", 0, 10},   {"them", 0, 10},     {"then", 0, 10},     {"there", 0, 10},
    {"there's", 0, 10}, {"these", 0, 10},    {"they", 0, 10},     {"this", 0, 10},
    {"those", 0, 10},   {"through", 0, 10},  {"to", 0, 8},        {"type", 0, 10},
    {"um", 3, 0},       {"und", 10, 0},      {"under", 0, 10},    {"ungefähr", 10, 0},
    {"uns", 10, 0},     {"unser", 10, 0},    {"unsere", 10, 0},   {"unter", 10, 0},
    {"until", 0, 10},   {"upon", 0, 10},     {"used", 0, 10},     {"viele", 10, 0},
    {"vielen", 10, 0},  {"vier", 10, 0},     {"vom", 10, 0},      {"von", 8, 0},
    {"vor", 10, 0},     {"wann", 10, 0},     {"war", 7, 1},       {"waren", 10, 0},
    {"warum", 10, 0},   {"was", 6, 4},       {"wasn't", 0, 10},   {"we", 0, 4},
    {"we're", 0, 10},   {"wegen", 10, 0},    {"weil", 10, 0},     {"welch", 10, 0},
    {"welche", 10, 0},  {"welchem", 10, 0},  {"welchen", 10, 0},  {"welcher", 10, 0},
    {"welches", 10, 0}, {"wem", 10, 0},      {"wen", 10, 0},      {"wenn", 10, 0},
    {"wer", 9, 0},      {"werden", 10, 0},   {"were", 0, 10},     {"weshalb", 10, 0},
    {"wessen", 10, 0},  {"what", 0, 10},     {"what's", 0, 10},   {"when", 0, 10},
    {"where", 0, 10},   {"where's", 0, 10},  {"whether", 0, 10},  {"which", 0, 10},
    {"while", 0, 10},   {"who", 0, 10},      {"who's", 0, 10},    {"whom", 0, 10},
    {"whose", 0, 10},   {"why", 0, 10},      {"wie", 8, 0},       {"wieder", 10, 0},
    {"wieso", 10, 0},   {"wieviel", 10, 0},  {"will", 3, 5},      {"wir", 10, 0},
    {"wird", 10, 0},    {"with", 0, 10},     {"within", 0, 10},   {"without", 0, 10},
    {"wo", 6, 0},       {"wodurch", 10, 0},  {"wofür", 10, 0},    {"woher", 10, 0},
    {"wohin", 10, 0},   {"womit", 10, 0},    {"won't", 0, 10},    {"woran", 10, 0},
    {"worden", 10, 0},  {"worin", 10, 0},    {"worüber", 10, 0},  {"would", 0, 10},
    {"wozu", 10, 0},    {"wurde", 10, 0},    {"wurden", 10, 0},   {"wurdest", 10, 0},
    {"während", 10, 0}, {"wäre", 10, 0},     {"würde", 10, 0},    {"würden", 10, 0},
    {"year", 0, 10},    {"years", 0, 10},    {"you", 0, 10},      {"your", 0, 10},
    {"zehn", 10, 0},    {"zu", 8, 0},        {"zum", 10, 0},      {"zur", 10, 0},
    {"zwei", 10, 0},    {"zwischen", 10, 0}, {"zwölf", 10, 0},    {"über", 10, 0},
});

// The words by hash: a slot holds the number of a row + 1, 0 none.
constexpr std::size_t kSlots = 2048;

constexpr std::size_t slot_of(std::string_view word) {
  std::uint32_t hash = 2166136261U;  // FNV-1a.
  for (const char c : word) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return (hash ^ hash >> 15U) % kSlots;
}

constexpr std::array<std::uint16_t, kSlots> kRowBySlot = [] {
  static_assert(kRows.size() * 2 < kSlots);
  std::array<std::uint16_t, kSlots> slots{};
  for (std::size_t row = 0; row < kRows.size(); ++row) {
    std::size_t slot = slot_of(kRows[row].word);
    while (slots[slot] != 0) slot = (slot + 1) % kSlots;
    slots[slot] = static_cast<std::uint16_t>(row + 1);
  }
  return slots;
}();

constexpr std::size_t kLongestWord =
    std::ranges::max(kRows, {}, [](const Row& row) { return row.word.size(); }).word.size();

}  // namespace

WordEvidence function_word_evidence(std::string_view word) {
  if (word.size() > kLongestWord) return {};
  for (std::size_t slot = slot_of(word); kRowBySlot[slot] != 0; slot = (slot + 1) % kSlots) {
    const Row& row = kRows[kRowBySlot[slot] - 1U];
    if (row.word == word) return {0.1 * row.german, 0.1 * row.english};
  }
  return {};
}

}  // namespace beleg
