#include <algorithm>
#include <limits>

#include "base/hash.h"
#include "index/row_table.h"
#include "index/row_table_sections.h"

namespace beleg {
namespace {

/// A column whose values are replaced by their ranks.
std::vector<std::uint32_t> renumber(const std::vector<std::uint32_t>& column,
                                    const std::vector<std::uint32_t>& rank) {
  std::vector<std::uint32_t> ranked(column.size());
  for (std::size_t row = 0; row < column.size(); ++row) ranked[row] = rank[column[row]];
  return ranked;
}

/// The bytes of a string table, and the rank of each string by its number.
struct SortedStrings {
  std::vector<std::uint32_t> offsets{0};
  std::string text;
  std::vector<std::uint32_t> rank;
};

SortedStrings sort_strings(const std::map<std::string, std::uint32_t, std::less<>>& ids) {
  SortedStrings sorted;
  sorted.rank.resize(ids.size());
  std::uint32_t next = 0;
  for (const auto& [text, id] : ids) {
    sorted.rank[id] = next++;
    sorted.text += text;
    sorted.offsets.push_back(static_cast<std::uint32_t>(sorted.text.size()));
  }
  return sorted;
}

/// Sets of access labels as ranges of label numbers.
struct AccessSets {
  SortedStrings labels;
  std::vector<std::uint32_t> offsets{0};
  std::vector<std::uint32_t> members;
  std::vector<std::uint32_t> rank;
};

AccessSets sort_sets(const std::map<std::vector<std::string>, std::uint32_t>& sets) {
  AccessSets sorted;
  std::map<std::string, std::uint32_t, std::less<>> labels;
  for (const auto& [set, id] : sets) {
    for (const std::string& label : set) {
      labels.emplace(label, static_cast<std::uint32_t>(labels.size()));
    }
  }
  sorted.labels = sort_strings(labels);
  sorted.rank.resize(sets.size());
  std::uint32_t next = 0;
  for (const auto& [set, id] : sets) {
    sorted.rank[id] = next++;
    for (const std::string& label : set) {
      sorted.members.push_back(sorted.labels.rank[labels.find(label)->second]);
    }
    sorted.offsets.push_back(static_cast<std::uint32_t>(sorted.members.size()));
  }
  return sorted;
}

}  // namespace

std::uint32_t RowTableBuilder::Interner::intern(std::string_view text) {
  const auto found = ids.find(text);
  if (found != ids.end()) return found->second;
  const auto id = static_cast<std::uint32_t>(ids.size());
  ids.emplace(text, id);
  return id;
}

Result<void> RowTableBuilder::add(const RowAttributes& attributes) {
  const auto passage = static_cast<std::int64_t>(attributes.passage);
  if (!passages_.empty() && passage <= passages_.back()) {
    return fail(ErrorCode::kInvalidArgument,
                "passage " + std::to_string(passage) + " was added to the index after passage " +
                    std::to_string(passages_.back()),
                "add passages in the order of their ids");
  }
  if (passages_.size() >= std::numeric_limits<Row>::max() - 1) {
    return fail(ErrorCode::kLimit, "an index cannot have more rows than fit into 32 bits",
                "split the corpus");
  }
  passages_.push_back(passage);
  versions_.push_back(static_cast<std::int64_t>(attributes.version));
  documents_.push_back(static_cast<std::int64_t>(attributes.document));
  published_.push_back(attributes.published.value_or(kRowNoDate));
  languages_.push_back(language_names_.intern(attributes.language));
  sources_.push_back(source_names_.intern(attributes.source));
  stories_.push_back(story_names_.intern(attributes.story));
  domains_.push_back(domain_names_.intern(attributes.domain));
  std::vector<std::string> labels = attributes.access;
  std::sort(labels.begin(), labels.end());
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
  const auto next = static_cast<std::uint32_t>(access_sets_.size());
  access_.push_back(access_sets_.emplace(std::move(labels), next).first->second);
  return {};
}

IndexIdentity RowTableBuilder::identity() const {
  return {passages_.size(), checksum64(std::as_bytes(std::span(passages_)))};
}

Result<void> RowTableBuilder::write(const std::filesystem::path& path) const {
  const SortedStrings languages = sort_strings(language_names_.ids);
  const SortedStrings sources = sort_strings(source_names_.ids);
  const SortedStrings stories = sort_strings(story_names_.ids);
  const SortedStrings domains = sort_strings(domain_names_.ids);
  const AccessSets access = sort_sets(access_sets_);
  for (const SortedStrings* strings : {&languages, &sources, &stories, &domains, &access.labels}) {
    if (strings->text.size() > std::numeric_limits<std::uint32_t>::max()) {
      return fail(ErrorCode::kLimit, "the names of one row attribute exceed 4 GB",
                  "split the corpus");
    }
  }

  std::vector<std::int64_t> document_ids = documents_;
  std::sort(document_ids.begin(), document_ids.end());
  document_ids.erase(std::unique(document_ids.begin(), document_ids.end()), document_ids.end());
  std::vector<std::uint32_t> documents;
  documents.reserve(documents_.size());
  for (const std::int64_t id : documents_) {
    documents.push_back(static_cast<std::uint32_t>(
        std::lower_bound(document_ids.begin(), document_ids.end(), id) - document_ids.begin()));
  }

  const std::vector<std::uint32_t> language_column = renumber(languages_, languages.rank);
  const std::vector<std::uint32_t> source_column = renumber(sources_, sources.rank);
  const std::vector<std::uint32_t> story_column = renumber(stories_, stories.rank);
  const std::vector<std::uint32_t> domain_column = renumber(domains_, domains.rank);
  const std::vector<std::uint32_t> access_column = renumber(access_, access.rank);

  SectionFileWriter file(kRowsFile, identity());
  file.add_values(kRowPassages, 0, passages_);
  file.add_values(kRowVersions, 0, versions_);
  file.add_values(kRowDocuments, 0, documents);
  file.add_values(kRowDocumentIds, 0, document_ids);
  file.add_values(kRowPublished, 0, published_);
  file.add_values(kRowLanguages, 0, language_column);
  file.add_values(kRowSources, 0, source_column);
  file.add_values(kRowStories, 0, story_column);
  file.add_values(kRowDomains, 0, domain_column);
  file.add_values(kRowAccessSets, 0, access_column);
  const SortedStrings* const tables[] = {&languages, &sources, &stories, &domains, &access.labels};
  for (std::uint32_t part = 0; part < std::size(tables); ++part) {
    file.add_values(kRowStringOffsets, part, tables[part]->offsets);
    file.add_text(kRowStringBytes, part, tables[part]->text);
  }
  file.add_values(kRowAccessOffsets, 0, access.offsets);
  file.add_values(kRowAccessLabels, 0, access.members);
  return file.write(path);
}

}  // namespace beleg
