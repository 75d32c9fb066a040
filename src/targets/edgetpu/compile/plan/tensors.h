// Tensors on the chip, and runs of operators that compute them part by part.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "targets/edgetpu/compile/judge/source.h"
#include "targets/edgetpu/compile/judge/values.h"
#include "targets/edgetpu/compile/templates/parts.h"

namespace edgetwin::edgetpu::compiler {

inline constexpr int64_t kWideBytes = 256;  // of a line of wide memory

// A tensor on the chip.
struct Store {
  bool vector = false;
  bool linear = false;  // the host gives its elements in a row
  Map map;              // of a vector: one position that every tile has
  int64_t bytes = 0;    // of a vector: its elements
  int zero = 0;         // its zero point
  // What windows read outside the picture: the zero point, or 0 where they give the greatest byte.
  int edge = -1;
  static constexpr int kNearest = 256;  // an edge that its reader fills
  bool computed = false;                // `whole` is a result of its own
  bool two_edges = false;               // readers want both
  bool pool_edge = false;               // only pools want the edge so far
  int region = -1;                      // of the map
  int packed = -1;                      // of a picture's elements in order
  int first_tile = 0;                   // of its pieces
  int blocks = -1;                      // region of a vector in pieces of 64, one in each tile
  int64_t before_blocks = 0;            // bytes of it before the piece
  bool apart = false;                   // each piece lies at its place in the vector
  // Its pieces lie where a fully connected layer made them: piece k in tile k.
  bool in_blocks() const { return vector && blocks >= 0 && first_tile == 0 && before_blocks == 0; }
  int spread = -1;     // the same of spread_words(), each at its place
  int whole = -1;      // region of a vector, or of a map without borders, that all tiles have whole
  int64_t offset = 0;  // bytes of the region before it: some rows of a larger tensor
  ValueId whole_of = kAbsent;  // whose pixels have its channels, from this one on
  int64_t first_channel = 0;
  int64_t part = 0;      // of so many channels each begins a word; 0: no parts
  bool brought = false;  // all of it to tile 0, when its reader wants it
  bool joined = false;   // of a list that only a join takes: it is in its place there
};

// Layers in a row that are computed band by band: rectangles of the last one's result, `rows` times
// `columns` of them, each through all layers before the next one. `strips`: some of its own rows in
// each tile at a time, through operators whose branches may meet (plan/strips/strips.cc).
struct Banding {
  size_t first = 0, last = 0;  // places in the segment's operators
  int64_t rows = 1, columns = 1;
  bool strips = false;
  // Of strips: what others need, what of it is parked, and what all strips of the segment park.
  std::vector<ValueId> kept{}, parked{};
  std::set<ValueId> in_wide{};
  // Inputs of the segment whose rows the host sends for each strip, and outputs that leave so.
  std::vector<ValueId> come{}, left{};
  // All of it comes and leaves, and tiles have as many rows of this smallest tensor, rounded up:
  // the last ones have fewer. 0: all have as many.
  int64_t uneven = 0;
  bool cut() const { return strips || rows * columns > 1; }
  // Rows times columns that may fit, the least steps first, and the one that is tried.
  std::vector<BandCut> cuts{};
  size_t tried = 0;
  bool next();  // false: there are no more
  // Rectangles of the input and of the result that others are computed before wait in wide memory.
  bool by_lines = false, shared = false;
  // Of the input only rows that a row of bands needs are on the chip: the host sends them for each.
  bool by_host = false;
  // The mesh cuts one row of bands out of the whole picture.
  bool sends_rows() const { return by_host && cut() && (!mesh || rows > 1); }
  // Not where the input does not rest: only its rectangles do then.
  bool results_wait() const { return by_lines && !by_host; }
  // They are cut and joined by the mesh, and wait in narrow memory.
  bool mesh = false;
  // Places between them of operators that take all of what the layer before makes, joined.
  std::vector<size_t> asides{};
  bool operator==(const Banding&) const = default;
  bool is_aside(size_t place) const { return std::ranges::find(asides, place) != asides.end(); }
};

inline bool has(const std::vector<ValueId>& ids, ValueId id) {
  return std::ranges::find(ids, id) != ids.end();
}

// A picture's own parts, without borders.
inline Map map_of(int64_t rows, int64_t columns, int64_t channels) {
  Map map;
  map.y = Axis(rows);
  map.x = Axis(columns);
  map.channels = channels;
  return map;
}

// Rows or columns.
struct Span {
  int64_t begin = 0, end = 0;
  int64_t size() const { return end - begin; }
};

// Of a band: what it takes of the input of each layer and of the result, and the windows in it.
struct Rectangles {
  std::vector<Span> y, x;
  std::vector<Windows> windows;
};

// A band on the chip: the tensors of its layers, from the rectangle of the input to that of the
// result, and the lines in which the first one waits beside those of other bands; -1: it comes from
// the input itself.
struct Band {
  Rectangles of;
  std::vector<Store*> stores{};
  int lines = -1;
  size_t part = 0;
  // Rows of the input that the host sent for it, in this tensor, which may be its own first one.
  Store* sent = nullptr;
};

// Of a run of operators whose tensors come and leave in strips, in microseconds: on the chip with
// all transfers, and on the host instead.
struct HostCost {
  double chip = 0, host = 0;
};

// What an operator of strips reads.
struct StripReading {
  ValueId from = kAbsent;
  Windows windows;
  int64_t times = 1;  // each row so many times
};

// A tensor that is in wide memory between layers.
struct Parked {
  int region = -1;
  Span border;  // rows that readers want: from `begin` on, less than 0, to `end` after the last
};

// Rows of a tensor in narrow memory.
struct Held {
  int region = -1;
  Span rows;
};

// Products of the weights of all gates of a recurrent layer.
struct GatePart {
  size_t block = 0;
  int64_t inputs = 0, outputs = 0, items = 0, slots = 64;
  Numbers numbers;
};

struct WholePicture {  // in every tile
  int region = -1;
  int64_t columns = 0;
  Places places;  // from the region on
};

// A variable that goes back to the host.
struct StateOutput {
  ValueId value = kAbsent;
  int64_t bytes = 0;
  int region = -1;
  int64_t offset = 0;
};

// The window of a reader of `id`, and the tensor that it goes over: PAD before it is a border.
struct Reading {
  ValueId from = kAbsent;
  Windows windows;
};

struct Moved {  // along rows or columns, from and to places of the whole tensor
  const Store *from = nullptr, *to = nullptr;
  bool rows = false;
  int64_t from_at = 0, to_at = 0;
};

struct Origin {  // of a tensor that is a rectangle of another one
  int64_t y = 0, x = 0;
};

struct Between {  // places of one axis: from the first on, so many steps apart
  int64_t first = 0, step = 1;
};

// Of a band.
struct Need {
  int64_t bytes = 0;            // of narrow memory, at least
  int64_t first = 0, last = 0;  // of the rectangles of the input and of the result
  double steps = 0;
};

}  // namespace edgetwin::edgetpu::compiler
