#include "document/language_code.h"

#include <unicode/uloc.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace beleg {
namespace {

/// Names in English, in German and in the language itself, and the bibliographic codes of
/// ISO 639-2/B, where they differ from the terminological ones that ICU knows.
constexpr std::array<std::pair<std::string_view, std::string_view>, 66> kNames{{
    {"german", "de"},
    {"deutsch", "de"},
    {"ger", "de"},
    {"english", "en"},
    {"englisch", "en"},
    {"french", "fr"},
    {"französisch", "fr"},
    {"français", "fr"},
    {"fre", "fr"},
    {"spanish", "es"},
    {"spanisch", "es"},
    {"español", "es"},
    {"italian", "it"},
    {"italienisch", "it"},
    {"italiano", "it"},
    {"dutch", "nl"},
    {"niederländisch", "nl"},
    {"nederlands", "nl"},
    {"dut", "nl"},
    {"portuguese", "pt"},
    {"portugiesisch", "pt"},
    {"português", "pt"},
    {"polish", "pl"},
    {"polnisch", "pl"},
    {"polski", "pl"},
    {"czech", "cs"},
    {"tschechisch", "cs"},
    {"čeština", "cs"},
    {"cze", "cs"},
    {"slovak", "sk"},
    {"slowakisch", "sk"},
    {"slo", "sk"},
    {"danish", "da"},
    {"dänisch", "da"},
    {"dansk", "da"},
    {"swedish", "sv"},
    {"schwedisch", "sv"},
    {"svenska", "sv"},
    {"norwegian", "no"},
    {"norwegisch", "no"},
    {"norsk", "no"},
    {"finnish", "fi"},
    {"finnisch", "fi"},
    {"suomi", "fi"},
    {"hungarian", "hu"},
    {"ungarisch", "hu"},
    {"magyar", "hu"},
    {"russian", "ru"},
    {"russisch", "ru"},
    {"русский", "ru"},
    {"ukrainian", "uk"},
    {"ukrainisch", "uk"},
    {"turkish", "tr"},
    {"türkisch", "tr"},
    {"türkçe", "tr"},
    {"greek", "el"},
    {"griechisch", "el"},
    {"gre", "el"},
    {"romanian", "ro"},
    {"rumänisch", "ro"},
    {"rum", "ro"},
    {"chinese", "zh"},
    {"chinesisch", "zh"},
    {"chi", "zh"},
    {"japanese", "ja"},
    {"arabic", "ar"},
}};

bool is_iso_639_1(std::string_view code) {
  if (code.size() != 2) return false;
  for (const char* const* known = uloc_getISOLanguages(); *known != nullptr; ++known) {
    if (code == *known) return true;
  }
  return false;
}

}  // namespace

std::string language_code(std::string_view name) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t first = name.find_first_not_of(kBlank);
  if (first == std::string_view::npos || name.size() > 64) return {};
  name = name.substr(first, name.find_last_not_of(kBlank) - first + 1);
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  for (const auto& [known, code] : kNames) {
    if (known == lower) return std::string(code);
  }
  std::string primary = lower.substr(0, lower.find_first_of("-_.@ "));
  if (is_iso_639_1(primary)) return primary;
  for (const auto& [known, code] : kNames) {
    if (known == primary) return std::string(code);
  }
  if (primary.size() != 3) return {};
  // ICU turns "deu" into "de"; a code without a two-letter form stays as it is.
  std::array<char, 16> out{};
  UErrorCode status = U_ZERO_ERROR;
  uloc_getLanguage(primary.c_str(), out.data(), static_cast<std::int32_t>(out.size()), &status);
  const std::string_view found(out.data(), ::strnlen(out.data(), out.size()));
  return U_SUCCESS(status) && is_iso_639_1(found) ? std::string(found) : std::string();
}

}  // namespace beleg
