// What a module runs on: the twin, or a device. Bytes are those of the chip, which computes
// unsigned: the top bit of signed elements is flipped on the way in and out.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

namespace edgetwin::robotics {

// An input or output of the network, dense: [y][x][channel].
struct Port {
  std::string name;
  Shape shape;
  DType dtype = DType::uint8;  // uint8 or int8, as the model says
  float scale = 1.0F;
  int zero_point = 0;  // of `dtype`
  size_t bytes = 0;

  // A byte of the chip as a real number.
  float real(std::byte b) const {
    const int flipped = dtype == DType::int8 ? static_cast<int>(b) - 128 : static_cast<int>(b);
    return static_cast<float>(flipped - zero_point) * scale;
  }
};

class Engine {
 public:
  virtual ~Engine() = default;

  virtual Status open() = 0;
  virtual void close() = 0;
  virtual bool is_open() const = 0;

  virtual const Port& input() const = 0;
  virtual const std::vector<Port>& outputs() const = 0;

  // One array per output. Errors: module_closed, module_input for another number of bytes, and
  // those of the device.
  virtual Result<std::vector<Bytes>> run(ByteSpan input) = 0;

  // Whether the weights of the first layer that has some can be replaced: of compiled models those
  // that cache their parameters.
  virtual bool exchangeable() const = 0;
  // How many weights that layer has; 0: there is none.
  virtual size_t weight_count() const = 0;
  // In the order of the uncompiled model. They hold until the next call, over close() and open().
  // Errors: module_model where not exchangeable, module_weights for another number.
  virtual Status set_weights(std::span<const int8_t> weights) = 0;
  // The model's own again. Error: module_model.
  virtual Status reset_weights() = 0;
};

}  // namespace edgetwin::robotics
