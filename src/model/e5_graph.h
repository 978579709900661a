#pragma once

#include "base/result.h"
#include "model/e5_file.h"
#include "model/openvino_runtime.h"

namespace beleg {

/// The transformer of the file as a network: input "embeddings" (batch × tokens × hidden, the sum of
/// word, position and type embeddings), output the last hidden state of the same shape. No padding:
/// all rows of a batch have the same length.
Result<OpenVinoModel> compile_e5(const E5File& file, const OpenVinoOptions& options);

}  // namespace beleg
