// From a loaded model to a planned session with its inputs set.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "edgetwin/inputs.h"
#include "exec/session.h"
#include "image/resize.h"
#include "twin/load.h"

namespace edgetwin::twin {

// How a network is computed.
struct ComputeOptions {
  std::string numerics;           // empty: by the kind and the target of the model
  std::string target;             // of an .espdl file; empty: as far as the file tells
  std::string model;              // of a package: name or number; empty: the only one
  std::string key;                // of an encrypted .espdl file
  std::string runtime = "3.3.9";  // version of ESP-DL
  bool wide = false;              // accumulators as in ESP-DL's portable code
  bool allow_undefined = false;
  bool real_additions = false;   // of exec::Options
  bool once = false;             // of RunnerOptions
  std::vector<float> mean, std;  // of pictures for inputs with an exponent: (pixel - mean) / std
  int threads = 1;
  bool plain = false;
  std::string isa;
  std::vector<std::string> shapes;  // of an .onnx file: NAME=1,3,224,224
};

// The same of the options of the library's front door.
ComputeOptions compute_options(const OpenOptions& open, const RunnerOptions& run);

// True where Google's compiler put a part of the network into the chip's instructions.
bool has_compiled_ops(const Graph& graph);

// Errors: numerics_unknown, and those of Session::create, placed in the model's file.
Result<exec::Session> plan(const LoadedModel& loaded, const ComputeOptions& compute, bool keep_all);

// One tensor per graph input, and what was given.
using LoadedInputs = Inputs;

// Pictures of another size than the input's are resized as named. Errors: input_missing,
// input_surplus, usage, file_*, input_*, npy_*, image_decode.
Result<LoadedInputs> load_inputs(const std::vector<std::string>& words, const LoadedModel& loaded,
                                 const exec::Session& session, const ComputeOptions& compute,
                                 Resize resize = Resize::nearest);

// The inputs and outputs of a planned model.
std::vector<Port> input_ports(const Model& model, const exec::Session& session);
std::vector<Port> output_ports(const Model& model, const exec::Session& session);

// Of values as the file describes them.
std::vector<Port> graph_ports(const Graph& graph, const std::vector<ValueId>& values);
// read_inputs() for ports without a runner.
Result<Inputs> inputs_for(std::span<const Port> ports, const std::vector<std::string>& words,
                          const std::string& numerics, const PictureOptions& options,
                          const std::string& place);

// The instruction set that fast operators use: the forced one, the best of this machine, or
// "plain".
std::string used_isa(const ComputeOptions& compute);

Status set_inputs(exec::Session& session, const std::vector<Tensor>& tensors);

}  // namespace edgetwin::twin
