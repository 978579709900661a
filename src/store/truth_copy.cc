#include "store/truth_copy.h"

#include <system_error>

#include "base/file.h"
#include "store/generation_cleanup.h"
#include "store/store_schema.h"
#include "store/truth_reader.h"

namespace beleg {
namespace {

/// Statements must be given back before the journal can change its kind.
Result<GenerationInfo> tidy(const std::filesystem::path& file) {
  const auto database = TRY(open_truth(file));
  GenerationInfo current = TRY(read_current_generation(*database));
  TRY(remove_generations_after(*database, current.number));
  TRY(database->execute("VACUUM"));
  TRY(database->execute("PRAGMA journal_mode = DELETE"));
  return current;
}

Result<GenerationInfo> copy_and_tidy(const std::filesystem::path& folder,
                                     const std::filesystem::path& target) {
  {
    const auto source = TRY(open_truth(folder / "truth.db"));
    TRY(source->copy_to(target));
  }
  GenerationInfo current = TRY(tidy(target));
  TRY(sync_file(target));
  return current;
}

}  // namespace

Result<GenerationInfo> copy_truth(const std::filesystem::path& folder,
                                  const std::filesystem::path& target) {
  auto copied = copy_and_tidy(folder, target);
  if (!copied) {
    std::error_code ignored;
    for (const char* suffix : {"", "-wal", "-shm", "-journal"}) {
      std::filesystem::path part = target;
      std::filesystem::remove(part += suffix, ignored);
    }
  }
  return copied;
}

Result<void> adopt_truth(const std::filesystem::path& file) {
  {
    const auto database = TRY(open_truth(file));
    TRY(database->execute("PRAGMA journal_mode = WAL"));
  }
  return sync_file(file);
}

Result<std::vector<Sha256>> read_embedding_keys(const std::filesystem::path& file) {
  const auto database = TRY(open_truth(file));
  auto row =
      TRY(database->prepare("SELECT DISTINCT embedding_key FROM passage ORDER BY embedding_key"));
  std::vector<Sha256> keys;
  while (TRY(row.step())) keys.push_back(TRY(row.sha256(0)));
  return keys;
}

Result<bool> has_unfinished_purge(const std::filesystem::path& file) {
  const auto database = TRY(open_truth(file));
  return TRY(database->query_integer("SELECT count(*) FROM purge WHERE state = 'begun'")) > 0;
}

}  // namespace beleg
