// A graph of integers becomes the files that ESP-DL's exporter writes, with proof: what was written
// is opened again and run, and must give what the graph gave.
#pragma once

#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/finding.h"
#include "base/result.h"
#include "exec/session.h"
#include "formats/espdl/document/document.h"
#include "formats/espdl/document/target.h"
#include "formats/espdl/export/export.h"
#include "graph/graph.h"
#include "tensor/tensor.h"

namespace edgetwin::targets::espdl {

struct ExportSettings {
  edgetwin::espdl::Target target = edgetwin::espdl::Target::esp32p4;
  // Version of the runtime that the embedded outputs hold for: 30309 is 3.3.9; 0: the newest.
  int runtime = 0;
  int threads = 1;
  bool embed_test_values = true;
  bool allow_undefined = false;  // of exec::Options
  edgetwin::espdl::ExportOptions form = {};
};

struct Exported {
  edgetwin::espdl::Document document;
  Bytes file;                     // NAME.espdl
  std::string info;               // NAME.info
  std::string config;             // NAME.json
  std::vector<Finding> findings;  // of planning and running
};

// `inputs`: one tensor per graph input, of its own type and shape; they and what the twin computes
// from them are embedded as test values. Without inputs a generator makes them.
// Errors: those of espdl::export_graph and exec::Session, input_missing, input_shape, and
// internal, our own fault, if the file does not compute what the graph does.
Result<Exported> export_model(const Graph& graph, const std::vector<Tensor>& inputs,
                              const ExportSettings& settings);

}  // namespace edgetwin::targets::espdl
