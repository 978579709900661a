#include "ingest/document_removal.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/file.h"
#include "ingest/index_build.h"
#include "store/embedding_pack.h"

namespace beleg {
namespace {

Result<DocumentHead> find_document(const std::vector<DocumentHead>& heads, const std::string& id,
                                   const std::optional<std::string>& source) {
  const std::string name = "'" + printable_path(std::filesystem::path(id)) + "'";
  const DocumentHead* found = nullptr;
  for (const DocumentHead& head : heads) {
    if (head.external_id != id || (source && head.source != *source)) continue;
    if (found != nullptr) {
      return fail(ErrorCode::kInvalidArgument,
                  name + " is in the sources " + printable_path(found->source) + " and " +
                      printable_path(head.source),
                  "say which with --source");
    }
    found = &head;
  }
  if (found == nullptr) {
    return fail(ErrorCode::kNotFound,
                "the corpus has no document " + name +
                    (source ? " of source " + printable_path(*source) : std::string()),
                "`beleg corpus documents` lists them");
  }
  return *found;
}

/// What the next ingest compares (how texts are cut and encoded) is as it was.
std::string stats_json(const GenerationInfo& before, std::size_t removed) {
  nlohmann::json stats = {{"added", 0}, {"changed", 0}, {"removed", removed}};
  const auto old = nlohmann::json::parse(before.stats_json, nullptr, false);
  for (const char* field : {"cut", "encoder", "encoder_sha256"}) {
    if (old.is_object() && old.contains(field)) stats[field] = old[field];
  }
  return stats.dump();
}

Result<GenerationInfo> remove_and_build(CorpusStore& store, const GenerationInfo& before,
                                        Generation next,
                                        const std::vector<DocumentHead>& documents) {
  const auto pack = TRY(EmbeddingPack::open_reader(pack_path(store.folder())));
  const std::uint32_t dims = TRY(embedding_dims(store, *pack, before.number));
  for (const DocumentHead& document : documents) TRY(store.stage_removal(document.document));
  // No vector has moved: what is left of the segments stays.
  TRY(build_index(store, *pack, next, dims, {.parent = before.number}));
  return store.commit(stats_json(before, documents.size()));
}

}  // namespace

Result<RemovalSummary> remove_documents(CorpusStore& store, const std::vector<std::string>& ids,
                                        const std::optional<std::string>& source) {
  const Generation next = TRY(store.begin());
  const auto removed = [&]() -> Result<RemovalSummary> {
    const GenerationInfo before = TRY(store.current());
    const std::vector<DocumentHead> heads = TRY(store.heads(before.number));
    RemovalSummary summary;
    std::set<DocumentId> chosen;
    for (const std::string& id : ids) {
      DocumentHead document = TRY(find_document(heads, id, source));
      if (chosen.insert(document.document).second) summary.removed.push_back(std::move(document));
    }
    summary.generation = TRY(remove_and_build(store, before, next, summary.removed));
    return summary;
  }();
  if (!removed) {
    static_cast<void>(store.abandon());
    return removed;
  }
  remove_stale_indexes(store.folder(), removed->generation);
  return removed;
}

}  // namespace beleg
