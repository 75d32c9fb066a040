// Parameters, window layers and steps of a program in the making.
#pragma once

#include <functional>
#include <vector>

#include "base/bytes.h"
#include "targets/edgetpu/compile/judge/source.h"
#include "targets/edgetpu/compile/plan/tensors.h"
#include "targets/edgetpu/compile/templates/layers.h"
#include "targets/edgetpu/compile/templates/parts.h"

namespace edgetwin::edgetpu::compiler {

struct Block {       // parameters in one run
  int64_t size = 0;  // in bytes
  Bytes bytes;       // none where only plans are made
  std::vector<Piece> pieces;
  int64_t slots = 64, bytes_per_line = 256;
  int64_t lines = 0;  // of wide memory; bytes that only fill up the stream are not among them
  bool dense = false, returns = false;  // by way of the scalar core
  int64_t items = 0;
  // Lines for several tiles which each has at its next one, if they end low enough; else all rest
  // together. Lines of each tile.
  std::vector<int64_t> in_turn{};
  size_t op = 0;  // whose parameters they are
  // Of all instructions that take it: their number, and their iterations in the fullest tile.
  int64_t uses = 0, iterations = 0;
  bool streamed = false;  // it comes from the host at every inference,
  int64_t offset = 0;     // from this byte on
};

using Emit = std::function<void(Program&)>;

// What a step may follow without a barrier: an epoch of each tile, or the layer before it. `tile`:
// such an epoch in own programs, since a step takes what its tile has.
enum class Follows : uint8_t { barrier, epoch, layer, tile };

struct PlannedStep {
  Emit emit;
  Follows follows = Follows::barrier;
  bool hides = false;  // a convolution: an output can leave at the same time
  bool anew = false;   // in the vendor's style counters begin anew before and after it
  // Of no operator, when lives are counted; the border of what the step before made.
  bool apart = false, border = false;
  bool leaves = false;  // an output
  size_t block = 0;     // its parameters
  int ready = -1;       // of an output: the step from which on nothing writes it
  int lines = -1;       // its lines of wide memory, by which those of its template are moved
};

// A convolution whose result goes to a joined list some of its positions at a time.
struct Pieces {
  size_t reshape = 0;
  int64_t positions = 0, most = 0;  // of each pixel, and in a piece
};

// A list in which another one has its place, from the position `first` on.
struct JoinPlace {
  const Op* join = nullptr;
  int64_t first = 0;
};

// Whether it goes to the tiles by way of the scalar core: depthwise layers, in the vendor's style
// also convolutions whose lines have four outputs.
inline bool returns(const BlockShape& shape, Style style) {
  return shape.kind == BlockKind::depthwise || (style == Style::vendor && shape.slots() == 4);
}

// A window layer as it is before it has its places: whole, or of a band.
struct Layer {
  size_t op = 0;
  const ReferenceLayer* reference = nullptr;  // none: an operator of a band without weights
  Reading reading;
  size_t block = 0;
  Tiling tiling;
  int64_t positions = 0;    // of the tile that has most in any band
  bool with_bias = false;   // of zero, which the network has not
  bool whole = true;        // in one instruction for each tile, and to its place
  bool apart = false;       // its result comes to a tensor without borders first
  ValueId other = kAbsent;  // of an operator of a band: what it takes from outside of it
};

}  // namespace edgetwin::edgetpu::compiler
