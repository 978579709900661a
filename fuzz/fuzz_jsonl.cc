#include <cstddef>
#include <cstdint>
#include <string_view>

#include "check_document.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  beleg::check_document(beleg::read_json_record(bytes, beleg::fuzz_settings()));
  return 0;
}
