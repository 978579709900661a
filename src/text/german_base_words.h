#pragma once

#include <cstdint>
#include <string_view>

namespace beleg {

/// What a shipped German word may do in a compound.
enum class BaseWordKind : std::uint8_t {
  kNoun,       ///< Any part; plural forms with an umlaut included.
  kShortNoun,  ///< A noun under four letters that may be a part all the same.
  kAdjective,  ///< Any part, without linking element after it.
  kVerbStem,   ///< Any part but the last: Wohn-, Schreib-.
  kBoundForm,  ///< Any part but the last; stands only in compounds: Schul-, Bundes-.
  kSimplex,    ///< Looks as if it had parts, and has none a reader would search for: Freitag.
};

/// The shipped words of one kind, folded, separated by spaces. Static storage.
[[nodiscard]] std::string_view german_base_words(BaseWordKind kind);

/// Those of kSimplex.
[[nodiscard]] std::string_view german_simplex_words();

/// What is no part of a compound, and no stem of one, however often a corpus has it: suffixes,
/// prefixes, particles. Folded, separated by spaces. Static storage.
[[nodiscard]] std::string_view german_never_parts();

}  // namespace beleg
