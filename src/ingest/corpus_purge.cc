#include "ingest/corpus_purge.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

#include "base/file.h"
#include "ingest/corpus_backup.h"
#include "ingest/index_build.h"
#include "store/corpus_store.h"
#include "store/embedding_pack.h"
#include "store/pack_rewrite.h"
#include "store/truth_purge.h"

namespace beleg {
namespace {

constexpr std::size_t kReadBytes = std::size_t{4} << 20U;

bool lives(const PurgeSurvey& survey, const Sha256& key) {
  return std::ranges::binary_search(survey.living_keys, key);
}

/// A purge rebuilds the index, for which every living vector must be there. Before, not after.
Result<void> check_living_vectors(const std::filesystem::path& pack_file,
                                  const PurgeSurvey& survey) {
  if (survey.living_keys.empty()) return {};
  const auto pack = TRY(EmbeddingPack::open_reader(pack_file));
  for (const Sha256& key : survey.living_keys) {
    const auto where = pack->find(key);
    if (where && pack->payload(*where)) continue;
    return fail(where ? ErrorCode::kCorrupt : ErrorCode::kNotFound,
                "the vectors of a passage are " +
                    std::string(where ? "damaged" : "not in the pack") + "; nothing was erased",
                "run `beleg ingest` first, which encodes what is missing");
  }
  return {};
}

/// What stands in the corpus folder that no corpus needs: what killed processes left, and the
/// indexes of other generations.
std::vector<std::filesystem::path> left_overs(const std::filesystem::path& folder,
                                              Generation current) {
  std::vector<std::filesystem::path> paths;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    const bool temporary = name.starts_with("truth.db.tmp.") ||
                           name.starts_with("embeddings.new.") ||
                           name.find(".tmp.") != std::string::npos;
    if (temporary) paths.push_back(entry.path());
  }
  const std::filesystem::path keep = index_path(folder, current).filename();
  for (const auto& entry : std::filesystem::directory_iterator(folder / "index", ignored)) {
    if (entry.path().filename() != keep) paths.push_back(entry.path());
  }
  return paths;
}

Result<std::size_t> remove_left_overs(const std::filesystem::path& folder, Generation current) {
  std::size_t removed = 0;
  for (const std::filesystem::path& path : left_overs(folder, current)) {
    std::error_code status;
    std::filesystem::remove_all(path, status);
    if (status) {
      return fail(ErrorCode::kIo, "cannot remove " + printable_path(path) + ": " + status.message(),
                  "check its permissions, then run the purge again");
    }
    ++removed;
  }
  return removed;
}

/// The index of the current generation, from living texts alone.
Result<void> rebuild_index(const std::filesystem::path& folder, const PurgeSurvey& survey) {
  const Generation current = survey.scope.generation;
  if (current == Generation{0}) return {};
  const auto store = TRY(CorpusStore::open(folder));
  const auto pack = TRY(EmbeddingPack::open_reader(pack_path(folder)));
  const std::uint32_t dims = TRY(embedding_dims(*store, *pack, current));
  return build_index(*store, *pack, current, dims);
}

/// Looks through one file in windows that overlap by what a remnant may need.
Result<void> check_file(const std::filesystem::path& path, const PurgeSurvey& survey, bool is_index,
                        PurgeReport& report) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return fail(ErrorCode::kIo, "cannot read " + printable_path(path) + " to check it",
                "check its permissions, then run the purge again");
  }
  const auto words = is_index ? RemnantSearch::Words::kDistinctive : RemnantSearch::Words::kAll;
  std::string buffer;
  std::uint64_t start = 0;  // Of the buffer in the file.
  while (true) {
    const std::size_t kept = buffer.size();
    buffer.resize(kept + kReadBytes);
    file.read(buffer.data() + kept, static_cast<std::streamsize>(kReadBytes));
    const auto read = static_cast<std::size_t>(file.gcount());
    buffer.resize(kept + read);
    if (const auto found = survey.remnants.find(buffer, words)) {
      return fail(ErrorCode::kInternal,
                  printable_path(path) + " still holds something of what was purged, at byte " +
                      std::to_string(start + *found),
                  "if the file is yours, remove it and run the purge again; else report a defect");
    }
    report.checked_bytes += read;
    if (read < kReadBytes) break;
    const std::size_t drop = buffer.size() - RemnantSearch::kOverlapBytes;
    buffer.erase(0, drop);
    start += drop;
  }
  ++report.checked_files;
  return {};
}

Result<void> check_all_files(const std::filesystem::path& folder, const PurgeSurvey& survey,
                             PurgeReport& report) {
  std::error_code status;
  std::filesystem::recursive_directory_iterator entry(folder, status);
  for (; !status && entry != std::filesystem::recursive_directory_iterator();
       entry.increment(status)) {
    std::error_code gone;
    if (!entry->is_regular_file(gone) || gone) continue;
    TRY(check_file(entry->path(), survey, entry.depth() > 0, report));
  }
  if (!status) return {};
  return fail(ErrorCode::kIo, "cannot list " + printable_path(folder) + ": " + status.message(),
              "check its permissions, then run the purge again");
}

Result<std::size_t> count_dead_records(const std::filesystem::path& folder,
                                       const PurgeSurvey& survey) {
  const auto pack = EmbeddingPack::open_reader(pack_path(folder));
  if (!pack) return std::size_t{0};  // None yet, or one that is damaged: audit says so.
  std::size_t living = 0;
  for (const Sha256& key : survey.living_keys) living += (*pack)->find(key) ? 1 : 0;
  return (*pack)->size() - living;
}

}  // namespace

Result<PurgeReport> plan_purge(const std::filesystem::path& corpus_folder) {
  const auto purge = TRY(TruthPurge::open_to_plan(corpus_folder));
  PurgeReport report;
  report.scope = TRY(purge->plan());
  report.embeddings = TRY(count_dead_records(corpus_folder, purge->survey()));
  report.indexes = left_overs(corpus_folder, report.scope.generation).size();
  report.remnants = purge->survey().remnants.size();
  return report;
}

Result<PurgeReport> purge_corpus(const std::filesystem::path& corpus_folder) {
  const auto purge = TRY(TruthPurge::open(corpus_folder));
  TRY(purge->plan());
  const PurgeSurvey& survey = purge->survey();
  const Generation current = survey.scope.generation;
  TRY(check_living_vectors(pack_path(corpus_folder), survey));

  TRY(purge->begin());
  PurgeReport report;
  TRY(purge->erase_rows());
  report.indexes = TRY(remove_left_overs(corpus_folder, current));
  TRY(remove_left_by_restore(corpus_folder));
  // The index before the pack: the one that stands there may have rows of what goes, and would not
  // fit a pack without them. Records that stay keep their places, so that the new one fits both.
  TRY(rebuild_index(corpus_folder, survey));
  const PackRewrite rewrite = TRY(rewrite_pack(
      pack_path(corpus_folder), [&](const Sha256& key) { return lives(survey, key); }));
  report.embeddings = rewrite.dropped;
  TRY(purge->compact());
  report.scope = survey.scope;
  report.remnants = survey.remnants.size();
  TRY(check_all_files(corpus_folder, survey, report));
  TRY(purge->finish());
  return report;
}

}  // namespace beleg
