#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace beleg {

/// A small generator of random numbers that is the same everywhere (SplitMix64; Steele, Lea and
/// Flood, OOPSLA 2014).
class RandomStream {
 public:
  explicit RandomStream(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  /// In [0, bound); bound > 0.
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }
  double unit();   ///< In [0,1).
  float normal();  ///< About normal with variance 1: a centred sum of four uniform numbers.

 private:
  std::uint64_t state_;
};

/// Made-up English-looking texts of any number: row n is the same text in every run. Words follow
/// Zipf's law (the r-th most frequent of 400,000 has weight 1 / (r + 2.7)), a text has 60 to 180.
class SyntheticTexts {
 public:
  SyntheticTexts();
  [[nodiscard]] std::string text(std::uint64_t row) const;
  /// Six words of one text, none of the fifty most frequent of all, which stand for the stop words
  /// that a real question would lose.
  [[nodiscard]] std::string question(std::uint64_t number, std::uint64_t rows) const;

 private:
  [[nodiscard]] std::vector<std::uint32_t> words_of(std::uint64_t row) const;

  std::vector<double> cumulative_;  // Up to and with a word, by rank.
  std::vector<std::string> words_;
};

/// Made-up unit vectors around 2,000 centres; row n is the same in every run.
class SyntheticVectors {
 public:
  explicit SyntheticVectors(std::uint32_t dims);
  void vector(std::uint64_t row, std::span<float> out) const;
  /// Close to one of the rows, but none of them.
  void question(std::uint64_t number, std::uint64_t rows, std::span<float> out) const;

 private:
  void around_centre(RandomStream& random, std::span<float> out) const;

  std::uint32_t dims_;
  std::vector<float> centres_;
};

/// Scales to length 1; a zero vector stays.
void normalise(std::span<float> vector);

}  // namespace beleg
