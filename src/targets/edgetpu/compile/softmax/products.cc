// The sum of the exponentials, one over it, and the result.
#include "targets/edgetpu/compile/softmax/steps.h"

namespace edgetwin::edgetpu::compiler {
namespace {

// Where words have streamed to a tensor instruction.
void end_of_stream(Program& p) {
  for (const TileCounter c : {TileCounter::narrow_to_wide, TileCounter::parameters}) {
    p.tile_sync(1U << static_cast<uint32_t>(c), kAllEngines, false);
  }
  p.epoch();
}

}  // namespace

void stream_of_one(Program& p, int64_t byte, const StreamedLines& lines, int64_t words,
                   unsigned layout) {
  Assembly a = p.engine(Opcode::narrow_to_wide, 1);
  put(a, kSideA, {.start = byte / 4, .dims = {{1, words}}});
  put(a, kSideB, lines.walk(kSoftmaxStream, 1));
  a.set("counts.narrow_to_wide", 1).set("counts.narrow_to_wide.level", 1).set("layout", layout);
  put_waits(a, {{TileCounter::parameters, 1, -1, 1, 1}}, true);
  p.add(a);
}

// Through the table of inverse roots.
void softmax_sum(Program& p, const TileSoftmaxSpec& s) {
  const BackPlaces at(s);
  const int64_t pairs = s.shape.pairs();
  const StreamedLines lines(pairs);
  p.epoch();
  begin_function(p, numerics::edgetpu::kInverseRootTable, 1);
  stream_of_one(p, at.list, lines, pairs, 0);
  TensorSpec spec;
  spec.opcode = Opcode::tensor_exp;
  spec.loop = {lines.lines, lines.passes};
  spec.out = from_here(at.root, {4, 2}, 8, 4);
  spec.weight = lines.walk(4 * kSoftmaxStream, 4);
  spec.acc = Walk{.dims = {{0, pairs}}}.switched(1, 4);
  spec.kind = 0xB0;
  spec.role = Role::reduction;
  follow_stream(spec);
  Numbers n = copy_numbers();
  n.multiplier = SoftmaxRule::kPerOne;
  n.function = true;
  n.wide = 3;
  p.add(with_last(without_count(tensor(spec, n)), lines.rest), 1);
  p.epoch();
}

RootStep products_of_roots(int64_t root, int64_t squares, int64_t stream) {
  TensorSpec spec;
  spec.loop = {2, 2};
  spec.in = from_here(root, {2, 4}, 8, 4);
  spec.out = {.start = squares, .dims = {{4, 2}, {4, 4}, {16, 1}, {16, 1}, {16, 1}}};
  spec.weight = Walk{.start = 4 * stream, .dims = {{2, 2}, {0, 2}}}.switched(1, 4);
  spec.acc = Walk{.dims = {{1, 1}, {0, 4}}}.switched(1, 4);
  spec.kind = 0xF0;
  spec.role = Role::square;
  follow_stream(spec);
  Numbers n;
  n.multiplier = SoftmaxRule::kPerOne;
  n.high = SoftmaxRule::kLargestReciprocal;
  n.wide = 2;
  return {spec, n};
}

RootStep choice_of_squares(int64_t squares, int64_t to, int64_t matrix) {
  TensorSpec spec;
  spec.loop = {4};
  spec.in = from_here(squares, {4, 4}, 16, 4);
  spec.out = from_here(to, {4, 2}, 8, 4);
  spec.weight = Walk{.start = 4 * matrix, .dims = {{1, 4}}}.switched(1, 0);
  spec.acc = Walk{.dims = {{0, 4}}}.switched(1, 4);
  spec.kind = 0x1870;
  spec.role = Role::selection;
  Numbers same = copy_numbers();
  same.wide = 2;
  return {spec, same};
}

void softmax_reciprocal(Program& p, const TileSoftmaxSpec& s) {
  const BackPlaces at(s);
  const int64_t squares = at.list;
  p.epoch();
  p.epoch();
  const RootStep products = products_of_roots(at.root, squares, kSoftmaxStream);
  p.add(without_count(tensor(products.spec, products.numbers)), 1);
  Assembly stream = p.engine(Opcode::narrow_to_wide, 1);
  put(stream, kSideA, {.start = at.root / 4, .dims = {{1, 2}}});
  put(stream, kSideB, Walk{.start = kSoftmaxStream, .dims = {{0, 2}}}.switched(0, 1));
  stream.set("counts.narrow_to_wide", 1);
  put_waits(stream, {{TileCounter::parameters, 0, -1, 1, 1}}, true);
  p.add(stream);
  constexpr uint32_t kNarrowToWideIdle = 0x20;
  p.tile_sync(0, kNarrowToWideIdle, false);
  const RootStep choice = choice_of_squares(squares, at.root, p.matrix_line());
  p.add(without_count(tensor(choice.spec, choice.numbers)), 1);
  end_of_stream(p);
}

// In each tile it fills a list of factors.
void softmax_spread(Program& p, const TileSoftmaxSpec& s) {
  const BackPlaces at(s);
  to_other_tiles(p, s.shape, at.root, 2, kNearLowered);
  p.epoch();
  const int64_t ones = at.constants / 4, words = 2 * s.shape.words();
  fill(p, Opcode::move_up, kAllTiles, {.start = ones, .dims = {{2, 2}}}, 1);
  fill(p, Opcode::move_up, kAllTiles, {.start = ones + 1, .dims = {{2, 2}}}, 0x100, true);
  fill_list(p, s.shape, ones, at.root, 8, at.list, words);
}

void softmax_product(Program& p, const TileSoftmaxSpec& s) {
  const BackPlaces at(s);
  by_words(p, s.shape, [&](int64_t n) {
    const int64_t passes = ceil_div(n, 2);
    Assembly a(Opcode::narrow_to_wide);
    Walk from{.start = at.own / 4, .dims = {{2, 2}, {1, 2}, {4, passes}}};
    if (n % 2 != 0) from = from.shortened(2, 2, 0);
    put(a, kSideA, from);
    put(a, kSideB, Walk{.start = kSoftmaxOperands, .dims = {{0, passes}}}.switched(0, 1));
    a.set("counts.narrow_to_wide", 1).set("layout", 3).set("flush_level", 2);
    put_waits(a, {{TileCounter::parameters, 0, -1, 1, 1}}, true);
    return a;
  });
  by_words(p, s.shape, [&](int64_t n) {
    const int64_t passes = ceil_div(n, 2), all = 8 * s.shape.words();
    TensorSpec spec;
    spec.loop = {2, passes};
    spec.in = {.start = at.list, .dims = {{4, 1}, {0, n}, {all, 1}, {all, 1}, {all, 1}}};
    spec.out = from_here(s.out, {4, n}, 4 * n, 4);
    spec.weight = Walk{.start = 4 * kSoftmaxOperands, .dims = {{2, 2}, {0, passes}}}.switched(1, 4);
    if (n % 2 != 0) spec.weight = spec.weight.shortened(1, 1, 2);
    spec.acc = Walk{.dims = {{0, n}}}.switched(0, 4);
    spec.kind = 0xF0;
    spec.role = Role::product;
    follow_stream(spec);
    Numbers numbers;
    numbers.multiplier = SoftmaxRule::kLast;
    numbers.high = 255.0F;
    return with_last(without_count(tensor(spec, numbers)), n % 2);
  });
  end_of_stream(p);
}

}  // namespace edgetwin::edgetpu::compiler
