// A network that computes, wherever it does: on the twin, in the machine that executes the chip's
// own program, on a virtual or a real device, or as results that were recorded. All of them take
// and give the same tensors, so that any two can be compared (verify.h). docs/concepts.md.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "edgetwin/export.h"
#include "edgetwin/finding.h"
#include "edgetwin/result.h"
#include "edgetwin/tensor.h"

namespace edgetwin {

// An input or output of a network.
struct Port {
  std::string name;
  DType dtype = DType::int8;
  Shape shape;  // rows before columns before channels, or planes first where `planes_first`
  Quant quant;  // what the integers stand for
  bool planes_first = false;         // channels before rows and columns: ONNX and MAX7800x
  std::vector<std::string> aliases;  // other names that users may give: those of signatures
};

// One tensor inside a network, in the order of computation.
struct LayerResult {
  std::string layer;   // "#12 CONV_2D 'MobilenetV1/Conv2d_3'"
  std::string type;    // "CONV_2D", "input", "variable"
  int index = -1;      // of the operator or layer in the user's file; -1: none
  int32_t value = -1;  // of the tensor in the user's file; -1: none
  Tensor tensor;       // with its name
};

struct Run {
  std::vector<Tensor> outputs;      // in the model's order, each with name, type, shape and quant
  std::vector<LayerResult> layers;  // only where RunnerOptions::keep_layers and the runner has them
  std::vector<Finding> findings;    // what this run's data showed
  // Row of the table of numerics in which the network's graph gives the same; empty: not known.
  std::string numerics;
};

// Where a network computes. `automatic`: a compiled Edge TPU model and a register program in the
// machine, every other file on the twin.
enum class Where : uint8_t { automatic, twin, machine, virtual_device, device, recorded };
EDGETWIN_API std::string_view name(Where where);  // "twin", "machine", "virtual device", …

class EDGETWIN_API Runner {
 public:
  virtual ~Runner();

  virtual Where where() const = 0;
  // One line for people: "twin, numerics tflite"; "machine of the Edge TPU, host numerics tflite".
  virtual std::string description() const = 0;
  // Row of the table of numerics that inputs are quantized for; empty: results are recorded.
  virtual std::string numerics() const = 0;

  // Valid as long as the runner. Recorded results have no inputs: they take any. So do register
  // programs of the MAX7800x, which bring their own.
  virtual std::span<const Port> inputs() const = 0;
  virtual std::span<const Port> outputs() const = 0;

  // One inference. One tensor per input, of its type and size (inputs.h makes them from files).
  // Variables keep their content from run to run; reset() gives them their first one. Not to be
  // called from two threads at once. Errors: input_missing, input_shape, op_data, chip_*, device_*.
  virtual Result<Run> run(std::span<const Tensor> inputs) = 0;
  virtual Status reset();

  // What preparing the network had to say: unproven results, fields that were passed over.
  virtual std::span<const Finding> findings() const = 0;
};

}  // namespace edgetwin
