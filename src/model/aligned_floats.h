#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <span>

namespace beleg {

/// Floats that begin at a cache line, so that no register is filled from two. Begins with zeros.
class AlignedFloats {
 public:
  AlignedFloats() = default;
  explicit AlignedFloats(std::size_t count)
      : values_(new(std::align_val_t{kAlignment}) float[count]()), count_(count) {}

  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] float* data() { return values_.get(); }
  [[nodiscard]] const float* data() const { return values_.get(); }
  [[nodiscard]] std::span<float> values() { return {values_.get(), count_}; }
  [[nodiscard]] std::span<const float> values() const { return {values_.get(), count_}; }

 private:
  static constexpr std::size_t kAlignment = 64;
  struct Free {
    void operator()(float* values) const {
      ::operator delete[](values, std::align_val_t{kAlignment});
    }
  };

  std::unique_ptr<float[], Free> values_;
  std::size_t count_ = 0;
};

}  // namespace beleg
