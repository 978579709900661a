#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/file.h"
#include "index/embedding_payload.h"
#include "index/index_snapshot.h"
#include "index/rows.h"
#include "index/section_file.h"

namespace beleg {

inline constexpr SectionFileKind kTokenFile{"BELEGTOK", 1};

/// Where the payload of a row stands in the embedding pack.
struct TokenRow {
  std::uint64_t payload = 0;  ///< Bytes from the start of the pack.
  std::uint32_t tokens = 0;
  std::uint32_t context_tokens = 0;
};
static_assert(sizeof(TokenRow) == 16);

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
  /// Rows that have payloads.
  [[nodiscard]] std::uint32_t dims() const { return dims_; }

  /// `weights` of the question's tokens, as token_weights() makes them.
  [[nodiscard]] std::vector<RowHit> search(const QueryVectors& query,
                                           std::span<const float> weights, std::size_t k,
                                           const RowFilter* filter) const;
  [[nodiscard]] std::vector<float> score(const QueryVectors& query, std::span<const float> weights,
                                         std::span<const Row> rows) const;
  /// Rows that have a token, and rows that have any.
  [[nodiscard]] std::uint32_t rows_with(TokenId token) const;
  [[nodiscard]] std::uint32_t rows_with_tokens() const { return rows_with_tokens_; }
  /// The tokens of a row; empty when its payload is damaged.
  [[nodiscard]] std::span<const TokenId> tokens_of(Row row) const;
  [[nodiscard]] IndexSnapshot::TokenSimilarities similarities(const QueryVectors& query,
                                                              Row row) const;
  /// One line per row whose payload is damaged.
  [[nodiscard]] std::vector<std::string> verify_payloads() const;

 private:
  struct PreparedQuery;
  [[nodiscard]] std::optional<PreparedQuery> prepare(const QueryVectors& query,
                                                     std::span<const float> weights) const;
  [[nodiscard]] const std::byte* codes_of(const TokenRow& row) const;
  [[nodiscard]] float score_row(const PreparedQuery& query, const TokenRow& row) const;

  SectionFile file_;
  MappedFile pack_;
  std::uint32_t dims_ = 0;
  std::span<const TokenRow> rows_;
  std::span<const TokenId> frequency_ids_;      // Ascending.
  std::span<const std::uint32_t> frequencies_;  // Rows that have the token.
  std::uint32_t rows_with_tokens_ = 0;
};

/// Collects rows and token frequencies and writes the file.
class TokenIndexBuilder {
 public:
  explicit TokenIndexBuilder(std::uint32_t dims) : dims_(dims) {}
  void add(const EmbeddingView& view, std::uint64_t payload_offset);
  Result<void> write(const std::filesystem::path& path, IndexIdentity identity) const;

 private:
  std::uint32_t dims_;
  std::vector<TokenRow> rows_;
  std::unordered_map<TokenId, std::uint32_t> frequencies_;
  std::uint32_t rows_with_tokens_ = 0;
};

}  // namespace beleg
