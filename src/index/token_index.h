#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/file.h"
#include "index/centroid_set.h"
#include "index/embedding_payload.h"
#include "index/index_snapshot.h"
#include "index/rows.h"
#include "index/section_file.h"
#include "index/token_candidates.h"
#include "index/token_row.h"

namespace beleg {

inline constexpr SectionFileKind kTokenFile{"BELEGTOK", 2};

/// Inverse document frequencies of tokens, made to sum to 1. `rows_with` as many as `tokens`.
[[nodiscard]] std::vector<float> token_weights(std::span<const std::uint32_t> rows_with,
                                               std::uint32_t rows_with_tokens);

/// Late interaction over the token vectors, which stay in the embedding pack. Thread-safe.
class TokenIndex {
 public:
  /// Checks that every row's payload lies inside the pack. A pack that no row needs may be absent.
  static Result<TokenIndex> open(const std::filesystem::path& path,
                                 const std::filesystem::path& pack);

  [[nodiscard]] const SectionFile& file() const { return file_; }
  [[nodiscard]] std::size_t rows() const { return rows_.size(); }
  /// Of a vector; 0 in an index without rows.
  [[nodiscard]] std::uint32_t dims() const { return dims_; }
  /// How many token vectors a row has.
  [[nodiscard]] std::uint32_t tokens_of(Row row) const { return rows_[row].tokens; }

  /// How search() finds its rows: `exhaustive` scores all that are allowed, `pruned` only the
  /// candidates of the first stage (see TokenCandidates). Depends on what the allowed rows and `k`
  /// cost, never on the question. A pruned search that found fewer than `k` rows goes on
  /// exhaustively.
  enum class Strategy : std::uint8_t { kExhaustive, kPruned };
  [[nodiscard]] Strategy strategy(std::size_t k, const RowFilter* filter) const;
  /// `exhaustive` or `pruned`, for explain.
  [[nodiscard]] static std::string_view name(Strategy strategy);

  /// The best `k` allowed rows that have tokens; fewer only when there are fewer. A pruned search
  /// may miss rows; the scores of those it finds have the bits of score().
  [[nodiscard]] std::vector<RowHit> search(const QueryVectors& query, std::size_t k,
                                           const RowFilter* filter) const;
  /// The same for each of several questions.
  [[nodiscard]] std::vector<std::vector<RowHit>> search_batch(
      std::span<const QueryVectors* const> queries, std::size_t k, const RowFilter* filter) const;
  /// The same without a first stage, whatever it costs. For measurements.
  [[nodiscard]] std::vector<RowHit> search_exhaustive(const QueryVectors& query, std::size_t k,
                                                      const RowFilter* filter) const;
  [[nodiscard]] std::vector<float> score(const QueryVectors& query,
                                         std::span<const Row> rows) const;
  /// Rows that have a token, and rows that have any.
  [[nodiscard]] std::uint32_t rows_with(TokenId token) const;
  [[nodiscard]] std::uint32_t rows_with_tokens() const { return rows_with_tokens_; }
  /// The tokens of a row; empty when its payload is damaged.
  [[nodiscard]] std::span<const TokenId> token_ids_of(Row row) const;
  /// The weights that the rows of this file alone give to tokens.
  [[nodiscard]] std::vector<float> weights(std::span<const TokenId> tokens) const;
  [[nodiscard]] IndexSnapshot::TokenSimilarities similarities(const QueryVectors& query,
                                                              Row row) const;
  /// One line per row whose payload is damaged.
  [[nodiscard]] std::vector<std::string> verify_payloads() const;

 private:
  struct PreparedQuery;
  [[nodiscard]] std::optional<PreparedQuery> prepare(const QueryVectors& query) const;
  [[nodiscard]] const std::byte* codes_of(const TokenRow& row) const;
  [[nodiscard]] std::vector<RowHit> score_all(const PreparedQuery& query, std::size_t k,
                                              const RowFilter* filter) const;
  [[nodiscard]] std::vector<RowHit> score_candidates(const PreparedQuery& query,
                                                     std::span<const float> dense, std::size_t k,
                                                     const RowFilter* filter) const;
  [[nodiscard]] float score_row(const PreparedQuery& query, const TokenRow& row) const;

  SectionFile file_;
  MappedFile pack_;
  std::uint32_t dims_ = 0;
  std::span<const TokenRow> rows_;
  std::span<const TokenId> frequency_ids_;      // Ascending.
  std::span<const std::uint32_t> frequencies_;  // Rows that have the token.
  std::uint32_t rows_with_tokens_ = 0;
  std::uint64_t mean_tokens_ = 0;  // Of a row.
  TokenCandidates candidates_;
};

/// Collects rows and token frequencies and writes the file.
class TokenIndexBuilder {
 public:
  explicit TokenIndexBuilder(std::uint32_t dims) : dims_(dims), dense_(dims) {}
  void add(const EmbeddingView& view, std::uint64_t payload_offset);
  /// `pack` is the file that has the payloads at the offsets that were added; token vectors are
  /// read from it again when there are enough rows for a first stage. kCorrupt when a payload is
  /// not inside it.
  Result<void> write(const std::filesystem::path& path, const std::filesystem::path& pack,
                     IndexIdentity identity) const;

 private:
  std::uint32_t dims_;
  std::vector<TokenRow> rows_;
  std::uint64_t tokens_ = 0;
  CodedTokens dense_;  // Of each row.
  std::unordered_map<TokenId, std::uint32_t> frequencies_;
  std::uint32_t rows_with_tokens_ = 0;
};

}  // namespace beleg
