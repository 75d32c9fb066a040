#include "targets/edgetpu/compile/softmax/whole.h"

#include <algorithm>

#include "targets/edgetpu/compile/softmax/steps.h"

namespace edgetwin::edgetpu::compiler {
namespace {

using numerics::edgetpu::kExponentialTable;
using numerics::edgetpu::kInverseRootTable;

// Lines of wide memory, from the lowest on.
constexpr int64_t kStream = kSoftmaxLowest;          // two buffers of up to four lines
constexpr int64_t kWeights = kSoftmaxLowest + 12;    // two lines
constexpr int64_t kLargest = kSoftmaxLowest + 16;    // the negative maximum as a sum
constexpr int64_t kUnit = kSoftmaxLowest + 20;       // the unit matrix
constexpr int64_t kSelection = kSoftmaxLowest + 24;  // bytes of a word that count
constexpr int64_t kConstantWords = 8;  // of narrow memory, which go to wide memory at a time
constexpr uint32_t kByte[4] = {1, 0x100, 0x10000, 0x1000000};

// Bytes of narrow memory.
struct SoftmaxPlaces {
  int64_t words, pairs;  // of the values, of the exponentials
  int64_t differences, exponentials, root, squares, reciprocal, spread, scratch, end;
  // Differences lie where the result will, since exponentials are made of them before it is.
  SoftmaxPlaces(int64_t count, int64_t base, int64_t out)
      : words(ceil_div(count, 4)), pairs(ceil_div(count, 2)) {
    const int64_t even = ceil_div(words, 2) * 2;
    differences = out;
    exponentials = base;
    root = exponentials + 8 * even;
    squares = root + 16;
    reciprocal = squares + 32;
    spread = reciprocal + 16;
    scratch = spread + 16;
    end = scratch + 4 * kConstantWords;
  }
};

// A word in place, with 0 for its bytes from `kept` on.
void clear_rest(Program& p, int64_t at, int64_t kept, int64_t scratch) {
  std::vector<uint32_t> rows;
  for (int64_t k = 0; k < 4; ++k) rows.push_back(k < kept ? kByte[k] : 0);
  write_lines(p, rows, scratch, kSelection);
  TensorSpec spec;
  spec.loop = {1, 1};
  spec.in = {.start = at, .dims = {{4, 1}, {0, 1}, {4, 1}, {0, 1}, {4, 1}, {0, 1}, {4, 1}, {0, 1}}};
  spec.out = from_here(at, {4, 1}, 4, 4);
  spec.avdata_level = 3;
  spec.weight = {.start = 4 * kSelection, .dims = {{4, 1}, {0, 1}}};
  spec.acc = {.dims = {{1, 1}}, .levels = 0};
  spec.acc = spec.acc.switched(1, 256);
  spec.kind = 0x30;
  p.add(tensor(spec, copy_numbers()), kAllTiles);
  p.settle();
}

void find_largest(Program& p, const SoftmaxSpec& s, const SoftmaxPlaces& at) {
  p.barrier();
  stream_weights(p, {.start = s.in / 4, .dims = {{1, at.words}}},
                 Walk{.start = kStream, .dims = {{0, at.words}}}.switched(0, 1), 0, 0, 0);
  TensorSpec spec;
  spec.opcode = Opcode::tensor_max;
  spec.loop = {4, at.words};
  spec.out = from_here(at.root, {4, 1}, 4, 4);
  spec.avdata_level = 3;
  spec.weight = Walk{.start = 4 * kStream, .dims = {{1, 4}, {0, at.words}}}.switched(1, 4);
  spec.acc = Walk{.dims = {{0, 4 * at.words}}}.switched(1, 4);
  spec.kind = 0x30;
  spec.role = Role::reduction;
  follow_stream(spec);
  Numbers n;
  n.weight_zero = n.output_zero = s.zero;
  n.constant = -s.zero;
  n.high = static_cast<float>(255 - s.zero);
  n.low = static_cast<float>(-s.zero);
  p.add(tensor(spec, n), kAllTiles);
  p.barrier();
}

// The maximum as a bias, then every value less it: 255 is the largest.
void subtract_largest(Program& p, const SoftmaxSpec& s, const SoftmaxPlaces& at) {
  write_lines(p, std::vector<uint32_t>(8, 0), at.scratch, kWeights);
  TensorSpec bias;
  bias.in = {.start = at.root, .dims = {{1, 1}, {0, 1}, {4 * at.words, 1}}};
  bias.out = {.start = at.differences, .dims = {{1, 1}, {0, 1}, {4 * at.words, 1}}, .levels = 4};
  bias.avdata_level = 2;
  bias.weight = {.start = 4 * kWeights, .dims = {{1, 1}}, .levels = 0};
  bias.acc = {.start = 4 * kLargest, .dims = {{1, 1}}, .levels = 0};
  bias.kind = 0x1890;
  p.add(tensor(bias, below_largest()), kAllTiles);
  p.settle();
  write_lines(p, {0x10002, 0x20001, 0x10001, 0x10001, 0x10001, 0x10001, 0x10002, 0x20001},
              at.scratch, kWeights);
  Assembly numbers = p.engine(Opcode::wide_to_narrow, kAllTiles);
  put(numbers, kSideA, {.start = kLargest, .dims = {{1, 1}, {0, 2}, {1, 1}}});
  put(numbers, kSideB, Walk{.start = 64, .dims = {{1, 32}, {0, 2}}}.switched(1, 32));
  numbers.set("numbers", 1).set("flush_level", 1);
  p.add(numbers);
  p.settle();
  TensorSpec spec;
  spec.loop = {2, at.words};
  spec.in = from_here(s.in, {2, 2 * at.words}, 4 * at.words, 4);
  spec.out = from_here(at.differences, {4, at.words}, 4 * at.words, 4);
  spec.avdata_level = 3;
  spec.weight = {.start = 4 * kWeights, .dims = {{4, 2}, {0, at.words}}};
  spec.acc = Walk{.dims = {{0, 2}, {0, at.words}}}.switched(1, 4);
  spec.kind = 0xB0;
  spec.role = Role::dense;
  Numbers n = below_largest();
  n.has_bias = true;
  p.add(tensor(spec, n), kAllTiles);
  p.settle();
}

// Numbers of 16 bits, in steps of 1/65535.
void exponentials(Program& p, const SoftmaxSpec& s, const SoftmaxPlaces& at) {
  fill_matrix(p, at.scratch / 4);
  p.settle();
  store_matrix(p, at.scratch / 4, kUnit);
  load_function(p, kExponentialTable);
  const TensorSpec spec = widening_of(at.differences, at.exponentials, at.words, kUnit);
  Numbers n;
  n.input_zero = 255;
  n.multiplier = s.multiplier;
  n.low = SoftmaxRule::kLowest;
  n.function = true;
  n.wide = 2;
  p.add(tensor(spec, n), kAllTiles);
  p.settle();
}

// 46340 / root of the sum.
void sum_up(Program& p, const SoftmaxPlaces& at) {
  load_function(p, kInverseRootTable);
  p.barrier();
  int64_t lines = 4;
  while (at.pairs % lines != 0) --lines;
  const int64_t passes = at.pairs / lines;
  stream_weights(p, {.start = at.exponentials / 4, .dims = {{1, at.pairs}}},
                 Walk{.start = kStream, .dims = {{1, lines}, {0, passes}}}.switched(1, lines), 1, 0,
                 0);
  TensorSpec spec;
  spec.opcode = Opcode::tensor_exp;
  spec.loop = {lines, passes};
  spec.out = from_here(at.root, {4, 2}, 8, 4);
  spec.avdata_level = 3;
  spec.weight =
      Walk{.start = 4 * kStream, .dims = {{4, lines}, {0, passes}}}.switched(1, 4 * lines);
  spec.acc = Walk{.dims = {{0, at.pairs}}}.switched(1, 4);
  spec.kind = 0xB0;
  spec.role = Role::reduction;
  follow_stream(spec);
  Numbers n = copy_numbers();
  n.multiplier = SoftmaxRule::kPerOne;
  n.function = true;
  n.wide = 3;
  p.add(tensor(spec, n), kAllTiles);
  p.barrier();
}

void square(Program& p, const SoftmaxPlaces& at) {
  RootStep products = products_of_roots(at.root, at.squares, kStream);
  products.spec.avdata_level = 4;
  const auto stream = [&] {
    stream_weights(p, {.start = at.root / 4, .dims = {{1, 2}}},
                   Walk{.start = kStream, .dims = {{0, 2}}}.switched(0, 1), 0, 0, 0);
  };
  // Public programs have it after the one instruction that waits for it; where tiles have counted
  // otherwise there are several of these, and it comes before them.
  if (p.vendor()) stream();
  p.add(tensor(products.spec, products.numbers), kAllTiles);
  if (!p.vendor()) stream();
  p.settle();
  RootStep choice = choice_of_squares(at.squares, at.reciprocal, kUnit);
  choice.spec.avdata_level = 3;
  p.add(tensor(choice.spec, choice.numbers), kAllTiles);
  p.settle();
}

void multiply(Program& p, const SoftmaxSpec& s, const SoftmaxPlaces& at) {
  constexpr int64_t kSpread = 2;  // words; one is read
  write_lines(p, {1, 0x100, 1, 0x100}, at.scratch, kSelection);
  TensorSpec spread;
  spread.loop = {1, kSpread};
  spread.in = {.start = at.reciprocal,
               .dims = {{4, 1}, {0, kSpread}, {8, 1}, {0, 1}, {8, 1}, {0, 1}, {8, 1}, {0, 1}}};
  spread.out = from_here(at.spread, {4, kSpread}, 4 * kSpread, 4);
  spread.avdata_level = 3;
  spread.weight = {.start = 4 * kSelection, .dims = {{4, 1}, {0, kSpread}}};
  spread.acc = Walk{.dims = {{0, kSpread}}}.switched(0, 256);
  spread.kind = 0x30;
  p.add(tensor(spread, copy_numbers()), kAllTiles);
  p.barrier();
  const int64_t passes = ceil_div(at.words, 2), words = 2 * passes;
  stream_weights(p, {.start = at.exponentials / 4, .dims = {{2, 2}, {1, 2}, {4, passes}}},
                 Walk{.start = kStream, .dims = {{0, passes}}}.switched(0, 1), 0, 3, 2);
  TensorSpec spec;
  spec.loop = {2, passes};
  spec.in = from_here(at.spread, {4, 1}, 4 * kSpread, 5);
  spec.in.dims[1] = {0, words};
  spec.out = from_here(s.out, {4, words}, 4 * words, 4);
  spec.avdata_level = 3;
  spec.weight = Walk{.start = 4 * kStream, .dims = {{2, 2}, {0, passes}}}.switched(1, 4);
  spec.acc = Walk{.dims = {{0, words}}}.switched(0, 4);
  spec.kind = 0xF0;
  spec.role = Role::product;
  follow_stream(spec);
  Numbers n;
  n.multiplier = SoftmaxRule::kLast;
  n.high = 255.0F;
  p.add(tensor(spec, n), kAllTiles);
}

}  // namespace

int64_t softmax_work(int64_t count) { return SoftmaxPlaces(count, 0, 0).end; }
int64_t softmax_result(int64_t count) { return 8 * ceil_div(ceil_div(count, 4), 2); }

void softmax(Program& p, const SoftmaxSpec& s) {
  const SoftmaxPlaces at(s.count, s.work, s.out);
  if (s.count % 4 != 0) {
    clear_rest(p, s.in + 4 * (at.words - 1), s.count % 4, at.scratch);
  }
  find_largest(p, s, at);
  subtract_largest(p, s, at);
  exponentials(p, s, at);
  if (s.count % 2 != 0) clear_rest(p, at.exponentials + 4 * (at.pairs - 1), 2, at.scratch);
  sum_up(p, at);
  square(p, at);
  multiply(p, s, at);
}

}  // namespace edgetwin::edgetpu::compiler
