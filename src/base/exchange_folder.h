#pragma once

#include <filesystem>

#include "base/result.h"

namespace beleg {

/// Puts the folder `made` where the folder `target` is, and `target` where `made` was, in one step
/// that is durable when this returns: after a crash both names have their old folder or both the
/// new one. What is in `made` must have been flushed before. Both must be on one file system.
///
/// On a file system that cannot exchange names, `target` is moved aside (`made` with ".old"
/// appended) and for a moment its name is that of nothing; when the second step fails it is moved
/// back. Errors: kIo, kPermission; both folders are then where they were, unless moving back or
/// flushing failed, as the message says.
Result<void> exchange_folders(const std::filesystem::path& made,
                              const std::filesystem::path& target);

}  // namespace beleg
