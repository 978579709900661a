#pragma once

#include <string>
#include <utility>
#include <vector>

namespace beleg {

/// Every canonical composition of Unicode but the algorithmic Hangul ones: a base character and its
/// combining marks ("u" and U+0308), and the one character they stand for ("ü"), both as UTF-8.
/// Marks may be composed in part ("ê" and U+0323) or not at all.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> canonical_compositions();

}  // namespace beleg
