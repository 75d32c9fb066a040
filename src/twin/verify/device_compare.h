// What a device gives, tensor by tensor, beside the twin: the outputs of the compiled operators as
// the chip sends them, and those of the model.
#pragma once

#include <string>
#include <vector>

#include "twin/device.h"
#include "verify/compare.h"

namespace edgetwin::twin {

struct DeviceTensor {
  std::string name;
  bool of_chip = false;     // sent by the chip; false: an output of the model
  bool compared = false;    // false: the reference has no such tensor
  verify::TensorDiff diff;  // a: the twin
  // Where the chip computed the first element that differs: "tile 5, y 3, x 2, channel 7". Empty:
  // nothing differs, or the compiled model does not say.
  std::string place;

  bool equal() const { return compared && diff.equal(); }
};

struct DeviceComparison {
  std::string numerics;  // of the twin
  std::vector<DeviceTensor> tensors;
  size_t compared = 0, different = 0;

  bool equal() const { return different == 0 && compared > 0; }
};

// Runs the device, and the network that it was compiled from (DeviceRun::reference, which must be
// there) in the Edge TPU's numerics, or in those that `compute` names. Errors: those of both runs;
// input_missing where the reference has an input that the compiled model does not have.
Result<DeviceComparison> compare_with_twin(DeviceRun& run, ComputeOptions compute);

}  // namespace edgetwin::twin
