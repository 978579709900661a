#include "index/rows.h"

#include <algorithm>
#include <bit>

namespace beleg {

std::size_t RowFilter::count() const {
  std::size_t total = 0;
  for (const std::uint64_t word : words_) total += static_cast<std::size_t>(std::popcount(word));
  return total;
}

void count_pass(std::vector<SearchPass>& passes, std::string_view language,
                std::string_view strategy) {
  const auto found = std::find_if(passes.begin(), passes.end(), [&](const SearchPass& pass) {
    return pass.language == language && pass.strategy == strategy;
  });
  if (found != passes.end()) {
    ++found->segments;
  } else {
    passes.push_back({std::string(language), strategy, 1});
  }
}

}  // namespace beleg
