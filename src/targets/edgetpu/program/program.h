// The program of an executable: all bitstreams in order, every instruction decoded once. The
// machine and the decompiler read this, and what looks for parameters in a program.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "formats/darwinn/darwinn.h"
#include "targets/edgetpu/program/engine_fields.h"

namespace edgetwin::edgetpu {

struct ProgramInstruction {
  Opcode opcode = Opcode::scalar;
  size_t chunk = 0;  // bitstream of the executable
  size_t word = 0;   // in the bitstream
  ByteSpan bytes;
  size_t detail = 0;  // index into DecodedProgram::engines, where the opcode has such fields
  Instruction instruction() const { return {&info(opcode), word, bytes}; }
};

// Points into the bitstreams, which must outlive it.
struct DecodedProgram {
  std::vector<ProgramInstruction> all;
  std::vector<EngineFields> engines;  // of tile engines and queues, in order
  std::vector<size_t> first;          // by bitstream: the index of its first instruction

  bool is_nest(size_t i) const { return is_tensor(all[i].opcode); }
  bool is_copy(size_t i) const;
  // Of an infeed or an instruction with is_engine().
  const EngineFields& fields(const ProgramInstruction& i) const { return engines[i.detail]; }
  const EngineFields& fields(size_t i) const { return engines[all[i].detail]; }
  size_t nests() const;  // tensor instructions
  const Nest& nest(size_t i) const { return *fields(i).nest; }
  const CopyPattern& copy(size_t i) const { return *fields(i).copy; }
  // Whether it is a PARAM that takes from the host's input.
  bool takes_input(const ProgramInstruction& i) const;
  // The place that a PARAM names in parameters of `bytes` bytes; nothing: it takes something else.
  std::optional<size_t> param_offset(const ProgramInstruction& i, size_t bytes) const;
  // The instruction that begins at a word of a bitstream; there must be one.
  size_t at_word(size_t chunk, size_t word) const;
};

// Of a damaged bitstream what comes before the damage.
DecodedProgram decode_program(const darwinn::Executable& executable);
// Error: edgetpu_instruction, where not the whole of a bitstream is instructions.
Result<DecodedProgram> decode_whole(const std::vector<ByteSpan>& bitstreams);

}  // namespace edgetwin::edgetpu
