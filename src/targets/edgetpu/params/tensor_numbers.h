// What instructions say about parameters: the numbers of a layer, and which bytes go to which tile.
#pragma once

#include <utility>
#include <vector>

#include "formats/darwinn/darwinn.h"

namespace edgetwin::edgetpu {

// The numeric fields of an instruction with weights. Instructions of one layer agree in them.
struct TensorNumbers {
  float multiplier = 0.0F, upper = 0.0F, lower = 0.0F;
  uint8_t weight_zero_point = 0, input_zero_point = 0;
  uint16_t output_zero_point = 0;
  bool channel_zero_points = false, has_bias = false, has_scales = false;
  bool operator==(const TensorNumbers&) const = default;
};

struct TensorPlace {
  size_t chunk = 0;  // bitstream of the executable
  size_t byte = 0;   // of the instruction in it
  TensorNumbers numbers;
};

// All instructions that multiply by parameters, in the order of the program.
std::vector<TensorPlace> weighted_tensors(const darwinn::Executable& executable);

// Offsets into the parameters and masks of the tiles that receive them.
std::vector<std::pair<size_t, uint32_t>> parameter_loads(const darwinn::Executable& executable);

// Puts another multiplier into the instruction at `byte` of a bitstream.
void set_multiplier(Bytes& bitstream, size_t byte, float multiplier);

}  // namespace edgetwin::edgetpu
