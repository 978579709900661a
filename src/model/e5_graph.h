#pragma once

#include "base/result.h"
#include "model/e5_file.h"
#include "model/openvino_runtime.h"

namespace beleg {

/// The transformer of the file as a network: inputs "embeddings" (batch × tokens × hidden, the sum
/// of word, position and type embeddings) and "mask" (batch × 1 × 1 × tokens, added to the
/// attention scores: 0, or a large negative number for padding), output the last hidden state.
Result<OpenVinoModel> compile_e5(const E5File& file, const OpenVinoOptions& options);

}  // namespace beleg
