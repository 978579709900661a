#include "index/segment.h"

#include "index/embedding_payload.h"
#include "index/index_files.h"

namespace beleg {

Result<IndexSegment> IndexSegment::open(const std::filesystem::path& folder,
                                        const std::filesystem::path& pack) {
  RowTable table = TRY(RowTable::open(folder / index_files::kRows));
  LexicalSegment lexical = TRY(LexicalSegment::open(folder / index_files::kLexical));
  DenseIndex dense = TRY(DenseIndex::open(folder / index_files::kDense));
  TokenIndex tokens = TRY(TokenIndex::open(folder / index_files::kTokens, pack));
  IndexSegment segment{std::move(table), std::move(lexical), std::move(dense), std::move(tokens)};
  for (const SectionFile* file : segment.files()) {
    if (file->identity() != segment.identity()) return file->damaged("it belongs to other rows");
  }
  if (segment.lexical.parts().size() != kLexicalParts) {
    return segment.lexical.file().damaged("it does not have three parts");
  }
  if (segment.dense.dims() != segment.tokens.dims()) {
    return segment.dense.file().damaged("its vectors have other dimensions than the token vectors");
  }
  return segment;
}

SegmentBuilder::SegmentBuilder(std::uint32_t dims, const LexicalForm& form)
    : dims_(dims), lexical_(form), dense_(dims), tokens_(dims) {}

Result<void> SegmentBuilder::add(const RowAttributes& attributes, const IndexedText& text,
                                 std::span<const std::byte> payload, std::uint64_t offset) {
  const EmbeddingView view = TRY(view_embedding(payload));
  if (view.dims != dims_) {
    return fail(ErrorCode::kInvalidArgument,
                "an embedding payload has " + std::to_string(view.dims) +
                    " dimensions, the index has " + std::to_string(dims_),
                "encode the corpus with one model");
  }
  if (offset % alignof(float) != 0) {
    return fail(ErrorCode::kInvalidArgument, "an embedding payload is at offset " +
                                                 std::to_string(offset) +
                                                 " of its pack, which is no multiple of four");
  }
  const auto row = static_cast<Row>(table_.rows());
  TRY(table_.add(attributes));
  lexical_.add(row, attributes.language, text);
  dense_.add(view.dense);
  tokens_.add(view, offset);
  return {};
}

std::size_t SegmentBuilder::memory() const {
  constexpr std::size_t kBytesPerRow = 256;  // Of the other tables, about.
  return lexical_.memory() + rows() * (std::size_t{dims_} * sizeof(float) + kBytesPerRow);
}

Result<void> SegmentBuilder::write(const std::filesystem::path& folder,
                                   const std::filesystem::path& pack) {
  const IndexIdentity identity = table_.identity();
  TRY(table_.write(folder / index_files::kRows));
  TRY(lexical_.write(folder / index_files::kLexical, identity));
  TRY(dense_.write(folder / index_files::kDense, identity));
  TRY(tokens_.write(folder / index_files::kTokens, pack, identity));
  return sync_directory(folder);
}

}  // namespace beleg
