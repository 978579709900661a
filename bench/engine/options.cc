#include "options.h"

#include <CLI/CLI.hpp>
#include <cstdlib>

#include "kinds.h"

namespace beleg {
namespace {

std::string default_home() {
  if (const char* home = std::getenv("BELEG_HOME"); home != nullptr && *home != '\0') return home;
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0') {
    return std::string(home) + "/.local/share/beleg";
  }
  return "";
}

}  // namespace

ParsedCommandLine parse_command_line(int argc, char** argv) {
  ParsedCommandLine parsed;
  BenchOptions& o = parsed.options;
  o.home = default_home();
  CLI::App app("Measures the engine as its peers are measured; prints one JSON line");
  std::vector<std::string> names;
  for (const BenchKind& kind : bench_kinds()) names.emplace_back(kind.name);
  app.add_option("--kind", o.kind, "What is measured")->required()->check(CLI::IsMember(names));
  app.add_option("--corpus", o.corpus, "JSON lines with id, doc, text");
  app.add_option("--queries", o.queries, "JSON lines with id, text, rel, lang");
  app.add_option("--out", o.out, "Append the JSON line to this file as well");
  app.add_option("--limit", o.limit, "Passages used, evenly thinned; 0: all");
  app.add_option("--nq", o.query_count, "Questions timed, evenly spread");
  app.add_option("--k", o.k, "Results per question");
  app.add_option("--threads", o.threads, "Threads of the encoder");
  app.add_option("--work", o.work, "Scratch; encoded passages are kept in it")->required();
  app.add_option("--model", o.model, "Name of an installed encoder");
  app.add_option("--home", o.home, "Folder with models/");
  app.add_option("--set", o.settings, "A setting, key=value");
  app.add_flag("--cold", o.cold, "lexical: open a saved index and answer once");
  app.add_flag("--no-rerank", o.no_rerank, "pipe: search and expand only");
  app.add_flag("--synthetic-vectors", o.synthetic_vectors, "Do not encode passages");
  app.add_option("--emb", o.vectors, "ann: prefix of .docs.npy and .queries.npy");
  app.add_option("--rows", o.rows, "ann, growth: number of rows");
  app.add_option("--pairs", o.pairs, "rerank: passages per question");
  app.add_option("--n", o.sample, "embed: passages");
  app.add_option("--batch", o.batch, "embed: passages at a time");
  app.add_option("--runs", o.runs, "cold: processes started");
  app.add_option("--program", o.program, "cold: the beleg program");
  app.add_option("--spawned-at", o.spawned_at, "ready: set by kind cold");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    parsed.ends = true;
    parsed.exit_code = app.exit(error) == 0 ? 0 : 2;
  }
  return parsed;
}

Result<Settings> settings_of(const BenchOptions& options) {
  Settings settings;
  settings.encoder = options.model;
  settings.threads = static_cast<std::uint32_t>(options.threads);
  for (const std::string& text : options.settings) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) {
      return fail(ErrorCode::kInvalidArgument, "--set " + text, "write --set key=value");
    }
    TRY(set_setting(settings, std::string_view(text).substr(0, equals),
                    std::string_view(text).substr(equals + 1)));
  }
  return settings;
}

}  // namespace beleg
