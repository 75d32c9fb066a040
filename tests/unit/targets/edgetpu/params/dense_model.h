// A compiled dense layer of our own, 30 to 13: the program of echo() with one instruction that
// multiplies, and parameters.
#pragma once

#include <bit>

#include "targets/edgetpu/params/block.h"
#include "unit/targets/edgetpu/isa/programs.h"

namespace edgetwin::edgetpu {

inline constexpr float kDenseInput = 0.5F, kDenseOutput = 2.0F, kDenseWeight = 0.125F;

inline BlockShape dense_shape(bool per_channel) {
  BlockShape s{.out = 13, .in = 30};
  s.has_scale = s.has_zero = s.has_bias = per_channel;
  return s;
}

inline BlockContent dense_content(bool per_channel) {
  const BlockShape s = dense_shape(per_channel);
  BlockContent c;
  for (int64_t i = 0; i < s.weights(); ++i)
    c.weights.push_back(static_cast<std::byte>(i * 11 % 256));
  c.zero_points = {128};
  if (!per_channel) return c;
  c.zero_points.assign(13, 128);
  for (int o = 0; o < 13; ++o) {
    const float weight = kDenseWeight * static_cast<float>(o + 1);
    c.scales.push_back((kDenseInput * weight) * (1.0F / kDenseOutput));
    c.bias.push_back(100 * o - 300);
  }
  return c;
}

// The bitstream with an instruction after START; address fields move with the rest.
inline void insert_behind_start(darwinn::Bitstream& b, const Assembly& a) {
  b.data.insert(b.data.begin() + kWordBytes, a.bytes().begin(), a.bytes().end());
  set_bits(b.data, 19, 32, (b.data.size() / kWordBytes - 2) * kWordBits);
  for (darwinn::FieldOffset& f : b.field_offsets) {
    f.offset_bit += static_cast<int32_t>(a.bytes().size() * 8);
  }
}

inline darwinn::Executable dense_executable(bool per_channel) {
  darwinn::Executable e = echo();
  Assembly tensor(Opcode::tensor);
  tensor.set("kind", 0x38).set("input_zero_point", 128).set("output_zero_point", 128);
  const float m = (kDenseInput * kDenseWeight) * (1.0F / kDenseOutput);
  tensor.set("multiplier", std::bit_cast<uint32_t>(per_channel ? 1.0F : m));
  tensor.set("upper", std::bit_cast<uint32_t>(127.0F));
  tensor.set("lower", std::bit_cast<uint32_t>(-128.0F));
  if (per_channel) tensor.set("channel_zero_points", 1).set("has_bias", 1).set("has_scales", 1);
  if (!per_channel) tensor.set("weight_zero_point", 128);
  insert_behind_start(e.bitstreams[0], tensor);
  e.parameters = write_block(dense_shape(per_channel), dense_content(per_channel));
  e.inputs[0].numerics = darwinn::Numerics{128, kDenseInput, {}, {}};
  e.outputs[0].numerics = darwinn::Numerics{128, kDenseOutput, {}, {}};
  return e;
}

}  // namespace edgetwin::edgetpu
