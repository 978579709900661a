#include "index/dense_index.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "index/kernels.h"
#include "index/payload_layout.h"
#include "index/top_k.h"

namespace beleg {
namespace {

enum DenseSection : std::uint32_t { kDenseMeta = 1, kDenseMatrix = 2 };

struct DenseMeta {
  std::uint32_t dims = 0;
  std::uint32_t stride = 0;
};

std::uint32_t stride_for(std::uint32_t dims) { return (dims + 15U) / 16U * 16U; }

constexpr std::size_t kRun = 64;  // Rows compared at a time: one word of a filter.

/// A word of the filter, or all rows of the word.
std::uint64_t allowed_word(const RowFilter* filter, std::size_t first, std::size_t rows) {
  const std::size_t count = std::min(kRun, rows - first);
  const std::uint64_t exists = count == kRun ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
  return filter == nullptr ? exists : filter->words()[first / kRun] & exists;
}

/// NaN (a damaged vector) becomes the lowest cosine.
float clamp_cosine(float value) { return value > -1.0F ? std::min(value, 1.0F) : -1.0F; }

}  // namespace

Result<DenseIndex> DenseIndex::open(const std::filesystem::path& path) {
  DenseIndex index;
  index.file_ = TRY(SectionFile::open(path, kDenseFile));
  const DenseMeta meta = TRY(index.file_.values<DenseMeta>(kDenseMeta, 0, 1))[0];
  if (meta.dims > kMaxDims || meta.stride != stride_for(meta.dims)) {
    return index.file_.damaged("its dimensions make no sense");
  }
  index.dims_ = meta.dims;
  index.stride_ = meta.stride;
  index.matrix_ =
      TRY(index.file_.values<float>(kDenseMatrix, 0, index.file_.identity().rows * meta.stride));
  return index;
}

std::vector<RowHit> DenseIndex::search(std::span<const float> query, std::size_t k,
                                       const RowFilter* filter) const {
  if (k == 0 || query.size() != dims_ || (filter != nullptr && filter->rows() != rows())) return {};
  std::vector<float> padded(stride_, 0.0F);
  std::copy(query.begin(), query.end(), padded.begin());
  const Kernels& kernels = best_kernels();
  TopK best(k);
  std::array<float, kRun> scores;
  for (std::size_t first = 0; first < rows(); first += kRun) {
    std::uint64_t allowed = allowed_word(filter, first, rows());
    if (allowed == 0) continue;
    const float* const block = matrix_.data() + first * stride_;
    // Neighbours share their fetches: above some density it pays to compare the whole run.
    const bool whole = std::popcount(allowed) >= 16;
    if (whole) {
      kernels.dots(padded.data(), block, stride_, std::min(kRun, rows() - first), scores.data());
    }
    for (; allowed != 0; allowed &= allowed - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(allowed));
      if (!whole) kernels.dots(padded.data(), block + i * stride_, stride_, 1, &scores[i]);
      const float score = clamp_cosine(scores[i]);
      if (score >= best.threshold()) best.push({static_cast<Row>(first + i), score});
    }
  }
  return best.take();
}

std::vector<float> DenseIndex::score(std::span<const float> query,
                                     std::span<const Row> rows) const {
  std::vector<float> scores(rows.size(), -1.0F);
  if (query.size() != dims_) return scores;
  std::vector<float> padded(stride_, 0.0F);
  std::copy(query.begin(), query.end(), padded.begin());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] >= this->rows()) continue;
    best_kernels().dots(padded.data(), matrix_.data() + std::size_t{rows[i]} * stride_, stride_, 1,
                        &scores[i]);
    scores[i] = clamp_cosine(scores[i]);
  }
  return scores;
}

DenseIndexBuilder::DenseIndexBuilder(std::uint32_t dims) : dims_(dims), stride_(stride_for(dims)) {}

void DenseIndexBuilder::add(std::span<const float> vector) {
  const std::size_t start = matrix_.size();
  matrix_.resize(start + stride_, 0.0F);
  std::copy_n(vector.begin(), std::min<std::size_t>(vector.size(), dims_),
              matrix_.begin() + static_cast<std::ptrdiff_t>(start));
}

Result<void> DenseIndexBuilder::write(const std::filesystem::path& path,
                                      IndexIdentity identity) const {
  const std::vector<DenseMeta> meta{{dims_, stride_}};
  SectionFileWriter file(kDenseFile, identity);
  file.add_values(kDenseMeta, 0, meta);
  file.add_values(kDenseMatrix, 0, matrix_);
  return file.write(path);
}

}  // namespace beleg
