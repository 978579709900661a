#include "base/hash.h"

#include <openssl/evp.h>
#include <xxhash.h>

#include <fstream>

#include "base/file.h"

namespace beleg {

struct Sha256Hasher::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  ~State() { EVP_MD_CTX_free(context); }
};

Sha256Hasher::Sha256Hasher() : state_(std::make_unique<State>()) {
  EVP_DigestInit_ex(state_->context, EVP_sha256(), nullptr);
}

Sha256Hasher::~Sha256Hasher() = default;

void Sha256Hasher::update(std::string_view bytes) {
  EVP_DigestUpdate(state_->context, bytes.data(), bytes.size());
}

void Sha256Hasher::update_field(std::string_view bytes) {
  std::array<char, 8> length{};
  std::uint64_t n = bytes.size();
  for (char& c : length) {
    c = static_cast<char>(n & 0xffU);
    n >>= 8U;
  }
  update({length.data(), length.size()});
  update(bytes);
}

Sha256 Sha256Hasher::finish() {
  Sha256 digest;
  unsigned int written = 0;
  EVP_DigestFinal_ex(state_->context, digest.bytes.data(), &written);
  return digest;
}

std::string Sha256::hex() const {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(64);
  for (std::uint8_t b : bytes) {
    text.push_back(kDigits[b >> 4U]);
    text.push_back(kDigits[b & 15U]);
  }
  return text;
}

Result<Sha256> Sha256::from_hex(std::string_view hex) {
  auto bad = [&] {
    return fail(ErrorCode::kInvalidArgument,
                "not a SHA-256: '" + std::string(hex.substr(0, 80)) + "'",
                "give 64 hexadecimal digits");
  };
  if (hex.size() != 64) return bad();
  auto digit = [](char c) -> int {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
  };
  Sha256 digest;
  for (std::size_t i = 0; i < 32; ++i) {
    const int high = digit(hex[2 * i]);
    const int low = digit(hex[2 * i + 1]);
    if (high < 0 || low < 0) return bad();
    digest.bytes[i] = static_cast<std::uint8_t>(high * 16 + low);
  }
  return digest;
}

Sha256 sha256(std::string_view bytes) {
  Sha256Hasher hasher;
  hasher.update(bytes);
  return hasher.finish();
}

Result<Sha256> sha256_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    return fail(ErrorCode::kNotFound, "cannot open " + printable_path(path),
                "check that the file exists and is readable");
  }
  Sha256Hasher hasher;
  std::string buffer(1U << 20U, '\0');
  while (in) {
    in.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    hasher.update({buffer.data(), static_cast<std::size_t>(in.gcount())});
  }
  if (in.bad()) return fail(ErrorCode::kIo, "cannot read " + printable_path(path));
  return hasher.finish();
}

std::uint64_t checksum64(std::span<const std::byte> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

}  // namespace beleg
