// The network of a compiled model, for verbs that compute it.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "graph/graph.h"

namespace edgetwin::cli {

// `data` is a compiled .tflite file called `name`. Errors: decompile_layer where a part of the
// network was not recovered, those of the readers and of edgetpu::decompile.
Result<std::shared_ptr<const Graph>> decompiled_graph(ByteSpan data, const std::string& name);

}  // namespace edgetwin::cli
