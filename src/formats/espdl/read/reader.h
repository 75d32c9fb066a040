// The parts of the reader; each turns one table of a model into its meaning.
#pragma once

#include <string>

#include "formats/espdl/document/document.h"
#include "formats/espdl/document/labels.h"
#include "formats/espdl/document/limits.h"
#include "formats/flatbuffer/source.h"

namespace edgetwin::espdl {

using flatbuffer::Source;

// Names that documents have too. NOLINTBEGIN(bugprone-forward-declaration-namespace)
namespace schema {
struct Attribute;
struct Graph;
struct Node;
struct Tensor;
struct ValueInfo;
}  // namespace schema
// NOLINTEND(bugprone-forward-declaration-namespace)

// read_model.cc: verifies the whole payload, then reads it.
Result<Document> read_document(Source& source, bool encrypted);

// read_graph.cc
Status read_graph(Source& source, const schema::Graph& table, Document& document);
Result<ValueInfo> read_value(Source& source, const schema::ValueInfo& table,
                             const std::string& list);

// read_attribute.cc: `label` is the node's.
Result<Attribute> read_attribute(Source& source, const schema::Attribute& table,
                                 const std::string& label);

// read_tensor.cc: `list` is the field that the tensor is in.
Result<TensorData> read_tensor(Source& source, const schema::Tensor& table,
                               const std::string& list);

}  // namespace edgetwin::espdl
