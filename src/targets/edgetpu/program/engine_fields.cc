#include "targets/edgetpu/program/engine_fields.h"

namespace edgetwin::edgetpu {
namespace {

template <class T>
std::shared_ptr<const T> shared(const std::optional<T>& decoded) {
  return decoded ? std::make_shared<const T>(*decoded) : nullptr;
}

void decode_tensor(const Instruction& i, EngineFields& f) {
  f.nest = shared(decode_nest(i));
  // A maximum or a sum takes what wide memory holds, and nothing else.
  const bool reads = i.opcode() != Opcode::tensor_max && i.opcode() != Opcode::tensor_exp;
  if (reads) f.a = decode_generator(i, GeneratorKind::tensor_in);
  f.b = decode_generator(i, GeneratorKind::tensor_out);
  f.weight = decode_generator(i, GeneratorKind::tensor_weight);
  f.acc = decode_generator(i, GeneratorKind::tensor_acc);
  f.lanes = static_cast<int>(i.get("lanes")) + 1;
  f.result_form = i.get("wide_result");
  f.odd = i.get("odd");
  f.zero_line = static_cast<int64_t>(i.get("zero_points.start"));
  const auto end = static_cast<int64_t>(i.get("zero_points.end"));
  const auto distance = static_cast<int64_t>(i.get("zero_points.switch_by"));
  if (end >= f.zero_line + distance) f.zero_distance = distance;
}

void decode_layout(const Instruction& i, EngineFields& f) {
  constexpr uint64_t kBytePlanes = 1;
  constexpr uint64_t kHalfPlanes = 3;
  f.flush = static_cast<size_t>(i.get("flush_level"));
  const uint64_t planes = i.get("layout");
  f.planes = planes == kBytePlanes ? 4 : planes == kHalfPlanes ? 2 : 1;
}

void decode_receive(const Instruction& i, EngineFields& f) {
  f.consumer = i.opcode() == Opcode::ring_receive1 ? 1 : 0;
  f.a = decode_generator(i, GeneratorKind::lines);
  if (i.get("header") == 0) return;
  HeaderLines& h = f.header;
  h.start = static_cast<int64_t>(i.get("header.start"));
  h.count = static_cast<int64_t>(i.get("header.count")) + 1;
  h.streamed = static_cast<int64_t>(i.get("header.end")) >= h.start + h.count;
  const auto level = static_cast<size_t>(i.get("header.level"));
  if (level == 0) return;
  h.period = 1;
  for (size_t k = 0; k < level; ++k) h.period *= f.a.path.level[k].count;
}

ParamSource source_of(uint64_t kind) {
  constexpr uint64_t kParameters = 0;
  constexpr uint64_t kInput = 1;
  constexpr uint64_t kReturned = 2;
  if (kind == kReturned) return ParamSource::returned;
  if (kind == kInput) return ParamSource::input;
  return kind == kParameters ? ParamSource::parameters : ParamSource::unknown;
}

void decode_param(const Instruction& i, EngineFields& f) {
  f.from = source_of(i.get("kind"));
  f.destination = static_cast<uint32_t>(i.get("tiles"));
  f.lines = i.get("wait.start");
  f.line_bytes = 4 * (static_cast<int64_t>(i.get("lanes")) + 1);
  const uint64_t first = f.lines == 0 ? 0 : f.lines - 1;
  f.offset = first * (f.from == ParamSource::input ? kStreamUnitBytes : kLineBytes);
  constexpr uint64_t kBufferLines = 2048;
  f.parameter_place = f.lines != 0 && f.from == ParamSource::parameters &&
                      i.get("a.start") % kBufferLines == first % kBufferLines;
}

void decode_outfeed(const Instruction& i, EngineFields& f) {
  f.to_host = i.get("host") != 0;
  f.to_memory = i.get("stream") == 0;
  f.memory_word = static_cast<size_t>(i.get("a.start"));
  f.length = (i.get("a.count") + 1) * (f.to_memory ? 4 : kStreamUnitBytes);
}

void decode_move(const Instruction& i, EngineFields& f) {
  f.a = decode_generator(i, GeneratorKind::mesh_sent);
  f.b = decode_generator(i, GeneratorKind::mesh_received);
  const auto uses = [](const Generator& g) {
    return g.used != 0 || g.path.start != 0 || g.path.count() > 1;
  };
  f.receives = uses(f.b) || f.copy->fill;
  // One word from place 0 looks as if nothing were sent; but then the move would do nothing.
  f.sends = uses(f.a) || !f.receives;
}

void decode_send(const Instruction& i, EngineFields& f) {
  f.a = decode_generator(i, GeneratorKind::lines);
  f.consumer = static_cast<int>(i.get("second"));
  f.destination = static_cast<uint32_t>(i.get("destination"));
  f.to_host = i.get("outfeed") != 0;
}

void decode_leaving(const Instruction& i, EngineFields& f) {
  f.a = decode_generator(i, GeneratorKind::lines);
  f.b = decode_generator(i, GeneratorKind::words_written);
  f.numbers = i.get("numbers") != 0;
  if (i.get("skip") != 0) f.skipped = static_cast<int64_t>(i.get("skip.count")) + 1;
}

}  // namespace

bool is_tensor(Opcode o) {
  return o == Opcode::tensor || o == Opcode::tensor_max || o == Opcode::tensor_exp ||
         o == Opcode::tensor_resize;
}

bool is_engine(Opcode o) {
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

EngineFields decode_engine(const Instruction& i) {
  EngineFields f;
  f.copy = shared(decode_copy(i));
  if (i.opcode() != Opcode::param) f.tiles = static_cast<uint32_t>(i.get_or_zero("tiles"));
  if (is_tensor(i.opcode())) {
    decode_tensor(i, f);
    return f;
  }
  switch (i.opcode()) {
    case Opcode::ring_receive:
    case Opcode::ring_receive1:
      decode_receive(i, f);
      break;
    case Opcode::ring_send:
      decode_send(i, f);
      break;
    case Opcode::param:
      decode_param(i, f);
      break;
    case Opcode::outfeed:
      decode_outfeed(i, f);
      break;
    case Opcode::narrow_to_wide:
      f.a = decode_generator(i, GeneratorKind::words_read);
      f.b = decode_generator(i, GeneratorKind::lines_written);
      decode_layout(i, f);
      break;
    case Opcode::wide_to_narrow:
      decode_leaving(i, f);
      break;
    case Opcode::move_down:
    case Opcode::move_left:
    case Opcode::move_up:
    case Opcode::move_right:
      decode_move(i, f);
      break;
    case Opcode::infeed:
      f.activations = i.get("input") != 0;
      f.length = (i.get("a.count", 0) + 1) * (i.get("a.count", 1) + 1) - i.get("a.short_by");
      break;
    default:
      break;
  }
  return f;
}

}  // namespace edgetwin::edgetpu
