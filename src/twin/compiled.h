// A compiled Edge TPU model and what is known of its parameters.
#pragma once

#include <memory>
#include <string>

#include "graph/graph.h"
#include "targets/edgetpu/params/locate.h"

namespace edgetwin::twin {

// `located` points into the others.
struct CompiledModel {
  std::string name;
  Bytes data;
  std::unique_ptr<const darwinn::File> file;
  std::unique_ptr<const Model> reference;  // null: none was given
  edgetpu::Located located;
};

// `reference` may be empty: a model of one layer is understood without. The reader's findings are
// in `file`. Errors: file_*, darwinn_*, those of the TensorFlow Lite reader, params_reference where
// nothing of the reference is in the compiled model.
Result<CompiledModel> load_compiled(const std::string& file, const std::string& reference);

}  // namespace edgetwin::twin
