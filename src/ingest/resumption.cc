#include "ingest/resumption.h"

#include <algorithm>
#include <map>

#include "base/hash.h"

namespace beleg {
namespace {

using FileKey = std::pair<std::uint32_t, std::string>;

/// The files on the disk, each with its place in the order of the run.
std::map<FileKey, std::size_t> listed_files(const std::vector<IngestRoot>& roots) {
  std::map<FileKey, std::size_t> listed;
  for (std::size_t i = 0; i < roots.size(); ++i) {
    for (const FoundFile& file : roots[i].listing.files) {
      listed.emplace(FileKey(static_cast<std::uint32_t>(i), file.path.native()), listed.size());
    }
  }
  return listed;
}

/// Times do not count: a copy that keeps them may have other bytes.
bool is_unchanged(const JobFile& file) {
  if (file.sha256.empty()) return false;
  const auto hash = sha256_file(file.path);
  return hash && hash->hex() == file.sha256;
}

}  // namespace

Result<Resumption> verify_resumed_files(IngestJobs& jobs, const std::vector<IngestRoot>& roots) {
  const std::map<FileKey, std::size_t> listed = listed_files(roots);
  Resumption resumption;
  std::size_t reached = 0;  // Files up to the last one that was begun, as they are listed now …
  std::size_t begun = 0;    // … and those of them that were begun.
  for (JobFile& file : TRY(jobs.files())) {
    resumption.next_file_id = std::max(resumption.next_file_id, file.id + 1);
    const auto place = listed.find({file.root, file.path});
    if (place != listed.end()) {
      reached = std::max(reached, place->second + 1);
      ++begun;
    }
    if (place == listed.end() || !is_unchanged(file)) {
      TRY(jobs.forget_file(file));
      ++resumption.forgotten;
      continue;
    }
    FileProgress progress = TRY(progress_from_json(file.progress));
    progress.report.path = file.path;
    resumption.files.emplace(place->first, ResumedFile{std::move(file), std::move(progress)});
  }
  const bool others = resumption.forgotten > 0 || begun < reached;
  for (auto at = resumption.files.begin(); at != resumption.files.end();) {
    if (others && at->second.progress.conflict) {
      TRY(jobs.forget_file(at->second.file));
      ++resumption.forgotten;
      at = resumption.files.erase(at);
      continue;
    }
    resumption.done += at->second.file.done ? 1 : 0;
    ++at;
  }
  resumption.documents = TRY(jobs.documents());
  return resumption;
}

}  // namespace beleg
