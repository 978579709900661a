#include <array>
#include <cstdio>

#include "kinds.h"
#include "options.h"

namespace beleg {
namespace {

constexpr std::array kKinds = {
    BenchKind{"lexical", run_lexical},
    BenchKind{"ann", run_ann},
    BenchKind{"embed", run_embed},
    BenchKind{"rerank", run_rerank},
    BenchKind{"prepare", run_prepare},
    BenchKind{"pipe", run_pipe},
    BenchKind{"ingest", run_ingest},
    BenchKind{"cold", run_cold},
    BenchKind{"ready", run_ready},
    BenchKind{"contention", run_contention},
    BenchKind{"burn", run_burn},
    BenchKind{"growth-lexical", run_growth_lexical},
    BenchKind{"growth-dense", run_growth_dense},
};

}  // namespace

std::span<const BenchKind> bench_kinds() { return kKinds; }

}  // namespace beleg

int main(int argc, char** argv) {
  const beleg::ParsedCommandLine parsed = beleg::parse_command_line(argc, argv);
  if (parsed.ends) return parsed.exit_code;
  for (const beleg::BenchKind& kind : beleg::bench_kinds()) {
    if (parsed.options.kind != kind.name) continue;
    const beleg::Result<void> done = kind.run(parsed.options);
    if (done) return 0;
    std::fprintf(stderr, "beleg_bench: %s\n", done.error().to_line().c_str());
  }
  return 1;
}
