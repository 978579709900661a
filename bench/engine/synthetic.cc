#include "synthetic.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace beleg {
namespace {

constexpr std::size_t kVocabulary = 400'000;
constexpr double kShift = 2.7;  // Mandelbrot's: the most frequent words are less so than 1 / r.
constexpr std::uint64_t kShortest = 60;
constexpr std::uint64_t kLongest = 180;
constexpr std::uint32_t kStopWords = 50;
constexpr std::size_t kQuestionWords = 6;
constexpr std::uint64_t kCentres = 2000;
constexpr float kSpread = 0.7F;          // Of a vector around its centre, relative to its length.
constexpr float kQuestionSpread = 0.3F;  // Of a question around its row.
constexpr std::uint64_t kVectorSeed = 0x9e3779b97f4a7c15ULL;
constexpr std::uint64_t kQuestionSeed = 0xd1b54a32d192ed03ULL;

/// A word that can be pronounced; frequent ones are short.
std::string word_of_rank(std::uint32_t rank) {
  constexpr std::array<std::string_view, 16> kStarts = {"b", "c", "d",  "f",  "g",  "l", "m",  "n",
                                                        "p", "r", "st", "tr", "pl", "v", "qu", "s"};
  constexpr std::array<std::string_view, 8> kEnds = {"a", "e", "in", "or", "u", "al", "en", "is"};
  std::string word;
  std::uint32_t rest = rank + 16;
  while (rest > 0) {
    const std::uint32_t syllable = rest % 128;
    word += kStarts[syllable % 16];
    word += kEnds[syllable / 16];
    rest /= 128;
  }
  return word;
}

}  // namespace

std::uint64_t RandomStream::next() {
  state_ += 0x9e3779b97f4a7c15ULL;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31U);
}

double RandomStream::unit() { return static_cast<double>(next() >> 11U) * 0x1.0p-53; }

float RandomStream::normal() {
  const std::uint64_t bits = next();
  std::uint64_t sum = 0;
  for (unsigned part = 0; part < 4; ++part) sum += (bits >> (16U * part)) & 0xffffU;
  // Four uniform numbers have mean 2 and variance 1/3.
  constexpr float kScale = 1.7320508F;
  return (static_cast<float>(sum) / 65536.0F - 2.0F) * kScale;
}

SyntheticTexts::SyntheticTexts() {
  double total = 0;
  for (std::uint32_t rank = 0; rank < kVocabulary; ++rank) {
    total += 1.0 / (static_cast<double>(rank) + kShift);
    cumulative_.push_back(total);
    words_.push_back(word_of_rank(rank));
  }
}

std::vector<std::uint32_t> SyntheticTexts::words_of(std::uint64_t row) const {
  RandomStream random(row);
  std::vector<std::uint32_t> ranks(kShortest + random.below(kLongest - kShortest + 1));
  for (std::uint32_t& rank : ranks) {
    const double place = random.unit() * cumulative_.back();
    const auto found = std::upper_bound(cumulative_.begin(), cumulative_.end(), place);
    rank = static_cast<std::uint32_t>(found - cumulative_.begin());
  }
  return ranks;
}

std::string SyntheticTexts::text(std::uint64_t row) const {
  std::string text;
  for (const std::uint32_t rank : words_of(row)) {
    if (!text.empty()) text += ' ';
    text += words_[rank];
  }
  text += '.';
  return text;
}

std::string SyntheticTexts::question(std::uint64_t number, std::uint64_t rows) const {
  RandomStream random(kQuestionSeed + number);
  const std::vector<std::uint32_t> ranks = words_of(random.below(rows));
  std::string question;
  std::size_t count = 0;
  for (std::size_t i = 0; i < ranks.size() && count < kQuestionWords; ++i) {
    const std::uint32_t rank = ranks[(i * 7) % ranks.size()];
    if (rank < kStopWords) continue;
    question += words_[rank] + " ";
    ++count;
  }
  return question;
}

SyntheticVectors::SyntheticVectors(std::uint32_t dims) : dims_(dims), centres_(kCentres * dims) {
  RandomStream random(kVectorSeed);
  for (float& value : centres_) value = random.normal();
  for (std::uint64_t i = 0; i < kCentres; ++i) {
    normalise(std::span<float>(centres_).subspan(i * dims_, dims_));
  }
}

void SyntheticVectors::around_centre(RandomStream& random, std::span<float> out) const {
  const std::uint64_t centre = random.below(kCentres);
  const float scale = kSpread / std::sqrt(static_cast<float>(dims_));
  for (std::uint32_t i = 0; i < dims_; ++i) {
    out[i] = centres_[centre * dims_ + i] + scale * random.normal();
  }
  normalise(out);
}

void SyntheticVectors::vector(std::uint64_t row, std::span<float> out) const {
  RandomStream random(kVectorSeed ^ (row * 0x2545f4914f6cdd1dULL));
  around_centre(random, out);
}

void SyntheticVectors::question(std::uint64_t number, std::uint64_t rows,
                                std::span<float> out) const {
  RandomStream random(kQuestionSeed ^ number);
  vector(random.below(rows), out);
  const float scale = kQuestionSpread / std::sqrt(static_cast<float>(dims_));
  for (float& value : out) value += scale * random.normal();
  normalise(out);
}

void normalise(std::span<float> vector) {
  float squares = 0;
  for (const float value : vector) squares += value * value;
  if (squares <= 0) return;
  const float scale = 1.0F / std::sqrt(squares);
  for (float& value : vector) value *= scale;
}

}  // namespace beleg
