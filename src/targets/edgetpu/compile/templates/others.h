// Templates of what is no weighted layer over several positions.
#pragma once

#include "numerics/edgetpu/lstm.h"
#include "numerics/edgetpu/table.h"
#include "targets/edgetpu/compile/templates/exchange.h"
#include "targets/edgetpu/compile/templates/layers.h"

namespace edgetwin::edgetpu::compiler {

// ---- from and to the host
// What the host sends of a picture for some of its rows: bytes from `offset` on, in whole units.
struct SentRows {
  int64_t offset = 0, bytes = 0;
};
// Rows of the host's picture for one row of tiles; its buffer has so many rows before them.
struct ComingRows {
  SentRows sent;
  int64_t rows = 0, before = 0;
};
struct PictureSpec {
  const Map* map = nullptr;  // of the tensor
  std::string name;
  int64_t rows_base = 0;  // two buffers of rows, in bytes
  int64_t scratch = 0;    // picture_constants(), in bytes
  // The map's rows are those of the host's picture from this one on; it has so many.
  int64_t first_row = 0, all_rows = 0;
  // In the vendor's style: lines of the rows and of the matrix that makes words of bytes, and
  // whether that is there.
  int64_t row_line = -1, matrix_line = -1;
  bool matrix_there = false;
  std::vector<ComingRows> parts{};  // the host sends each row of tiles its own; none: those above
  std::optional<Stream> stream{};   // a constant of one row, which comes as parameters do
};
inline constexpr int64_t kByteMatrixLines = 2;
SentRows sent_rows(const Map& map, int64_t first_row, int64_t all_rows);
// Bytes of narrow memory for the two buffers of rows, and for constants.
int64_t picture_buffers(const Map& map, Style style);
int64_t picture_constants(const Map& map, Style style);
// Whether rows of so few bytes, which do not begin at words, would reach into the buffer's next
// line: such a picture comes in another way.
bool picture_reaches_over(const Map& map, Style style);
// Lines of wide memory above which the parts of the template lie.
int64_t picture_lowest(const Map& map, Style style, int64_t first_row = 0);
int64_t picture_row_lines(const Map& map, Style style, int64_t first_row = 0);  // of its rows
void picture_input(Program& p, const PictureSpec& spec);
// All of a vector to all tiles.
void vector_input(Program& p, const std::string& name, int64_t bytes, int64_t base);
// In the vendor's style 64 bytes of it to each tile, of whole rows of tiles: block k to tile k.
bool can_split_vector(int64_t bytes);
void split_vector_input(Program& p, const std::string& name, int64_t bytes, int64_t base);

// By way of two lines of wide memory.
inline constexpr int64_t kOutputLowest = 2078;
// `offset`: bytes of the output before it.
void map_output(Program& p, const Map& map, const std::string& name, int64_t line = kOutputLowest,
                int64_t offset = 0);
// A vector in blocks of 64 bytes: block k in tile `first_tile` + k, from `base` on.
void vector_output(Program& p, int64_t bytes, int64_t base, const std::string& name,
                   int first_tile = 0);
// One that all tiles have whole, from tile 0.
void whole_output(Program& p, int64_t bytes, int64_t base, const std::string& name);
// Bytes that leave the chip, and the lowest line that output needs.
int64_t map_output_bytes(const Map&map), map_part_bytes(const Map&map, int tile);
int64_t map_tile_bytes(const Map& map, int tile);  // the same in whole units of 8
// By way of the scalar core's memory: parts follow each other in words, in these pieces.
bool leaves_by_memory(const Map& map);
std::vector<SentRows> memory_pieces(const Map& map);
int64_t vector_output_bytes(int64_t bytes);

// ---- elementwise
inline constexpr int64_t kConstantLine = 2074;
struct AddSpec {
  const Map *a = nullptr, *b = nullptr, *out = nullptr;
  int32_t weight_a = 0, weight_b = 0;
  Numbers numbers;
  int64_t scratch = 0;           // 16 words, in bytes
  int64_t line = kConstantLine;  // four lines for constants
  bool counted = false;          // as pair_constants()
};
void addition(Program& p, const AddSpec& spec);

// Places of a tile's positions, in bytes. `all`: of its whole buffer, where that is known.
struct Places {
  int64_t start = 0, pixel = 0, row = 0, all = 0;
};
struct Positions {
  int64_t columns = 0, rows = 0, words = 0;
};
// Constants of two operands in four lines: weights are 16 bits without a sign, from which the zero
// point of weights is taken. Gives the line, as unit_matrix() does. `counted`: the first that are
// written after a barrier, waits instead of barriers.
int64_t pair_constants(Program& p, int32_t weight_a, int32_t weight_b, int32_t zero,
                       int64_t scratch, int64_t line, bool counted = false);
// Weighted sums of what lies at `in` and `distance` bytes after it.
Assembly two_operands(const Places& in, int64_t distance, const Places& out, const Positions& n,
                      const Numbers& numbers, int64_t line, bool counted = false);
// What rests in the same lines of all tiles, from `line` on, to each tile's part of a tensor.
struct ConstantSpec {
  const Map* map = nullptr;
  int64_t line = 0;
};
void constant(Program& p, const ConstantSpec& spec);
// Rows of each tile's part, without the columns of its border, to lines of wide memory or back:
// each row has whole lines.
struct ParkSpec {
  const Map* map = nullptr;
  int64_t first = 0, rows = 0;  // of the tile's buffer
  int64_t line = 0;
};
int64_t park_lines(const Map& map);  // of a row; 0: it has no whole ones, or not in all tiles alike
void park(Program& p, const ParkSpec& spec);
void unpark(Program& p, const ParkSpec& spec);
// Words to other places of the same tile, in ascending order, in all tiles; by two lines of wide
// memory from `line` on. Behind a barrier.
void move_words(Program& p, int64_t from, int64_t to, int64_t words, int64_t line);
// Rows that lie one after the other in every tile, of which a loop of the scalar core takes one
// after the other: the register that names the next one; the row that it names to byte `to`; back
// to byte `begin` of the program while there are more.
struct RowsSpec {
  int64_t rows = 0;              // bytes
  int64_t words = 0, count = 0;  // of a row; rows
  int64_t line = 0;              // as of move_words()
};
void begin_rows(Program& p, const RowsSpec& spec);
void take_row(Program& p, const RowsSpec& spec, int64_t to);
void again_for_rows(Program& p, const RowsSpec& spec, size_t begin);
// Words at other places of their tile, by the unit matrix in `line`.
Assembly copied_box(const Places& in, const Places& out, const Positions& n, int64_t line);

// A picture times another one, byte by byte.
struct ProductSpec {
  const Map *a = nullptr, *b = nullptr, *out = nullptr;
  Numbers numbers;
  int64_t scratch = 0, products = 0;  // product_bytes() of the output
  int64_t word_line = 0;              // product() has it
};
int64_t product_bytes(const Map& map);
void product(Program& p, const ProductSpec& spec);
inline constexpr int64_t kProductLowest = 2072, kProductLines = 6;  // in the vendor's style

// The greatest of windows; the scale stays, and the border is the byte 0.
struct MaxPoolSpec {
  const Map *in = nullptr, *out = nullptr;
  // The input is whole, with its border, in each tile.
  bool whole = false;
  int64_t whole_base = 0, whole_columns = 0;  // bytes; pixels of a row with its border
  Window y, x;                                // one of them more than one
  // So many words of each pixel at a time, which are copied first; 0: all where they are.
  int64_t words = 0;
  int64_t scratch = 0;
  int64_t difference = 0, greatest = 0;  // max_pool_bytes() each
};
int64_t max_pool_bytes(const MaxPoolSpec& spec);
// Words at a time for which max_pool_bytes() is at most `room`.
int64_t max_pool_words(const MaxPoolSpec& spec, int64_t room);
inline constexpr int64_t kMaxPoolLowest = 2064;
void max_pool(Program& p, const MaxPoolSpec& spec);

// Every byte of a map times a multiplier, with other zero points, or through a table.
struct RescaleSpec {
  const Map *in = nullptr, *out = nullptr;
  int64_t out_offset = 0;  // bytes into the output's pixels
  Numbers numbers;
  int64_t scratch = 0;
  const numerics::edgetpu::FunctionTable* table = nullptr;
  bool odd = false;              // of a function that is
  int factor = 1;                // instead of 1; numbers.weight_zero is taken from it
  int64_t in_offset = 0;         // bytes into the input's pixels
  int64_t line = kConstantLine;  // of its matrix, if that is not the unit matrix
  bool blocks = false;           // vectors: block k of 64 bytes in tile k goes to its place
  Biases biases{};               // of numbers.has_bias, in the vendor's style
};
void rescale(Program& p, const RescaleSpec& spec);

// The coefficients for instructions with `function`.
void load_function(Program& p, const numerics::edgetpu::FunctionTable& table,
                   uint32_t tiles = kAllTiles);

// A larger size, between positions. The border is the nearest position of the picture.
struct ResizeSpec {
  const Map *in = nullptr, *out = nullptr;
  Stretch y, x;
  int64_t scratch = 0;
};
void resize(Program& p, const ResizeSpec& spec);

// Every position `y` x `x` times. The parts of both maps agree.
struct RepeatSpec {
  const Map *in = nullptr, *out = nullptr;
  int64_t y = 1, x = 1;
  Numbers numbers;
  int64_t scratch = 0;
};
void repeat(Program& p, const RepeatSpec& spec);
// Every position of the input to `first` + so many steps in the output. The parts of both agree.
struct InterleaveSpec {
  const Map *in = nullptr, *out = nullptr;
  int64_t first_y = 0, first_x = 0, step_y = 1, step_x = 1;
  int64_t scratch = 0;
};
void interleave(Program& p, const InterleaveSpec& spec);
// Of what every tile has whole, each tile takes those of its positions that `rows` and `columns`
// name: the row or column of the whole for each of the output's; -1: none, what is there stays.
struct PickSpec {
  Places from;
  const Map* out = nullptr;
  std::vector<int64_t> rows, columns;
  int64_t scratch = 0;
};
void pick(Program& p, const PickSpec& spec);
// Of what every tile has whole, from byte `from` on, each tile takes its positions: those of a row
// lie `pixel` bytes apart there, rows `row` bytes. Both 0: one vector to every position.
struct SpreadSpec {
  int64_t from = 0;
  const Map* out = nullptr;
  int64_t scratch = 0;
  int64_t pixel = 0, row = 0;
};
void spread(Program& p, const SpreadSpec& spec);
// The same, where channels too lie apart: `channel` bytes from one to the next. Words are whole.
struct TransposeSpec {
  SpreadSpec places;
  int64_t channel = 1;
};
void transpose(Program& p, const TransposeSpec& spec);
// Words that one instruction of these two moves in the tile that has most; so many can be counted.
int64_t most_words(const Map& in, const Map& out);
inline constexpr int64_t kMostWords = 16384;

// ---- vectors
// The whole map with `top`, `left` more rows and columns of the value `zero` around it, in all of
// `tiles`. `rows`, `columns`: with these.
struct GatherSpec {
  const Map* map = nullptr;
  int64_t base = 0;
  int64_t top = 0, left = 0, rows = 0, columns = 0;
  int zero = -1;  // of what is around it
  uint32_t tiles = kAllTiles;
};
void gather(Program& p, const GatherSpec& spec);
// All parts of a map to tile 0, whose buffer has room for them.
void bring_to_first(Program& p, const Map& map);

// Averages or sums of windows, of what of them lies within the picture: the border is real 0.
struct WindowPoolSpec {
  const Map *in = nullptr, *out = nullptr;
  // The input is whole, with its border, in each tile: places of positions in bytes. What windows
  // take for its columns may be its rows.
  bool whole = false;
  Places whole_places;
  int64_t rows = 0, columns = 0;  // of the picture, as windows go over it
  Window y, x;
  int64_t scratch = 0;  // as many words as the tile that has most has outputs
  Numbers numbers;      // the multiplier follows from both scales and how many places a window has
  float in_scale = 1.0F, out_scale = 1.0F;
  bool sums = false;
};
// Of sums, as the twin has it.
float sum_multiplier(float in, float out);
int64_t window_pool_scratch(const Map& out);
int64_t window_pool_lowest(const Map& out, const Window& y, const Window& x);
void window_pool(Program& p, const WindowPoolSpec& spec);

// Averages over a whole map that lies in the tiles that sum: block k of 64 channels in tile k.
struct PoolSpec {
  int64_t base = 0, rows = 0, columns = 0, channels = 0;  // of the gathered map
  int64_t stride_y = 1, stride_x = 1;  // of its only window, which instructions name
  // Each tile has its channels only, of 16 blocks from `first` on; those are summed.
  bool blocks = false;
  int64_t first = 0;
  BlockTurn turn;     // the words of each block that are
  int64_t group = 0;  // so many blocks lie side by side in each of their tiles; 0: all
  int64_t out = 0;
  int64_t whole = 0;  // bytes of a vector in which each block has its place; 0: all begin there
  int64_t scratch = 0;
  Numbers numbers;
};
inline constexpr int64_t kMostPoolLines = 2000;
bool pool_fits(int64_t rows, int64_t columns);
int64_t pool_lines(int64_t rows, int64_t columns);
int64_t pool_lowest(int64_t rows, int64_t columns);
void whole_pool(Program& p, const PoolSpec& spec);

// Blocks of a vector from their tiles to all tiles.
void broadcast(Program& p, int64_t bytes, int64_t from, int64_t to, uint32_t tiles = kAllTiles,
               int first_tile = 0);

// A fully connected layer whose parameters rest where they are used.
struct DenseSpec {
  int64_t inputs = 0, outputs = 0;
  int64_t in = 0, out = 0;    // bytes; all of the input in every tile
  std::vector<Piece> blocks;  // block k in tile `tile` + k
  int tile = 0;
  int64_t items = 0;  // lines of the header
  Numbers numbers;
  int64_t slots = 64;
};
void dense(Program& p, const DenseSpec& spec);
// Its blocks from the host to their places; `first`: that of block 0.
void stream_dense(Program& p, const DenseSpec& spec, const Stream& first);
inline constexpr int64_t kTransferLowest = 2073;
inline constexpr int64_t kTransferLines = 6;  // in the vendor's style, from the top

// Positions in the order of rows and columns to another tensor, where the first of them is number
// `first`; each position of the input is `times` of the output.
struct ReorderSpec {
  const Map *from = nullptr, *to = nullptr;
  int64_t first = 0, times = 1;
  // Only so many of these positions are there, from this one on; 0: all of them.
  int64_t begin = 0, count = 0;
};
void reorder(Program& p, const ReorderSpec& spec);

// ---- recurrent layers
// A step of UNIDIRECTIONAL_SEQUENCE_LSTM after its products of weights: docs/edgetpu-machine.md has
// the arithmetic. Places are bytes of narrow memory.
struct RecurrentSpec {
  const numerics::edgetpu::Lstm* rule = nullptr;
  int64_t units = 0;
  Numbers hidden;  // limits and zero point of the hidden state
  // The part of the input and of the hidden state, and the gates: 64 units in each tile, those of
  // gate g in tiles from g * recurrent_blocks() on.
  int64_t input_part = 0, recurrent_part = 0, gate = 0;
  int64_t gates = 0;  // all of them in every tile, recurrent_blocks() * 64 bytes each
  int64_t cell = 0;   // 16 bits each; the old state, then the new one
  int64_t out = 0;    // the new hidden state
  int64_t work = 0;   // recurrent_work()
};
// Words of bytes that a step computes: those of the units, at least three, since a stream has a
// short last pass in all public programs.
int64_t recurrent_words(int64_t units);
int64_t recurrent_blocks(int64_t units);
int64_t recurrent_work(int64_t units);
// Steps one after the other, `body` of them in a loop of the scalar core; as many as there are: no
// loop. Results lie in rows of whole words, from `step.out` on; those of a pass of the loop are
// written to the last rows, after the ones before have moved up.
struct SequenceSpec {
  RecurrentSpec step;
  DenseSpec input, hidden;  // the products of both, but for their places
  int64_t count = 0, body = 0;
  int64_t inputs = 0;  // rows, one after the other
  int64_t row = 0;     // room for the one at hand
  int64_t before = 0;  // the hidden state before the first step
  bool anew = false;   // the tiles have counted before it
};
void recurrent_sequence(Program& p, const SequenceSpec& spec);
inline constexpr int64_t kRecurrentLowest = 2040;

}  // namespace edgetwin::edgetpu::compiler
