#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace beleg::bench {

/// A value that a program takes as "--name VALUE".
struct NamedValue {
  std::string_view name;  ///< With its dashes.
  std::function<void(const std::string&)> take;
};

/// The main function of a benchmark over two files, vectors of passages and of questions: reads the
/// command line, runs, prints one line of JSON. Returns the exit code, 2 for a command line that is
/// none.
int run_vector_bench(int argc, char** argv, std::string_view usage,
                     const std::vector<NamedValue>& values,
                     const std::function<Result<nlohmann::json>(
                         const std::string& documents, const std::string& questions)>& run);

}  // namespace beleg::bench
