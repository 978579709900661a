#include "store/purge_survey.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "store/corpus_store.h"
#include "store/truth_reader.h"

namespace beleg {
namespace {

using Json = nlohmann::json;

Result<std::vector<VersionId>> read_ids(SqliteDatabase& database, std::string_view sql,
                                        Generation generation) {
  auto row = TRY(database.prepare(sql));
  row.bind(generation);
  std::vector<VersionId> ids;
  while (TRY(row.step())) ids.push_back(row.id<VersionId>(0));
  return ids;
}

Result<std::int64_t> count(SqliteDatabase& database, std::string_view sql, Generation generation) {
  auto row = TRY(database.prepare(sql));
  row.bind(generation);
  if (!TRY(row.step())) return fail(ErrorCode::kInternal, "a count without a row");
  return row.integer(0);
}

/// What describes a version, without its text.
std::vector<std::string> words_of(const StoredVersion& version) {
  const DocumentMetadata& meta = version.content.meta;
  std::vector<std::string> words = {version.source, version.external_id, version.origin,
                                    meta.id,        meta.title,          meta.url,
                                    meta.source,    meta.story,          meta.domain};
  for (const auto* list : {&meta.authors, &meta.tags, &version.content.warnings}) {
    words.insert(words.end(), list->begin(), list->end());
  }
  return words;
}

Result<std::vector<Sha256>> read_keys(SqliteDatabase& database,
                                      const std::vector<VersionId>& versions) {
  auto row = TRY(database.prepare("SELECT embedding_key FROM passage WHERE version = ?1"));
  std::vector<Sha256> keys;
  for (const VersionId version : versions) {
    row.bind(version);
    while (TRY(row.step())) keys.push_back(TRY(row.sha256(0)));
  }
  std::ranges::sort(keys);
  keys.erase(std::ranges::unique(keys).begin(), keys.end());
  return keys;
}

constexpr std::string_view kDeadVersions =
    "SELECT id FROM version INDEXED BY version_to WHERE to_generation <= ?1";

Result<PurgeScope> read_scope(SqliteDatabase& database) {
  PurgeScope scope;
  scope.generation = TRY(read_current_generation(database)).number;
  scope.documents =
      TRY(count(database,
                "SELECT count(*) FROM document d WHERE d.from_generation <= ?1 AND NOT EXISTS"
                " (SELECT 1 FROM version v WHERE v.document = d.id AND v.from_generation <= ?1"
                " AND (v.to_generation IS NULL OR v.to_generation > ?1))",
                scope.generation));
  scope.failures = TRY(database.query_integer("SELECT count(*) FROM dead_letter"));
  scope.resumes =
      TRY(database.query_integer("SELECT count(*) FROM purge WHERE state = 'begun'")) > 0;
  return scope;
}

/// Every `stride`-th window of the dead texts, so that there are not too many.
Result<std::size_t> stride_of(SqliteDatabase& database, Generation generation) {
  const std::int64_t bytes =
      TRY(count(database,
                "SELECT coalesce(sum(length(CAST(c.text AS BLOB))), 0) FROM version v"
                " JOIN content c ON c.version = v.id WHERE v.to_generation <= ?1",
                generation));
  return static_cast<std::size_t>(1 + bytes / kMaxRemnantWindows);
}

Result<void> add_dead(SqliteDatabase& database, const std::vector<VersionId>& versions,
                      std::size_t stride, RemnantSearch& remnants) {
  for (const VersionId id : versions) {
    const StoredVersion version = TRY(read_version(database, id));
    remnants.add_text(version.content.text, stride);
    for (const std::string& word : words_of(version)) remnants.add_word(word);
  }
  return {};
}

Result<void> exclude_living(SqliteDatabase& database, const std::vector<VersionId>& versions,
                            RemnantSearch& remnants) {
  for (const VersionId id : versions) {
    const StoredVersion version = TRY(read_version(database, id));
    remnants.exclude(version.content.text);
    remnants.exclude(metadata_to_json(version.content.meta));
    for (const std::string& word : words_of(version)) remnants.exclude(word);
  }
  return {};
}

/// What the records may name and quote.
class LivingDocuments {
 public:
  static Result<LivingDocuments> read(SqliteDatabase& database, Generation generation) {
    LivingDocuments living(database);
    for (const DocumentHead& head : TRY(read_heads(database, generation))) {
      living.versions_[head.external_id].push_back(head.version);
      living.titles_.insert(TRY(read_version(database, head.version)).content.meta.title);
    }
    return living;
  }

  [[nodiscard]] bool has_document(const std::string& id) const { return versions_.contains(id); }
  [[nodiscard]] bool has_title(const std::string& title) const { return titles_.contains(title); }
  Result<bool> has_quote(const std::string& id, const std::string& quote) const {
    const auto found = versions_.find(id);
    if (found == versions_.end()) return false;
    for (const VersionId version : found->second) {
      if (TRY(read_version(database_, version)).content.text.find(quote) != std::string::npos) {
        return true;
      }
    }
    return false;
  }

 private:
  explicit LivingDocuments(SqliteDatabase& database) : database_(database) {}
  SqliteDatabase& database_;
  std::map<std::string, std::vector<VersionId>, std::less<>> versions_;  // By external id.
  std::set<std::string, std::less<>> titles_;
};

const std::string* text_field(const Json& object, const char* name) {
  const auto field = object.find(name);
  if (field == object.end() || !field->is_string()) return nullptr;
  return &field->get_ref<const std::string&>();
}

/// What an object says about the document that it names.
Result<bool> describes_living(const Json& object, const LivingDocuments& living) {
  const std::string* document = text_field(object, "document");
  if (document == nullptr) return true;
  if (!living.has_document(*document)) return false;
  const std::string* title = text_field(object, "title");
  if (title != nullptr && !living.has_title(*title)) return false;
  const std::string* quote = text_field(object, "quote");
  return quote == nullptr || TRY(living.has_quote(*document, *quote));
}

Result<bool> is_living(const Json& json, const LivingDocuments& living,
                       const RemnantSearch& remnants) {
  if (json.is_string()) {
    return !remnants.find(json.get_ref<const std::string&>(), RemnantSearch::Words::kAll);
  }
  if (json.is_object() && !TRY(describes_living(json, living))) return false;
  for (const Json& part : json) {
    if (part.is_primitive() && !part.is_string()) continue;
    if (!TRY(is_living(part, living, remnants))) return false;
  }
  return true;
}

Result<bool> is_living_record(std::string_view text, const LivingDocuments& living,
                              const RemnantSearch& remnants) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_structured()) return is_living(json, living, remnants);
  return !remnants.find(text, RemnantSearch::Words::kAll);
}

}  // namespace

Result<PurgeSurvey> survey_purge(SqliteDatabase& database) {
  const auto snapshot = TRY(SqliteTransaction::begin_read(database));
  PurgeSurvey survey;
  survey.scope = TRY(read_scope(database));
  const Generation generation = survey.scope.generation;
  const std::vector<VersionId> dead = TRY(read_ids(database, kDeadVersions, generation));
  const std::vector<VersionId> living = TRY(read_visible_versions(database, generation));
  survey.scope.versions = static_cast<std::int64_t>(dead.size());
  const std::size_t stride = TRY(stride_of(database, generation));
  TRY(add_dead(database, dead, stride, survey.remnants));
  survey.living_keys = TRY(read_keys(database, living));
  std::vector<Sha256> dead_keys;
  std::ranges::set_difference(TRY(read_keys(database, dead)), survey.living_keys,
                              std::back_inserter(dead_keys));
  for (const Sha256& key : dead_keys) {
    const auto* bytes = reinterpret_cast<const char*>(key.bytes.data());
    survey.remnants.add_text({bytes, RemnantSearch::kWindowBytes}, 1);
  }
  TRY(exclude_living(database, living, survey.remnants));
  return survey;
}

Result<DeadRecords> find_dead_records(SqliteDatabase& database, Generation generation,
                                      const RemnantSearch& remnants) {
  const auto snapshot = TRY(SqliteTransaction::begin_read(database));
  const LivingDocuments living = TRY(LivingDocuments::read(database, generation));
  DeadRecords dead;
  {
    auto row = TRY(database.prepare("SELECT sha256, json FROM receipt"));
    while (TRY(row.step())) {
      if (!TRY(is_living_record(row.text(1), living, remnants))) {
        dead.receipts.emplace_back(row.text(0));
      }
    }
  }
  auto row = TRY(database.prepare("SELECT sequence, json FROM trace"));
  while (TRY(row.step())) {
    if (!TRY(is_living_record(row.text(1), living, remnants))) {
      dead.traces.push_back(row.integer(0));
    }
  }
  return dead;
}

}  // namespace beleg
