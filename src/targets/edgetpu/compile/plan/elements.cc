#include <algorithm>
#include <utility>

#include "numerics/edgetpu/elementwise.h"
#include "targets/edgetpu/compile/plan/lowering.h"
#include "targets/edgetpu/compile/softmax/whole.h"
#include "targets/edgetpu/isa/nest.h"

namespace edgetwin::edgetpu::compiler {

// What templates take element by element: its part in each tile, or a vector whole in all of them.
void Lowering::use_elements(Store& s) {
  if (s.vector) {
    whole_vector(s);
  } else {
    use(s.region);
  }
}

void Lowering::place_result(Store& to) {
  if (to.vector) {
    to.whole = region(to.map.bytes());
    to.computed = true;
  } else {
    place_map(to);
  }
}

// What strips make may have its place in a tensor that is there.
void Lowering::place_map(Store& to) {
  if (to.region < 0) {
    to.region = region(to.map.bytes());
  } else {
    use(to.region);
  }
}

// The operand itself, or a vector at every position of `like`.
Store* Lowering::at_positions(ValueId id, const Store& like) {
  Store& s = store(id);
  if (s.vector == like.vector) {
    use_elements(s);
    const bool same = s.map.y.size == like.map.y.size && s.map.x.size == like.map.x.size &&
                      s.map.channels == like.map.channels;
    if (!same) refuse(Rule::shape, "its operands have different positions");
    return same ? &s : nullptr;
  }
  if (!s.vector || s.bytes != like.map.channels) {
    refuse(Rule::shape, "its operands are not a picture and a vector of its channels");
    return nullptr;
  }
  if (!few_enough(like.map, like.map, true)) return nullptr;
  const int whole = whole_vector(s);
  Store& wide = between(like.map, s.zero);
  use(whole);
  emit(
      [this, whole, &wide, constants = scratch()](Program& p) {
        spread(p, {at(whole), &wide.map, at(constants)});
      },
      kConstantLine, Follows::tile);
  use(wide.region);
  return &wide;
}

// Over an operand that nothing else takes: in the vendor's style that which was made last.
void Lowering::place_sum(const Op& op, const Store& a, const Store& b, Store& to) {
  const bool given = &a == &store(op.inputs[0]) && &b == &store(op.inputs[1]);
  if (!given || a.vector || a.region < 0 || b.region < 0 || a.region == b.region ||
      a.map.bytes() != b.map.bytes()) {
    return place_result(to);
  }
  const auto made = [&](const Store& s) { return regions_[static_cast<size_t>(s.region)].first; };
  const bool second = made(b) > made(a), vendor = source_.style == Style::vendor;
  const int64_t least = vendor ? 0 : limits::in_place_bytes;
  if (place_over(second ? b : a, op.inputs[second ? 1 : 0], to, least)) return;
  if (vendor || !place_over(second ? a : b, op.inputs[second ? 0 : 1], to, least)) place_result(to);
}

bool Lowering::sum(size_t index) {
  const Op& op = graph().ops[index];
  const Value& x = value(op.inputs[0]);
  const Value& y = value(op.inputs[1]);
  const Value& out = value(op.outputs[0]);
  const Store& like = store(op.inputs[store(op.inputs[0]).vector ? 1 : 0]);
  Store* a = at_positions(op.inputs[0], like);
  Store* b = a == nullptr ? nullptr : at_positions(op.inputs[1], like);
  if (b == nullptr) return false;
  Store& to = store(op.outputs[0]);
  plain_operands(a, b, to);
  use_elements(*a), use_elements(*b);
  place_sum(op, *a, *b, to);
  AddSpec spec;
  const auto weights = numerics::edgetpu::add_weights(x.quant.scale_of(0), y.quant.scale_of(0));
  spec.weight_a = weights.a;
  spec.weight_b = weights.b;
  const bool first = weights.a != 0;
  if (op.kind == OpKind::sub) {
    // What is taken away has a weight below the zero point of weights.
    spec.numbers.weight_zero = weights.b;
    spec.weight_b = -weights.b;
  }
  const auto weight = static_cast<float>(first ? weights.a : weights.b);
  spec.numbers.multiplier =
      ((first ? x : y).quant.scale_of(0) / weight) * (1.0F / out.quant.scale_of(0));
  spec.numbers.constant = -(spec.weight_a * a->zero + spec.weight_b * b->zero);
  put_limits(spec.numbers, out, op.as<BinaryAttrs>().activation);
  planned_.push_back(
      {index, op.kind == OpKind::sub ? "difference" : "addition", to.map.bytes(), 0});
  emit(
      [this, spec, a, b, &to, constants = scratch(), lines = wide(kPairWords / 4)](Program& p) {
        AddSpec s = spec;
        s.a = &a->map, s.b = &b->map, s.out = &to.map;
        if (p.vendor()) s.line = wide_.line(lines);
        s.counted = p.vendor();
        s.scratch = at(constants);
        // In its style the first operand is the lower one.
        if (p.vendor() && s.numbers.weight_zero == 0 && s.b->base < s.a->base) {
          std::swap(s.a, s.b), std::swap(s.weight_a, s.weight_b);
        }
        addition(p, s);
      },
      source_.style == Style::vendor ? kWideTop : kConstantLine, Follows::tile);
  steps_.back().anew = true;
  border(to, Behind::words);
  return true;
}

// max(a, b) = a + max(b - a, 0), min(a, b) = a - max(a - b, 0). Source: specification "heads" 6.1.
bool Lowering::extreme(size_t index) {
  const Op& op = graph().ops[index];
  Store& a = store(op.inputs[0]);
  Store* b = at_positions(op.inputs[1], a);
  if (b == nullptr) return false;
  use_elements(a), use_elements(*b);
  Store& to = store(op.outputs[0]);
  place_result(to);
  Store& difference = between(a.map, 0);
  AddSpec first;
  const bool greatest = op.kind == OpKind::maximum;
  first.weight_a = greatest ? -1 : 1;
  first.weight_b = -first.weight_a;
  first.numbers.weight_zero = 1;
  first.numbers.high = 255.0F;
  AddSpec second = first;
  second.weight_a = 1;
  second.weight_b = greatest ? 1 : -1;
  second.numbers.weight_zero = greatest ? 0 : 1;
  planned_.push_back({index, greatest ? "greater of two" : "lesser of two", to.map.bytes(), 0});
  emit(
      [this, first, second, &a, b, &difference, &to, constants = scratch(),
       lines = wide(kPairWords / 4)](Program& p) {
        AddSpec s = first;
        s.a = &a.map, s.b = &b->map, s.out = &difference.map;
        if (p.vendor()) s.line = wide_.line(lines);
        s.scratch = at(constants);
        addition(p, s);
        p.settle();
        const int64_t line = std::exchange(s, second).line;
        s.line = line;
        s.a = &a.map, s.b = &difference.map, s.out = &to.map;
        s.scratch = at(constants);
        addition(p, s);
      },
      source_.style == Style::vendor ? kWideTop : kConstantLine, Follows::tile);
  border(to);
  return true;
}

// The operand's place, where nothing needs it any more and it has `least_bytes`; else one of its
// own.
bool Lowering::place_over(const Store& from, ValueId operand, Store& to, int64_t least_bytes) {
  const auto is_operand = [&](ValueId id) { return id != kAbsent && root(id) == root(operand); };
  const bool here = !to.vector && !from.vector && band_of_.empty() &&
                    from.map.bytes() >= least_bytes && !from.map.bordered() && !to.map.bordered() &&
                    from.whole < 0 && from.map.bytes() == to.map.bytes();
  if (!here || std::ranges::any_of(segment_.outputs, is_operand)) return false;
  bool later = false;
  for (const size_t k : segment_.ops) {
    const Op& op = graph().ops[k];
    if (later && !alias_.contains(op.outputs[0]) && std::ranges::any_of(op.inputs, is_operand)) {
      return false;
    }
    later = later || k == now_;
  }
  to.region = from.region;
  use(to.region);
  return true;
}

bool Lowering::scaled(size_t index) {
  const Op& op = graph().ops[index];
  const Value& in = value(op.inputs[0]);
  const Value& out = value(op.outputs[0]);
  Store& from = store(op.inputs[0]);
  Store& to = store(op.outputs[0]);
  const bool blocks = scaled_in_blocks(op, from, to);
  const int64_t least = source_.style == Style::vendor ? 0 : limits::in_place_bytes;
  if (!blocks) {
    use_elements(from);
    if (!place_over(from, op.inputs[0], to, least)) place_result(to);
  }
  Numbers n;
  n.multiplier = in.quant.scale_of(0) * (1.0F / out.quant.scale_of(0));
  n.input_zero = from.zero;
  const Activation activation = op.kind == OpKind::relu           ? Activation::relu
                                : op.kind == OpKind::relu6        ? Activation::relu6
                                : op.kind == OpKind::relu_n1_to_1 ? Activation::relu_n1_to_1
                                                                  : Activation::none;
  put_limits(n, out, activation);
  std::shared_ptr<const numerics::edgetpu::FunctionTable> table;
  const bool odd = op.kind == OpKind::tanh;
  if (odd || op.kind == OpKind::logistic) {
    using namespace numerics::edgetpu;
    const double inverse = static_cast<double>(1.0F / out.quant.scale_of(0));
    table = std::make_shared<const FunctionTable>(odd ? kTanhTable.times(inverse)
                                                      : kLogisticTable.times(inverse / 256));
    n.function = true;
    n.multiplier = in.quant.scale_of(0);
    n.high = odd ? kTanhLimit : kLogisticLimit;
    n.low = -n.high;
  }
  keep_matrix();
  // Tiles have one position at most.
  const auto short_axis = [](const Axis& a) {
    return a.everywhere ? a.size == 1 : a.size <= kGrid;
  };
  const bool one = short_axis(to.map.y) && short_axis(to.map.x);
  planned_.push_back({index, table ? "table" : "rescale", to.map.bytes(), 0});
  emit(
      [this, n, table, odd, blocks, one, &from, &to, constants = scratch()](Program& p) {
        Map given = from.map, made = to.map;
        if (blocks) given.base = at(from.blocks), made.base = at(to.blocks);
        RescaleSpec spec{&given, &made, 0, n, at(constants), table.get(), odd};
        spec.blocks = blocks;
        rescale(p, spec);
        if (one && p.vendor()) p.epoch();
      },
      kConstantLine, source_.style == Style::vendor ? Follows::anew : Follows::tile);
  steps_.back().anew = true;
  border(to);
  return true;
}

namespace {

// Regions and blocks of a softmax over the tiles.
struct SoftmaxPlan {
  TileSoftmaxSpec spec;
  std::array<size_t, kSoftmaxTables> tables{};
  int values = -1, front = -1, below = -1, named = -1, constants = -1, back = -1, out = -1;
};
constexpr int64_t kPiece = 4 * TileSoftmaxShape::kOwnWords;

// With the places of its regions, which `at` gives, and of its tables.
template <class At>
TileSoftmaxSpec placed(const SoftmaxPlan& plan, const std::vector<Block>& blocks, const At& at) {
  TileSoftmaxSpec s = plan.spec;
  s.values = at(plan.values), s.front = at(plan.front), s.below = at(plan.below);
  s.named = at(plan.named), s.constants = at(plan.constants), s.back = at(plan.back);
  s.out = at(plan.out);
  for (size_t k = 0; k < kSoftmaxTables; ++k) {
    const Block& b = blocks[plan.tables.at(k)];
    s.tables.at(k) = {b.pieces, b.dense};
  }
  return s;
}

}  // namespace

// In the vendor's style, of what the tiles made themselves.
bool Lowering::softmax_in_tiles(size_t index, Store& from, Store& to) {
  const Op& op = graph().ops[index];
  auto plan = std::make_shared<SoftmaxPlan>();
  TileSoftmaxSpec& spec = plan->spec;
  spec.shape.count = to.bytes;
  spec.zero = from.zero;
  spec.multiplier = op.as<SoftmaxAttrs>().beta * value(op.inputs[0]).quant.scale_of(0);
  put_limits(spec.limits, value(op.inputs[0]), Activation::none);
  for (size_t k = 0; k < kSoftmaxTables; ++k) {
    const auto which = static_cast<SoftmaxTable>(k);
    if (which == SoftmaxTable::last && !spec.shape.odd()) continue;
    plan->tables.at(k) = add_table(which, to.bytes, spec.multiplier);
  }
  planned_.push_back({index, "softmax over the tiles", kPiece, 0});
  plan->values = from.blocks;
  plan->front = region(front_bytes(spec.shape));
  for (size_t k = 0; k < kSoftmaxSteps; ++k) {
    const auto hand = static_cast<SoftmaxStep>(k);
    if (hand == SoftmaxStep::last && !spec.shape.odd()) continue;
    if (hand <= SoftmaxStep::difference) use(plan->front), use(plan->values);
    if (hand == SoftmaxStep::difference) {
      plan->below = region(kPiece), plan->named = region(kPiece);
      plan->constants = aside(kPiece / 2);
    }
    if (hand == SoftmaxStep::exponentials) plan->back = region(back_bytes(spec.shape));
    if (plan->below >= 0 && hand <= SoftmaxStep::exponentials) use(plan->below);
    if (plan->back >= 0) use(plan->back);
    if (hand == SoftmaxStep::product) plan->out = to.blocks = region(kPiece);
    keep_matrix();
    wide_.add_fixed(compiler::lowest_line(hand), kWideTop - 1, step());
    const auto e = [this, plan, hand](Program& p) {
      softmax_step(p, hand, placed(*plan, blocks_, [this](int region) { return at(region); }));
    };
    emit(e, kWideTop, k == 0 ? Follows::barrier : Follows::layer);
  }
  return true;
}

bool Lowering::softmax_layer(size_t index) {
  const Op& op = graph().ops[index];
  Store& from = store(op.inputs[0]);
  Store& to = store(op.outputs[0]);
  const bool in_tiles = from.in_blocks() && can_be_in_tiles(to.bytes);
  if (source_.style == Style::vendor && in_tiles) return softmax_in_tiles(index, from, to);
  const int whole = elements_in_order(index, from, value(op.inputs[0]));
  if (whole < 0) return false;
  use(whole);
  to.whole = region(softmax_result(to.bytes));
  to.computed = true;
  SoftmaxSpec spec;
  spec.count = to.bytes;
  spec.zero = from.zero;
  spec.multiplier = op.as<SoftmaxAttrs>().beta * value(op.inputs[0]).quant.scale_of(0);
  const int work = region(softmax_work(to.bytes));
  planned_.push_back({index, "softmax", softmax_result(to.bytes), 0});
  keep_matrix();
  // Public programs have the matrix above what softmax writes.
  if (source_.style == Style::vendor) {
    wide_.add_fixed(kSoftmaxLowest, kSoftmaxLowest + kSoftmaxLines, step());
  }
  emit(
      [this, spec, whole, work, result = to.whole](Program& p) {
        SoftmaxSpec s = spec;
        s.in = at(whole), s.out = at(result), s.work = at(work);
        softmax(p, s);
      },
      source_.style == Style::vendor ? kWideTop : kSoftmaxLowest);
  return true;
}

}  // namespace edgetwin::edgetpu::compiler
