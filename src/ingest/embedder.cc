#include "ingest/embedder.h"

#include <algorithm>

#include "index/embedding_payload.h"

namespace beleg {

std::string retrieval_context(const DocumentMetadata& meta, const Passage& passage) {
  std::string context = meta.title;
  for (const std::string& heading : passage.heading_path) {
    if (heading == meta.title) continue;
    if (!context.empty()) context += ". ";
    context += heading;
  }
  return context;
}

Sha256 embedding_key(const Sha256& model_hash, std::string_view context, std::string_view text) {
  Sha256Hasher hasher;
  hasher.update_field("beleg passage embedding 1");
  hasher.update_field(model_hash.hex());
  hasher.update_field(context);
  hasher.update_field(text);
  return hasher.finish();
}

Embedder::Embedder(const Encoder& encoder, EmbeddingPack& pack, std::size_t batch_passages)
    : encoder_(encoder), pack_(pack), batch_passages_(std::max<std::size_t>(1, batch_passages)) {}

bool Embedder::has(const Sha256& key) const {
  const auto where = pack_.find(key);
  return where && pack_.payload(*where).has_value();
}

Result<void> Embedder::add(const Sha256& key, std::string context, std::string text) {
  const bool waits = std::any_of(waiting_.begin(), waiting_.end(),
                                 [&key](const Waiting& w) { return w.key == key; });
  if (waits || has(key)) {
    ++reused_;
    return {};
  }
  waiting_.push_back({key, std::move(context), std::move(text)});
  if (waiting_.size() >= batch_passages_) TRY(encode_waiting());
  return {};
}

Result<void> Embedder::encode_waiting() {
  std::vector<EncoderInput> inputs;
  inputs.reserve(waiting_.size());
  for (const Waiting& w : waiting_) {
    inputs.push_back({.role = InputRole::kPassage, .context = w.context, .text = w.text});
  }
  const std::vector<EncodedText> encoded = TRY(encoder_.encode(inputs));
  for (std::size_t i = 0; i < encoded.size(); ++i) {
    TRY(pack_.append(waiting_[i].key, pack_embedding(encoded[i])));
    truncated_ += encoded[i].truncated ? 1 : 0;
  }
  encoded_ += encoded.size();
  waiting_.clear();
  return {};
}

Result<void> Embedder::finish() {
  if (!waiting_.empty()) TRY(encode_waiting());
  return pack_.sync();
}

}  // namespace beleg
