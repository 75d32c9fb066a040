// An ONNX network with other numbers, as training leaves them.
#pragma once

#include "base/result.h"
#include "formats/onnx/document/document.h"
#include "graph/graph.h"

namespace edgetwin::onnx {

// `before` is the graph that was read from the document; `after` has constants of the same names.
// Where they differ, the document gets the numbers of `after`, turned as its nodes want them. A
// batch norm that the reader folds becomes neutral, an addend that it folds becomes 0 or the bias.
// Reading what comes out gives the constants of `after`: whoever writes it compares.
// Error: onnx_reference with a constant that has no place in the document.
Result<Document> with_constants(Document document, const Graph& before, const Graph& after);

}  // namespace edgetwin::onnx
