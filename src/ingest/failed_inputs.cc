#include "ingest/failed_inputs.h"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace beleg {
namespace {

/// A letter may be that of a folder that could not be listed: then all below it is wanted.
bool is_wanted(const std::filesystem::path& found, const std::set<std::string>& wanted) {
  for (const std::string& input : wanted) {
    if (is_at_or_below(found.native(), input)) return true;
  }
  return false;
}

bool was_looked_for(const DeadLetter& letter, const IngestRoot& root) {
  return root.source == letter.source && (root.is_folder || root.path.native() == letter.path);
}

bool is_hidden(const DeadLetter& letter, const IngestRoot& root) {
  for (const auto& [path, error] : root.listing.problems) {
    if (is_at_or_below(letter.path, path.native())) return true;
  }
  return false;
}

}  // namespace

std::vector<IngestRoot> list_failed_inputs(const std::vector<DeadLetter>& letters,
                                           std::vector<FileReport>& not_there) {
  std::map<std::string, std::set<std::string>> paths_by_root;
  for (const DeadLetter& letter : letters) paths_by_root[letter.root].insert(letter.path);
  std::vector<IngestRoot> roots;
  for (const auto& [path, wanted] : paths_by_root) {
    auto listed = list_roots({path});
    if (!listed) {
      not_there.push_back(
          {.path = path, .outcome = FileOutcome::kFailed, .reason = listed.error().to_line()});
      continue;
    }
    IngestRoot& root = roots.emplace_back(std::move(listed->front()));
    std::erase_if(root.listing.files,
                  [&](const FoundFile& file) { return !is_wanted(file.path, wanted); });
    std::erase_if(root.listing.problems,
                  [&](const auto& problem) { return !is_wanted(problem.first, wanted); });
    root.listing.ignored = 0;
  }
  return roots;
}

std::vector<std::int64_t> gone_letters(const std::vector<DeadLetter>& letters,
                                       const std::vector<IngestRoot>& roots) {
  std::set<std::pair<std::string_view, std::string_view>> there;  // Source and path.
  for (const IngestRoot& root : roots) {
    for (const FoundFile& file : root.listing.files) there.emplace(root.source, file.path.native());
  }
  std::vector<std::int64_t> ids;
  for (const DeadLetter& letter : letters) {
    if (there.contains({letter.source, letter.path})) continue;
    bool looked_for = false;
    bool hidden = false;
    for (const IngestRoot& root : roots) {
      looked_for |= was_looked_for(letter, root);
      hidden |= is_hidden(letter, root);
    }
    if (looked_for && !hidden) ids.push_back(letter.id);
  }
  return ids;
}

}  // namespace beleg
