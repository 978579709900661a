#pragma once

// For the few .cc files that build graphs in memory: it draws in OpenVINO's own headers.

#include <memory>
#include <openvino/openvino.hpp>

#include "base/result.h"
#include "model/openvino_runtime.h"

namespace beleg {

/// Compiles a graph for this processor. The constants of `graph` may be released afterwards.
Result<OpenVinoModel> compile_graph(const std::shared_ptr<ov::Model>& graph,
                                    const OpenVinoOptions& options);

}  // namespace beleg
