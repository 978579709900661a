#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "document/encoding.h"
#include "text/utf8.h"

/// The first line is the declared encoding, the rest the bytes to decode.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t line = input.find('\n');
  const std::string_view declared = line == std::string_view::npos ? "" : input.substr(0, line);
  const std::string_view bytes = line == std::string_view::npos ? input : input.substr(line + 1);
  const auto decoded = beleg::decode_text(bytes, declared);
  if (!decoded) return 0;
  if (!beleg::is_valid_utf8(decoded->text) || decoded->encoding.empty()) std::abort();
  if (decoded->text.find('\r') != std::string::npos) std::abort();
  // What has been decoded is UTF-8, and decoding it again changes nothing.
  const auto again = beleg::decode_text(decoded->text);
  if (again && again->encoding == "UTF-8" && again->replacements != 0) std::abort();
  return 0;
}
