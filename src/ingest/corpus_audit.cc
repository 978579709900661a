#include "ingest/corpus_audit.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "ingest/embedder.h"
#include "ingest/index_build.h"
#include "store/embedding_pack.h"
#include "store/version_audit.h"
#include "text/analyzer.h"

namespace beleg {
namespace {

void compare(CorpusAudit& audit, const std::string& what, std::size_t count) {
  if (!audit.counted) return;
  if (static_cast<std::int64_t>(count) != audit.truth.passages) {
    audit.findings.push_back(std::to_string(audit.truth.passages) + " passages but " +
                             std::to_string(count) + " " + what);
  }
}

Result<void> audit_lexicon(CorpusAudit& audit, CorpusStore& store) {
  const auto lexicon = TRY(store.lexicon(audit.generation));
  if (lexicon && read_compound_lexicon(lexicon->second) == nullptr) {
    audit.findings.push_back(
        "the compound lexicon in truth.db is damaged (the next `beleg ingest` that changes "
        "something makes it anew)");
  }
  return {};
}

/// The derived index is checked apart from the truth: what is wrong in it can be built again.
void audit_index(CorpusAudit& audit, const CorpusStore& store) {
  const auto index =
      IndexSnapshot::open(index_path(store.folder(), audit.generation), pack_path(store.folder()));
  if (!index) {
    audit.findings.push_back(index.error().message + " (the next `beleg ask` builds it again)");
    return;
  }
  audit.index = (*index)->counts();
  compare(audit, "index rows", audit.index.rows);
  compare(audit, "lexical entries", audit.index.lexical);
  compare(audit, "vectors", audit.index.dense);
  compare(audit, "token entries", audit.index.tokens);
  for (const std::string& finding : (*index)->verify()) {
    audit.findings.push_back(finding + " (delete " +
                             index_path(store.folder(), audit.generation).string() +
                             ": the next question builds it again)");
  }
}

Result<void> audit_pack(CorpusAudit& audit, CorpusStore& store) {
  const auto pack = EmbeddingPack::open_reader(pack_path(store.folder()));
  if (!pack) {
    audit.findings.push_back(pack.error().message);
    return {};
  }
  audit.embeddings = (*pack)->size();
  if ((*pack)->unreadable_bytes() > 0) {
    audit.findings.push_back(std::to_string((*pack)->unreadable_bytes()) +
                             " bytes of embeddings.pack are damaged (the next `beleg ingest` mends "
                             "it)");
  }
  for (const Sha256& key : TRY((*pack)->damaged())) {
    audit.findings.push_back("the embedding " + key.hex().substr(0, 16) +
                             " is damaged (ingest again, which encodes its text anew)");
  }
  std::size_t missing = 0;
  TRY(store.for_each_embedding_key(
      audit.generation, [&](const Sha256& key) { missing += (*pack)->find(key) ? 0 : 1; }));
  if (missing > 0) {
    audit.findings.push_back(std::to_string(missing) + " passages have no embedding");
  }
  return {};
}

/// The model whose vectors the passages of a generation have; empty where the ingest did not say.
std::optional<Sha256> model_of(const GenerationInfo& generation) {
  const auto stats = nlohmann::json::parse(generation.stats_json, nullptr, false);
  if (!stats.is_object()) return std::nullopt;
  const auto hash = Sha256::from_hex(stats.value("encoder_sha256", std::string()));
  return hash ? std::optional<Sha256>(*hash) : std::nullopt;
}

/// The embedding key of a passage is a hash over its text, its headings and the title: it tells
/// whether span and headings are those that were stored. The id is in the hashed metadata as well.
Result<void> audit_passages(CorpusAudit& audit, CorpusStore& store, const GenerationInfo& current) {
  const std::optional<Sha256> model = model_of(current);
  std::optional<VersionId> last;
  return store.for_each_passage(current.number, [&](const StoredPassage& passage,
                                                    const StoredVersion& version) {
    const std::string name = std::to_string(static_cast<std::int64_t>(version.version));
    if (last != version.version && version.external_id != version.content.meta.id) {
      audit.findings.push_back("version " + name + ": its document is called " +
                               version.external_id + ", its metadata " + version.content.meta.id);
    }
    last = version.version;
    const ByteSpan bytes = passage.passage.bytes;
    const std::string_view text =
        std::string_view(version.content.text).substr(bytes.start, bytes.size());
    const std::string context = retrieval_context(version.content.meta, passage.passage);
    if (model && embedding_key(*model, context, text) != passage.embedding_key) {
      audit.findings.push_back(
          "version " + name + ": passage " + std::to_string(static_cast<std::int64_t>(passage.id)) +
          " has other text or headings than those it was stored with (restore a backup, or "
          "remove the document and ingest it again)");
    }
    return true;
  });
}

}  // namespace

Result<CorpusAudit> audit_corpus(CorpusStore& store) {
  CorpusAudit audit;
  const GenerationInfo current = TRY(store.current());
  audit.generation = current.number;
  audit.findings = TRY(store.check_integrity(audit.generation));
  audit.answer_findings = TRY(store.check_answers());
  if (const auto counts = store.counts(audit.generation)) {
    audit.truth = *counts;
    audit.counted = true;
  } else {
    TRY(damage_as_finding(std::unexpected(counts.error()), audit.findings));
  }
  if (audit.truth.orphans > 0) {
    audit.findings.push_back(std::to_string(audit.truth.orphans) + " orphaned rows");
  }
  if (audit.generation == Generation{0}) return audit;  // Nothing was ever ingested.
  TRY(damage_as_finding(audit_lexicon(audit, store), audit.findings));
  TRY(damage_as_finding(audit_passages(audit, store, current), audit.findings));
  audit_index(audit, store);
  TRY(damage_as_finding(audit_pack(audit, store), audit.findings));
  return audit;
}

}  // namespace beleg
