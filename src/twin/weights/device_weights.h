// Weights of a compiled model on a device: parameters in the chip's memory.
#pragma once

#include <memory>
#include <string>

#include "edgetwin/weights.h"
#include "targets/edgetpu/driver/device.h"
#include "targets/edgetpu/runtime/network.h"

namespace edgetwin::twin {

// A compiled model on a device, as the runner has it; all of it lives as long as the weights.
struct DeviceSubject {
  edgetpu::CompiledNetwork* network = nullptr;
  std::shared_ptr<edgetpu::EdgeTpuDevice> device;
  const Bytes* data = nullptr;  // of the file
  std::shared_ptr<const darwinn::File> file;
  std::string name;
  // What was compiled: needed for models that are not one dense layer with one scale per row. Null:
  // not known.
  std::shared_ptr<const Graph> source;
};

// Null where the model does not keep its weights on the chip, has several compiled operators, or no
// layer that can be told.
std::unique_ptr<Weights> device_weights(const DeviceSubject& subject);

}  // namespace edgetwin::twin
