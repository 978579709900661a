// Late interaction as a retriever: pruned against exhaustive search, on a corpus that was ingested.
//
//   token_bench --corpus HOME/corpora/NAME --model e5-small-q4.bin --questions queries.jsonl
//               [--qrels qrels.tsv] [--limit N] [--k 100] [--copies N --scratch FOLDER]
//
// Builds the token index of the corpus' current generation anew (in the scratch folder, by default
// that of temporary files), encodes the questions and prints one JSON line. `--copies` repeats the
// corpus that many times with noise in the codes, to time larger ones; quality then means nothing.

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "eval/metrics.h"
#include "index/kernels.h"
#include "index/payload_layout.h"
#include "index/token_index.h"
#include "ingest/index_build.h"
#include "model/encoder.h"
#include "store/corpus_store.h"
#include "store/embedding_pack.h"

namespace beleg {
namespace {

double cpu_milliseconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

struct Options {
  std::map<std::string, std::string> values;
  [[nodiscard]] std::string text(const std::string& name, const std::string& otherwise = "") const {
    const auto found = values.find(name);
    return found == values.end() ? otherwise : found->second;
  }
  [[nodiscard]] std::size_t number(const std::string& name, std::size_t otherwise) const {
    const auto found = values.find(name);
    return found == values.end() ? otherwise : std::strtoull(found->second.c_str(), nullptr, 10);
  }
};

struct Question {
  std::string id;
  QueryVectors vectors;
};

/// Evenly spaced questions of the file, encoded.
Result<std::vector<Question>> encode_questions(const Options& options) {
  const auto encoder = TRY(open_e5_encoder(options.text("model"), {.threads = 1}));
  std::ifstream in(options.text("questions"));
  std::vector<nlohmann::json> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(nlohmann::json::parse(line));
  if (lines.empty()) return fail(ErrorCode::kInvalidArgument, "there are no questions");
  const std::size_t count = std::min(lines.size(), options.number("limit", lines.size()));
  std::vector<Question> questions;
  for (std::size_t i = 0; i < count; ++i) {
    const nlohmann::json& line = lines[i * lines.size() / count];
    const std::string text = line.at("text");
    const EncoderInput input{.role = InputRole::kQuery, .context = {}, .text = text};
    EncodedText encoded = std::move(TRY(encoder->encode(std::span(&input, 1))).at(0));
    Question question{line.at("_id"), {}};
    question.vectors.dense = std::move(encoded.dense);
    question.vectors.token_vectors = std::move(encoded.token_vectors);
    for (const Token& token : encoded.tokens) question.vectors.tokens.push_back(token.id);
    questions.push_back(std::move(question));
  }
  return questions;
}

/// Rows of the corpus, a pack that has them, and the document of each.
struct Corpus {
  std::filesystem::path pack;
  std::vector<std::string> documents;
  std::vector<PackLocation> places;
  std::uint32_t dims = 0;
};

Result<Corpus> read_corpus(const std::filesystem::path& folder) {
  Corpus corpus;
  corpus.pack = pack_path(folder);
  const auto store = TRY(CorpusStore::open(folder));
  const auto pack = TRY(EmbeddingPack::open_reader(corpus.pack));
  const GenerationInfo generation = TRY(store->current());
  TRY(store->for_each_passage(generation.number,
                              [&](const StoredPassage& passage, const StoredVersion& version) {
                                const auto place = pack->find(passage.embedding_key);
                                if (!place) return true;
                                corpus.documents.push_back(version.external_id);
                                corpus.places.push_back(*place);
                                return true;
                              }));
  if (corpus.places.empty()) return fail(ErrorCode::kNotFound, "the corpus has no vectors");
  const std::span<const std::byte> payload = TRY(pack->payload(corpus.places[0]));
  corpus.dims = TRY(view_embedding(payload)).dims;
  return corpus;
}

/// Writes a pack of `copies` noisy copies of each payload: every code moves by one step or stays.
Result<void> multiply(Corpus& corpus, std::size_t copies, const std::filesystem::path& target) {
  const MappedFile pack = TRY(MappedFile::open(corpus.pack));
  std::ofstream out(target, std::ios::binary | std::ios::trunc);
  std::vector<PackLocation> places;
  std::uint64_t random = 1;
  std::uint64_t offset = 0;
  for (std::size_t copy = 0; copy < copies; ++copy) {
    for (const PackLocation& place : corpus.places) {
      const auto bytes = pack.bytes().subspan(place.offset, place.size);
      std::vector<std::byte> payload(bytes.begin(), bytes.end());
      const EmbeddingView view = TRY(view_embedding(payload));
      const PayloadLayout layout(view.dims, view.tokens);
      const std::size_t group_bytes = token_codes::groups(view.dims) * token_codes::kGroupBytes;
      for (std::size_t b = 0; copy > 0 && b < token_codes::blocks(view.tokens); ++b) {
        std::byte* const block =
            payload.data() + layout.codes + b * token_codes::block_bytes(view.dims);
        for (std::size_t i = 0; i < group_bytes; ++i) {
          random = random * 6364136223846793005U + 1442695040888963407U;
          const auto value = std::to_integer<unsigned>(block[i]);
          const auto moved = [](unsigned code, unsigned step) {
            return std::min(15U, code + step) - (step == 0 && code > 0 ? 1U : 0U);
          };
          block[i] = static_cast<std::byte>(moved(value & 15U, (random >> 33U) % 3 % 2) |
                                            moved(value >> 4U, (random >> 40U) % 3 % 2) << 4U);
        }
      }
      places.push_back({offset, place.size});
      out.write(reinterpret_cast<const char*>(payload.data()),
                static_cast<std::streamsize>(payload.size()));
      offset += payload.size();
    }
  }
  out.close();
  if (!out) return fail(ErrorCode::kIo, "cannot write " + target.string());
  const std::vector<std::string> documents = corpus.documents;
  for (std::size_t copy = 1; copy < copies; ++copy) {
    corpus.documents.insert(corpus.documents.end(), documents.begin(), documents.end());
  }
  corpus.places = std::move(places);
  corpus.pack = target;
  return {};
}

Result<void> build(const Corpus& corpus, const std::filesystem::path& target) {
  const MappedFile pack = TRY(MappedFile::open(corpus.pack));
  TokenIndexBuilder builder(corpus.dims);
  for (const PackLocation& place : corpus.places) {
    builder.add(TRY(view_embedding(pack.bytes().subspan(place.offset, place.size))), place.offset);
  }
  return builder.write(target, corpus.pack, {.rows = corpus.places.size(), .build = 1});
}

double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values.empty()
             ? 0.0
             : values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

double overlap(const std::vector<RowHit>& a, const std::vector<RowHit>& b, std::size_t depth) {
  std::vector<Row> first;
  for (std::size_t i = 0; i < std::min(depth, a.size()); ++i) first.push_back(a[i].row);
  std::sort(first.begin(), first.end());
  std::size_t shared = 0;
  for (std::size_t i = 0; i < std::min(depth, b.size()); ++i) {
    shared += std::binary_search(first.begin(), first.end(), b[i].row) ? 1U : 0U;
  }
  return first.empty() ? 1.0 : static_cast<double>(shared) / static_cast<double>(first.size());
}

/// Documents by their best row.
std::vector<RankedDocument> documents_of(const std::vector<RowHit>& hits, const Corpus& corpus) {
  std::vector<RankedDocument> ranked;
  std::map<std::string, bool> seen;
  for (const RowHit& hit : hits) {
    const std::string& document = corpus.documents[hit.row];
    if (!seen.emplace(document, true).second) continue;
    ranked.push_back({document, static_cast<double>(hit.score)});
  }
  return ranked;
}

struct Measured {
  std::vector<double> milliseconds;
  Run run;
};

Result<void> run(const Options& options) {
  const std::filesystem::path scratch = options.text("scratch", "/tmp");
  const std::filesystem::path file =
      scratch / ("token_bench." + std::to_string(::getpid()) + ".idx");
  Corpus corpus = TRY(read_corpus(options.text("corpus")));
  if (const std::size_t copies = options.number("copies", 1); copies > 1) {
    TRY(multiply(corpus, copies, scratch / "token_bench.pack"));
  }
  const double before = cpu_milliseconds();
  TRY(build(corpus, file));
  const double build_seconds = (cpu_milliseconds() - before) / 1e3;
  const TokenIndex index = TRY(TokenIndex::open(file, corpus.pack));
  const std::vector<Question> questions = TRY(encode_questions(options));
  const std::size_t k = options.number("k", 100);

  Measured exhaustive;
  Measured pruned;
  std::vector<double> rerank;
  double overlap10 = 0.0;
  double overlap100 = 0.0;
  double question_tokens = 0.0;
  for (const Question& question : questions) {
    double start = cpu_milliseconds();
    const std::vector<RowHit> all = index.search_exhaustive(question.vectors, k, nullptr);
    exhaustive.milliseconds.push_back(cpu_milliseconds() - start);
    start = cpu_milliseconds();
    const std::vector<RowHit> some = index.search(question.vectors, k, nullptr);
    pruned.milliseconds.push_back(cpu_milliseconds() - start);
    std::vector<Row> rows(25);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i] = static_cast<Row>((i * 7919 + rerank.size() * 104729) % index.rows());
    }
    start = cpu_milliseconds();
    (void)index.score(question.vectors, rows);
    rerank.push_back(cpu_milliseconds() - start);
    overlap10 += overlap(all, some, 10);
    overlap100 += overlap(all, some, 100);
    question_tokens += static_cast<double>(question.vectors.tokens.size());
    exhaustive.run[question.id] = documents_of(all, corpus);
    pruned.run[question.id] = documents_of(some, corpus);
  }
  const auto count = static_cast<double>(questions.size());
  std::uint64_t tokens = 0;
  std::uint64_t payload_bytes = 0;
  for (const PackLocation& place : corpus.places) payload_bytes += place.size;
  for (Row row = 0; row < index.rows(); ++row) tokens += index.tokens_of(row);
  nlohmann::ordered_json report = {
      {"rows", index.rows()},
      {"tokens", tokens},
      {"questions", questions.size()},
      {"question_tokens", question_tokens / count},
      {"kernels", best_kernels().name},
      {"k", k},
      {"strategy", TokenIndex::name(index.strategy(k, nullptr))},
      {"exhaustive_cpu_ms",
       {quantile(exhaustive.milliseconds, 0.5), quantile(exhaustive.milliseconds, 0.99)}},
      {"search_cpu_ms", {quantile(pruned.milliseconds, 0.5), quantile(pruned.milliseconds, 0.99)}},
      {"rerank_25_cpu_ms", {quantile(rerank, 0.5), quantile(rerank, 0.99)}},
      {"overlap_10", overlap10 / count},
      {"overlap_100", overlap100 / count},
      {"build_cpu_seconds", build_seconds},
      {"index_bytes_per_passage", index.file().size() / index.rows()},
      {"payload_bytes_per_passage", payload_bytes / index.rows()}};
  if (!options.text("qrels").empty()) {
    std::ifstream in(options.text("qrels"));
    std::ostringstream content;
    content << in.rdbuf();
    Qrels qrels = TRY(parse_qrels(content.str(), options.text("qrels")));
    std::erase_if(qrels, [&](const auto& entry) { return !exhaustive.run.contains(entry.first); });
    report["ndcg_10_exhaustive"] = evaluate_run(exhaustive.run, qrels, 10).mean.ndcg;
    report["ndcg_10_search"] = evaluate_run(pruned.run, qrels, 10).mean.ndcg;
  }
  std::printf("%s\n", report.dump().c_str());
  std::filesystem::remove(file);
  return {};
}

}  // namespace
}  // namespace beleg

int main(int argc, char** argv) {
  beleg::Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strncmp(argv[i], "--", 2) == 0) options.values[argv[i] + 2] = argv[i + 1];
  }
  for (const char* name : {"corpus", "model", "questions"}) {
    if (options.text(name).empty()) {
      std::fprintf(stderr, "token_bench: --%s is missing; see the head of token_bench.cc\n", name);
      return 2;
    }
  }
  const beleg::Result<void> done = beleg::run(options);
  if (!done) {
    std::fprintf(stderr, "token_bench: %s\n", done.error().message.c_str());
    return 1;
  }
  return 0;
}
