#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace beleg {

/// Whether a statement is supported by what it cites.
struct SupportVerdict {
  double support = 0.0;  ///< [0,1]; 1 for a statement that is itself a quote.
  /// One line per guard that objects: a number, a name, a negation that the quotes do not have.
  std::vector<std::string> objections;
};

/// Checks a statement against the quotes it cites, without a language model: share of its content
/// words in the quotes, and guards for numbers, capitalised names and negation. A guard that
/// objects halves the support per objection. Without quotes the support is 0: citation presence is
/// a structural gate. Pure and thread-safe.
[[nodiscard]] SupportVerdict check_support(std::string_view statement,
                                           std::span<const std::string_view> quotes);

}  // namespace beleg
