// Programs of the Edge TPU that no compiler has made: single layers of two families whose laws are
// known (programs/*.def). docs/edgetpu-synthesize.md says how they were found and how sure they
// are.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "formats/darwinn/darwinn.h"

namespace edgetwin::edgetpu {

enum class Family : uint8_t {
  dense,   // n inputs, n outputs, uint8
  conv3x3  // 3x3, stride 1, same padding, as many output as input channels, int8
};

// One member of a family, and the four numbers of its quantization that are in its instructions.
struct Member {
  Family family = Family::dense;
  int size = 0;                             // dense: inputs and outputs
  int height = 0, width = 0, channels = 0;  // conv3x3
  int input_zero_point = 0;                 // as the chip has it: 0 to 255
  int output_zero_point = 0;
  float output_scale = 1.0F;

  // Tiles that hold parameters, and the bytes of each of them and of all.
  int parameter_tiles() const;
  int64_t tile_parameter_bytes() const;
  int64_t parameter_bytes() const { return parameter_tiles() * tile_parameter_bytes(); }
  int64_t input_bytes() const;
  int64_t output_bytes() const { return input_bytes(); }
  int64_t narrow_memory() const;  // bytes in use in each tile
};
std::string text(const Member& member);  // "dense 256", "conv3x3 12 x 64 x 128"

// What is known of a stream of a member.
enum class Standing : uint8_t {
  compared,  // equal to what the compiler made for the same layer
  inside,    // between compared members of the same program; never compared, never run on a device
  beyond     // by the same laws outside of them; never compared, never run on a device
};
std::string_view text(Standing standing);
Standing standing_of_execution(const Member& member);
Standing standing_of_caching(const Member& member);

// Whether the laws hold for it. Error: synthesize_range, with the sizes that would do.
Status in_range(const Member& member);

// What runs at every inference, and what loads the parameters once before; address fields are
// listed and zero. The member is in range.
darwinn::Bitstream execution_program(const Member& member, const std::string& input_name,
                                     const std::string& output_name);
darwinn::Bitstream caching_program(const Member& member);

}  // namespace edgetwin::edgetpu
