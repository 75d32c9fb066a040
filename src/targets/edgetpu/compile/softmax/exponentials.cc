// Exponentials of what is left, as a list in every tile.
#include "targets/edgetpu/compile/softmax/steps.h"

namespace edgetwin::edgetpu::compiler {
namespace {

using numerics::edgetpu::kExponentialTable;

constexpr int64_t kPassingBytes = 32;  // of words of other tiles
constexpr int64_t kUnknownBytes = 252;

int64_t own_bytes() { return 8 * TileSoftmaxShape::kOwnWords; }

}  // namespace

// A list of an odd count ends with one number in a word; the list of factors after it is longer by
// that word where there is one more.
BackPlaces::BackPlaces(const TileSoftmaxSpec& s)
    : own(s.back),
      list(own + own_bytes()),
      last(list + 4 * (s.shape.pairs() - 1)),
      passing(list + 4 * s.shape.pairs()),
      came(passing + kPassingBytes),
      root(list + 8 * s.shape.words()),
      constants(root + 8) {}

// In all three public programs 63 words lie between the root of the sum and the result; nothing
// tells what for.
int64_t back_bytes(const TileSoftmaxShape& shape) {
  return own_bytes() + 8 * shape.words() + 8 + kUnknownBytes;
}

void begin_function(Program& p, const numerics::edgetpu::FunctionTable& table, uint32_t tiles) {
  constexpr uint32_t kTensorCounters = 7;
  p.tile_sync(kTensorCounters, kTensorIdle, false);
  load_function(p, table, tiles);
}

// What fills the last word is the least there is.
void softmax_below(Program& p, const TileSoftmaxSpec& s) {
  p.epoch();
  p.epoch();
  take_table(p, s, SoftmaxTable::below, [&] {
    by_words(p, s.shape, [&](int64_t n) {
      const Walk to{.start = s.below, .dims = {{4, 1}, {4 * n, 1}, {0, 2}, {4, n}}};
      Numbers numbers;
      numbers.input_zero = numbers.output_zero = 255;
      numbers.low = -255.0F;
      numbers.has_bias = true;
      return tensor(by_table(n, s.below, to, p.matrix_line()), numbers);
    });
  });
  p.epoch();
}

// Numbers of 16 bits, in steps of 1/65535; those of what fills the last word are 0.
void softmax_exponentials(Program& p, const TileSoftmaxSpec& s) {
  p.epoch();
  begin_function(p, kExponentialTable, kAllTiles);
  take_table(p, s, SoftmaxTable::scale, [&] {
    by_words(p, s.shape, [&](int64_t n) {
      const Walk to{.start = BackPlaces(s).own, .dims = {{4, 2}, {8 * n, 1}, {0, 2}, {8, n}}};
      Numbers numbers;
      numbers.input_zero = 255;
      numbers.low = SoftmaxRule::kLowest;
      numbers.has_scale = true;
      numbers.function = true;
      numbers.wide = 2;
      return tensor(by_table(n, s.below, to, p.matrix_line()), numbers);
    });
  });
  p.epoch();
}

// To every tile, as the vendor's compiler has it, though tile 0 alone reads them.
void softmax_joined(Program& p, const TileSoftmaxSpec& s) {
  const BackPlaces at(s);
  const TileSoftmaxShape& shape = s.shape;
  p.settle();
  const int64_t all = 4 * shape.pairs();
  for (int t = 0; t < shape.tiles(); ++t) {
    const int64_t own = 8 * shape.own(t);
    if (shape.own_pairs(t) == 0) continue;
    p.add(without_count(copied_box({at.own, own, own, own},
                                   {at.list + 8 * shape.first(t), all, all, all},
                                   {1, 1, shape.own_pairs(t)}, p.matrix_line())),
          1U << t);
  }
  p.epoch();
  std::vector<Transfer> moved;
  for (int to = 0; to < shape.tiles(); ++to) {
    for (int from = 0; from < shape.tiles(); ++from) {
      const int64_t n = shape.own_pairs(from);
      if (from == to || n <= 0) continue;
      Walk words{.start = at.list / 4 + 2 * shape.first(from), .dims = {{1, n}}};
      if (n == 1) words.levels = 0;
      moved.push_back({from, 1U << to, words, words});
    }
  }
  move_in_turns(p, moved, kAtopLowered);
}

// The last number of an odd count: its word goes to tile 0, loses its other half there, and
// returns.
void softmax_last(Program& p, const TileSoftmaxSpec& s) {
  const BackPlaces at(s);
  const int end = s.shape.tiles() - 1;
  word_by_mesh(p, end, 0, at.own + 4 * s.shape.own_pairs(end), at.passing, at.came);
  p.settle();
  p.epoch();
  Assembly scale = p.engine(Opcode::wide_to_narrow, 1);
  const Piece& table = s.tables.at(static_cast<size_t>(SoftmaxTable::last)).pieces.front();
  put(scale, kSideA, {.start = table.line, .dims = {{1, 1}}});
  put(scale, kSideB, Walk{.start = 0, .dims = {{1, 1}, {64, 1}}}.switched(2, 32));
  scale.set("counts.wide_to_narrow", 1).set("counts.wide_to_narrow.level", 2);
  scale.set("numbers", 1).set("flush_level", 1);
  put_waits(scale, {{TileCounter::avdata, 2, -1, 1, 1}}, true);
  p.add(scale);
  TensorSpec spec;
  spec.in = {.start = at.came, .dims = {{4, 1}, {4, 1}, {4, 1}}};
  spec.out = {.start = at.last, .dims = {{4, 1}, {4 * s.shape.pairs(), 1}, {4, 1}}};
  spec.avdata_level = 2;
  spec.counts_parameters = true;
  spec.parameters_level = 1;
  spec.weight = {.start = 4 * p.matrix_line(), .dims = {{1, 1}}, .levels = 0};
  spec.acc = {.dims = {{1, 1}}, .levels = 0};
  spec.waits = {{TileCounter::wide_to_scaling, 1, 1}, {TileCounter::narrow_to_wide, 2, 0}};
  spec.kind = 0x70;
  spec.lanes = 2;
  spec.role = Role::product;
  Numbers numbers;
  numbers.has_scale = true;
  numbers.high = 65535.0F;
  numbers.wide = 2;
  p.add(tensor(spec, numbers), 1);
  to_other_tiles(p, s.shape, at.last, 1, kFarLowered);
  p.epoch();
  p.reset_ring();
  p.settle();
  word_by_mesh(p, 0, end, at.last, at.passing, at.last);
}

}  // namespace edgetwin::edgetpu::compiler
