// What layers of the model and those that the compiler makes are taken from in the same way.
#pragma once

#include "targets/edgetpu/params/reference.h"

namespace edgetwin::edgetpu {

inline constexpr std::byte kFlip{0x80};
inline bool is_one_byte(DType t) { return t == DType::uint8 || t == DType::int8; }
// Several output positions: more than one row of a picture or of a matrix.
bool has_positions(const Value& out);
// Bias from that operand, where it is a constant of the right size.
void take_bias(const Graph& graph, const Op& op, size_t operand, ReferenceLayer& layer);
// Scales and zero points of the weights.
void take_quantization(const Value& x, const Value& w, ReferenceLayer& layer);
// One scale, or one for each output.
bool known_channels(const ReferenceLayer& layer);

}  // namespace edgetwin::edgetpu
