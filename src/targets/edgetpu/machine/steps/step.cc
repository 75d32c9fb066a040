#include "targets/edgetpu/machine/steps/step.h"

#include <algorithm>

namespace edgetwin::edgetpu::machine {
namespace {

bool needs_tiles(Opcode o) { return is_engine(o) && o != Opcode::param && o != Opcode::outfeed; }

// The place in the input counts modulo 65,536 units; pieces are taken in ascending order.
class InputPlaces {
 public:
  void next(Step& s) {
    constexpr uint64_t kRound = kStreamUnitBytes << 16U;
    if (s.opcode != Opcode::param || s.from != ParamSource::input) return;
    if (s.infeed != infeed_) last_ = 0;
    infeed_ = s.infeed;
    s.offset += last_ / kRound * kRound;
    if (s.offset < last_) s.offset += kRound;
    last_ = s.offset;
  }

 private:
  size_t infeed_ = kNone;
  uint64_t last_ = 0;
};

}  // namespace

std::string describe(const Step& s) {
  return describe(Visit{s.number, s.chunk, s.instruction(), s.tiles, std::nullopt, s.dynamic});
}

namespace {

bool waits_for_all(const ProgramInstruction& i) {
  constexpr uint64_t kAllEngines = 0x3FF;
  const Instruction sync{&info(i.opcode), i.word, i.bytes};
  return sync.get("idle") == kAllEngines && sync.get("tiles") == (1U << kTiles) - 1U;
}

}  // namespace

Result<Steps> make_steps(const Trace& trace, const std::string& program) {
  Steps steps;
  steps.instructions = trace.program.all.size();
  InputPlaces unwrap;
  size_t infeeds = 0, idles = 0;
  steps.list.reserve(static_cast<size_t>(std::ranges::count_if(trace.visits, [&](const Visit& v) {
    return is_engine(trace.program.all[v.number].opcode);
  })));
  for (const Visit& v : trace.visits) {
    const ProgramInstruction& i = trace.program.all[v.number];
    if (i.opcode == Opcode::infeed && trace.program.fields(i).activations) ++infeeds;
    if (i.opcode == Opcode::tile_sync && waits_for_all(i)) ++idles;
    if (!is_engine(i.opcode)) continue;
    Step s(trace.program.fields(i));
    s.number = v.number;
    s.chunk = v.chunk;
    s.word = i.word;
    s.opcode = i.opcode;
    s.bytes = i.bytes;
    if (needs_tiles(s.opcode)) s.tiles = v.tiles;
    if (v.start) s.a.path.start = *v.start;
    s.dynamic = v.dynamic;
    s.idles = idles;
    s.infeed = infeeds == 0 ? kNone : infeeds - 1;
    unwrap.next(s);
    if (s.tiles == 0 && needs_tiles(s.opcode)) {
      return Error(ErrorCode::chip_tiles, "an instruction names no tile")
          .in_file(program)
          .detail(describe(s));
    }
    steps.list.push_back(std::move(s));
  }
  link_buffers(steps.list);
  EDGETWIN_TRY(pair_queues(steps.list, program));
  return steps;
}

Result<Steps> make_steps(const std::vector<ByteSpan>& bitstreams, const std::string& program) {
  EDGETWIN_TRY_ASSIGN(const Trace trace, straight(bitstreams, program));
  return make_steps(trace, program);
}

}  // namespace edgetwin::edgetpu::machine
