#include "targets/edgetpu/program/trace.h"

#include <algorithm>

namespace edgetwin::edgetpu {
namespace {

Error refuse(ErrorCode code, std::string what, const Visit& v, const std::string& program) {
  return Error(code, std::move(what))
      .in_file(program)
      .at_offset(v.instruction.word * kWordBytes)
      .detail(describe(v));
}

bool names_registers(const Instruction& i) {
  return i.get_or_zero("register") != 0 || i.get_or_zero("tiles.dynamic") != 0 ||
         i.get_or_zero("a.dynamic") != 0;
}

Visit visit_of(const DecodedProgram& program, size_t number) {
  const ProgramInstruction& i = program.all[number];
  return {number,          i.chunk,
          i.instruction(), static_cast<uint32_t>(i.instruction().get_or_zero("tiles")),
          std::nullopt,    false};
}

Result<DecodedProgram> whole_program(const darwinn::Executable& e) {
  std::vector<ByteSpan> chunks;
  for (const darwinn::Bitstream& b : e.bitstreams) chunks.emplace_back(b.data);
  return decode_whole(chunks);
}

}  // namespace

std::string describe(const Visit& v) {
  return "instruction " + std::to_string(v.number) + " (" + std::string(v.instruction.info->name) +
         ", chunk " + std::to_string(v.chunk) + ", word " + std::to_string(v.instruction.word) +
         ")";
}

Status take_registers(Visit& v, const ScalarCore& core, const std::string& program) {
  const Instruction& i = v.instruction;
  if (!names_registers(i)) return Ok{};
  v.dynamic = true;
  if (i.get_or_zero("tiles.dynamic") != 0) v.tiles = core.reg(i.get("tiles.register")) & 0xFFFFU;
  if (i.get_or_zero("a.dynamic") != 0) {
    v.start = core.reg(i.get("register"));
  } else if (i.get_or_zero("register") != 0) {
    return refuse(ErrorCode::chip_unknown,
                  "the instruction names a register, and what it takes from there is not known", v,
                  program);
  }
  return Ok{};
}

Result<Trace> trace_of(const darwinn::Executable& e, const Buffers& buffers, uint64_t repeats,
                       const ScalarLimits& limits) {
  const std::string program(darwinn::name(e.type));
  Trace trace;
  EDGETWIN_TRY_ASSIGN(trace.program, whole_program(e));
  const uint64_t most = trace.program.all.size() + repeats;
  const auto other = [&](const ScalarCore& core, size_t chunk, size_t word) -> Status {
    Visit v = visit_of(trace.program, trace.program.at_word(chunk, word));
    if (trace.visits.size() >= most) {
      return refuse(ErrorCode::chip_limit,
                    "the scalar core repeats instructions of the tile engines more often than the "
                    "machine's limit",
                    v, program)
          .detail("limit " + std::to_string(repeats));
    }
    EDGETWIN_TRY(take_registers(v, core, program));
    trace.visits.push_back(v);
    return Ok{};
  };
  auto ran = run_scalar(e, buffers, limits, other);
  if (!ran.ok()) {
    Error& error = ran.error();
    if (error.code == ErrorCode::edgetpu_endless && !trace.visits.empty()) {
      error.details.push_back("the last instruction of a tile engine was " +
                              describe(trace.visits.back()));
    }
    return std::move(ran).error();
  }
  trace.transfers = ran->descriptors();
  return trace;
}

Result<Trace> straight(const std::vector<ByteSpan>& bitstreams, const std::string& program) {
  Trace trace;
  EDGETWIN_TRY_ASSIGN(trace.program, decode_whole(bitstreams));
  for (size_t n = 0; n < trace.program.all.size(); ++n) {
    const Visit v = visit_of(trace.program, n);
    if (names_registers(v.instruction)) {
      return refuse(ErrorCode::chip_unknown, "the instruction needs what a register holds", v,
                    program);
    }
    trace.visits.push_back(v);
  }
  return trace;
}

}  // namespace edgetwin::edgetpu
