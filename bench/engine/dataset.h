#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace beleg {

/// One line of the corpus file.
struct BenchPassage {
  std::string id;
  std::string document;  ///< "doc"; without it, the id up to its last "#".
  std::string text;
};

/// One line of the file of questions.
struct BenchQuery {
  std::string text;
  std::string language;
  std::vector<std::string> relevant;  ///< Ids of passages; empty: not judged.
};

/// The passages, thinned evenly to `limit` (0: all). Those whose id starts with "xquad/" are the
/// ones that questions ask for: they always stay, at the end. The same rule as the peers', so that
/// all see the same set. Errors: kInvalidArgument names the file and the line.
Result<std::vector<BenchPassage>> load_passages(const std::filesystem::path& path,
                                                std::size_t limit);

/// `count` questions (0: all), evenly spread over the file so that a file of several languages
/// stays mixed.
Result<std::vector<BenchQuery>> load_queries(const std::filesystem::path& path, std::size_t count);

/// Code points of all texts.
[[nodiscard]] std::size_t count_characters(const std::vector<BenchPassage>& passages);

}  // namespace beleg
