// From a graph of integers to a document: what import/import.h does, backwards.
// docs/formats/espdl.md, "From graph to file".
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "formats/espdl/document/document.h"
#include "formats/espdl/document/table_origin.h"
#include "formats/espdl/document/target.h"
#include "graph/graph.h"
#include "tensor/tensor.h"

namespace edgetwin::espdl {

struct ExportOptions {
  // QuantizeLinear and RequantizeLinear have quant_type F32. An exporter of the vendor that
  // inserted them without a platform wrote its files so (recorded: yolo11n_pose_v2_p4, all 14 of
  // them); files of the same vendor before and after it name the width. The runtime converts by the
  // tensors.
  bool untyped_conversions = false;
  // Of LUT nodes, by the name of the value that they make.
  std::map<std::string, TableOrigin, std::less<>> tables = {};
};

// What export_graph needs to give a document again as it is.
ExportOptions export_options(const Document& document);

// The graph must have the form that import_document() gives: channels last, filters OHWI,
// power-of-two exponents, conversions and look-up tables as operators. Weights get the order of the
// target, everything else stays as it is. The metadata says the target, which files of other
// exporters do not. Test values are the caller's to add. Errors: espdl_write (with a line for every
// operator and tensor that has no form in a file), espdl_layout, graph_*.
Result<Document> export_graph(const Graph& graph, Target target, const ExportOptions& options = {});

// A tensor as an embedded test value.
TensorData to_test_value(const Tensor& tensor);

}  // namespace edgetwin::espdl
