#include "targets/edgetpu/isa/nest.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace edgetwin::edgetpu {
namespace {

// Fields by name, looked up once: all opcodes of a family have the same places.
class Fields {
 public:
  explicit Fields(Opcode opcode) : opcode_(opcode) {}
  const FieldInfo* operator()(std::string_view field) const { return find_field(opcode_, field); }

 private:
  Opcode opcode_;
};

struct TraversalFields {
  const FieldInfo *start, *step, *count, *shorter, *short_level;
  TraversalFields(const Fields& f, const std::string& side)
      : start(f(side + ".start")),
        step(f(side + ".step")),
        count(f(side + ".count")),
        shorter(f(side + ".short")),
        short_level(f(side + ".short_level")) {}
};

struct TensorFields {
  Fields f{Opcode::tensor};
  const FieldInfo *tiles = f("tiles"), *operation = f("operation"), *loop = f("loop"),
                  *last = f("last"), *in_buffers = f("in.switch_by"), *kind = f("kind"),
                  *channel_zero_points = f("channel_zero_points"),
                  *weight_zero_point = f("weight_zero_point"),
                  *input_zero_point = f("input_zero_point"), *function = f("function"),
                  *multiplier = f("multiplier"), *upper = f("upper"), *lower = f("lower"),
                  *constant = f("constant"), *output_zero_point = f("output_zero_point"),
                  *has_bias = f("has_bias"), *has_scales = f("has_scales");
  TraversalFields in{f, "in"}, out{f, "out"}, weight{f, "weight"}, acc{f, "acc"};
};

const TensorFields& tensor_fields() {
  static const TensorFields kFields;
  return kFields;
}

uint64_t times(uint64_t x, uint64_t y) {
  if (x != 0 && y > std::numeric_limits<uint64_t>::max() / x) {
    return std::numeric_limits<uint64_t>::max();
  }
  return x * y;
}

Traversal traversal(const Instruction& i, const TraversalFields& f) {
  Traversal t;
  if (f.start == nullptr) return t;
  t.start = static_cast<int64_t>(i.get(*f.start));
  t.size = f.step->elements;
  for (size_t k = 0; k < t.size; ++k) {
    t.level[k].step = get_signed(i.bytes, f.step->bit_of(k), f.step->width);
    t.level[k].count = static_cast<int64_t>(i.get(*f.count, k)) + 1;
  }
  if (f.shorter != nullptr && f.short_level != nullptr) {
    t.set_short(i.get(*f.short_level), static_cast<int64_t>(i.get(*f.shorter)) + 1);
  }
  t.make_net();
  return t;
}

float real_of(const Instruction& i, const FieldInfo* f) {
  return std::bit_cast<float>(static_cast<uint32_t>(i.get(*f)));
}

void decode_numbers(const Instruction& i, const TensorFields& f, Nest& nest) {
  nest.kind = static_cast<uint32_t>(i.get(*f.kind));
  nest.channel_zero_points = i.get(*f.channel_zero_points) != 0;
  nest.function = i.get(*f.function) != 0;
  nest.has_bias = i.get(*f.has_bias) != 0;
  nest.has_scales = i.get(*f.has_scales) != 0;
  nest.weight_zero_point = static_cast<uint16_t>(i.get(*f.weight_zero_point));
  nest.input_zero_point = static_cast<uint8_t>(i.get(*f.input_zero_point));
  nest.output_zero_point = static_cast<uint16_t>(i.get(*f.output_zero_point));
  nest.multiplier = real_of(i, f.multiplier);
  nest.upper = real_of(i, f.upper);
  nest.lower = real_of(i, f.lower);
  nest.constant = static_cast<int32_t>(static_cast<uint32_t>(i.get(*f.constant)));
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

struct CopyFields {
  explicit CopyFields(const Fields& f)
      : tiles(f("tiles")),
        operation(f("operation")),
        fill(f("fill")),
        pattern(f("pattern")),
        numbers(f("numbers")),
        a_buffers(f("a.switch_by")),
        b_buffers(f("b.switch_by")),
        a_levels(f("a.levels")),
        b_levels(f("b.levels")),
        a(f, "a"),
        b(f, "b") {}
  const FieldInfo *tiles, *operation, *fill, *pattern, *numbers, *a_buffers, *b_buffers, *a_levels,
      *b_levels;
  TraversalFields a, b;
};

const CopyFields& copy_fields(CopyEngine engine) {
  static const std::array kFields{
      CopyFields(Fields(Opcode::ring_send)), CopyFields(Fields(Opcode::ring_receive)),
      CopyFields(Fields(Opcode::narrow_to_wide)), CopyFields(Fields(Opcode::wide_to_narrow)),
      CopyFields(Fields(Opcode::move_down))};
  return kFields[static_cast<size_t>(engine)];
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
  const TensorFields& f = tensor_fields();
  Nest nest;
  nest.opcode = opcode;
  nest.tiles = static_cast<uint32_t>(i.get(*f.tiles));
  nest.operation = static_cast<uint32_t>(i.get(*f.operation));
  for (size_t k = 0; k < kLoopLevels; ++k) {
    nest.loop[k] = static_cast<int64_t>(i.get(*f.loop, k)) + 1;
  }
  const auto last = static_cast<int64_t>(i.get(*f.last));
  nest.last = last == 0 ? 0 : last + 1;
  nest.in = traversal(i, f.in);
  nest.out = traversal(i, f.out);
  nest.in_buffers = get_signed(i.bytes, f.in_buffers->bit, f.in_buffers->width);
  nest.weight = traversal(i, f.weight);
  nest.acc = traversal(i, f.acc);
  decode_numbers(i, f, nest);
  return nest;
}

std::optional<CopyPattern> decode_copy(const Instruction& i) {
  const std::optional<CopyEngine> engine = engine_of(i.opcode());
  if (!engine) return std::nullopt;
  const CopyFields& f = copy_fields(*engine);
  CopyPattern c;
  c.engine = *engine;
  c.opcode = i.opcode();
  c.tiles = static_cast<uint32_t>(i.get(*f.tiles));
  c.operation = static_cast<uint32_t>(i.get(*f.operation));
  c.a = traversal(i, f.a);
  c.b = traversal(i, f.b);
  if (f.fill != nullptr) {
    c.fill = i.get(*f.fill) != 0;
    c.pattern = static_cast<uint32_t>(i.get(*f.pattern));
  }
  c.sends = c.a.start != 0 || c.a.count() > 1;
  c.receives = c.b.start != 0 || c.b.count() > 1;
  if (f.a_levels != nullptr && f.b_levels != nullptr) {
    c.sends = c.sends || i.get(*f.a_levels) != 0;
    c.receives = c.receives || i.get(*f.b_levels) != 0;
  }
  if (f.numbers != nullptr) c.numbers = i.get(*f.numbers) != 0;
  const auto distance = [&](const FieldInfo* field) {
    return field == nullptr ? 0 : get_signed(i.bytes, field->bit, field->width);
  };
  c.a_buffers = distance(f.a_buffers);
  c.b_buffers = distance(f.b_buffers);
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
