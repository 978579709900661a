#include "vector_file.h"

#include <cstdlib>
#include <cstring>

#include "base/file.h"

namespace beleg {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

std::unexpected<Error> not_readable(const std::filesystem::path& path, const std::string& why) {
  return fail(ErrorCode::kInvalidArgument, printable_path(path) + ": " + why,
              "give a two-dimensional array of float32 as numpy.save writes it");
}

}  // namespace

Result<VectorFile> read_vector_file(const std::filesystem::path& path) {
  const MappedFile file = TRY(MappedFile::open(path));
  const std::string_view bytes(reinterpret_cast<const char*>(file.bytes().data()), file.size());
  if (bytes.size() < 12 || !bytes.starts_with(kMagic)) return not_readable(path, "no NumPy file");
  const bool is_first_version = bytes[6] == 1;
  const std::size_t length_bytes = is_first_version ? 2 : 4;
  std::uint32_t header_size = 0;
  std::memcpy(&header_size, bytes.data() + 8, length_bytes);
  const std::size_t begin = 8 + length_bytes + header_size;
  if (begin > bytes.size()) return not_readable(path, "its header is cut off");
  const std::string header(bytes.substr(8 + length_bytes, header_size));
  if (header.find("'<f4'") == std::string::npos ||
      header.find("'fortran_order': False") == std::string::npos) {
    return not_readable(path, "holds " + header);
  }
  const std::size_t shape = header.find("'shape': (");
  if (shape == std::string::npos) return not_readable(path, "holds " + header);
  char* after = nullptr;
  VectorFile vectors;
  vectors.rows = std::strtoull(header.c_str() + shape + 10, &after, 10);
  if (*after == ',') vectors.dims = static_cast<std::uint32_t>(std::strtoul(after + 1, &after, 10));
  const std::size_t available = (bytes.size() - begin) / sizeof(float);
  if (vectors.dims == 0 || available / vectors.dims < vectors.rows) {
    return not_readable(path, "is shorter than its shape says");
  }
  vectors.values.resize(vectors.rows * vectors.dims);
  std::memcpy(vectors.values.data(), bytes.data() + begin, vectors.values.size() * sizeof(float));
  return vectors;
}

}  // namespace beleg
