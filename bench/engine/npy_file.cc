#include "npy_file.h"

#include <cstdint>
#include <cstring>
#include <fstream>
#include <regex>
#include <string>

namespace beleg::bench {

Result<FloatMatrix> read_npy(const std::filesystem::path& path) {
  const auto refuse = [&path](const std::string& why) {
    return fail(ErrorCode::kInvalidArgument, path.string() + ": " + why,
                "write it with numpy.save of a two-dimensional float32 array");
  };
  std::ifstream in(path, std::ios::binary);
  char start[8] = {};
  if (!in.read(start, sizeof start) || std::memcmp(start, "\x93NUMPY", 6) != 0) {
    return refuse("it is no NumPy file");
  }
  std::uint32_t length = 0;
  in.read(reinterpret_cast<char*>(&length), start[6] == 1 ? 2 : 4);
  if (!in || length > (1U << 20U)) return refuse("its header does not end");
  std::string header(length, ' ');
  in.read(header.data(), static_cast<std::streamsize>(length));
  std::smatch shape;
  if (header.find("'<f4'") == std::string::npos ||
      header.find("'fortran_order': False") == std::string::npos ||
      !std::regex_search(header, shape, std::regex(R"('shape': \((\d+), (\d+)\))"))) {
    return refuse("it holds something else than rows of float32");
  }
  FloatMatrix matrix{.rows = std::stoull(shape[1]), .columns = std::stoull(shape[2]), .values = {}};
  matrix.values.resize(matrix.rows * matrix.columns);
  in.read(reinterpret_cast<char*>(matrix.values.data()),
          static_cast<std::streamsize>(matrix.values.size() * sizeof(float)));
  if (!in) return refuse("it is cut off");
  return matrix;
}

}  // namespace beleg::bench
