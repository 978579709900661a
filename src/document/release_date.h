#pragma once

#include <optional>

#include "document/document.h"

namespace beleg {

/// The date that counts for "newest first": the last change where the source names one and it is
/// not before the release, else the release. Empty without either.
[[nodiscard]] inline std::optional<Date> release_date(const DocumentMetadata& meta) {
  if (meta.updated && (!meta.published || meta.updated->time >= meta.published->time)) {
    return meta.updated;
  }
  return meta.published;
}

}  // namespace beleg
