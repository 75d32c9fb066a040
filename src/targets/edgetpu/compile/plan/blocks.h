// Parameters, window layers and steps of a program in the making.
#pragma once

#include <deque>
#include <functional>
#include <vector>

#include "base/bytes.h"
#include "targets/edgetpu/compile/judge/source.h"
#include "targets/edgetpu/compile/layout/lines.h"
#include "targets/edgetpu/compile/layout/mesh.h"
#include "targets/edgetpu/compile/plan/segment.h"
#include "targets/edgetpu/compile/plan/tensors.h"
#include "targets/edgetpu/compile/templates/layers.h"
#include "targets/edgetpu/compile/templates/parts.h"

// What the planner chooses by, as constants; see limits.def.
namespace edgetwin::edgetpu::compiler::limits {

#define LIMIT(name, type, value, unit, evidence, origin) inline constexpr type name = value;
#include "targets/edgetpu/compile/plan/limits.def"
#undef LIMIT

}  // namespace edgetwin::edgetpu::compiler::limits

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
// such an epoch in own programs, since a step takes what its tile has; `anew`: an epoch, even after
// another one, as the vendor's compiler has it.
enum class Follows : uint8_t { barrier, epoch, layer, tile, anew };

struct PlannedStep {
  Emit emit;
  Follows follows = Follows::barrier;
  bool hides = false;  // a convolution: an output can leave at the same time
  bool anew = false;   // in the vendor's style counters begin anew before and after it
  // Of no operator, when lives are counted; the border of what the step before made.
  bool apart = false, border = false;
  bool leaves = false;  // an output
  size_t block = 0;     // its parameters
  bool part = false;    // of an output: other parts of it leave before or after it
  int turn = -1;        // of an output: as many leave before it
  int sent = -1;        // of rows of an input that come between other steps: their number
  int scratch = -1;     // a transfer to or from the scratch memory of the host: its number
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

// What a join takes of a list that leaves the chip in parts.
struct ListPart {
  size_t list = 0;
  ValueId from = kAbsent;           // the tensor whose pixels have its positions
  ValueId in = kAbsent;             // of the join
  std::vector<size_t> functions{};  // operators that make each byte of it of one byte of `from`
  std::vector<size_t> skipped{};    // those that have no instructions
  int64_t begin = 0, times = 1;     // its first position in the list, and positions of each pixel
};
// A joined list that is a result of the program, and what has left of it.
struct LeftList {
  ValueId output = kAbsent;
  size_t join = 0;
  std::vector<size_t> functions{};  // after the join
  std::vector<LeftPart> parts{};
};
struct LeftLists {
  std::vector<LeftList> all;
  std::map<ValueId, ListPart> parts;  // by the tensor that they are made of
  std::set<size_t> ops;               // that no step of their own computes
};

// Whether it goes to the tiles by way of the scalar core: depthwise layers, in the vendor's style
// also convolutions whose lines have four outputs.
inline bool returns(const BlockShape& shape, Style style) {
  return shape.kind == BlockKind::depthwise || (style == Style::vendor && shape.slots() == 4);
}

Activation activation_of(const Op& op);
// One operand, and each byte of the result is made of one byte of it.
bool of_single_bytes(const Op& op);
// Iterations for a position; `channels`: of what it reads. No layer: an operator without weights.
int64_t iterations_of(const Op& op, const ReferenceLayer* layer, int64_t channels);
inline constexpr int64_t kMostOverPicture = 1 << 22;  // bytes of weights
// The only window as one that is the picture: taps outside of it are left out, places that the
// window does not reach get the zero point. Nothing: it would be too large.
std::optional<ReferenceLayer> over_picture(const ReferenceLayer& layer, const Windows& w,
                                           const Map& map);
// Some of a layer's outputs as a layer of its own.
ReferenceLayer part_of_outputs(const ReferenceLayer& layer, size_t first, size_t count);
Numbers numbers_of(const ReferenceLayer& layer, const Value& in, const Value& out,
                   Activation activation);

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

// Rectangles that wait, and their lines, which are counted where all tensors have their places.
struct InLines {
  int out = 0, in = 0;
  Waiting how;
};

// What a plan has made so far.
struct PlanState {
  std::deque<Store> band_stores_;
  std::map<std::array<int64_t, 3>, Layer> phase_layers_;  // of strips: operator, row, column
  std::map<ValueId, Parked> parked_;
  std::map<ValueId, Span> readers_;     // places of the first and the last operator that reads it
  std::vector<Region> parked_regions_;  // in lines
  std::vector<InLines> in_lines_;
  int64_t parked_lines_ = 0;  // that all of them take, below the buffers
  // Of the band and operator at hand: tensors that are rectangles, and the windows over them.
  std::map<ValueId, Store*> band_of_;
  std::optional<Windows> band_windows_;
  Store* band_made_ = nullptr;  // the result of the band before, and where it goes
  RelocateSpec band_moved_;
  Waiting cuts_;                     // of the input
  std::vector<SentRows> sent_;       // of the input, for each row of bands
  std::vector<HostRows> host_rows_;  // of inputs, for each strip
  std::map<ValueId, std::vector<LeftRows>> left_rows_;
  std::set<ValueId> taken_;  // inputs that have come
  bool by_host_ = false;     // strips are looked for whose rows the host sends and gets
  int64_t uneven_ = 0;       // rows of the smallest tensor of such strips; 0: tiles have as many
  std::vector<std::pair<int, Waiting>> waiting_;  // results of bands before
  std::map<ValueId, Store*> constants_;           // that the operator at hand takes
  std::map<size_t, ReferenceLayer> parted_;       // whose outputs are parts
  std::map<size_t, Pieces> pieces_;               // by operator
  LeftLists lists_;
  std::map<ValueId, int64_t>
      in_scratch_;                      // pictures in the host's scratch memory, from this byte on
  std::map<ValueId, Store*> returned_;  // those that came back
  std::vector<ScratchTransfer> scratch_;
  int64_t scratch_bytes_ = 0;
  std::set<size_t> repeated_;  // operators whose work another one has done before
  std::map<ValueId, ValueId> alias_;
  std::map<ValueId, Store> stores_;
  std::vector<Region> regions_;
  std::map<ValueId, int> ready_;
  std::vector<PlannedStep> steps_;
  std::vector<size_t> step_ops_;  // the operator of each
  std::vector<Block> blocks_;
  std::vector<PlannedOp> planned_;
  std::vector<StateOutput> state_outputs_;
  std::vector<ValueId> left_;     // the outputs, in the order in which they leave
  std::vector<ValueId> leaving_;  // those that leave after what the next operator makes of them
  int64_t lowest_ = kWideTop;
  WideLines wide_;                     // in the vendor's style
  std::optional<size_t> rows_matrix_;  // of rows which the host sends apart
  std::vector<std::pair<size_t, std::shared_ptr<LayerSpec>>> tiled_;  // by their wide regions
  int64_t deep_lines_ = 0;  // of a picture below all of these
  int64_t kept_lines_ = 0;  // on top that own programs have for constants
  int64_t narrow_ = 0, resident_ = 0;
  int64_t alone_ = 0;  // fully connected layers of one block that have a tile of their own
  size_t now_ = 0;     // operator
  std::optional<Refusal> refusal_, unsent_;  // the second: an input does not come in parts
};

}  // namespace edgetwin::edgetpu::compiler
