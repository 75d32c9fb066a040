// The steps of softmax.h, and what they share.
#pragma once

#include <functional>

#include "numerics/edgetpu/softmax.h"
#include "targets/edgetpu/compile/softmax/softmax.h"
#include "targets/edgetpu/compile/templates/others.h"

namespace edgetwin::edgetpu::compiler {

using SoftmaxRule = numerics::edgetpu::Softmax<uint8_t>;

// Lines of wide memory that all public programs have.
inline constexpr int64_t kSoftmaxStream = 2071;    // two buffers of up to four lines
inline constexpr int64_t kSoftmaxSpread = 2072;    // a matrix
inline constexpr int64_t kSoftmaxLargest = 2074;   // the negative largest as a sum
inline constexpr int64_t kSoftmaxOperands = 2077;  // two lines
inline constexpr int64_t kSoftmaxTableRing = 2045;
// Transfers begin so many lines lower than at the top: below 32 lines beside a table's numbers,
// below a matrix that a word is spread by, and below the unit matrix alone.
inline constexpr int64_t kFarLowered = 35, kNearLowered = 9, kAtopLowered = 1;

// Bytes of narrow memory within spec.front and spec.back.
struct FrontPlaces {
  int64_t list, largest, of_words;
  explicit FrontPlaces(const TileSoftmaxSpec& s);
};
struct BackPlaces {
  int64_t own, list, last, passing, came, root, constants;
  explicit BackPlaces(const TileSoftmaxSpec& s);
};

// One instruction for all tiles that have as many words, in the order of their first tiles.
void by_words(Program& p, const TileSoftmaxShape& shape,
              const std::function<Assembly(int64_t words)>& make);
// Words that stream in passes of up to four lines, a word each: as few passes as there can be.
struct StreamedLines {
  int64_t lines = 1, passes = 1, rest = 0;
  explicit StreamedLines(int64_t words)
      : lines(ceil_div(words, ceil_div(words, 4))),
        passes(ceil_div(words, 4)),
        rest(words % lines) {}
  // Their two buffers from `start` on, `line` places for each line.
  Walk walk(int64_t start, int64_t line) const {
    const Walk w =
        Walk{.start = start, .dims = {{line, lines}, {0, passes}}}.switched(1, line * lines);
    return rest == 0 ? w : w.shortened(rest, 1, line * (lines - rest));
  }
};

// Transfers in one step, by lines that lie so many lower than at the top. Ends it.
void move_in_turns(Program& p, const std::vector<Transfer>& all, int64_t lowered);
// Words of tile 0 to the same place of each other tile.
void to_other_tiles(Program& p, const TileSoftmaxShape& shape, int64_t byte, int64_t words,
                    int64_t lowered);
// The number of `bytes` at `from` fills a list of so many words at `to`, by the matrix whose four
// words at word `ones` were filled as the last that S_IN counts. Ends the step.
void fill_list(Program& p, const TileSoftmaxShape& shape, int64_t ones, int64_t from, int64_t bytes,
               int64_t to, int64_t words);
// A word from one corner of the tiles' way to the other one by the mesh: column first, then row, or
// the other way round. `passing`: of tiles in between.
void word_by_mesh(Program& p, int from, int to, int64_t at, int64_t passing, int64_t arrives);
// Channels' numbers of a table to tiles, and `after` them the instructions that take them.
void take_table(Program& p, const TileSoftmaxSpec& s, SoftmaxTable which,
                const std::function<void()>& after);
// The instruction that takes them: words of a tile to `out`, by the unit matrix.
TensorSpec by_table(int64_t words, int64_t in, const Walk& out, int64_t matrix);
void begin_function(Program& p, const numerics::edgetpu::FunctionTable& table, uint32_t tiles);
// The root times itself, in two instructions: all products of two numbers with themselves as lines
// stream past them, and of these the ones that are wanted, by the unit matrix.
struct RootStep {
  TensorSpec spec;
  Numbers numbers;
};
RootStep products_of_roots(int64_t root, int64_t squares, int64_t stream);
RootStep choice_of_squares(int64_t squares, int64_t to, int64_t matrix);
// Words of tile 0 stream to a tensor instruction; `layout`: of narrow_to_wide.
void stream_of_one(Program& p, int64_t byte, const StreamedLines& lines, int64_t words,
                   unsigned layout);

void softmax_to_one(Program& p, const TileSoftmaxSpec& s);
void softmax_largest(Program& p, const TileSoftmaxSpec& s);
void softmax_to_all(Program& p, const TileSoftmaxSpec& s);
void softmax_difference(Program& p, const TileSoftmaxSpec& s);
void softmax_below(Program& p, const TileSoftmaxSpec& s);
void softmax_exponentials(Program& p, const TileSoftmaxSpec& s);
void softmax_joined(Program& p, const TileSoftmaxSpec& s);
void softmax_last(Program& p, const TileSoftmaxSpec& s);
void softmax_sum(Program& p, const TileSoftmaxSpec& s);
void softmax_reciprocal(Program& p, const TileSoftmaxSpec& s);
void softmax_spread(Program& p, const TileSoftmaxSpec& s);
void softmax_product(Program& p, const TileSoftmaxSpec& s);

}  // namespace edgetwin::edgetpu::compiler
