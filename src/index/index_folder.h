#pragma once

#include <filesystem>

#include "base/result.h"

namespace beleg {

/// A folder that is removed with all it holds unless it was put in place.
class TemporaryFolder {
 public:
  /// A name beside `target` that no other process or thread has.
  explicit TemporaryFolder(const std::filesystem::path& target);
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  /// Makes it anew, empty.
  Result<void> create() const;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Moves it to where `target` is, durably. What was there changes places with it, and so is
  /// removed with the temporary folder: at no moment is there nothing.
  Result<void> put_in_place(const std::filesystem::path& target) const;

 private:
  std::filesystem::path path_;
};

/// Makes the files of `from` also files of `to`, which is made: by links where the file system has
/// them, else by copies. Immutable files only.
Result<void> share_folder(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace beleg
