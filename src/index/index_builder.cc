#include <fcntl.h>
#include <linux/fs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

#include "index/dense_index.h"
#include "index/embedding_payload.h"
#include "index/index_files.h"
#include "index/index_snapshot.h"
#include "index/lexical_builder.h"
#include "index/row_table.h"
#include "index/token_index.h"

namespace beleg {
namespace {

std::unexpected<Error> folder_failure(std::string_view action, const std::filesystem::path& folder,
                                      int number) {
  return fail(
      ErrorCode::kIo,
      "cannot " + std::string(action) + " " + printable_path(folder) + ": " + std::strerror(number),
      "check the free disk space and the permissions of the corpus folder");
}

/// A folder that is removed with all it holds unless it was put in place.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(std::filesystem::path path) : path_(std::move(path)) {}
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  Result<void> create() const {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
    std::filesystem::create_directories(path_, error);
    if (error) return folder_failure("create", path_, error.value());
    return {};
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Puts `from` where `to` is. What was there changes places with it, and so is removed with the
/// temporary folder: at no moment is there nothing.
Result<void> put_in_place(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (::rename(from.c_str(), to.c_str()) == 0) return {};
  if (errno != ENOTEMPTY && errno != EEXIST) return folder_failure("rename", from, errno);
  if (::syscall(SYS_renameat2, AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_EXCHANGE) ==
      0) {
    return {};
  }
  // A file system that cannot exchange: the old index is derived and may be missing for a moment.
  std::error_code error;
  std::filesystem::remove_all(to, error);
  if (error) return folder_failure("remove", to, error.value());
  if (::rename(from.c_str(), to.c_str()) != 0) return folder_failure("rename", from, errno);
  return {};
}

class FolderIndexBuilder final : public IndexBuilder {
 public:
  explicit FolderIndexBuilder(std::uint32_t dims) : dims_(dims), dense_(dims), tokens_(dims) {}

  Result<void> add(const RowAttributes& attributes, const IndexedText& text,
                   std::span<const std::byte> payload, std::uint64_t offset) override {
    const EmbeddingView view = TRY(view_embedding(payload));
    if (view.dims != dims_) {
      return fail(ErrorCode::kInvalidArgument,
                  "an embedding payload has " + std::to_string(view.dims) +
                      " dimensions, the index has " + std::to_string(dims_),
                  "encode the corpus with one model");
    }
    if (offset % alignof(float) != 0) {
      return fail(ErrorCode::kInvalidArgument, "an embedding payload is at offset " +
                                                   std::to_string(offset) +
                                                   " of its pack, which is no multiple of four");
    }
    const auto row = static_cast<Row>(table_.rows());
    TRY(table_.add(attributes));
    lexical_.add(row, attributes.language, text);
    dense_.add(view.dense);
    tokens_.add(view, offset);
    return {};
  }

  Result<void> write(const std::filesystem::path& folder,
                     const std::filesystem::path& pack) override {
    const std::filesystem::path target = folder.has_filename() ? folder : folder.parent_path();
    std::filesystem::path beside = target;
    // Two threads of one process may both find an index damaged and build it again.
    static std::atomic<unsigned> number{0};
    beside += ".tmp." + std::to_string(::getpid()) + "." + std::to_string(number++);
    const TemporaryFolder temporary(beside);
    TRY(temporary.create());
    const IndexIdentity identity = table_.identity();
    TRY(table_.write(temporary.path() / index_files::kRows));
    TRY(lexical_.write(temporary.path() / index_files::kLexical, identity));
    TRY(dense_.write(temporary.path() / index_files::kDense, identity));
    TRY(tokens_.write(temporary.path() / index_files::kTokens, pack, identity));
    TRY(sync_directory(temporary.path()));
    TRY(put_in_place(temporary.path(), target));
    return sync_directory(target.has_parent_path() ? target.parent_path() : ".");
  }

 private:
  std::uint32_t dims_;
  RowTableBuilder table_;
  LexicalIndexBuilder lexical_;
  DenseIndexBuilder dense_;
  TokenIndexBuilder tokens_;
};

}  // namespace

std::unique_ptr<IndexBuilder> IndexBuilder::create(std::uint32_t dims) {
  return std::make_unique<FolderIndexBuilder>(dims);
}

}  // namespace beleg
