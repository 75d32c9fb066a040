// The twin as an engine: the uncompiled model, computed as the chip or as TensorFlow Lite does.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "graph/graph.h"
#include "robotics/engine/engine.h"

namespace edgetwin::robotics {

struct TwinOptions {
  std::string numerics = "edgetpu";  // a row of numerics/numerics.def
  int threads = 1;
  bool exchangeable = true;  // false: as a model that was compiled without cached parameters
};

// The model has one input and outputs of uint8 or int8. Errors: module_model, those of Session.
Result<std::unique_ptr<Engine>> twin_engine(const Model& model, const TwinOptions& options = {});

// The model that a twin computes for a .tflite file: beside a compiled one (NAME_edgetpu.tflite) it
// is the uncompiled NAME.tflite. Errors: module_model, those of read_file and of the reader.
struct TwinModel {
  std::string file;
  Model model;
};
Result<TwinModel> twin_model(const std::filesystem::path& file);

// Both: twin_model() as an engine.
Result<std::unique_ptr<Engine>> load_twin_engine(const std::filesystem::path& file,
                                                 const TwinOptions& options = {});

}  // namespace edgetwin::robotics
