#include "index/row_table.h"

#include <algorithm>

#include "index/row_table_sections.h"

namespace beleg {
namespace {

/// A section whose number of values only its size tells.
template <class T>
Result<std::span<const T>> all_values(const SectionFile& file, std::uint32_t kind,
                                      std::uint32_t part) {
  const std::span<const std::byte> raw = TRY(file.bytes(kind, part));
  return file.values<T>(kind, part, raw.size() / sizeof(T));
}

/// For each string of `names`: is it one of `wanted`?
std::vector<std::uint8_t> chosen(const StringTable& names, const std::vector<std::string>& wanted) {
  std::vector<std::uint8_t> flags(names.size(), 0);
  for (const std::string& text : wanted) {
    const std::size_t id = names.find(text);
    if (id < flags.size()) flags[id] = 1;
  }
  return flags;
}

void keep(std::vector<std::uint8_t>& allowed, std::span<const std::uint32_t> column,
          const std::vector<std::uint8_t>& flags) {
  const std::size_t known = flags.size();
  for (std::size_t row = 0; row < column.size(); ++row) {
    const std::uint32_t id = column[row];
    allowed[row] = static_cast<std::uint8_t>(allowed[row] & (id < known ? flags[id] : 0U));
  }
}

}  // namespace

Result<StringTable> StringTable::open(const SectionFile& file, std::uint32_t part) {
  StringTable table;
  table.offsets_ = TRY(all_values<std::uint32_t>(file, kRowStringOffsets, part));
  const std::span<const std::byte> raw = TRY(file.bytes(kRowStringBytes, part));
  table.text_ = {reinterpret_cast<const char*>(raw.data()), raw.size()};
  if (table.offsets_.empty()) return file.damaged("a string table has no offsets");
  return table;
}

std::string_view StringTable::at(std::uint32_t id) const {
  if (id >= size()) return {};
  const std::uint32_t start = offsets_[id];
  const std::uint32_t end = offsets_[id + 1];
  if (end < start || end > text_.size()) return {};
  return text_.substr(start, end - start);
}

std::size_t StringTable::find(std::string_view text) const {
  std::size_t low = 0;
  std::size_t high = size();
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (at(static_cast<std::uint32_t>(middle)) < text) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < size() && at(static_cast<std::uint32_t>(low)) == text ? low : size();
}

Result<RowTable> RowTable::open(const std::filesystem::path& path) {
  RowTable table;
  table.file_ = TRY(SectionFile::open(path, kRowsFile));
  const SectionFile& file = table.file_;
  const std::uint64_t rows = file.identity().rows;
  table.passages_ = TRY(file.values<std::int64_t>(kRowPassages, 0, rows));
  table.versions_ = TRY(file.values<std::int64_t>(kRowVersions, 0, rows));
  table.published_ = TRY(file.values<std::int64_t>(kRowPublished, 0, rows));
  table.documents_ = TRY(file.values<std::uint32_t>(kRowDocuments, 0, rows));
  table.document_ids_ = TRY(all_values<std::int64_t>(file, kRowDocumentIds, 0));
  table.languages_ = TRY(file.values<std::uint32_t>(kRowLanguages, 0, rows));
  table.sources_ = TRY(file.values<std::uint32_t>(kRowSources, 0, rows));
  table.stories_ = TRY(file.values<std::uint32_t>(kRowStories, 0, rows));
  table.domains_ = TRY(file.values<std::uint32_t>(kRowDomains, 0, rows));
  table.access_ = TRY(file.values<std::uint32_t>(kRowAccessSets, 0, rows));
  table.set_offsets_ = TRY(all_values<std::uint32_t>(file, kRowAccessOffsets, 0));
  table.set_labels_ = TRY(all_values<std::uint32_t>(file, kRowAccessLabels, 0));
  if (table.set_offsets_.empty()) return file.damaged("the access sets have no offsets");
  table.language_names_ = TRY(StringTable::open(file, kLanguageNames));
  table.source_names_ = TRY(StringTable::open(file, kSourceNames));
  table.story_names_ = TRY(StringTable::open(file, kStoryNames));
  table.domain_names_ = TRY(StringTable::open(file, kDomainNames));
  table.label_names_ = TRY(StringTable::open(file, kLabelNames));
  return table;
}

std::vector<std::string> RowTable::access_of(std::uint32_t set) const {
  std::vector<std::string> labels;
  if (set + std::size_t{1} >= set_offsets_.size()) return labels;
  const std::uint32_t start = set_offsets_[set];
  const std::uint32_t end = std::min<std::uint32_t>(set_offsets_[set + 1],
                                                    static_cast<std::uint32_t>(set_labels_.size()));
  for (std::uint32_t i = start; i < end; ++i) {
    labels.emplace_back(label_names_.at(set_labels_[i]));
  }
  return labels;
}

RowAttributes RowTable::attributes(Row row) const {
  RowAttributes attributes;
  if (row >= rows()) return attributes;
  attributes.passage = PassageId{passages_[row]};
  attributes.version = VersionId{versions_[row]};
  if (documents_[row] < document_ids_.size()) {
    attributes.document = DocumentId{document_ids_[documents_[row]]};
  }
  if (published_[row] != kRowNoDate) attributes.published = published_[row];
  attributes.language = language_names_.at(languages_[row]);
  attributes.source = source_names_.at(sources_[row]);
  attributes.story = story_names_.at(stories_[row]);
  attributes.domain = domain_names_.at(domains_[row]);
  attributes.access = access_of(access_[row]);
  return attributes;
}

PassageId RowTable::passage_of(Row row) const {
  return row < rows() ? PassageId{passages_[row]} : PassageId{};
}

Result<Row> RowTable::row_of(PassageId passage) const {
  const auto wanted = static_cast<std::int64_t>(passage);
  const auto found = std::lower_bound(passages_.begin(), passages_.end(), wanted);
  if (found == passages_.end() || *found != wanted) {
    return fail(ErrorCode::kNotFound,
                "the index of this generation has no passage " + std::to_string(wanted));
  }
  return static_cast<Row>(found - passages_.begin());
}

std::vector<std::uint8_t> RowTable::visible_sets(const std::vector<std::string>& held) const {
  const std::vector<std::uint8_t> held_labels = chosen(label_names_, held);
  std::vector<std::uint8_t> visible(set_offsets_.size() - 1, 0);
  for (std::size_t set = 0; set < visible.size(); ++set) {
    const std::uint32_t start = set_offsets_[set];
    const std::uint32_t end = set_offsets_[set + 1];
    // Damage must hide rows, never show them.
    if (end < start || end > set_labels_.size()) continue;
    if (start == end) visible[set] = 1;
    for (std::uint32_t i = start; i < end; ++i) {
      const std::uint32_t label = set_labels_[i];
      if (label < held_labels.size() && held_labels[label] != 0) visible[set] = 1;
    }
  }
  return visible;
}

RowFilter RowTable::make_filter(const FilterSpec& spec) const {
  std::vector<std::uint8_t> allowed(rows(), 1);
  keep(allowed, access_, visible_sets(spec.held_access));
  if (!spec.languages.empty()) keep(allowed, languages_, chosen(language_names_, spec.languages));
  if (!spec.sources.empty()) keep(allowed, sources_, chosen(source_names_, spec.sources));
  if (!spec.stories.empty()) keep(allowed, stories_, chosen(story_names_, spec.stories));
  if (!spec.domains.empty()) keep(allowed, domains_, chosen(domain_names_, spec.domains));
  if (!spec.documents.empty()) {
    std::vector<std::uint8_t> flags(document_ids_.size(), 0);
    for (const DocumentId document : spec.documents) {
      const auto id = static_cast<std::int64_t>(document);
      const auto found = std::lower_bound(document_ids_.begin(), document_ids_.end(), id);
      if (found != document_ids_.end() && *found == id) {
        flags[static_cast<std::size_t>(found - document_ids_.begin())] = 1;
      }
    }
    keep(allowed, documents_, flags);
  }
  if (spec.published_from || spec.published_until) {
    // kRowNoDate is the smallest number, so the lower bound excludes it.
    const std::int64_t from =
        std::max(spec.published_from.value_or(kRowNoDate + 1), kRowNoDate + 1);
    const bool open_end = !spec.published_until.has_value();
    const std::int64_t until = spec.published_until.value_or(0);
    for (std::size_t row = 0; row < published_.size(); ++row) {
      const bool inside = published_[row] >= from && (open_end || published_[row] < until);
      allowed[row] = static_cast<std::uint8_t>(allowed[row] & (inside ? 1U : 0U));
    }
  }
  RowFilter filter(rows());
  for (std::size_t row = 0; row < allowed.size(); ++row) {
    if (allowed[row] != 0) filter.allow(static_cast<Row>(row));
  }
  return filter;
}

std::vector<std::pair<std::string, std::size_t>> RowTable::languages(const RowFilter& live) const {
  std::vector<std::size_t> counts(language_names_.size(), 0);
  for (std::size_t row = 0; row < languages_.size(); ++row) {
    const std::uint32_t id = languages_[row];
    if (id < counts.size() && live.allows(static_cast<Row>(row))) ++counts[id];
  }
  std::vector<std::pair<std::string, std::size_t>> result;
  for (std::uint32_t id = 0; id < counts.size(); ++id) {
    if (counts[id] > 0) result.emplace_back(language_names_.at(id), counts[id]);
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return result;
}

}  // namespace beleg
