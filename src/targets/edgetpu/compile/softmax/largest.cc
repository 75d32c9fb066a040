// The largest value, and what all are less than it.
#include "targets/edgetpu/compile/softmax/steps.h"

namespace edgetwin::edgetpu::compiler {
namespace {

Numbers of_values(const TileSoftmaxSpec& s) {
  Numbers n = s.limits;
  n.output_zero = s.zero;
  return n;
}

// Of words or bytes of words that stream past.
void largest_of(Program& p, const TileSoftmaxSpec& s, TensorSpec spec, int64_t to, int64_t last) {
  spec.opcode = Opcode::tensor_max;
  spec.out = from_here(to, {4, 1}, 4, 4);
  spec.kind = 0x30;
  spec.role = Role::reduction;
  spec.counts_parameters = true;
  spec.parameters_level = 1;
  Numbers n = of_values(s);
  n.weight_zero = s.zero;
  n.constant = -s.zero;
  p.add(with_last(without_count(tensor(spec, n)), last), 1);
}

// Constants of eight words to two lines.
Assembly operand_lines(Program& p, int64_t scratch) {
  Assembly a = p.engine(Opcode::narrow_to_wide, kAllTiles);
  put(a, kSideA, {.start = scratch / 4, .dims = {{1, 4}, {4, 2}}});
  put(a, kSideB, {.start = kSoftmaxOperands, .dims = {{1, 2}}});
  return a.set("flush_level", 1);
}

}  // namespace

FrontPlaces::FrontPlaces(const TileSoftmaxSpec& s)
    : list(s.front), largest(list + 4 * s.shape.words()), of_words(largest + 4) {}

// After the list are the largest value, and later as many numbers of 16 bits as values.
int64_t front_bytes(const TileSoftmaxShape& shape) { return 12 * shape.words(); }

// The tiles' values as a list, without what fills its last word.
void softmax_to_one(Program& p, const TileSoftmaxSpec& s) {
  const FrontPlaces at(s);
  p.epoch();
  const int64_t matrix = unit_matrix(p, at.of_words / 4, kWideTop - 1);
  const int64_t all = 4 * s.shape.words();
  take_table(p, s, SoftmaxTable::list, [&] {
    for (int t = 0; t < s.shape.tiles(); ++t) {
      const int64_t n = s.shape.own(t);
      const Walk to{.start = at.list + 4 * s.shape.first(t),
                    .dims = {{4, 1}, {all, 1}, {0, 2}, {4, n}}};
      Numbers numbers = of_values(s);
      numbers.input_zero = s.zero;
      numbers.has_bias = true;
      p.add(tensor(by_table(n, s.values, to, matrix), numbers), 1U << t);
    }
  });
  std::vector<Transfer> moved;
  for (int t = 1; t < s.shape.tiles(); ++t) {
    Walk own{.start = at.list / 4 + s.shape.first(t), .dims = {{1, s.shape.own(t)}}};
    if (s.shape.own(t) == 1) own.levels = 0;
    moved.push_back({t, 1, own, own});
  }
  move_in_turns(p, moved, kFarLowered);
}

// Of all words, byte by byte, then of the bytes of that word.
void softmax_largest(Program& p, const TileSoftmaxSpec& s) {
  const FrontPlaces at(s);
  const StreamedLines lines(s.shape.words());
  p.epoch();
  stream_of_one(p, at.list, lines, s.shape.words(), 1);
  const int64_t passes = lines.passes;
  TensorSpec words;
  words.loop = {lines.lines, passes};
  words.weight = lines.walk(4 * kSoftmaxStream, 4);
  words.acc = Walk{.dims = {{0, s.shape.words()}}}.switched(1, 4);
  words.waits = {{TileCounter::narrow_to_wide, 1, 1}};
  largest_of(p, s, words, at.of_words, lines.rest);
  p.tile_sync(0, kTensorIdle, false);
  Assembly a = p.engine(Opcode::narrow_to_wide, 1);
  put(a, kSideA, {.start = at.of_words / 4, .dims = {{1, 1}}, .levels = 0});
  put(a, kSideB, Walk{.start = kSoftmaxStream, .dims = {{1, 1}}, .levels = 0}.switched(1, 1));
  a.set("counts.narrow_to_wide", 1).set("counts.narrow_to_wide.level", 1).set("flush_level", 1);
  put_waits(a, {{TileCounter::parameters, 1, passes, 1, 1}}, true);
  p.add(a);
  TensorSpec bytes;
  bytes.loop = {4};
  bytes.weight = Walk{.start = 4 * kSoftmaxStream, .dims = {{1, 4}}}.switched(1, 4);
  bytes.acc = Walk{.dims = {{0, 4}}}.switched(1, 4);
  bytes.waits = {{TileCounter::narrow_to_wide, 1, passes + 1}};
  largest_of(p, s, bytes, at.largest, 0);
  p.epoch();
}

// In each tile it fills a list.
void softmax_to_all(Program& p, const TileSoftmaxSpec& s) {
  const FrontPlaces at(s);
  to_other_tiles(p, s.shape, at.largest, 1, kNearLowered);
  p.epoch();
  const int64_t ones = at.of_words / 4, words = s.shape.words();
  fill(p, Opcode::move_up, kAllTiles, {.start = ones, .dims = {{1, 4}}}, 1, true);
  fill_list(p, s.shape, ones, at.largest, 4, at.list, words);
}

namespace {

// As a sum in wide memory, which becomes a bias.
void negative_largest(Program& p, const TileSoftmaxSpec& s) {
  fill(p, Opcode::move_up, kAllTiles, {.start = s.constants / 4, .dims = {{1, 8}}}, 0, true);
  Assembly lines = operand_lines(p, s.constants);
  put_waits(lines, {{TileCounter::s_in, 2, 1, 0}}, true);
  p.add(lines);
  p.settle();
  by_words(p, s.shape, [&](int64_t n) {
    TensorSpec bias;
    bias.in = {.start = FrontPlaces(s).list, .dims = {{1, 1}, {0, 1}, {4 * s.shape.words(), 1}}};
    bias.out = {.start = s.named, .dims = {{1, 1}, {0, 1}, {4 * n, 1}}, .levels = 4};
    bias.weight = {.start = 4 * kSoftmaxOperands, .dims = {{1, 1}}, .levels = 0};
    bias.acc = {.start = 4 * kSoftmaxLargest, .dims = {{1, 1}}, .levels = 0};
    bias.kind = 0x1890;
    return without_count(tensor(bias, below_largest()));
  });
}

// Numbers of 16 bits, by which a value is taken once and its bias once.
void difference_operands(Program& p, int64_t scratch) {
  struct Filled {
    Opcode by = Opcode::move_up;
    int64_t words = 1;
    uint32_t pattern = 0;
  };
  const Filled all[] = {{Opcode::move_up, 1, 0x10002},
                        {Opcode::move_right, 1, 0x20001},
                        {Opcode::move_left, 4, 0x10001},
                        {Opcode::move_down, 1, 0x10002},
                        {Opcode::move_up, 1, 0x20001}};
  int64_t at = scratch / 4;
  for (const Filled& f : all) {
    Walk to{.start = at, .dims = {{1, f.words}}};
    if (f.words == 1) to.levels = 0;
    fill(p, f.by, kAllTiles, to, f.pattern, true);
    at += f.words;
  }
  Assembly lines = operand_lines(p, scratch);
  lines.set("counts.narrow_to_wide", 1).set("counts.narrow_to_wide.level", 1);
  put_waits(lines,
            {{TileCounter::n_in, 2, 1},
             {TileCounter::s_in, 2, 3},  // with that of the zeros before
             {TileCounter::w_in, 2, 1},
             {TileCounter::e_in, 2, 1}},
            true);
  p.add(lines);
}

}  // namespace

// 255 is the largest.
void softmax_difference(Program& p, const TileSoftmaxSpec& s) {
  constexpr uint32_t kParameters = 1U << static_cast<uint32_t>(TileCounter::parameters);
  negative_largest(p, s);
  p.tile_sync(kParameters, kAllEngines, false);
  p.settle();
  difference_operands(p, s.constants);
  Assembly numbers = p.engine(Opcode::wide_to_narrow, kAllTiles);
  put(numbers, kSideA, {.start = kSoftmaxLargest, .dims = {{1, 1}, {0, 2}, {1, 1}}});
  put(numbers, kSideB, Walk{.start = 64, .dims = {{1, 32}, {0, 2}}}.switched(1, 32));
  numbers.set("counts.wide_to_narrow", 1).set("counts.wide_to_narrow.level", 2);
  numbers.set("numbers", 1).set("flush_level", 1);
  put_waits(numbers, {{TileCounter::avdata, 2, 0, 1, 1}}, true);
  p.add(numbers);
  by_words(p, s.shape, [&](int64_t n) {
    TensorSpec spec;
    spec.loop = {2, n};
    spec.in = from_here(s.values, {2, 2 * n}, 4 * n, 4);
    spec.out = from_here(s.below, {4, n}, 4 * n, 4);
    spec.avdata_level = 3;
    spec.weight = {.start = 4 * kSoftmaxOperands, .dims = {{4, 2}, {0, n}}};
    spec.acc = Walk{.dims = {{0, 2}, {0, n}}}.switched(1, 4);
    spec.waits = {{TileCounter::narrow_to_wide, 2, 1}, {TileCounter::wide_to_scaling, 2, 1}};
    spec.kind = 0xB0;
    spec.role = Role::dense;
    Numbers less = below_largest();
    less.has_bias = true;
    return tensor(spec, less);
  });
  p.epoch();
}

}  // namespace edgetwin::edgetpu::compiler
