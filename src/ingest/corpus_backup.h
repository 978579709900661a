#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "ingest/backup_container.h"

namespace beleg {

/// A backup, and what is damaged in it as it is in the corpus.
struct WrittenBackup {
  BackupManifest manifest;
  std::vector<std::string> findings;  ///< Of CorpusStore::check_integrity.
};

/// Writes the corpus in `corpus_folder`, called `corpus`, to the file `target`: its truth with all
/// generations that can be read, and the embeddings they need. Others may ask, ingest and commit
/// meanwhile; the backup is of the generation that was current when it began. Needs room for the
/// backup twice beside `target`. What is damaged in the corpus is in the backup as well and is
/// named: restore refuses such a backup. kConflict when a purge was cut short or goes on, and when
/// `target` is there and is no backup; kInvalidArgument when it lies in the folder of the corpora.
Result<WrittenBackup> back_up_corpus(const std::filesystem::path& corpus_folder,
                                     const std::string& corpus,
                                     const std::filesystem::path& target);

/// A corpus that came back, and what is wrong with its answers of the past.
struct RestoredCorpus {
  BackupManifest manifest;
  std::vector<std::string> answer_findings;  ///< As of CorpusAudit.
};

/// Makes the corpus `folder` from a backup. Every checksum is compared before anything is touched;
/// the corpus is built beside its place, with its index, audited, and put in place by one rename.
/// kConflict when there is a corpus and `replace` is not set, or another process writes to it;
/// kCorrupt names what is damaged. Damaged receipts and traces, which prove answers of the past and
/// cannot be mended, do not keep a corpus from being restored.
Result<RestoredCorpus> restore_corpus(const std::filesystem::path& backup,
                                      const std::filesystem::path& folder, bool replace);

/// Removes what a killed restore of that corpus left beside it: a copy from the backup, or the
/// corpus that was replaced. kConflict when a restore goes on.
Result<void> remove_left_by_restore(const std::filesystem::path& corpus_folder);

}  // namespace beleg
