// The way of the scalar core through a program: which instructions of the other engines it comes
// to, in which order, and what its registers say to them. Loops are gone here: what is repeated
// stands there once for each time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formats/darwinn/darwinn.h"
#include "targets/edgetpu/program/program.h"
#include "targets/edgetpu/program/transfers.h"

namespace edgetwin::edgetpu {

// An instruction that the scalar core comes to.
struct Visit {
  size_t number = 0;  // index into DecodedProgram::all
  size_t chunk = 0;
  Instruction instruction;
  // As the registers are then, where the instruction takes them from there.
  uint32_t tiles = 0;
  std::optional<int64_t> start;  // of side A
  bool dynamic = false;          // it takes something from there
};
// "instruction 12 (tensor, chunk 0, word 174)", for messages.
std::string describe(const Visit& visit);

struct Trace {
  DecodedProgram program;
  std::vector<Visit> visits;
  std::vector<Descriptor> transfers;
};

// Follows the scalar core through all bitstreams of the executable, which must outlive the result.
// What outfeeds put into the core's memory is 0 here. Errors: edgetpu_instruction, edgetpu_endless,
// chip_limit where more than `repeats` instructions are come to once more.
Result<Trace> trace_of(const darwinn::Executable& executable, const Buffers& buffers,
                       uint64_t repeats, const ScalarLimits& limits = {});

// All instructions in the order of the bitstreams, which must outlive the result, as if there were
// no scalar core. Errors: edgetpu_instruction, chip_unknown where its registers are needed.
Result<Trace> straight(const std::vector<ByteSpan>& bitstreams, const std::string& program);

// What an instruction takes from the registers of the scalar core. Error: chip_unknown where it
// names a register and it is not known what for.
Status take_registers(Visit& visit, const ScalarCore& core, const std::string& program);

}  // namespace edgetwin::edgetpu
