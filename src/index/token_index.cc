#include "index/token_index.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <system_error>
#include <thread>

#include "index/kernels.h"
#include "index/payload_layout.h"
#include "index/token_codes.h"
#include "index/top_k.h"

namespace beleg {
namespace {

enum TokenSection : std::uint32_t {
  kTokenMeta = 1,
  kTokenRows = 2,
  kTokenFrequencyIds = 3,
  kTokenFrequencies = 4,
};

struct TokenMeta {
  std::uint32_t dims = 0;
  std::uint32_t rows_with_tokens = 0;
};

/// Candidates that a pruned search scores, at least, and for each hit that is wanted.
constexpr std::size_t kMinCandidates = 300;
constexpr std::size_t kCandidatesPerHit = 3;
constexpr std::size_t kRowsPerTask = 64;       // One word of a filter.
constexpr std::size_t kRowsForThreads = 2048;  // Below, a thread costs more than it saves.

float clamp_cosine(float value) {
  // The comparison is false for NaN (a damaged scale), which so becomes the lowest score.
  return value > -1.0F ? std::min(value, 1.0F) : -1.0F;
}

/// Every payload lies inside a pack of `size` bytes.
Result<void> check_places(std::span<const TokenRow> rows, std::uint32_t dims,
                          std::uint64_t pack_size, const std::filesystem::path& pack) {
  for (const TokenRow& row : rows) {
    const std::uint64_t size = PayloadLayout(dims, row.tokens).size;
    if (row.payload > pack_size || size > pack_size - row.payload || row.payload % 4 != 0) {
      return fail(ErrorCode::kCorrupt,
                  printable_path(pack) + " has " + std::to_string(pack_size) +
                      " bytes; the index expects a payload of " + std::to_string(size) +
                      " bytes at " + std::to_string(row.payload),
                  "rebuild the index from the corpus");
    }
  }
  return {};
}

}  // namespace

std::vector<float> token_weights(std::span<const std::uint32_t> rows_with,
                                 std::uint32_t rows_with_tokens) {
  std::vector<float> weights;
  weights.reserve(rows_with.size());
  double total = 0.0;
  const double rows = rows_with_tokens;
  for (const std::uint32_t with : rows_with) {
    // A token that no passage has counts as if one had it: measured better than leaving it out. A
    // damaged table may claim more rows than there are.
    const double frequency = std::min(std::max(1.0, static_cast<double>(with)), rows);
    weights.push_back(static_cast<float>(std::log1p((rows - frequency + 0.5) / (frequency + 0.5))));
    total += weights.back();
  }
  for (float& weight : weights) weight = static_cast<float>(weight / total);
  return weights;
}

struct TokenIndex::PreparedQuery {
  CodedQuery codes;
  std::vector<float> weights;  // Of the question's tokens, times their scale.
};

Result<TokenIndex> TokenIndex::open(const std::filesystem::path& path,
                                    const std::filesystem::path& pack) {
  TokenIndex index;
  index.file_ = TRY(SectionFile::open(path, kTokenFile));
  const SectionFile& file = index.file_;
  const TokenMeta meta = TRY(file.values<TokenMeta>(kTokenMeta, 0, 1))[0];
  if (meta.dims > kMaxDims) return file.damaged("its dimensions make no sense");
  index.dims_ = meta.dims;
  index.rows_with_tokens_ = meta.rows_with_tokens;
  index.rows_ = TRY(file.values<TokenRow>(kTokenRows, 0, file.identity().rows));
  const std::size_t distinct = TRY(file.bytes(kTokenFrequencyIds, 0)).size() / sizeof(TokenId);
  index.frequency_ids_ = TRY(file.values<TokenId>(kTokenFrequencyIds, 0, distinct));
  index.frequencies_ = TRY(file.values<std::uint32_t>(kTokenFrequencies, 0, distinct));

  std::uint64_t tokens = 0;
  for (const TokenRow& row : index.rows_) tokens += row.tokens;
  index.mean_tokens_ = index.rows_.empty() ? 0 : tokens / index.rows_.size();
  index.candidates_ = TRY(TokenCandidates::open(file, meta.dims));
  if (!index.rows_.empty()) index.pack_ = TRY(MappedFile::open(pack));
  TRY(check_places(index.rows_, meta.dims, index.pack_.size(), pack));
  return index;
}

const std::byte* TokenIndex::codes_of(const TokenRow& row) const {
  return pack_.bytes().data() + row.payload + PayloadLayout(dims_, row.tokens).codes;
}

std::uint32_t TokenIndex::rows_with(TokenId token) const {
  const auto found = std::lower_bound(frequency_ids_.begin(), frequency_ids_.end(), token);
  if (found == frequency_ids_.end() || *found != token) return 0;
  return frequencies_[static_cast<std::size_t>(found - frequency_ids_.begin())];
}

std::span<const TokenId> TokenIndex::token_ids_of(Row row) const {
  if (row >= rows_.size()) return {};
  const TokenRow& place = rows_[row];
  const auto view =
      view_embedding(pack_.bytes().subspan(place.payload, PayloadLayout(dims_, place.tokens).size));
  return view ? view->token_ids : std::span<const TokenId>();
}

std::vector<float> TokenIndex::weights(std::span<const TokenId> tokens) const {
  std::vector<std::uint32_t> with;
  with.reserve(tokens.size());
  for (const TokenId token : tokens) with.push_back(rows_with(token));
  return token_weights(with, rows_with_tokens_);
}

std::optional<TokenIndex::PreparedQuery> TokenIndex::prepare(const QueryVectors& query) const {
  if (dims_ == 0 || query.tokens.empty() ||
      query.token_vectors.size() != query.tokens.size() * dims_) {
    return std::nullopt;
  }
  std::optional<PreparedQuery> prepared(PreparedQuery{
      CodedQuery(query.token_vectors, dims_, best_kernels().max_chunk),
      query.weights.size() == query.tokens.size() ? query.weights : weights(query.tokens)});
  for (std::size_t t = 0; t < prepared->weights.size(); ++t) {
    prepared->weights[t] *= prepared->codes.scales()[t];
  }
  return prepared;
}

float TokenIndex::score_row(const PreparedQuery& query, const TokenRow& row) const {
  if (row.tokens == 0) return -1.0F;
  const Kernels& kernels = best_kernels();
  const std::size_t groups = token_codes::groups(dims_);
  const std::size_t blocks = token_codes::blocks(row.tokens);
  const std::byte* const codes = codes_of(row);
  float score = 0.0F;
  std::array<float, CodedQuery::kMaxChunk> best;
  for (const CodedQuery::Chunk& chunk : query.codes.chunks()) {
    best.fill(std::numeric_limits<float>::lowest());
    kernels.raise_best(chunk, codes, blocks, groups, best.data());
    for (std::uint32_t t = 0; t < chunk.count; ++t) {
      score += query.weights[chunk.first + t] * best[t];
    }
  }
  return clamp_cosine(score);
}

TokenIndex::Strategy TokenIndex::strategy(std::size_t k, const RowFilter* filter) const {
  if (candidates_.empty() || k > rows() / kCandidatesPerHit) return Strategy::kExhaustive;
  // Scoring the candidates alone costs this much: a question for many hits is scored in full
  // sooner.
  const std::uint64_t limit =
      std::max(kExhaustiveTokens, std::uint64_t{k} * kCandidatesPerHit * mean_tokens_);
  std::uint64_t tokens = 0;
  for (std::size_t first = 0; first < rows(); first += kRowsPerTask) {
    const std::uint64_t word =
        filter == nullptr ? ~std::uint64_t{0} : filter->words()[first / kRowsPerTask];
    const std::size_t end = std::min(rows(), first + kRowsPerTask);
    for (std::size_t row = first; word != 0 && row < end; ++row) {
      if (((word >> (row - first)) & 1U) != 0) tokens += rows_[row].tokens;
    }
    if (tokens > limit) return Strategy::kPruned;
  }
  return Strategy::kExhaustive;
}

std::string_view TokenIndex::name(Strategy strategy) {
  return strategy == Strategy::kPruned ? "pruned" : "exhaustive";
}

std::vector<RowHit> TokenIndex::search(const QueryVectors& query, std::size_t k,
                                       const RowFilter* filter) const {
  if (k == 0 || (filter != nullptr && filter->rows() != rows())) return {};
  const std::optional<PreparedQuery> prepared = prepare(query);
  if (!prepared) return {};
  if (strategy(k, filter) == Strategy::kPruned) {
    std::vector<RowHit> hits = score_candidates(*prepared, query.dense, k, filter);
    if (hits.size() == k) return hits;
  }
  return score_all(*prepared, k, filter);
}

std::vector<std::vector<RowHit>> TokenIndex::search_batch(
    std::span<const QueryVectors* const> queries, std::size_t k, const RowFilter* filter) const {
  std::vector<std::vector<RowHit>> lists;
  lists.reserve(queries.size());
  for (const QueryVectors* query : queries) lists.push_back(search(*query, k, filter));
  return lists;
}

std::vector<RowHit> TokenIndex::search_exhaustive(const QueryVectors& query, std::size_t k,
                                                  const RowFilter* filter) const {
  if (k == 0 || (filter != nullptr && filter->rows() != rows())) return {};
  const std::optional<PreparedQuery> prepared = prepare(query);
  return prepared ? score_all(*prepared, k, filter) : std::vector<RowHit>{};
}

std::vector<RowHit> TokenIndex::score_candidates(const PreparedQuery& query,
                                                 std::span<const float> dense, std::size_t k,
                                                 const RowFilter* filter) const {
  const std::size_t count = std::max(kMinCandidates, kCandidatesPerHit * k);
  TopK best(k);
  for (const Row row : candidates_.find({query.codes, query.weights, dense}, count, filter)) {
    if (rows_[row].tokens > 0) best.push({row, score_row(query, rows_[row])});
  }
  return best.take();
}

std::vector<RowHit> TokenIndex::score_all(const PreparedQuery& query, std::size_t k,
                                          const RowFilter* filter) const {
  std::atomic<std::size_t> next_task{0};
  const auto work = [&](TopK& best) {
    while (true) {
      const std::size_t first = next_task.fetch_add(kRowsPerTask, std::memory_order_relaxed);
      if (first >= rows()) return;
      const std::size_t end = std::min(rows(), first + kRowsPerTask);
      for (std::size_t row = first; row < end; ++row) {
        if (filter != nullptr && !filter->allows(static_cast<Row>(row))) continue;
        // A row without tokens (an empty passage) does not match.
        if (rows_[row].tokens == 0) continue;
        best.push({static_cast<Row>(row), score_row(query, rows_[row])});
      }
    }
  };

  TopK best(k);
  const std::size_t candidates = filter == nullptr ? rows() : filter->count();
  if (candidates <= kRowsForThreads || std::thread::hardware_concurrency() < 2) {
    work(best);
    return best.take();
  }
  TopK second(k);
  std::thread helper;
  try {
    helper = std::thread([&] { work(second); });
  } catch (const std::system_error&) {  // NOLINT(bugprone-empty-catch): handled below.
    // No thread to be had: this one does all.
  }
  work(best);
  if (helper.joinable()) helper.join();
  best.merge(second);
  return best.take();
}

std::vector<float> TokenIndex::score(const QueryVectors& query, std::span<const Row> rows) const {
  std::vector<float> scores(rows.size(), -1.0F);
  const std::optional<PreparedQuery> prepared = prepare(query);
  if (!prepared) return scores;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] < rows_.size()) scores[i] = score_row(*prepared, rows_[rows[i]]);
  }
  return scores;
}

IndexSnapshot::TokenSimilarities TokenIndex::similarities(const QueryVectors& query,
                                                          Row row) const {
  IndexSnapshot::TokenSimilarities result;
  if (row >= rows_.size()) return result;
  const TokenRow& place = rows_[row];
  result.row_tokens = place.tokens;
  result.context_tokens = std::min(place.context_tokens, place.tokens);
  const std::optional<PreparedQuery> prepared = prepare(query);
  if (!prepared || place.tokens == 0) return result;

  const std::size_t blocks = token_codes::blocks(place.tokens);
  const std::size_t stride = blocks * token_codes::kBlockTokens;
  std::vector<float> products(CodedQuery::kMaxChunk * stride);
  result.cosine.resize(query.tokens.size() * place.tokens);
  for (const CodedQuery::Chunk& chunk : prepared->codes.chunks()) {
    best_kernels().products(chunk, codes_of(place), blocks, token_codes::groups(dims_),
                            products.data(), stride);
    for (std::uint32_t t = 0; t < chunk.count; ++t) {
      const float scale = prepared->codes.scales()[chunk.first + t];
      float* const out = result.cosine.data() + std::size_t{chunk.first + t} * place.tokens;
      for (std::uint32_t i = 0; i < place.tokens; ++i) {
        out[i] = clamp_cosine(products[t * stride + i] * scale);
      }
    }
  }
  return result;
}

std::vector<std::string> TokenIndex::verify_payloads() const {
  std::vector<std::string> findings;
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    const TokenRow& place = rows_[row];
    const std::uint64_t size = PayloadLayout(dims_, place.tokens).size;
    const std::span<const std::byte> payload = pack_.bytes().subspan(place.payload, size);
    const Result<EmbeddingView> view = view_embedding(payload);
    if (!view || view->tokens != place.tokens || view->context_tokens != place.context_tokens ||
        view->dims != dims_ || !embedding_is_intact(payload)) {
      findings.push_back("the embedding payload of row " + std::to_string(row) + " at offset " +
                         std::to_string(place.payload) + " of the pack is damaged");
    }
  }
  return findings;
}

void TokenIndexBuilder::add(const EmbeddingView& view, std::uint64_t payload_offset) {
  rows_.push_back({payload_offset, view.tokens, view.context_tokens});
  tokens_ += view.tokens;
  if (dims_ > 0) dense_.append(token_codes::encode(view.dense, dims_).data(), 0);
  if (view.tokens == 0) return;
  ++rows_with_tokens_;
  std::vector<TokenId> distinct(view.token_ids.begin(), view.token_ids.end());
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  for (const TokenId id : distinct) ++frequencies_[id];
}

Result<void> TokenIndexBuilder::write(const std::filesystem::path& path,
                                      const std::filesystem::path& pack,
                                      IndexIdentity identity) const {
  CandidateSections candidates;
  if (tokens_ >= kExhaustiveTokens) {
    const MappedFile mapped = TRY(MappedFile::open(pack));
    TRY(check_places(rows_, dims_, mapped.size(), pack));
    candidates = build_candidates(rows_, mapped.bytes(), dims_, dense_.bytes());
  }
  std::vector<std::pair<TokenId, std::uint32_t>> sorted(frequencies_.begin(), frequencies_.end());
  std::sort(sorted.begin(), sorted.end());
  std::vector<TokenId> ids;
  std::vector<std::uint32_t> counts;
  for (const auto& [id, count] : sorted) {
    ids.push_back(id);
    counts.push_back(count);
  }
  const std::vector<TokenMeta> meta{{dims_, rows_with_tokens_}};
  SectionFileWriter file(kTokenFile, identity);
  file.add_values(kTokenMeta, 0, meta);
  file.add_values(kTokenRows, 0, rows_);
  file.add_values(kTokenFrequencyIds, 0, ids);
  file.add_values(kTokenFrequencies, 0, counts);
  candidates.add_to(file);
  return file.write(path);
}

}  // namespace beleg
