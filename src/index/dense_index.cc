#include "index/dense_index.h"

#include <algorithm>
#include <cmath>

#include "index/payload_layout.h"

namespace beleg {
namespace {

enum DenseSection : std::uint32_t {
  kDenseMeta = 1,
  kDenseMatrix = 2,
  kDenseMean = 3,
  kDenseSigns = 4,
  kDenseRecords = 5,
};

struct DenseMeta {
  std::uint32_t dims = 0;
  std::uint32_t stride = 0;
};

/// With fewer rows for each one that is wanted, the bounds leave too little out.
constexpr std::size_t kSkippedPerHit = 16;

/// Numbers whose products cannot overflow.
bool all_moderate(std::span<const float> values) {
  constexpr float kMost = 1e15F;
  return std::all_of(values.begin(), values.end(), [](float v) { return std::fabs(v) <= kMost; });
}

}  // namespace

std::string_view name_of(DenseStrategy strategy) {
  switch (strategy) {
    case DenseStrategy::kExact:
      return "exact";
    case DenseStrategy::kSelected:
      return "exact over the allowed rows";
    case DenseStrategy::kQuantised:
      return "quantised scan";
  }
  return "";
}

Result<DenseIndex> DenseIndex::open(const std::filesystem::path& path) {
  DenseIndex index;
  index.file_ = TRY(SectionFile::open(path, kDenseFile));
  const SectionFile& file = index.file_;
  const DenseMeta meta = TRY(file.values<DenseMeta>(kDenseMeta, 0, 1))[0];
  if (meta.dims > kMaxDims || meta.stride != DenseMatrix::stride_for(meta.dims)) {
    return file.damaged("its dimensions make no sense");
  }
  const std::size_t rows = index.rows();
  index.matrix_ = DenseMatrix(
      TRY(file.values<float>(kDenseMatrix, 0, std::uint64_t{rows} * meta.stride)), rows, meta.dims);
  if (!file.has(kDenseSigns, 0)) return index;
  if (meta.dims == 0 || meta.dims > dense_codes::kMaxDims) {
    return file.damaged("it has compressed vectors of a size that is never compressed");
  }
  const auto mean = TRY(file.values<float>(kDenseMean, 0, meta.dims));
  if (!all_moderate(mean)) return file.damaged("the mean of its vectors makes no sense");
  const auto signs = TRY(file.values<std::byte>(
      kDenseSigns, 0, dense_codes::blocks(rows) * dense_codes::block_bytes(meta.dims)));
  const auto records =
      TRY(file.values<std::byte>(kDenseRecords, 0, rows * dense_codes::record_bytes(meta.dims)));
  index.quantised_.emplace(mean, signs, records, index.matrix_);
  return index;
}

DenseStrategy DenseIndex::strategy(std::size_t k, const RowFilter* filter) const {
  const std::size_t allowed = filter == nullptr ? rows() : filter->count();
  if (quantised_ && allowed >= kQuantisedFrom && k < allowed / kSkippedPerHit) {
    return DenseStrategy::kQuantised;
  }
  return filter == nullptr ? DenseStrategy::kExact : DenseStrategy::kSelected;
}

std::vector<RowHit> DenseIndex::search(std::span<const float> query, std::size_t k,
                                       const RowFilter* filter) const {
  const DenseRequest request{query, filter};
  return std::move(search_batch(std::span(&request, 1), k).front());
}

std::vector<std::vector<RowHit>> DenseIndex::search_batch(std::span<const DenseRequest> requests,
                                                          std::size_t k) const {
  std::vector<std::vector<RowHit>> hits(requests.size());
  std::vector<DenseRequest> exact;
  std::vector<std::size_t> exact_at;
  std::vector<DenseRequest> quantised;
  std::vector<std::size_t> quantised_at;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const DenseRequest& request = requests[i];
    if (k == 0 || request.query.size() != dims() ||
        (request.filter != nullptr && request.filter->rows() != rows())) {
      continue;
    }
    if (strategy(k, request.filter) == DenseStrategy::kQuantised && all_moderate(request.query)) {
      quantised.push_back(request);
      quantised_at.push_back(i);
    } else {
      exact.push_back(request);
      exact_at.push_back(i);
    }
  }
  if (quantised_ && !quantised.empty()) {
    auto found = quantised_->search(quantised, k);
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (found[i].size() == k || std::isfinite(quantised[i].floor)) {
        hits[quantised_at[i]] = std::move(found[i]);
      } else {  // Damaged codes: the vectors themselves remain.
        exact.push_back(quantised[i]);
        exact_at.push_back(quantised_at[i]);
      }
    }
  }
  if (!exact.empty()) {
    auto found = matrix_.search(exact, k);
    for (std::size_t i = 0; i < found.size(); ++i) hits[exact_at[i]] = std::move(found[i]);
  }
  return hits;
}

std::vector<float> DenseIndex::score(std::span<const float> query,
                                     std::span<const Row> rows) const {
  std::vector<float> scores(rows.size(), -1.0F);
  if (query.size() != dims()) return scores;
  const std::vector<float> padded = matrix_.padded(query);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] < this->rows()) scores[i] = matrix_.score(padded, rows[i]);
  }
  return scores;
}

DenseIndexBuilder::DenseIndexBuilder(std::uint32_t dims)
    : dims_(dims), stride_(DenseMatrix::stride_for(dims)) {}

void DenseIndexBuilder::add(std::span<const float> vector) {
  const std::size_t start = matrix_.size();
  matrix_.resize(start + stride_, 0.0F);
  std::copy_n(vector.begin(), std::min<std::size_t>(vector.size(), dims_),
              matrix_.begin() + static_cast<std::ptrdiff_t>(start));
}

Result<void> DenseIndexBuilder::write(const std::filesystem::path& path,
                                      IndexIdentity identity) const {
  const std::vector<DenseMeta> meta{{dims_, stride_}};
  const std::size_t rows = stride_ == 0 ? 0 : matrix_.size() / stride_;
  SectionFileWriter file(kDenseFile, identity);
  file.add_values(kDenseMeta, 0, meta);
  file.add_values(kDenseMatrix, 0, matrix_);
  dense_codes::Tables tables;
  if (rows >= DenseIndex::kQuantisedFrom && dims_ <= dense_codes::kMaxDims) {
    tables = dense_codes::encode(matrix_, rows, dims_, stride_);
    file.add_values(kDenseMean, 0, tables.mean);
    file.add_values(kDenseSigns, 0, tables.signs);
    file.add_values(kDenseRecords, 0, tables.records);
  }
  return file.write(path);
}

}  // namespace beleg
