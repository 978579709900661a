// Stands between a program and libc (LD_PRELOAD) and meets its file operations with faults; see
// fault_plan.h. It knows nothing of the program: what is proven with it holds for the binary that
// people run.

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <vector>

#include "operation.h"

namespace beleg::crash {
namespace {

struct stat status_of(int descriptor) {
  struct stat info{};
  const int before = errno;
  if (::fstat(descriptor, &info) != 0) info = {};
  errno = before;
  return info;
}

int open_file(int folder, const char* name, int flags, mode_t mode) {
  const auto open = [&] { return static_cast<int>(raw(SYS_openat, folder, name, flags, mode)); };
  const bool writes = (flags & O_ACCMODE) != O_RDONLY || (flags & O_TRUNC) != 0;
  const std::string path = writes ? resolve(folder, name) : std::string();
  if (!writes || !is_watched(path)) return open();
  struct stat before{};
  const bool exists = ::fstatat(AT_FDCWD, path.c_str(), &before, 0) == 0;
  const char* kind = "open";
  if (!exists && (flags & O_CREAT) != 0) kind = "create";
  if (exists && (flags & O_TRUNC) != 0 && before.st_size > 0) kind = "truncate";
  Operation operation(kind, path);
  if (operation.fails()) return -1;
  const int descriptor = open();
  if (descriptor >= 0) operation.about(status_of(descriptor).st_ino, 0, 0);
  operation.done(descriptor);
  return descriptor;
}

/// `offset` -1: where the descriptor stands.
ssize_t write_file(int descriptor, const void* data, std::size_t size, off_t offset) {
  const auto write = [&](std::size_t bytes) {
    return offset < 0 ? raw(SYS_write, descriptor, data, bytes)
                      : raw(SYS_pwrite64, descriptor, data, bytes, offset);
  };
  const std::string path = path_of(descriptor);
  if (!is_watched(path)) return write(size);
  Operation operation("write", path);
  if (operation.fails()) return -1;
  const struct stat info = status_of(descriptor);
  off_t start = offset;
  if (offset < 0) {
    const bool appends = (raw(SYS_fcntl, descriptor, F_GETFL) & O_APPEND) != 0;
    start = appends ? info.st_size : raw(SYS_lseek, descriptor, 0, SEEK_CUR);
  }
  operation.about(info.st_ino, start, size);
  return operation.done(write(operation.share_of(size)), data);
}

ssize_t write_parts(int descriptor, const iovec* parts, int count, off_t offset) {
  std::vector<char> bytes;
  for (int i = 0; i < count; ++i) {
    const auto* data = static_cast<const char*>(parts[i].iov_base);
    bytes.insert(bytes.end(), data, data + parts[i].iov_len);
  }
  return write_file(descriptor, bytes.data(), bytes.size(), offset);
}

/// Of sendfile() and copy_file_range(): what arrived is read back for the journal.
template <class Copy>
ssize_t copy_into(int target, off_t* target_offset, std::size_t size, Copy copy) {
  const std::string path = path_of(target);
  if (!is_watched(path)) return copy(size);
  Operation operation("write", path);
  if (operation.fails()) return -1;
  const off_t start =
      target_offset != nullptr ? *target_offset : raw(SYS_lseek, target, 0, SEEK_CUR);
  operation.about(status_of(target).st_ino, start, size);
  const long copied = copy(operation.share_of(size));
  std::vector<char> bytes(copied > 0 ? static_cast<std::size_t>(copied) : 0);
  if (!bytes.empty()) {
    const std::string again = "/proc/self/fd/" + std::to_string(target);
    const long reader = raw(SYS_openat, AT_FDCWD, again.c_str(), O_RDONLY | O_CLOEXEC);
    raw(SYS_pread64, reader, bytes.data(), bytes.size(), start);
    raw(SYS_close, reader);
  }
  return operation.done(copied, bytes.data());
}

int truncate_file(int descriptor, const char* name, off_t size) {
  const std::string path = name == nullptr ? path_of(descriptor) : resolve(AT_FDCWD, name);
  const auto cut = [&] {
    return static_cast<int>(name == nullptr ? raw(SYS_ftruncate, descriptor, size)
                                            : raw(SYS_truncate, name, size));
  };
  if (!is_watched(path)) return cut();
  Operation operation("truncate", path);
  if (operation.fails()) return -1;
  struct stat info{};
  if (name == nullptr) {
    info = status_of(descriptor);
  } else {
    ::stat(name, &info);
  }
  operation.about(info.st_ino, size, 0);
  return static_cast<int>(operation.done(cut()));
}

int allocate(int descriptor, int mode, off_t offset, off_t size) {
  const auto reserve = [&] {
    return static_cast<int>(raw(SYS_fallocate, descriptor, mode, offset, size));
  };
  const std::string path = path_of(descriptor);
  if (!is_watched(path)) return reserve();
  Operation operation("allocate", path);
  if (operation.fails()) return -1;
  const int result = reserve();
  const struct stat info = status_of(descriptor);
  operation.about(info.st_ino, info.st_size, 0);
  return static_cast<int>(operation.done(result));
}

int flush_file(long call, int descriptor) {
  const std::string path = path_of(descriptor);
  if (!is_watched(path)) return static_cast<int>(raw(call, descriptor));
  Operation operation("sync", path);
  const struct stat info = status_of(descriptor);
  operation.about(info.st_ino, 0, 0);
  if (operation.fails()) return -1;
  // The journal is what counts; a real flush would only cost time.
  return static_cast<int>(operation.done(0));
}

int rename_file(int from_folder, const char* from, int to_folder, const char* to,
                unsigned int flags) {
  const std::string source = resolve(from_folder, from);
  const std::string target = resolve(to_folder, to);
  const auto rename = [&] {
    return static_cast<int>(raw(SYS_renameat2, from_folder, from, to_folder, to, flags));
  };
  if (!is_watched(source) && !is_watched(target)) return rename();
  Operation operation((flags & RENAME_EXCHANGE) != 0 ? "exchange" : "rename", source, target);
  return operation.fails() ? -1 : static_cast<int>(operation.done(rename()));
}

int link_file(int from_folder, const char* from, int to_folder, const char* to, int flags) {
  const std::string target = resolve(to_folder, to);
  const auto link = [&] {
    return static_cast<int>(raw(SYS_linkat, from_folder, from, to_folder, to, flags));
  };
  if (!is_watched(target)) return link();
  Operation operation("link", resolve(from_folder, from), target);
  return operation.fails() ? -1 : static_cast<int>(operation.done(link()));
}

int unlink_file(int folder, const char* name, int flags) {
  const std::string path = resolve(folder, name);
  const auto remove = [&] { return static_cast<int>(raw(SYS_unlinkat, folder, name, flags)); };
  if (!is_watched(path)) return remove();
  Operation operation((flags & AT_REMOVEDIR) != 0 ? "rmdir" : "unlink", path);
  return operation.fails() ? -1 : static_cast<int>(operation.done(remove()));
}

int make_folder(int folder, const char* name, mode_t mode) {
  const std::string path = resolve(folder, name);
  const auto make = [&] { return static_cast<int>(raw(SYS_mkdirat, folder, name, mode)); };
  if (!is_watched(path)) return make();
  Operation operation("mkdir", path);
  return operation.fails() ? -1 : static_cast<int>(operation.done(make()));
}

/// Only a question, but one that a read-only file system answers with no.
int may_access(int folder, const char* name, int mode, int flags) {
  const auto ask = [&] { return static_cast<int>(raw(SYS_faccessat2, folder, name, mode, flags)); };
  const std::string path = (mode & W_OK) != 0 ? resolve(folder, name) : std::string();
  if (path.empty() || !is_watched(path)) return ask();
  Operation operation("access", path);
  return operation.fails() ? -1 : static_cast<int>(operation.done(ask()));
}

void* map_file(void* address, std::size_t size, int protection, int flags, int descriptor,
               off_t offset) {
  const bool writable = (protection & PROT_WRITE) != 0 && (flags & MAP_SHARED) != 0;
  if (writable && descriptor >= 0) {
    const std::string path = path_of(descriptor);
    if (is_watched(path)) {
      // Stores to a map are seen by nobody: the reader of the journal must know of them.
      Operation operation("map", path);
      operation.about(status_of(descriptor).st_ino, offset, size);
      operation.done(0);
    }
  }
  const long result = raw(SYS_mmap, address, size, protection, flags, descriptor, offset);
  return reinterpret_cast<void*>(result);
}

FILE* open_stream(const char* name, const char* mode) {
  int flags = std::strchr(mode, '+') != nullptr ? O_RDWR : O_WRONLY;
  if (mode[0] == 'r' && flags == O_WRONLY) flags = O_RDONLY;
  if (mode[0] == 'w') flags |= O_CREAT | O_TRUNC;
  if (mode[0] == 'a') flags |= O_CREAT | O_APPEND;
  if (std::strchr(mode, 'x') != nullptr) flags |= O_EXCL;
  if (std::strchr(mode, 'e') != nullptr) flags |= O_CLOEXEC;
  const int descriptor = open_file(AT_FDCWD, name, flags, 0666);
  return descriptor < 0 ? nullptr : ::fdopen(descriptor, mode);
}

mode_t mode_of(int flags, va_list arguments) {
  const bool creates = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
  return creates ? static_cast<mode_t>(va_arg(arguments, int)) : 0;
}

}  // namespace
}  // namespace beleg::crash

// The functions of libc, under both of their names where large files have a second one.
namespace crash = beleg::crash;
extern "C" {

#define OPEN_FUNCTION(name, parameter, folder)            \
  int name(parameter const char* path, int flags, ...) {  \
    va_list arguments;                                    \
    va_start(arguments, flags);                           \
    const mode_t mode = crash::mode_of(flags, arguments); \
    va_end(arguments);                                    \
    return crash::open_file(folder, path, flags, mode);   \
  }
#define FOLDER_PARAMETER int folder,
OPEN_FUNCTION(open, , AT_FDCWD)
OPEN_FUNCTION(open64, , AT_FDCWD)
OPEN_FUNCTION(openat, FOLDER_PARAMETER, folder)
OPEN_FUNCTION(openat64, FOLDER_PARAMETER, folder)

// What the checks of _FORTIFY_SOURCE make of calls without a mode.
int __open_2(const char* path, int flags) { return crash::open_file(AT_FDCWD, path, flags, 0); }
int __open64_2(const char* path, int flags) { return crash::open_file(AT_FDCWD, path, flags, 0); }
int __openat_2(int folder, const char* path, int flags) {
  return crash::open_file(folder, path, flags, 0);
}
int __openat64_2(int folder, const char* path, int flags) {
  return crash::open_file(folder, path, flags, 0);
}
int creat(const char* path, mode_t mode) {
  return crash::open_file(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}
int creat64(const char* path, mode_t mode) { return creat(path, mode); }
FILE* fopen(const char* path, const char* mode) { return crash::open_stream(path, mode); }
FILE* fopen64(const char* path, const char* mode) { return crash::open_stream(path, mode); }

ssize_t write(int file, const void* data, size_t size) {
  return crash::write_file(file, data, size, -1);
}
ssize_t pwrite(int file, const void* data, size_t size, off_t offset) {
  return crash::write_file(file, data, size, offset);
}
ssize_t pwrite64(int file, const void* data, size_t size, off64_t offset) {
  return crash::write_file(file, data, size, offset);
}
ssize_t writev(int file, const iovec* parts, int count) {
  return crash::write_parts(file, parts, count, -1);
}
ssize_t pwritev(int file, const iovec* parts, int count, off_t offset) {
  return crash::write_parts(file, parts, count, offset);
}
ssize_t pwritev64(int file, const iovec* parts, int count, off64_t offset) {
  return crash::write_parts(file, parts, count, offset);
}
ssize_t copy_file_range(int from, off64_t* from_offset, int to, off64_t* to_offset, size_t size,
                        unsigned int flags) {
  return crash::copy_into(to, to_offset, size, [&](size_t bytes) {
    return crash::raw(SYS_copy_file_range, from, from_offset, to, to_offset, bytes, flags);
  });
}
ssize_t sendfile(int to, int from, off_t* offset, size_t size) {
  return crash::copy_into(to, nullptr, size, [&](size_t bytes) {
    return crash::raw(SYS_sendfile, to, from, offset, bytes);
  });
}
ssize_t sendfile64(int to, int from, off64_t* offset, size_t size) {
  return sendfile(to, from, offset, size);
}

int ftruncate(int file, off_t size) { return crash::truncate_file(file, nullptr, size); }
int ftruncate64(int file, off64_t size) { return crash::truncate_file(file, nullptr, size); }
int truncate(const char* path, off_t size) { return crash::truncate_file(-1, path, size); }
int truncate64(const char* path, off64_t size) { return crash::truncate_file(-1, path, size); }
int fallocate(int file, int mode, off_t offset, off_t size) {
  return crash::allocate(file, mode, offset, size);
}
int fallocate64(int file, int mode, off64_t offset, off64_t size) {
  return crash::allocate(file, mode, offset, size);
}
int posix_fallocate(int file, off_t offset, off_t size) {
  return crash::allocate(file, 0, offset, size) == 0 ? 0 : errno;
}
int posix_fallocate64(int file, off64_t offset, off64_t size) {
  return posix_fallocate(file, offset, size);
}

int fsync(int file) { return crash::flush_file(SYS_fsync, file); }
int fdatasync(int file) { return crash::flush_file(SYS_fdatasync, file); }

int rename(const char* from, const char* to) {
  return crash::rename_file(AT_FDCWD, from, AT_FDCWD, to, 0);
}
int renameat(int from_folder, const char* from, int to_folder, const char* to) {
  return crash::rename_file(from_folder, from, to_folder, to, 0);
}
int renameat2(int from_folder, const char* from, int to_folder, const char* to,
              unsigned int flags) {
  return crash::rename_file(from_folder, from, to_folder, to, flags);
}
int link(const char* from, const char* to) {
  return crash::link_file(AT_FDCWD, from, AT_FDCWD, to, 0);
}
int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) {
  return crash::link_file(from_folder, from, to_folder, to, flags);
}
int unlink(const char* path) { return crash::unlink_file(AT_FDCWD, path, 0); }
int unlinkat(int folder, const char* path, int flags) {
  return crash::unlink_file(folder, path, flags);
}
int rmdir(const char* path) { return crash::unlink_file(AT_FDCWD, path, AT_REMOVEDIR); }
int remove(const char* path) {
  struct stat info{};
  if (::lstat(path, &info) != 0) return -1;
  return S_ISDIR(info.st_mode) ? rmdir(path) : unlink(path);
}
int mkdir(const char* path, mode_t mode) { return crash::make_folder(AT_FDCWD, path, mode); }
int mkdirat(int folder, const char* path, mode_t mode) {
  return crash::make_folder(folder, path, mode);
}

int access(const char* path, int mode) { return crash::may_access(AT_FDCWD, path, mode, 0); }
int faccessat(int folder, const char* path, int mode, int flags) {
  return crash::may_access(folder, path, mode, flags);
}

void* mmap(void* address, size_t size, int protection, int flags, int file, off_t offset) {
  return crash::map_file(address, size, protection, flags, file, offset);
}
void* mmap64(void* address, size_t size, int protection, int flags, int file, off64_t offset) {
  return crash::map_file(address, size, protection, flags, file, offset);
}

}  // extern "C"
