// UNIDIRECTIONAL_SEQUENCE_LSTM: its steps one after the other. Gates are computed in tiles of their
// own, the states in all of them.
#include <algorithm>
#include <cstring>

#include "formats/darwinn/variable_output.h"
#include "targets/edgetpu/compile/judge/recurrent.h"
#include "targets/edgetpu/compile/plan/lowering.h"

namespace edgetwin::edgetpu::compiler {
namespace {

using numerics::edgetpu::kLstmGates;

constexpr std::byte kUnsigned{0x80};

// The weights of all gates as one fully connected layer; each gate's units fill whole blocks, and
// inputs whole words, with real 0.
ReferenceLayer gates_of(const Graph& g, const Op& op, size_t weights, float input_scale,
                        bool with_bias) {
  const Shape& size = g.value(op.inputs[weights]).shape;
  const auto units = static_cast<size_t>(size[0]), inputs = static_cast<size_t>(size[1]);
  const size_t words = 4 * ((inputs + 3) / 4), room = 64 * ((units + 63) / 64);
  ReferenceLayer l;
  l.input_scale = input_scale;
  l.shape.out = static_cast<int>(kLstmGates * room);
  l.shape.in = static_cast<int>(words);
  l.shape.has_scale = l.shape.has_bias = l.shape.has_zero = true;
  l.shape.order = LineOrder::input_inner;
  l.content.weights.assign(kLstmGates * room * words, kUnsigned);
  l.content.bias.assign(kLstmGates * room, 0);
  l.content.zero_points.assign(kLstmGates * room, static_cast<uint8_t>(kUnsigned));
  for (size_t gate = 0; gate < kLstmGates; ++gate) {
    const Value& w = g.value(op.inputs[weights + gate]);
    l.weight_scales.insert(l.weight_scales.end(), room, w.quant.scale_of(0));
    for (size_t k = 0; k < units * inputs; ++k) {
      const size_t at = (gate * room + k / inputs) * words + k % inputs;
      l.content.weights[at] = (*w.constant)[k] ^ kUnsigned;
    }
    if (!with_bias) continue;
    const Value& b = g.value(op.inputs[RecurrentOperand::kBiases + gate]);
    std::memcpy(&l.content.bias[gate * room], b.constant->data(), 4 * units);
  }
  return l;
}

// As many steps in the body of the loop as cost least: the host sends their instructions, and with
// each pass all results move up by as many rows. All of them: no loop. More steps than the machine
// follows in a loop are written out, too.
int64_t steps_of_loop(int64_t steps, int64_t row) {
  constexpr int64_t kMostFollowed = 1000;  // of some 150 instructions
  constexpr double kBody = limits::recurrent_step_code_bytes * limits::host_byte_steps;
  int64_t best = steps;
  double least = static_cast<double>(steps) * kBody;
  for (int64_t body = 1; body < steps && steps <= kMostFollowed; ++body) {
    if (steps % body != 0) continue;
    const double cost = static_cast<double>(body) * kBody +
                        static_cast<double>(steps / body) * static_cast<double>(steps * row / 4);
    if (cost < least) best = body, least = cost;
  }
  return best;
}

}  // namespace

// The weights of one part of all gates, and what a step does with them.
GatePart Lowering::gate_part(const Op& op, size_t weights, ValueId in, bool with_bias) {
  const Value& x = value(in);
  const Value& hidden = value(op.inputs[RecurrentOperand::kHidden]);
  const ReferenceLayer layer = gates_of(graph(), op, weights, x.quant.scale_of(0), with_bias);
  GatePart part;
  part.numbers = numbers_of(layer, x, hidden, Activation::none);
  part.inputs = layer.shape.in;
  part.outputs = layer.shape.out;
  part.items = layer.shape.items();
  part.slots = layer.shape.slots();
  part.block = add_block(layer, layer.shape, hidden.quant.scale_of(0), true);
  return part;
}

DenseSpec Lowering::products_of(const GatePart& part) const {
  DenseSpec spec;
  spec.inputs = part.inputs;
  spec.outputs = part.outputs;
  spec.blocks = blocks_[part.block].pieces;
  spec.items = part.items;
  spec.numbers = part.numbers;
  spec.slots = part.slots;
  return spec;
}

// The results of all steps, in every tile, to where they are taken from.
bool Lowering::sequence_result(size_t index, int rows, int64_t steps, int64_t units) {
  const ValueId id = graph().ops[index].outputs[0];
  Store& to = store(id);
  const int64_t pixel = 4 * ceil_div(units, int64_t{4});
  if (!to.vector) return from_whole(index, rows, to, pixel, steps * pixel, "steps");
  to.whole = rows;
  to.computed = true;
  if (units % 4 == 0) return true;
  to.whole = repacked(index, rows, steps, units, true, value(id));
  return to.whole >= 0;
}

bool Lowering::recurrent_layer(size_t index) {
  using Operand = RecurrentOperand;
  const Op& op = graph().ops[index];
  const RecurrentShape shape = recurrent_shape(graph(), op);
  const int x = positions_in_order(index, shape.steps, shape.depth);
  if (x < 0) return false;
  auto rule = recurrent_rule(graph(), op);
  if (!rule.ok()) return refuse(Rule::attributes, to_text(rule.error()));
  const auto shared = std::make_shared<const numerics::edgetpu::Lstm>(std::move(*rule));
  const ValueId hidden_id = op.inputs[Operand::kHidden], cell_id = op.inputs[Operand::kCell];
  const int hidden = store(hidden_id).whole, cell = store(cell_id).whole;
  const GatePart of_input = gate_part(op, Operand::kInputWeights, op.inputs[0], true);
  const GatePart of_hidden = gate_part(op, Operand::kRecurrentWeights, hidden_id, false);
  const int64_t row = 4 * ceil_div(shape.units, int64_t{4});
  // A step of few units writes more than its row, which the next one overwrites.
  const int64_t written = 4 * recurrent_words(shape.units);
  const int rows = region(ceil_div(shape.steps, int64_t{4}) * 4 * row + written - row);
  const int parts = region(3 * 64), gates = region(of_input.outputs);
  const int next = region(of_input.inputs);
  const int work = region(std::max<int64_t>(recurrent_work(shape.units), 4 * (4 + kLineWords)));
  planned_.push_back({index, "recurrent", shape.steps * row, 0});
  for (const int k : {x, hidden, cell, rows, parts, gates, next, work}) use(k);
  // Operators before it have counted in the tiles.
  const auto here = std::ranges::find(segment_.ops, index);
  const bool anew = std::any_of(segment_.ops.begin(), here, [&](size_t k) {
    return !alias_.contains(graph().ops[k].outputs[0]);
  });
  emit(
      [=, this, body = steps_of_loop(shape.steps, row)](Program& p) {
        SequenceSpec s;
        s.step.rule = shared.get();
        s.step.units = shape.units;
        s.step.hidden.low = of_hidden.numbers.low, s.step.hidden.high = of_hidden.numbers.high;
        s.step.hidden.output_zero = of_hidden.numbers.output_zero;
        s.step.input_part = at(parts), s.step.recurrent_part = at(parts) + 64;
        s.step.gate = at(parts) + 128, s.step.gates = at(gates);
        s.step.cell = at(cell), s.step.out = at(rows), s.step.work = at(work);
        s.input = products_of(of_input), s.hidden = products_of(of_hidden);
        s.count = shape.steps, s.body = body;
        s.anew = anew;
        s.inputs = at(x), s.row = at(next), s.before = at(hidden);
        recurrent_sequence(p, s);
      },
      kRecurrentLowest);
  blocks_[of_input.block].uses = blocks_[of_hidden.block].uses = shape.steps;
  state_outputs_.push_back({hidden_id, shape.units, rows, (shape.steps - 1) * row});
  state_outputs_.push_back({cell_id, 2 * shape.units, cell, 0});
  use(rows);
  return sequence_result(index, rows, shape.steps, shape.units);
}

// What the host gives back at the next inference.
void Lowering::state_output(const StateOutput& s) {
  use(s.region);
  emit([this, s, name = darwinn::variable_output(value(s.value).name)](
           Program& p) { whole_output(p, s.bytes, at(s.region) + s.offset, name); },
       kOutputLowest, Follows::tile);
}

}  // namespace edgetwin::edgetpu::compiler
