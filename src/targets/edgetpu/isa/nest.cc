#include "targets/edgetpu/isa/nest.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace edgetwin::edgetpu {
namespace {

uint64_t times(uint64_t x, uint64_t y) {
  if (x != 0 && y > std::numeric_limits<uint64_t>::max() / x) {
    return std::numeric_limits<uint64_t>::max();
  }
  return x * y;
}

constexpr GeneratorFields kIn("in"), kOut("out"), kWeight("weight"), kAcc("acc"), kA("a"), kB("b");

// Empty where the opcode has no such generator.
Traversal traversal(const Instruction& i, const GeneratorFields& f) {
  Traversal t;
  const FieldInfo* step = find_field(i.opcode(), f.step);
  if (step == nullptr) return t;
  t.start = static_cast<int64_t>(i.get(f.start));
  t.size = step->elements;
  for (size_t k = 0; k < t.size; ++k) {
    t.level[k].step = get_signed(i.bytes, step->bit_of(k), step->width);
    t.level[k].count = static_cast<int64_t>(i.get(f.count, k)) + 1;
  }
  t.set_short(i.get(f.short_level), static_cast<int64_t>(i.get(f.shorter)) + 1);
  t.make_net();
  return t;
}

float real(const Instruction& i, const FieldInfo& f) {
  return std::bit_cast<float>(static_cast<uint32_t>(i.get(f)));
}

void decode_numbers(const Instruction& i, Nest& nest) {
  // A resize has other numbers in the same bits.
  static constexpr FieldInfo kUpper = opcode_field(Opcode::tensor, "upper");
  static constexpr FieldInfo kLower = opcode_field(Opcode::tensor, "lower");
  static constexpr FieldInfo kConstant = opcode_field(Opcode::tensor, "constant");
  static constexpr FieldInfo kOutputZero = opcode_field(Opcode::tensor, "output_zero_point");
  nest.kind = static_cast<uint32_t>(i.get("kind"));
  nest.channel_zero_points = i.get("channel_zero_points") != 0;
  nest.function = i.get("function") != 0;
  nest.has_bias = i.get("has_bias") != 0;
  nest.has_scales = i.get("has_scales") != 0;
  nest.weight_zero_point = static_cast<uint16_t>(i.get("weight_zero_point"));
  nest.input_zero_point = static_cast<uint8_t>(i.get("input_zero_point"));
  nest.output_zero_point = static_cast<uint16_t>(i.get(kOutputZero));
  nest.multiplier = std::bit_cast<float>(static_cast<uint32_t>(i.get("multiplier")));
  nest.upper = real(i, kUpper);
  nest.lower = real(i, kLower);
  nest.constant = static_cast<int32_t>(static_cast<uint32_t>(i.get(kConstant)));
}

std::optional<CopyEngine> engine_of(Opcode opcode) {
  switch (opcode) {
    case Opcode::ring_send:
      return CopyEngine::ring_send;
    case Opcode::ring_receive:
    case Opcode::ring_receive1:
      return CopyEngine::ring_receive;
    case Opcode::narrow_to_wide:
      return CopyEngine::narrow_to_wide;
    case Opcode::wide_to_narrow:
      return CopyEngine::wide_to_narrow;
    case Opcode::move_down:
    case Opcode::move_left:
    case Opcode::move_up:
    case Opcode::move_right:
      return CopyEngine::mesh;
    default:
      return std::nullopt;
  }
}

void set_direction(CopyPattern& c) {
  if (c.opcode == Opcode::move_down) c.rows = 1;
  if (c.opcode == Opcode::move_left) c.columns = -1;
  if (c.opcode == Opcode::move_up) c.rows = -1;
  if (c.opcode == Opcode::move_right) c.columns = 1;
}

}  // namespace

uint64_t Traversal::full_count() const {
  uint64_t product = 1;
  for (const Level& l : levels()) product = times(product, static_cast<uint64_t>(l.count));
  return product;
}

uint64_t Traversal::count() const {
  const uint64_t all = full_count();
  if (short_count == 0) return all;
  const auto inner = static_cast<uint64_t>(level[0].count);
  const auto passes = static_cast<uint64_t>(level[short_level].count);
  // Division first: what does not fit stays the largest number.
  return all - all / inner / passes * (inner - static_cast<uint64_t>(short_count));
}

void Traversal::set_short(uint64_t at_level, int64_t places) {
  const bool real = at_level > 0 && at_level < size && places > 0 && places < level[0].count;
  short_level = real ? static_cast<size_t>(at_level) : 0;
  short_count = real ? places : 0;
}

int64_t Traversal::lowest() const { return extreme(false); }
int64_t Traversal::highest() const { return extreme(true); }

int64_t Traversal::extreme(bool upwards) const {
  const auto farthest = [&](int64_t net, int64_t count) {
    const int64_t way = net * (count - 1);
    return (way > 0) == upwards ? way : 0;
  };
  int64_t outer = start;
  for (size_t k = 1; k < size; ++k) {
    if (k != short_level) outer += farthest(level[k].net, level[k].count);
  }
  if (size == 0) return start;
  const int64_t inner = farthest(level[0].net, level[0].count);
  if (short_count == 0) return outer + inner;
  const Level& passes = level[short_level];
  const int64_t last =
      outer + passes.net * (passes.count - 1) + farthest(level[0].net, short_count);
  if (passes.count == 1) return last;
  const int64_t others = outer + inner + farthest(passes.net, passes.count - 1);
  return upwards ? std::max(last, others) : std::min(last, others);
}

void Traversal::make_net() {
  // Modulo 2^64 on the way: only what no real program has leaves 64 bits.
  uint64_t end = 0;
  for (size_t k = 0; k < size; ++k) {
    Level& l = level[k];
    const uint64_t net = static_cast<uint64_t>(l.step) + end;
    end += net * static_cast<uint64_t>(l.count - 1);
    l.net = static_cast<int64_t>(net);
    // Addresses are 18 bits: a net step that large reaches nothing, and sums of them must not
    // leave 64 bits.
    constexpr int64_t kFar = int64_t{1} << 40U;
    if (l.net > kFar || l.net < -kFar) l.net = kFar;
  }
}

bool Nest::weighted() const {
  if (opcode != Opcode::tensor) return false;
  if ((kind & kKindWeights) != 0) return true;
  // Convolutions of a pixel of up to four channels to at most four lack the bit.
  return kind == 0x30 && weight_zero_point != 0 && multiplier != 1.0F;
}

uint64_t Nest::loops() const {
  uint64_t product = 1;
  for (const int64_t l : loop) product = times(product, static_cast<uint64_t>(l));
  return product;
}

uint64_t Nest::pixels() const {
  uint64_t product = 1;
  for (size_t k = 1; k < out.size; ++k) {
    product = times(product, static_cast<uint64_t>(out.level[k].count));
  }
  return product;
}

std::optional<Nest> decode_nest(const Instruction& i) {
  const Opcode opcode = i.opcode();
  if (opcode != Opcode::tensor && opcode != Opcode::tensor_max && opcode != Opcode::tensor_exp &&
      opcode != Opcode::tensor_resize) {
    return std::nullopt;
  }
  Nest nest;
  nest.opcode = opcode;
  nest.tiles = static_cast<uint32_t>(i.get("tiles"));
  nest.operation = static_cast<uint32_t>(i.get("operation"));
  for (size_t k = 0; k < kLoopLevels; ++k) {
    nest.loop[k] = static_cast<int64_t>(i.get("loop", k)) + 1;
  }
  const auto last = static_cast<int64_t>(i.get("last"));
  nest.last = last == 0 ? 0 : last + 1;
  nest.in = traversal(i, kIn);
  nest.out = traversal(i, kOut);
  nest.in_buffers = i.get_signed(kIn.switch_by);
  nest.weight = traversal(i, kWeight);
  nest.acc = traversal(i, kAcc);
  decode_numbers(i, nest);
  return nest;
}

std::optional<CopyPattern> decode_copy(const Instruction& i) {
  const std::optional<CopyEngine> engine = engine_of(i.opcode());
  if (!engine) return std::nullopt;
  CopyPattern c;
  c.engine = *engine;
  c.opcode = i.opcode();
  c.tiles = static_cast<uint32_t>(i.get("tiles"));
  c.operation = static_cast<uint32_t>(i.get("operation"));
  c.a = traversal(i, kA);
  c.b = traversal(i, kB);
  c.fill = i.get_or_zero("fill") != 0;
  c.pattern = static_cast<uint32_t>(i.get_or_zero("pattern"));
  c.sends = c.a.start != 0 || c.a.count() > 1;
  c.receives = c.b.start != 0 || c.b.count() > 1;
  const auto has = [&](const GeneratorFields& f) {
    return find_field(i.opcode(), f.levels) != nullptr;
  };
  if (has(kA) && has(kB)) {
    c.sends = c.sends || i.get(kA.levels) != 0;
    c.receives = c.receives || i.get(kB.levels) != 0;
  }
  c.numbers = i.get_or_zero("numbers") != 0;
  if (has(kA)) c.a_buffers = i.get_signed(kA.switch_by);
  if (has(kB)) c.b_buffers = i.get_signed(kB.switch_by);
  set_direction(c);
  return c;
}

std::optional<int> mesh_receiver(const CopyPattern& move, int tile) {
  constexpr int kSide = 4;
  const int row = tile / kSide + move.rows;
  const int column = tile % kSide + move.columns;
  if (row < 0 || row >= kSide || column < 0 || column >= kSide) return std::nullopt;
  return row * kSide + column;
}

}  // namespace edgetwin::edgetpu
