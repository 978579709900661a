#include "ingest/index_build.h"

#include <string>
#include <system_error>

#include "base/file.h"
#include "document/release_date.h"
#include "text/utf8.h"

namespace beleg {
namespace {

/// Index and pack of up to so many bytes together are proved to the last byte whenever they are
/// opened: 2 ms for 8 MiB, so less than 20 at most. Larger ones are for `beleg audit`.
constexpr std::uintmax_t kProvedOnOpening = std::uintmax_t{64} << 20U;

/// What is wrong with an index that could be opened, or empty.
Result<std::string> fault_of(const IndexSnapshot& index, CorpusStore& store, Generation generation,
                             const std::filesystem::path& pack) {
  // The folder could be a copy of another generation's.
  if (index.passage_fingerprint() != TRY(store.passage_fingerprint(generation))) {
    return std::string("it is the index of other passages");
  }
  std::error_code status;
  const std::uintmax_t pack_bytes = std::filesystem::file_size(pack, status);
  if (status || pack_bytes + index.counts().bytes > kProvedOnOpening) return std::string();
  const std::vector<std::string> findings = index.verify();
  return findings.empty() ? std::string() : findings.front();
}

RowAttributes attributes_of(const StoredPassage& passage, const StoredVersion& version) {
  const DocumentMetadata& meta = version.content.meta;
  RowAttributes row;
  row.passage = passage.id;
  row.version = version.version;
  row.document = version.document;
  if (const auto date = release_date(meta)) row.published = date->time;
  row.language = meta.language;
  row.source = meta.source;
  row.story = meta.story.empty() ? version.external_id : meta.story;
  row.domain = meta.domain;
  row.access = meta.access;
  return row;
}

Result<void> add_passage(IndexBuilder& builder, const EmbeddingPack& pack,
                         const StoredPassage& passage, const StoredVersion& version) {
  const auto where = pack.find(passage.embedding_key);
  if (!where) {
    return fail(ErrorCode::kNotFound,
                "the vectors of a passage of '" + version.external_id + "' are not in the pack",
                "run `beleg ingest` again: it encodes what is missing");
  }
  const auto payload = TRY(pack.payload(*where));
  std::string headings;
  for (const std::string& heading : passage.passage.heading_path) {
    if (!headings.empty()) headings += "\n";
    headings += heading;
  }
  const ByteSpan bytes = passage.passage.bytes;
  const std::string_view body =
      std::string_view(version.content.text).substr(bytes.start, bytes.size());
  return builder.add(attributes_of(passage, version),
                     {.title = version.content.meta.title, .headings = headings, .body = body},
                     payload, where->offset);
}

}  // namespace

std::filesystem::path pack_path(const std::filesystem::path& corpus_folder) {
  return corpus_folder / "embeddings.pack";
}

std::filesystem::path index_path(const std::filesystem::path& corpus_folder,
                                 Generation generation) {
  return corpus_folder / "index" / std::to_string(static_cast<std::int64_t>(generation));
}

Result<void> build_index(CorpusStore& store, const EmbeddingPack& pack, Generation generation,
                         std::uint32_t dims) {
  const auto builder = IndexBuilder::create(dims);
  Result<void> added;
  TRY(store.for_each_passage(generation,
                             [&](const StoredPassage& passage, const StoredVersion& version) {
                               added = add_passage(*builder, pack, passage, version);
                               return added.has_value();
                             }));
  if (!added) return added;
  const std::filesystem::path folder = index_path(store.folder(), generation);
  TRY(create_directories_durably(folder.parent_path()));
  return builder->write(folder);
}

Result<std::shared_ptr<const IndexSnapshot>> open_or_rebuild_index(CorpusStore& store,
                                                                   Generation generation,
                                                                   std::uint32_t dims,
                                                                   bool* rebuilt) {
  const std::filesystem::path folder = index_path(store.folder(), generation);
  const std::filesystem::path pack_file = pack_path(store.folder());
  if (rebuilt != nullptr) *rebuilt = false;
  auto snapshot = IndexSnapshot::open(folder, pack_file);
  if (snapshot) {
    std::string fault = TRY(fault_of(**snapshot, store, generation, pack_file));
    if (fault.empty()) return snapshot;
    snapshot = fail(ErrorCode::kCorrupt, std::move(fault));
  }
  const auto pack = TRY(EmbeddingPack::open_reader(pack_file));
  auto built = build_index(store, *pack, generation, dims);
  if (!built) {
    return std::unexpected(built.error().with_context(
        "the index of generation " + std::to_string(static_cast<std::int64_t>(generation)) +
        " is damaged (" + snapshot.error().message + ") and could not be built again"));
  }
  if (rebuilt != nullptr) *rebuilt = true;
  return IndexSnapshot::open(folder, pack_file);
}

void remove_stale_indexes(const std::filesystem::path& corpus_folder,
                          const GenerationInfo& current) {
  std::error_code code;
  const auto keep_current = index_path(corpus_folder, current.number).filename();
  const auto keep_parent = index_path(corpus_folder, current.parent).filename();
  for (const auto& entry : std::filesystem::directory_iterator(corpus_folder / "index", code)) {
    const auto name = entry.path().filename();
    if (name == keep_current || name == keep_parent) continue;
    std::filesystem::remove_all(entry.path(), code);
  }
}

}  // namespace beleg
