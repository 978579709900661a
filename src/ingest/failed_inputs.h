#pragma once

#include <cstdint>
#include <vector>

#include "ingest/file_report.h"
#include "ingest/ingest_root.h"
#include "store/dead_letters.h"

namespace beleg {

/// The folders and files in which the inputs of the letters were found, with nothing in them but
/// these inputs. One that cannot be listed now is reported in `not_there`; nothing is known of its
/// inputs then.
[[nodiscard]] std::vector<IngestRoot> list_failed_inputs(const std::vector<DeadLetter>& letters,
                                                         std::vector<FileReport>& not_there);

/// Ids of the letters whose input was looked for in the roots and is gone from them. What lies
/// below a folder that could not be listed is not gone.
[[nodiscard]] std::vector<std::int64_t> gone_letters(const std::vector<DeadLetter>& letters,
                                                     const std::vector<IngestRoot>& roots);

}  // namespace beleg
