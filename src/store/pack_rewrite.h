#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>

#include "base/hash.h"
#include "base/result.h"

namespace beleg {

struct PackRewrite {
  std::size_t kept = 0;
  std::size_t dropped = 0;  ///< Records that are gone, superseded ones of a key included.
};

/// Writes the pack at `file` anew without the records whose key `keep` refuses, beside it, and
/// puts it in place by one rename. Records stay where they were, so that an index which refers to
/// them by offset holds before and after; the room between them is taken by filler records, whose
/// zeros cost no space on the disk. Readers that mapped the old file keep it. Holds the writing
/// lock of the pack. kCorrupt when a record to be kept is damaged: the pack stays as it was.
/// A missing pack is left missing.
Result<PackRewrite> rewrite_pack(const std::filesystem::path& file,
                                 const std::function<bool(const Sha256&)>& keep);

}  // namespace beleg
