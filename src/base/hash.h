#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace beleg {

/// A SHA-256 digest: the identity of contents, models, settings and receipts.
struct Sha256 {
  std::array<std::uint8_t, 32> bytes{};

  /// 64 lower-case hexadecimal digits.
  [[nodiscard]] std::string hex() const;
  static Result<Sha256> from_hex(std::string_view hex);
  friend bool operator==(const Sha256&, const Sha256&) = default;
  friend auto operator<=>(const Sha256&, const Sha256&) = default;
};

/// Hashes incrementally. Not thread-safe; one hasher, one digest.
class Sha256Hasher {
 public:
  Sha256Hasher();
  ~Sha256Hasher();
  Sha256Hasher(const Sha256Hasher&) = delete;
  Sha256Hasher& operator=(const Sha256Hasher&) = delete;
  void update(std::string_view bytes);
  /// Adds the length first, so that consecutive fields cannot run into each other.
  void update_field(std::string_view bytes);
  [[nodiscard]] Sha256 finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

[[nodiscard]] Sha256 sha256(std::string_view bytes);
/// Hashes a file in constant memory.
Result<Sha256> sha256_file(const std::filesystem::path& path);

/// Fast checksum (XXH3, 64 bits) for sections of derived files. Not for identity.
[[nodiscard]] std::uint64_t checksum64(std::span<const std::byte> bytes);

}  // namespace beleg
