// The states of a recurrent layer, step by step. Source: the one public program with such a layer,
// whose instructions these are but for their places (docs/edgetpu-machine.md).
#include <algorithm>

#include "targets/edgetpu/compile/templates/others.h"

namespace edgetwin::edgetpu::compiler {
namespace {

using LstmRule = numerics::edgetpu::Lstm;
using numerics::edgetpu::kLogisticLimit;
using numerics::edgetpu::kTanhLimit;
using numerics::edgetpu::LstmGate;

// Lines of wide memory, from the lowest on.
constexpr int64_t kNumberStream = kRecurrentLowest;   // two buffers of up to seven lines
constexpr int64_t kGatePair = kRecurrentLowest + 16;  // weights of both parts of a gate
constexpr int64_t kCellPair = kRecurrentLowest + 20;  // of what is kept and what is added
constexpr int64_t kPicks = kRecurrentLowest + 24;     // the unit matrix
constexpr int64_t kRowLines = kRecurrentLowest + 28;  // two by which rows come and go
constexpr int64_t kLanes = 4;
constexpr float kMostHalf = 65535.0F;

// Bytes of narrow memory, by numbers that fill whole words.
struct RecurrentPlaces {
  int64_t words, numbers, products, factors, kept, added, tanh, end;
  explicit RecurrentPlaces(const RecurrentSpec& s)
      : words(recurrent_words(s.units)), numbers(kLanes * words) {
    products = s.work;
    factors = products + 4 * numbers + 16;
    kept = factors + 2 * numbers;
    added = kept + 2 * numbers;
    tanh = added + 2 * numbers;
    end = tanh + 2 * numbers;
  }
};

int64_t gate_at(const RecurrentSpec& s, LstmGate gate) {
  return s.gates + 64 * recurrent_blocks(s.units) * static_cast<int64_t>(gate);
}

uint32_t tiles_of(const RecurrentSpec& s, LstmGate gate) {
  const int64_t blocks = recurrent_blocks(s.units);
  return ((1U << blocks) - 1U) << (blocks * static_cast<int64_t>(gate));
}

// Results of 16 bits that begin in the middle of their range.
Numbers halves(float multiplier, int32_t zero) {
  Numbers n;
  n.multiplier = multiplier;
  n.low = static_cast<float>(-zero);
  n.high = kMostHalf - static_cast<float>(zero);
  n.output_zero = zero;
  n.wide = 2;
  return n;
}

// Lines of a buffer through which so many words stream, such that the last pass is short: all
// public programs have it so.
int64_t lines_of(int64_t words) {
  for (const int64_t lines : {4, 3, 5, 7}) {
    if (lines < words && words % lines != 0) return lines;
  }
  return 2;  // of three words
}

// Numbers of `in`, one after the other, times those of the words that stream past; each takes four
// bytes of `products`, of which it leaves the first lane's. `bytes`: of a number.
void products_of_numbers(Program& p, const RecurrentPlaces& at, int64_t in, int64_t stream,
                         int64_t bytes, const Numbers& numbers) {
  p.barrier();
  const int64_t words = at.numbers * bytes / 4, each = 4 / bytes;
  const int64_t lines = lines_of(words), passes = ceil_div(words, lines), rest = words % lines;
  TensorSpec spec;
  spec.loop = {each * lines, passes};
  spec.in = from_here(in, {bytes, at.numbers}, bytes * at.numbers, 4);
  const int64_t whole = 4 * at.numbers, left = numbers.wide != 0 ? 2 : 1;
  spec.out = {.start = at.products,
              .dims = {{4, left}, {4, at.numbers}, {whole, 1}, {whole, 1}, {whole, 1}}};
  spec.avdata_level = 4;
  spec.weight = Walk{.start = 4 * kNumberStream, .dims = {{bytes, each * lines}, {0, passes}}}
                    .switched(1, 4 * lines)
                    .shortened(each * rest, 1, 4 * (lines - rest));
  spec.acc = Walk{.dims = {{1, 1}, {0, at.numbers}}}.switched(1, 4);
  spec.kind = bytes == 1 ? 0x1C30 : 0xF0;
  spec.role = Role::square;
  follow_stream(spec);
  Assembly multiply = with_last(tensor(spec, numbers), each * rest);
  const auto bring = [&] {
    stream_weights(p, {.start = stream / 4, .dims = {{1, words}}},
                   Walk{.start = kNumberStream, .dims = {{1, lines}, {0, passes}}}
                       .switched(1, lines)
                       .shortened(rest, 1, lines - rest),
                   1, 0, 0);
  };
  // After the one instruction that waits for it; before several, of tiles that counted otherwise.
  if (p.vendor()) bring();
  p.add(std::move(multiply), kAllTiles);
  if (!p.vendor()) bring();
  p.settle();
}

// The first of each four bytes, or of each two numbers of 16 bits, side by side.
void pick_products(Program& p, const RecurrentPlaces& at, int64_t to, bool wide) {
  TensorSpec spec;
  spec.loop = {kLanes, at.words};
  spec.in = from_here(at.products, {4, at.numbers}, 4 * at.numbers, 4);
  const int64_t words = wide ? 2 * at.words : at.words;
  spec.out = from_here(to, {4, words}, 4 * words, 4);
  spec.avdata_level = 3;
  spec.weight = Walk{.start = 4 * kPicks, .dims = {{1, kLanes}, {0, at.words}}}.switched(1, 0);
  spec.acc = Walk{.dims = {{0, kLanes}, {0, at.words}}}.switched(1, 4);
  spec.kind = wide ? 0x1870 : 0x1C30;
  spec.role = Role::selection;
  Numbers same = copy_numbers();
  if (wide) same.wide = 2;
  p.add(tensor(spec, same), kAllTiles);
}

// Bytes as numbers of 16 bits.
void widen_bytes(Program& p, const RecurrentPlaces& at, int64_t from) {
  const TensorSpec spec = widening_of(from, at.factors, at.words, kPicks);
  Numbers n;
  n.high = 255.0F;
  n.wide = 2;
  p.add(tensor(spec, n), kAllTiles);
}

// What is kept of the cell and what is added to it, weighted.
void sum_of_states(Program& p, const RecurrentPlaces& at, int64_t to, const Numbers& numbers,
                   bool odd) {
  const int64_t whole = 2 * at.numbers;
  TensorSpec spec;
  spec.loop = {4, 2, at.words};
  spec.in = {
      .start = at.kept,
      .dims = {{2, 4}, {at.added - at.kept, 2}, {whole, 1}, {whole, 1}, {whole, 1}, {8, at.words}}};
  spec.out = {.start = to, .dims = {{4, 2}, {whole, 1}, {whole, 1}, {whole, 1}, {8, at.words}}};
  spec.avdata_level = 4;
  spec.weight = {.start = 4 * kCellPair, .dims = {{4, 4}, {2, 2}, {0, at.words}}};
  spec.acc = Walk{.dims = {{0, 8}, {0, at.words}}}.switched(1, 4);
  spec.kind = 0xF0;
  spec.role = Role::states;
  Assembly a = tensor(spec, numbers);
  if (odd) a.set("odd", 3);
  p.add(std::move(a), kAllTiles);
}

// The function of the sum of both parts.
void gate_function(Program& p, const RecurrentSpec& s, uint32_t tiles, bool odd) {
  const int64_t words = ceil_div(std::min<int64_t>(s.units, 64), kLanes), whole = 4 * words;
  load_function(p, odd ? s.rule->gate_tanh : s.rule->gate_logistic);
  TensorSpec spec;
  spec.loop = {2, 2, words};
  spec.in = {.start = s.input_part,
             .dims = {{2, 2},
                      {s.recurrent_part - s.input_part, 2},
                      {whole, 1},
                      {whole, 1},
                      {whole, 1},
                      {4, words}}};
  spec.out = {.start = s.gate, .dims = {{4, 1}, {whole, 1}, {whole, 1}, {whole, 1}, {4, words}}};
  spec.avdata_level = 4;
  spec.weight = {.start = 4 * kGatePair, .dims = {{4, 4}, {0, words}}};
  spec.acc = Walk{.dims = {{0, 4}, {0, words}}}.switched(1, 4);
  spec.kind = 0xB0;
  spec.role = Role::states;
  Numbers n;
  n.multiplier = s.rule->hidden_scale;
  n.high = odd ? kTanhLimit : kLogisticLimit;
  n.low = -n.high;
  n.constant = -2 * s.hidden.output_zero;
  n.output_zero = odd ? LstmRule::kCellGateZero : 0;
  n.function = true;
  Assembly a = tensor(spec, n);
  if (odd) a.set("odd", 3);
  p.add(std::move(a), tiles);
}

// What a tensor instruction reads was made by the one before; copies go on.
void after_tensor(Program& p) { p.tile_sync(0, kTensorIdle, false); }

// What stays in wide memory from one step to the next.
void constants(Program& p, const RecurrentSpec& s) {
  fill_matrix(p, s.work / 4);
  p.settle();
  store_matrix(p, s.work / 4, kPicks);
  constexpr uint32_t kLow = 1, kHigh = 0x10000;
  write_lines(p, {kLow, kHigh, 0, 0, 0, 0, kLow, kHigh, kLow, kHigh, 0, 0, 0, 0, kLow, kHigh},
              s.work, kGatePair);
  const uint32_t pair =
      static_cast<uint32_t>(s.rule->weights.a) | static_cast<uint32_t>(s.rule->weights.b) << 16U;
  write_lines(p, {pair, 0, 0, 0, 0, pair, 0, 0, 0, 0, pair, 0, 0, 0, 0, pair}, s.work, kCellPair);
}

// The numbers of all gates to every tile.
void gates(Program& p, const RecurrentSpec& s) {
  const uint32_t cell = tiles_of(s, LstmGate::cell);
  const uint32_t all = tiles_of(s, LstmGate::input) | tiles_of(s, LstmGate::forget) | cell |
                       tiles_of(s, LstmGate::output);
  after_tensor(p);
  gate_function(p, s, all & ~cell, false);
  after_tensor(p);
  gate_function(p, s, cell, true);
  p.barrier();
  broadcast(p, 64 * recurrent_blocks(s.units) * static_cast<int64_t>(numerics::edgetpu::kLstmGates),
            s.gate, s.gates);
}

// In every tile, which have all gates. What follows one another without a wait shares nothing.
void states(Program& p, const RecurrentSpec& s) {
  const RecurrentPlaces at(s);
  const LstmRule& rule = *s.rule;
  Numbers added = halves(rule.added_multiplier, LstmRule::kAddedZero);
  added.weight_zero = LstmRule::kCellGateZero;
  products_of_numbers(p, at, gate_at(s, LstmGate::input), gate_at(s, LstmGate::cell), 1, added);
  pick_products(p, at, at.added, true);
  widen_bytes(p, at, gate_at(s, LstmGate::forget));
  Numbers kept = halves(rule.kept_multiplier, LstmRule::kCellZero);
  kept.weight_zero = LstmRule::kCellZero;
  products_of_numbers(p, at, at.factors, s.cell, 2, kept);
  pick_products(p, at, at.kept, true);
  after_tensor(p);
  load_function(p, rule.cell_tanh);
  Numbers cell = halves(rule.cell_multiplier, LstmRule::kCellZero);
  cell.constant = -(rule.weights.a * LstmRule::kCellZero + rule.weights.b * LstmRule::kAddedZero);
  Numbers tanh = cell;
  tanh.multiplier = rule.tanh_multiplier;
  tanh.high = kTanhLimit, tanh.low = -kTanhLimit;
  tanh.output_zero = LstmRule::kAddedZero;
  tanh.function = true;
  sum_of_states(p, at, s.cell, cell, false);
  sum_of_states(p, at, at.tanh, tanh, true);
  widen_bytes(p, at, gate_at(s, LstmGate::output));
  Numbers hidden = s.hidden;
  hidden.multiplier = rule.output_multiplier;
  hidden.weight_zero = LstmRule::kAddedZero;
  products_of_numbers(p, at, at.factors, at.tanh, 2, hidden);
  pick_products(p, at, s.out, false);
}

// Rows of the inputs and of the results.
RowsSpec inputs_of(const SequenceSpec& s) {
  return {s.inputs, ceil_div(s.input.inputs, 4), s.count, kRowLines};
}
RowsSpec results_of(const SequenceSpec& s) {
  return {s.step.out, ceil_div(s.step.units, 4), s.count, kRowLines};
}

// The steps of the body. In a loop the last results so far lie in the rows before theirs.
void steps(Program& p, const SequenceSpec& s) {
  const bool loop = s.body < s.count;
  const RowsSpec inputs = inputs_of(s), results = results_of(s);
  const int64_t row = 4 * results.words, first = results.rows + (s.count - s.body) * row;
  for (int64_t k = 0; k < s.body; ++k) {
    RecurrentSpec step = s.step;
    step.out = first + k * row;
    DenseSpec input = s.input, hidden = s.hidden;
    input.in = loop ? s.row : s.inputs + k * 4 * inputs.words;
    hidden.in = k > 0 ? step.out - row : loop ? first + (s.body - 1) * row : s.before;
    input.out = step.input_part, hidden.out = step.recurrent_part;
    if (k > 0) p.barrier();
    if (p.many_turns()) p.reset_ring();
    dense(p, hidden);
    if (loop) take_row(p, inputs, s.row);
    p.barrier();
    dense(p, input);
    if (loop && k == 0) {
      move_words(p, results.rows + s.body * row, results.rows, (s.count - s.body) * results.words,
                 kRowLines);
    }
    gates(p, step);
    states(p, step);
  }
}

}  // namespace

int64_t recurrent_words(int64_t units) { return std::max<int64_t>(3, ceil_div(units, kLanes)); }
int64_t recurrent_blocks(int64_t units) { return ceil_div(units, int64_t{64}); }
int64_t recurrent_work(int64_t units) {
  RecurrentSpec spec;
  spec.units = units;
  return RecurrentPlaces(spec).end;
}

void recurrent_sequence(Program& p, const SequenceSpec& s) {
  constants(p, s.step);
  const RowsSpec inputs = inputs_of(s), results = results_of(s);
  if (s.body == s.count) {
    p.barrier();
    steps(p, s);
    return;
  }
  p.barrier();
  if (s.anew && p.vendor()) p.epoch();
  move_words(p, s.before, results.rows + 4 * (s.count - 1) * results.words, results.words,
             kRowLines);
  begin_rows(p, inputs);
  const size_t begin = p.begin_loop();
  steps(p, s);
  again_for_rows(p, inputs, begin);
}

}  // namespace edgetwin::edgetpu::compiler
