#include "vector_bench.h"

#include <algorithm>
#include <iostream>

namespace beleg::bench {

int run_vector_bench(int argc, char** argv, std::string_view usage,
                     const std::vector<NamedValue>& values,
                     const std::function<Result<nlohmann::json>(
                         const std::string& documents, const std::string& questions)>& run) {
  std::vector<std::string> files;
  bool known = true;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (!argument.starts_with("--")) {
      files.push_back(argument);
      continue;
    }
    const auto value = std::ranges::find(values, argument, &NamedValue::name);
    known = known && value != values.end() && i + 1 < argc;
    if (known) value->take(argv[++i]);
  }
  if (!known || files.size() != 2) {
    std::cerr << "usage: " << usage << "\n";
    return 2;
  }
  const auto report = run(files[0], files[1]);
  if (!report) {
    std::cerr << report.error().message << "\n";
    return 1;
  }
  std::cout << report->dump() << "\n";
  return 0;
}

}  // namespace beleg::bench
