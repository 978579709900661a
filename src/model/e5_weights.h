#pragma once

#include "base/result.h"
#include "model/e5_file.h"
#include "model/openvino_runtime.h"

namespace beleg {

/// The transformer of the file as a network; see compile_transformer(). The weights stay at four
/// bits in memory, bit for bit those of the file.
Result<OpenVinoModel> compile_e5(const E5File& file, const OpenVinoOptions& options);

}  // namespace beleg
