#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "base/result.h"
#include "document/document.h"
#include "model/encoder.h"
#include "passage/passage.h"
#include "store/embedding_pack.h"

namespace beleg {

/// What is encoded before a passage's text so that it can be understood by itself: title and
/// headings. Not part of what can be cited.
[[nodiscard]] std::string retrieval_context(const DocumentMetadata& meta, const Passage& passage);

/// Identity of a passage's vectors: model, context and text. Whoever writes the same passage again
/// finds them in the pack.
[[nodiscard]] Sha256 embedding_key(const Sha256& model_hash, std::string_view context,
                                   std::string_view text);

/// Encodes passages in batches and keeps the results in the pack. What is there already is not
/// encoded again. Not thread-safe; the encoder and the pack must outlive it.
class Embedder {
 public:
  Embedder(const Encoder& encoder, EmbeddingPack& pack, std::size_t batch_passages);

  /// Takes a passage; encodes and stores when a batch is full.
  Result<void> add(const Sha256& key, std::string context, std::string text);
  /// True when the passage's vectors are there and undamaged; reads them.
  [[nodiscard]] bool has(const Sha256& key) const;
  /// Encodes what is waiting and flushes the pack to the device.
  Result<void> finish();

  [[nodiscard]] std::size_t encoded() const { return encoded_; }
  [[nodiscard]] std::size_t reused() const { return reused_; }
  [[nodiscard]] std::size_t truncated() const { return truncated_; }

 private:
  struct Waiting {
    Sha256 key;
    std::string context;
    std::string text;
  };
  Result<void> encode_waiting();

  const Encoder& encoder_;
  EmbeddingPack& pack_;
  std::size_t batch_passages_;
  std::vector<Waiting> waiting_;
  std::size_t encoded_ = 0;
  std::size_t reused_ = 0;
  std::size_t truncated_ = 0;
};

}  // namespace beleg
