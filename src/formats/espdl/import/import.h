// From a document to a graph: names resolved, weights in plain order, attributes understood.
// docs/formats/espdl.md, "From file to graph".
#pragma once

#include <string>

#include "base/result.h"
#include "formats/espdl/document/document.h"
#include "formats/espdl/document/target.h"
#include "graph/graph.h"
#include "tensor/tensor.h"

namespace edgetwin::espdl {

// The graph has passed verify_graph(). `file` is used in errors only. Operators that the runtime
// does not have become OpKind::opaque. Findings of the model: what is odd, but runs.
// Errors: espdl_reference, espdl_attribute, espdl_tensor, espdl_layout, op_undefined, graph_*.
Result<Model> import_document(const Document& document, Target target, const std::string& file);

// An embedded test value or initializer as a tensor. Error: espdl_tensor.
Result<Tensor> to_tensor(const TensorData& data);

}  // namespace edgetwin::espdl
