#include "targets/edgetpu/program/program.h"

#include <algorithm>

namespace edgetwin::edgetpu {
namespace {

void add_bitstream(DecodedProgram& program, const Program& parsed) {
  const size_t chunk = program.first.size();
  program.first.push_back(program.all.size());
  for (const Instruction& i : parsed.instructions) {
    ProgramInstruction one{i.opcode(), chunk, i.word, i.bytes, 0};
    if (is_engine(one.opcode) || one.opcode == Opcode::infeed) {
      one.detail = program.engines.size();
      program.engines.push_back(decode_engine(i));
    }
    program.all.push_back(one);
  }
}

}  // namespace

bool DecodedProgram::is_copy(size_t i) const {
  return is_engine(all[i].opcode) && fields(i).copy.has_value();
}

size_t DecodedProgram::nests() const {
  return static_cast<size_t>(std::count_if(
      engines.begin(), engines.end(), [](const EngineFields& f) { return f.nest.has_value(); }));
}

bool DecodedProgram::takes_input(const ProgramInstruction& i) const {
  return i.opcode == Opcode::param && fields(i).from == ParamSource::input;
}

std::optional<size_t> DecodedProgram::param_offset(const ProgramInstruction& i,
                                                   size_t bytes) const {
  if (i.opcode != Opcode::param) return std::nullopt;
  const EngineFields& f = fields(i);
  const bool is_place = f.from == ParamSource::parameters && f.parameter_place && f.offset < bytes;
  return is_place ? std::optional(static_cast<size_t>(f.offset)) : std::nullopt;
}

size_t DecodedProgram::at_word(size_t chunk, size_t word) const {
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first[chunk]);
  const auto end = chunk + 1 < first.size()
                       ? all.begin() + static_cast<std::ptrdiff_t>(first[chunk + 1])
                       : all.end();
  const auto found = std::lower_bound(
      begin, end, word, [](const ProgramInstruction& i, size_t w) { return i.word < w; });
  return static_cast<size_t>(found - all.begin());
}

DecodedProgram decode_program(const darwinn::Executable& executable) {
  DecodedProgram program;
  for (const darwinn::Bitstream& b : executable.bitstreams) add_bitstream(program, parse(b.data));
  return program;
}

Result<DecodedProgram> decode_whole(const std::vector<ByteSpan>& bitstreams) {
  DecodedProgram program;
  for (const ByteSpan bitstream : bitstreams) {
    EDGETWIN_TRY_ASSIGN(const Program parsed, parse_whole(bitstream));
    add_bitstream(program, parsed);
  }
  return program;
}

}  // namespace edgetwin::edgetpu
