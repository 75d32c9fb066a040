#include "targets/edgetpu/params/tensor_numbers.h"

#include <bit>

#include "targets/edgetpu/isa/isa.h"

namespace edgetwin::edgetpu {
namespace {

float real_field(const Instruction& i, FieldName name) {
  return std::bit_cast<float>(static_cast<uint32_t>(i.get(name)));
}

constexpr uint64_t kWeights = 0x8;  // of the kind: weights come from the parameter lines
constexpr uint64_t kFewChannels = 0x30;

// Small convolutions without the bit are told by a weight zero point.
bool is_weighted(const Instruction& i) {
  if (i.opcode() != Opcode::tensor) return false;
  const uint64_t kind = i.get("kind");
  if ((kind & kWeights) != 0) return true;
  return kind == kFewChannels && i.get("weight_zero_point") != 0 &&
         real_field(i, "multiplier") != 1.0F;
}

TensorNumbers numbers_of(const Instruction& i) {
  TensorNumbers n;
  n.multiplier = real_field(i, "multiplier");
  n.upper = real_field(i, "upper");
  n.lower = real_field(i, "lower");
  n.weight_zero_point = static_cast<uint8_t>(i.get("weight_zero_point"));
  n.input_zero_point = static_cast<uint8_t>(i.get("input_zero_point"));
  n.output_zero_point = static_cast<uint16_t>(i.get("output_zero_point"));
  n.channel_zero_points = i.get("channel_zero_points") != 0;
  n.has_bias = i.get("has_bias") != 0;
  n.has_scales = i.get("has_scales") != 0;
  return n;
}

}  // namespace

std::vector<TensorPlace> weighted_tensors(const darwinn::Executable& executable) {
  std::vector<TensorPlace> all;
  for (size_t c = 0; c < executable.bitstreams.size(); ++c) {
    for (const Instruction& i : parse(executable.bitstreams[c].data).instructions) {
      if (is_weighted(i)) all.push_back({c, i.word * kWordBytes, numbers_of(i)});
    }
  }
  return all;
}

std::vector<std::pair<size_t, uint32_t>> parameter_loads(const darwinn::Executable& executable) {
  std::vector<std::pair<size_t, uint32_t>> all;
  for (const darwinn::Bitstream& b : executable.bitstreams) {
    for (const Instruction& i : parse(b.data).instructions) {
      if (i.opcode() != Opcode::param) continue;
      const uint64_t lines = i.get("lines");
      if (lines == 0) continue;
      constexpr size_t kLine = 64;
      all.emplace_back((lines - 1) * kLine, static_cast<uint32_t>(i.get("tiles")));
    }
  }
  return all;
}

void set_multiplier(Bytes& bitstream, size_t byte, float multiplier) {
  static constexpr FieldInfo kMultiplier = opcode_field(Opcode::tensor, "multiplier");
  set_bits(std::span(bitstream).subspan(byte), kMultiplier.bit, kMultiplier.width,
           std::bit_cast<uint32_t>(multiplier));
}

}  // namespace edgetwin::edgetpu
