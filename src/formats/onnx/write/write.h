// Float networks as ONNX files. docs/formats/onnx.md says which operators.
#pragma once

#include "base/bytes.h"
#include "base/result.h"
#include "formats/onnx/document/document.h"
#include "graph/graph.h"

namespace edgetwin::onnx {

// A float32 graph of operators that mean the same in every order of axes: ADD, SUB, MUL, RESHAPE,
// SPLIT, CONCATENATION, FULLY_CONNECTED without a fused activation. Values keep their names.
// Error: onnx_operator with the first that is not one of these.
Result<Document> document_of(const Graph& graph);

// The file. The same bytes for the same document. Error: out_of_memory beyond 2 GiB, which no
// reader takes.
Result<Bytes> write_document(const Document& document);

}  // namespace edgetwin::onnx
