// Single layers of two families, of which some programs were held against those of the vendor's
// compiler. docs/edgetpu-synthesize.md.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "graph/graph.h"

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

  int64_t input_bytes() const;
  int64_t weights() const;  // how many
};
std::string text(const Member& member);  // "dense 256", "conv3x3 12 x 64 x 128"

// The graph is a FULLY_CONNECTED or CONV_2D operator, perhaps between two QUANTIZE operators that
// only turn uint8 into int8 and back. Its weights have one scale per output channel, no bias and no
// activation. Error: synthesize_model.
Result<Member> member_of(const Graph& graph);

// What is known of a stream of a member.
enum class Standing : uint8_t {
  compared,  // equal to what the vendor's compiler made for the same layer
  inside,    // between compared members of the same program; never compared, never run on a device
  beyond     // by the same rules outside of them; never compared, never run on a device
};
std::string_view text(Standing standing);
Standing standing_of_execution(const Member& member);
Standing standing_of_caching(const Member& member);

}  // namespace edgetwin::edgetpu
