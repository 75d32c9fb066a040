#include "targets/edgetpu/machine/steps/step.h"

#include <algorithm>

namespace edgetwin::edgetpu::machine {
namespace {

constexpr uint64_t kUnitBytes = 8;

bool is_tensor(Opcode o) {
  return o == Opcode::tensor || o == Opcode::tensor_max || o == Opcode::tensor_exp ||
         o == Opcode::tensor_resize;
}

void decode_tensor(const Instruction& i, Step& s) {
  s.nest = decode_nest(i);
  // A maximum or a sum takes what wide memory holds, and nothing else.
  const bool reads = s.opcode != Opcode::tensor_max && s.opcode != Opcode::tensor_exp;
  if (reads) s.a = decode_generator(i, GeneratorKind::tensor_in);
  s.b = decode_generator(i, GeneratorKind::tensor_out);
  s.weight = decode_generator(i, GeneratorKind::tensor_weight);
  s.acc = decode_generator(i, GeneratorKind::tensor_acc);
  s.lanes = static_cast<int>(i.get("lanes")) + 1;
  s.result_form = i.get("wide_result");
  s.odd = i.get("odd");
  s.zero_line = static_cast<int64_t>(i.get("zero_points.start"));
  const auto end = static_cast<int64_t>(i.get("zero_points.end"));
  const auto distance = static_cast<int64_t>(i.get("zero_points.switch_by"));
  if (end >= s.zero_line + distance) s.zero_distance = distance;
}

void decode_layout(const Instruction& i, Step& s) {
  constexpr uint64_t kBytePlanes = 2;
  constexpr uint64_t kHalfPlanes = 6;
  s.flush = static_cast<size_t>(i.get("flush_level"));
  const uint64_t planes = i.get("layout");
  s.planes = planes == kBytePlanes ? 4 : planes == kHalfPlanes ? 2 : 1;
}

void decode_receive(const Instruction& i, Step& s) {
  s.a = decode_generator(i, GeneratorKind::lines);
  if (i.get("header") == 0) return;
  HeaderLines& h = s.header;
  h.start = static_cast<int64_t>(i.get("header.start"));
  h.count = static_cast<int64_t>(i.get("header.count")) + 1;
  h.streamed = static_cast<int64_t>(i.get("header.end")) >= h.start + h.count;
  const auto level = static_cast<size_t>(i.get("header.level"));
  if (level == 0) return;
  h.period = 1;
  for (size_t k = 0; k < level; ++k) h.period *= s.a.path.level[k].count;
}

void decode_param(const Instruction& i, Step& s) {
  constexpr uint64_t kReturned = 1;
  constexpr uint64_t kInput = 256;
  const uint64_t source = i.get("source");
  s.destination = static_cast<uint32_t>(i.get("tiles"));
  const uint64_t lines = i.get("lines");
  s.line_bytes = 4 * (static_cast<int64_t>(i.get("lanes")) + 1);
  s.from = source == kReturned ? ParamSource::returned
           : source == kInput  ? ParamSource::input
                               : ParamSource::parameters;
  s.offset = (lines == 0 ? 0 : lines - 1) * (source == kInput ? kUnitBytes : 64);
}

void decode_move(const Instruction& i, Step& s) {
  s.move = *decode_copy(i);
  s.a = decode_generator(i, GeneratorKind::mesh_sent);
  s.b = decode_generator(i, GeneratorKind::mesh_received);
  const auto uses = [](const Generator& g) {
    return g.used != 0 || g.path.start != 0 || g.path.count() > 1;
  };
  s.receives = uses(s.b) || s.move.fill;
  // One word from place 0 looks as if nothing were sent; but then the move would do nothing.
  s.sends = uses(s.a) || !s.receives;
}

void decode(const Instruction& i, Step& s) {
  s.opcode = i.opcode();
  s.bytes = i.bytes;
  s.tiles = static_cast<uint32_t>(i.get_or_zero("tiles"));
  if (is_tensor(s.opcode)) return decode_tensor(i, s);
  switch (s.opcode) {
    case Opcode::ring_receive:
    case Opcode::ring_receive1:
      s.consumer = s.opcode == Opcode::ring_receive1 ? 1 : 0;
      return decode_receive(i, s);
    case Opcode::ring_send:
      s.a = decode_generator(i, GeneratorKind::lines);
      s.consumer = static_cast<int>(i.get("second"));
      s.destination = static_cast<uint32_t>(i.get("destination"));
      s.to_host = i.get("outfeed") != 0;
      return;
    case Opcode::param:
      s.tiles = 0;
      return decode_param(i, s);
    case Opcode::outfeed:
      s.to_host = i.get("host") != 0;
      s.to_memory = i.get("stream") == 0;
      s.memory_word = static_cast<size_t>(i.get("word"));
      s.length = (i.get("units") + 1) * (s.to_memory ? 4 : kUnitBytes);
      return;
    case Opcode::narrow_to_wide:
      s.a = decode_generator(i, GeneratorKind::words_read);
      s.b = decode_generator(i, GeneratorKind::lines_written);
      return decode_layout(i, s);
    case Opcode::wide_to_narrow:
      s.a = decode_generator(i, GeneratorKind::lines);
      s.b = decode_generator(i, GeneratorKind::words_written);
      s.numbers = i.get("numbers") != 0;
      if (i.get("skip") != 0) s.skipped = static_cast<int64_t>(i.get("skip.count")) + 1;
      return;
    case Opcode::move_down:
    case Opcode::move_left:
    case Opcode::move_up:
    case Opcode::move_right:
      return decode_move(i, s);
    default:
      return;
  }
}

// The engines that the machine executes; the scalar core and its waits only ask for transfers.
bool executed(Opcode o) {
  switch (o) {
    case Opcode::tile_sync:
    case Opcode::scalar:
    case Opcode::halt:
    case Opcode::branch:
    case Opcode::loop:
    case Opcode::sync:
    case Opcode::infeed:
    case Opcode::start:
    case Opcode::end:
      return false;
    default:
      return true;
  }
}

bool needs_tiles(Opcode o) { return executed(o) && o != Opcode::param && o != Opcode::outfeed; }

// The place in the input counts modulo 65,536 units; pieces are taken in ascending order.
class InputPlaces {
 public:
  void next(Step& s) {
    constexpr uint64_t kRound = kUnitBytes << 16U;
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

Result<Steps> make_steps(const std::vector<Visit>& visits, size_t instructions,
                         const std::string& program) {
  Steps steps;
  steps.instructions = instructions;
  InputPlaces unwrap;
  size_t infeeds = 0;
  for (const Visit& v : visits) {
    const Instruction& i = v.instruction;
    if (i.opcode() == Opcode::infeed && i.get("input") != 0) ++infeeds;
    if (!executed(i.opcode())) continue;
    Step s;
    s.number = v.number;
    s.chunk = v.chunk;
    s.word = i.word;
    decode(i, s);
    if (needs_tiles(s.opcode)) s.tiles = v.tiles;
    if (v.start) s.a.path.start = *v.start;
    s.dynamic = v.dynamic;
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
  return make_steps(trace.visits, trace.instructions, program);
}

}  // namespace edgetwin::edgetpu::machine
