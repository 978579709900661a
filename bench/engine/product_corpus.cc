#include "product_corpus.h"

#include <algorithm>
#include <fstream>
#include <map>

#include "base/file.h"
#include "child_process.h"
#include "ingest/index_build.h"
#include "ingest/ingest.h"
#include "synthetic_encoder.h"

namespace beleg {
namespace {

constexpr std::string_view kBetweenParagraphs = "\n\n";
constexpr std::uint64_t kMaxLineBytes = 1U << 20U;

/// The measured passages of each document, in order.
std::map<std::string, std::vector<const BenchPassage*>> by_document(
    const std::vector<BenchPassage>& passages) {
  std::map<std::string, std::vector<const BenchPassage*>> documents;
  for (const BenchPassage& passage : passages) documents[passage.document].push_back(&passage);
  return documents;
}

Result<void> write_documents(const std::filesystem::path& file,
                             const std::vector<BenchPassage>& passages) {
  std::string lines;
  for (const auto& [document, parts] : by_document(passages)) {
    std::string text;
    for (const BenchPassage* part : parts) {
      if (!text.empty()) text += kBetweenParagraphs;
      text += part->text;
    }
    lines += nlohmann::json{{"id", document}, {"text", text}}.dump() + "\n";
  }
  return write_file_atomically(file, lines);
}

Result<void> make_folder(const std::filesystem::path& folder) {
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  if (code) return fail(ErrorCode::kIo, "cannot create " + printable_path(folder));
  return {};
}

/// A home of its own, so that no corpus of the user is touched; the models are linked in.
std::filesystem::path bench_home(const BenchOptions& options) {
  return std::filesystem::absolute(options.work) / "beleg-home";
}

Result<std::filesystem::path> make_home(const BenchOptions& options) {
  std::filesystem::path home = bench_home(options);
  TRY(make_folder(home));
  std::error_code code;
  const auto models = std::filesystem::absolute(options.home) / "models";
  std::filesystem::remove(home / "models", code);
  std::filesystem::create_directory_symlink(models, home / "models", code);
  if (code) return fail(ErrorCode::kIo, "cannot link " + printable_path(home / "models"));
  return home;
}

std::string corpus_name(const BenchOptions& options, bool fresh) {
  return std::string(fresh ? "ingest" : "bench") + "-" +
         (options.limit > 0 ? std::to_string(options.limit) : "all") + "-" + options.model +
         (options.synthetic_vectors ? "-synthetic" : "");
}

BenchJson ingest_json(const IngestSummary& s, const std::filesystem::path& folder) {
  const auto passages = static_cast<double>(s.passages);
  BenchJson json = {{"documents", s.added + s.changed + s.unchanged},
                    {"passages", s.passages},
                    {"encoded", s.encoded},
                    {"reused", s.reused},
                    {"index_s", s.wall_ms / 1e3},
                    {"index_cpu_s", s.cpu_ms / 1e3}};
  if (s.passages > 0) {
    json["docs_per_s"] = passages / (s.wall_ms / 1e3);
    json["docs_per_cpu_s"] = passages / (s.cpu_ms / 1e3);
  }
  json["truth_mb"] = disk_mb(folder / "truth.db");
  json["pack_mb"] = disk_mb(folder / "embeddings.pack");
  json["index_disk_mb"] = disk_mb(folder / "index");
  return json;
}

}  // namespace

Result<ProductCorpus> prepare_corpus(const BenchOptions& options,
                                     const std::vector<BenchPassage>& passages, bool fresh) {
  ProductCorpus corpus{.home = TRY(make_home(options)), .name = corpus_name(options, fresh)};
  const std::filesystem::path folder = TRY(corpus_folder(corpus.home, corpus.name));
  if (fresh) {
    std::error_code code;
    std::filesystem::remove_all(folder, code);
  }
  const std::filesystem::path documents = corpus.home / (corpus.name + ".jsonl");
  TRY(write_documents(documents, passages));
  const Settings settings = TRY(settings_of(options));
  auto encoder = TRY(open_encoder(corpus.home, settings));
  if (options.synthetic_vectors) encoder = make_synthetic_encoder(std::move(encoder));
  const auto store = TRY(CorpusStore::open_or_create(folder));
  Result<void> failed;
  const IngestObserver observer{.on_file = [&](const FileReport& file) {
    if (file.outcome == FileOutcome::kFailed || file.outcome == FileOutcome::kPartial) {
      failed = fail(ErrorCode::kInternal, printable_path(file.path) + ": " + file.reason);
    }
  }};
  const IngestSummary summary =
      TRY(ingest_paths(*store, {.paths = {documents}}, *encoder, settings, observer));
  TRY(failed);
  corpus.ingest = ingest_json(summary, folder);
  return corpus;
}

std::vector<std::string> own_command(const BenchOptions& options, const std::string& kind) {
  std::vector<std::string> command = {own_program(),
                                      "--kind",
                                      kind,
                                      "--work",
                                      options.work.string(),
                                      "--home",
                                      options.home.string(),
                                      "--model",
                                      options.model,
                                      "--corpus",
                                      options.corpus.string(),
                                      "--queries",
                                      options.queries.string(),
                                      "--limit",
                                      std::to_string(options.limit),
                                      "--threads",
                                      std::to_string(options.threads)};
  if (options.synthetic_vectors) command.emplace_back("--synthetic-vectors");
  for (const std::string& setting : options.settings) {
    command.insert(command.end(), {"--set", setting});
  }
  return command;
}

Result<ProductCorpus> prepare_apart(const BenchOptions& options) {
  TRY(make_folder(options.work));
  const std::filesystem::path output = options.work / "prepare.json";
  const ChildRun child = TRY(run_child(own_command(options, "prepare"), output));
  if (child.exit_code != 0) return fail(ErrorCode::kInternal, "the corpus could not be prepared");
  ProductCorpus corpus = existing_corpus(options);
  corpus.ingest = BenchJson::parse(TRY(read_file(output, kMaxLineBytes)));
  return corpus;
}

ProductCorpus existing_corpus(const BenchOptions& options) {
  return {.home = bench_home(options), .name = corpus_name(options, false)};
}

Result<Settings> two_list_settings(const BenchOptions& options) {
  BenchOptions with_default = options;
  with_default.settings.insert(with_default.settings.begin(), "retrieve.late=false");
  return settings_of(with_default);
}

Result<std::unique_ptr<Engine>> open_engine(const ProductCorpus& corpus, const Settings& settings) {
  return Engine::open({.home = corpus.home, .corpus = corpus.name, .settings = settings});
}

Result<std::vector<std::string>> ids_of_rows(const Engine& engine,
                                             const std::vector<BenchPassage>& passages) {
  const auto documents = by_document(passages);
  std::vector<std::string> ids(engine.index().row_limit());
  Result<void> failed;
  const auto visit = [&](const StoredPassage& stored, const StoredVersion& version) {
    const auto row = engine.index().row_of(stored.id);
    const auto found = documents.find(version.external_id);
    if (!row || found == documents.end()) {
      failed = fail(ErrorCode::kInternal, "'" + version.external_id + "' is not of this corpus");
      return false;
    }
    std::uint64_t start = 0;
    std::uint64_t most = 0;
    for (const BenchPassage* part : found->second) {
      const std::uint64_t end = start + part->text.size();
      const std::uint64_t from = std::max<std::uint64_t>(start, stored.passage.bytes.start);
      const std::uint64_t until = std::min<std::uint64_t>(end, stored.passage.bytes.end);
      if (until > from && until - from > most) {
        most = until - from;
        ids[*row] = part->id;
      }
      start = end + kBetweenParagraphs.size();
    }
    return true;
  };
  TRY(engine.store().for_each_passage(engine.generation().number, visit));
  TRY(failed);
  return ids;
}

}  // namespace beleg
