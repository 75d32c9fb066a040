#include "targets/edgetpu/params/tensor_numbers.h"

#include <bit>

#include "targets/edgetpu/program/program.h"

namespace edgetwin::edgetpu {
namespace {

TensorNumbers numbers_of(const Nest& n) {
  return {n.multiplier,
          n.upper,
          n.lower,
          static_cast<uint8_t>(n.weight_zero_point),
          n.input_zero_point,
          n.output_zero_point,
          n.channel_zero_points,
          n.has_bias,
          n.has_scales};
}

}  // namespace

std::vector<TensorPlace> weighted_tensors(const darwinn::Executable& executable) {
  std::vector<TensorPlace> all;
  const DecodedProgram program = decode_program(executable);
  for (size_t i = 0; i < program.all.size(); ++i) {
    if (!program.is_nest(i) || !program.nest(i).weighted()) continue;
    const ProgramInstruction& one = program.all[i];
    all.push_back({one.chunk, one.word * kWordBytes, numbers_of(program.nest(i))});
  }
  return all;
}

std::vector<std::pair<size_t, uint32_t>> parameter_loads(const darwinn::Executable& executable) {
  std::vector<std::pair<size_t, uint32_t>> all;
  const DecodedProgram program = decode_program(executable);
  for (const ProgramInstruction& i : program.all) {
    if (i.opcode != Opcode::param || program.fields(i).lines == 0) continue;
    const EngineFields& f = program.fields(i);
    all.emplace_back((f.lines - 1) * kLineBytes, f.destination);
  }
  return all;
}

void set_multiplier(Bytes& bitstream, size_t byte, float multiplier) {
  static constexpr FieldInfo kMultiplier = opcode_field(Opcode::tensor, "multiplier");
  set_bits(std::span(bitstream).subspan(byte), kMultiplier.bit, kMultiplier.width,
           std::bit_cast<uint32_t>(multiplier));
}

}  // namespace edgetwin::edgetpu
