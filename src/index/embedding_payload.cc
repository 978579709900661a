#include "index/embedding_payload.h"

#include <algorithm>
#include <cstring>

#include "base/hash.h"
#include "index/payload_layout.h"
#include "index/token_codes.h"

namespace beleg {
namespace {

std::uint64_t header_checksum(const PayloadHeader& header) {
  return checksum64(
      std::as_bytes(std::span(&header, 1)).first(offsetof(PayloadHeader, header_checksum)));
}

std::unexpected<Error> malformed(std::string_view why) {
  return fail(ErrorCode::kCorrupt, "an embedding payload is damaged: " + std::string(why),
              "encode the corpus again");
}

}  // namespace

std::vector<std::byte> pack_embedding(const EncodedText& encoded) {
  const auto dims = static_cast<std::uint32_t>(encoded.dense.size());
  // A vector for each token, or the token does not count: no reader can run past the end.
  const std::size_t with_vectors = dims == 0 ? 0 : encoded.token_vectors.size() / dims;
  const std::size_t tokens = std::min(encoded.tokens.size(), with_vectors);

  PayloadHeader header;
  header.dims = dims;
  header.tokens = static_cast<std::uint32_t>(tokens);
  header.context_tokens = std::min(encoded.context_tokens, static_cast<std::uint32_t>(tokens));
  const PayloadLayout layout(dims, header.tokens);
  header.size = layout.size;

  std::vector<std::byte> payload(layout.size);
  if (dims > 0) {
    std::memcpy(payload.data() + layout.dense, encoded.dense.data(), dims * sizeof(float));
  }
  const std::vector<std::byte> codes =
      token_codes::encode(std::span(encoded.token_vectors).first(tokens * dims), dims);
  std::copy(codes.begin(), codes.end(),
            payload.begin() + static_cast<std::ptrdiff_t>(layout.codes));
  for (std::size_t t = 0; t < tokens; ++t) {
    const TokenId id = encoded.tokens[t].id;
    std::memcpy(payload.data() + layout.token_ids + t * sizeof id, &id, sizeof id);
  }
  header.body_checksum = checksum64(std::span(payload).subspan(sizeof header));
  header.header_checksum = header_checksum(header);
  std::memcpy(payload.data(), &header, sizeof header);
  return payload;
}

Result<EmbeddingView> view_embedding(std::span<const std::byte> payload) {
  PayloadHeader header;
  if (payload.size() < sizeof header) return malformed("it is shorter than its header");
  std::memcpy(&header, payload.data(), sizeof header);
  if (header.magic != kPayloadMagic) return malformed("it does not start with BEP1");
  if (header.version != kPayloadVersion || header.codec != kRotated4Bit) {
    return malformed("its version is " + std::to_string(header.version) + " and its codec " +
                     std::to_string(header.codec) + "; this build reads version " +
                     std::to_string(kPayloadVersion) + ", codec " + std::to_string(kRotated4Bit));
  }
  if (header_checksum(header) != header.header_checksum) {
    return malformed("the checksum of its header is wrong");
  }
  if (header.dims > kMaxDims || header.context_tokens > header.tokens ||
      (header.dims == 0 && header.tokens > 0)) {
    return malformed("its header contradicts itself");
  }
  const PayloadLayout layout(header.dims, header.tokens);
  if (layout.size != header.size || payload.size() < layout.size) {
    return malformed("it has " + std::to_string(payload.size()) + " bytes, not " +
                     std::to_string(layout.size));
  }
  if (reinterpret_cast<std::uintptr_t>(payload.data()) % alignof(float) != 0) {
    return fail(ErrorCode::kInvalidArgument,
                "an embedding payload must start at a multiple of four bytes",
                "copy it to aligned memory first");
  }
  EmbeddingView view;
  view.dims = header.dims;
  view.tokens = header.tokens;
  view.context_tokens = header.context_tokens;
  view.dense = {reinterpret_cast<const float*>(payload.data() + layout.dense), header.dims};
  view.codes = payload.subspan(layout.codes, layout.token_ids - layout.codes);
  view.token_ids = {reinterpret_cast<const TokenId*>(payload.data() + layout.token_ids),
                    header.tokens};
  return view;
}

bool embedding_is_intact(std::span<const std::byte> payload) {
  if (!view_embedding(payload)) return false;
  PayloadHeader header;
  std::memcpy(&header, payload.data(), sizeof header);
  return checksum64(payload.first(header.size).subspan(sizeof header)) == header.body_checksum;
}

}  // namespace beleg
