#include "targets/edgetpu/program/program.h"

#include <algorithm>

namespace edgetwin::edgetpu {
namespace {

void add_bitstream(DecodedProgram& program, const Program& parsed) {
  const size_t chunk = program.first.size();
  program.first.push_back(program.all.size());
  const auto engines = std::ranges::count_if(parsed.instructions, [](const Instruction& i) {
    return is_engine(i.opcode()) || i.opcode() == Opcode::infeed;
  });
  program.engines.reserve(program.engines.size() + static_cast<size_t>(engines));
  program.all.reserve(program.all.size() + parsed.instructions.size());
  for (const Instruction& i : parsed.instructions) {
    ProgramInstruction one{i.opcode(), chunk, i.word, i.bytes, 0};
    if (is_engine(one.opcode) || one.opcode == Opcode::infeed) {
      one.detail = program.engines.size();
      program.engines.push_back(decode_engine(i));
    }
    program.all.push_back(one);
  }
}

// Lines of parameters are counted in 16 bits. Where more of them come, pieces are taken in
// ascending order.
void unwrap_parameters(DecodedProgram& program) {
  constexpr uint64_t kRound = 65536, kStreamBuffer = 2048;
  uint64_t all = 0, last = 0;
  for (const ProgramInstruction& i : program.all) {
    const bool brings = i.opcode == Opcode::infeed && !program.fields(i).activations;
    if (brings) all += program.fields(i).length;
  }
  if (all < kRound) return;
  for (const ProgramInstruction& i : program.all) {
    if (i.opcode != Opcode::param) continue;
    EngineFields& f = program.engines[i.detail];
    if (f.from != ParamSource::parameters) continue;
    f.lines += last / kRound * kRound;
    if (f.lines < last || f.lines == 0) f.lines += kRound;
    last = f.lines;
    f.offset = (f.lines - 1) * kLineBytes;
    const uint64_t place = i.instruction().get("a.start");
    f.parameter_place = place % kStreamBuffer == (f.lines - 1) % kStreamBuffer;
  }
}

}  // namespace

bool DecodedProgram::is_copy(size_t i) const {
  return is_engine(all[i].opcode) && fields(i).copy != nullptr;
}

size_t DecodedProgram::nests() const {
  return static_cast<size_t>(std::count_if(
      engines.begin(), engines.end(), [](const EngineFields& f) { return f.nest != nullptr; }));
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
  unwrap_parameters(program);
  return program;
}

Result<DecodedProgram> decode_whole(const std::vector<ByteSpan>& bitstreams) {
  DecodedProgram program;
  for (const ByteSpan bitstream : bitstreams) {
    EDGETWIN_TRY_ASSIGN(const Program parsed, parse_whole(bitstream));
    add_bitstream(program, parsed);
  }
  unwrap_parameters(program);
  return program;
}

}  // namespace edgetwin::edgetpu
