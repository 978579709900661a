#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "settings/settings.h"

namespace beleg {

/// The command line. Options of the same name mean what they mean to the peers' scripts.
struct BenchOptions {
  std::string kind;                 ///< What is measured; see kinds.h.
  std::filesystem::path corpus;     ///< JSON lines with id, doc, text.
  std::filesystem::path queries;    ///< JSON lines with id, text, rel, lang.
  std::filesystem::path out;        ///< The JSON line is appended to it as well; may be empty.
  std::uint64_t limit = 0;          ///< Passages of the corpus that are used; 0: all.
  std::uint64_t query_count = 500;  ///< Questions that are timed.
  std::uint64_t k = 10;             ///< Results per question.
  std::uint64_t threads = 1;        ///< For the encoder.
  std::filesystem::path work;       ///< Scratch, indexes and encoded passages; kept between runs.
  std::string model = "multilingual-e5-small";  ///< Name of an installed encoder.
  std::filesystem::path home;                   ///< Where `models/` is.
  std::vector<std::string> settings;            ///< "key=value", as `beleg --set` takes them.
  bool cold = false;               ///< lexical: open what is there, answer one question.
  bool no_rerank = false;          ///< pipe: search and expand only.
  bool synthetic_vectors = false;  ///< Passages get vectors made of their words, not of a model.
  std::filesystem::path vectors;   ///< ann: prefix of two .npy files.
  std::uint64_t rows = 0;          ///< ann: vectors used, 0: all; growth: rows that are made.
  std::uint64_t pairs = 25;        ///< rerank: passages per question.
  std::uint64_t sample = 256;      ///< embed: passages.
  std::uint64_t batch = 64;        ///< embed: passages at a time.
  std::uint64_t runs = 11;         ///< cold: processes started; the first is not counted.
  std::filesystem::path program;   ///< cold: the beleg program.
  std::uint64_t spawned_at = 0;    ///< ready: when the process was started, monotonic ns.
};

/// Reads the command line; `exit_code` is set when there is nothing to do (help, mistakes).
struct ParsedCommandLine {
  BenchOptions options;
  bool ends = false;
  int exit_code = 0;
};
[[nodiscard]] ParsedCommandLine parse_command_line(int argc, char** argv);

/// The product's defaults with the encoder, the threads and the `--set` options on top.
Result<Settings> settings_of(const BenchOptions& options);

}  // namespace beleg
