#include "ingest/index_build.h"

#include <string>
#include <system_error>

#include "base/file.h"
#include "document/release_date.h"
#include "index/embedding_payload.h"
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

std::unexpected<Error> missing_vectors(const StoredVersion& version) {
  return fail(ErrorCode::kNotFound,
              "the vectors of a passage of '" + version.external_id + "' are not in the pack",
              "run `beleg ingest` again: it encodes what is missing");
}

Result<std::uint32_t> dims_of(const EmbeddingPack& pack, const StoredPassage& passage,
                              const StoredVersion& version) {
  const auto where = pack.find(passage.embedding_key);
  if (!where) return missing_vectors(version);
  const auto payload = TRY(pack.payload(*where));
  const EmbeddingView view = TRY(view_embedding(payload));
  return view.dims;
}

Result<void> add_passage(IndexBuilder& builder, const EmbeddingPack& pack,
                         const StoredPassage& passage, const StoredVersion& version) {
  const auto where = pack.find(passage.embedding_key);
  if (!where) return missing_vectors(version);
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

/// The compound lexicon of all German texts of a generation.
Result<std::shared_ptr<const CompoundLexicon>> collect_lexicon(CorpusStore& store,
                                                               Generation generation) {
  CompoundLexiconBuilder builder;
  VersionId last{0};
  TRY(store.for_each_passage(generation, PassageId{0},
                             [&](const StoredPassage&, const StoredVersion& version) {
                               const bool again = version.version == last;
                               last = version.version;
                               if (!again && version.content.meta.language == "de") {
                                 builder.add_text(version.content.meta.title);
                                 builder.add_text(version.content.text);
                               }
                               return true;
                             }));
  return builder.build();
}

/// The compound lexicon that a generation's index must use. A generation that is being built gets a
/// new one where none fits.
Result<std::shared_ptr<const CompoundLexicon>> lexicon_for(CorpusStore& store,
                                                           Generation generation,
                                                           std::size_t passages) {
  const auto known = TRY(store.lexicon(generation));
  const bool building = store.building() == generation;
  if (known) {
    const auto then = store.passage_ids(known->first);
    // A lexicon of half the corpus or more knows its words well enough.
    const bool outgrown =
        building && known->first != generation && then && 2 * then->size() < passages;
    // One that is damaged is made anew; `beleg audit` reports it.
    auto lexicon = outgrown ? nullptr : read_compound_lexicon(known->second);
    if (lexicon != nullptr) return lexicon;
  }
  auto lexicon = TRY(collect_lexicon(store, generation));
  if (building) TRY(store.put_lexicon(lexicon->serialize()));
  return lexicon;
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
                         std::uint32_t dims, const IndexBase& base) {
  const std::vector<PassageId> passages = TRY(store.passage_ids(generation));
  IndexForm form{.dims = dims,
                 .pack = pack_path(store.folder()),
                 .compounds = TRY(lexicon_for(store, generation, passages.size())),
                 .title_weight = base.weights.title_weight,
                 .heading_weight = base.weights.heading_weight};
  const std::filesystem::path folder = index_path(store.folder(), generation);
  TRY(create_directories_durably(folder.parent_path()));
  const auto builder = IndexBuilder::create(std::move(form), folder);
  PassageId first{0};
  if (base.parent) first = builder->keep(index_path(store.folder(), *base.parent), passages);
  Result<void> added;
  TRY(store.for_each_passage(generation, first,
                             [&](const StoredPassage& passage, const StoredVersion& version) {
                               added = add_passage(*builder, pack, passage, version);
                               return added.has_value();
                             }));
  if (!added) return added;
  return builder->write();
}

Result<std::uint32_t> embedding_dims(CorpusStore& store, const EmbeddingPack& pack,
                                     Generation generation) {
  Result<std::uint32_t> dims = 1;
  TRY(store.for_each_passage(generation,
                             [&](const StoredPassage& passage, const StoredVersion& version) {
                               dims = dims_of(pack, passage, version);
                               return false;
                             }));
  return dims;
}

Result<void> ensure_index(CorpusStore& store, Generation generation) {
  std::error_code status;
  if (generation == Generation{0}) return {};
  if (std::filesystem::exists(index_path(store.folder(), generation), status)) return {};
  const auto pack = TRY(EmbeddingPack::open_reader(pack_path(store.folder())));
  const std::uint32_t dims = TRY(embedding_dims(store, *pack, generation));
  return build_index(store, *pack, generation, dims);
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
  if (auto readable = store.check_readable(generation); !readable) {
    // Rolled back or purged meanwhile: what was just built must not outlive it.
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
    return std::unexpected(std::move(readable.error()));
  }
  if (rebuilt != nullptr) *rebuilt = true;
  return IndexSnapshot::open(folder, pack_file);
}

void remove_indexes(const std::filesystem::path& corpus_folder) {
  std::error_code ignored;
  std::filesystem::remove_all(corpus_folder / "index", ignored);
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
