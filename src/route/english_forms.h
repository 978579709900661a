#pragma once

#include <string>
#include <string_view>

namespace beleg {

/// Small English morphology for the sub-questions; an empty result means "not sure".

/// The positive of a comparative: "better" → "good", "safer" → "safe", "cheaper" → "cheap".
[[nodiscard]] std::string english_positive(std::string_view comparative);
/// The base form of a past tense: "happened" → "happen", "built" → "build".
[[nodiscard]] std::string english_base_of_past(std::string_view past);
/// The past participle of a past tense: "founded" → "founded", "wrote" → "written".
[[nodiscard]] std::string english_participle_of_past(std::string_view past);
/// The third person singular of an auxiliary in the plural: "do" → "does", "are" → "is".
[[nodiscard]] std::string english_singular_auxiliary(std::string_view plural);
/// True when the noun looks plural: ends in -s but not in -ss, -us, -is; or "people", "children", …
[[nodiscard]] bool is_english_plural(std::string_view noun);

}  // namespace beleg
