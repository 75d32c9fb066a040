// A run of operators as one program: tensors get their places, operators their templates.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "graph/graph.h"
#include "targets/edgetpu/compile/judge/judge.h"
#include "targets/edgetpu/compile/layout/memory.h"
#include "targets/edgetpu/compile/templates/others.h"

namespace edgetwin::edgetpu::compiler {

// Operators of a graph in a row, and the values that go in and out.
struct Segment {
  std::vector<size_t> ops;
  std::vector<ValueId> inputs, outputs;
  bool pieces = false;        // large results that only a join takes go there in pieces
  bool lists = false;         // large joined lists leave in parts
  bool mesh_lists = true;     // RESHAPEs to lists by the mesh, where it is the vendor's style
  bool inputs_first = false;  // in the vendor's style, too: else each comes before it is read
  // In the vendor's style large pictures go to the scratch memory of the host and come back.
  bool scratch = true;
};
// Those, in this order, and what others need of them.
Segment segment_of(const Graph& graph, std::span<const size_t> ops);
// Those of [begin, end).
Segment segment_of(const Graph& graph, size_t begin, size_t end);

// Some positions of a list that leave together: of each pixel of a picture `count` of its `times`
// positions, from the `first` one on.
struct LeftPart {
  Map map;
  int64_t begin = 0;  // in the list, of the first pixel's first position
  int64_t times = 1, first = 0, count = 1;
  int64_t offset = 0, bytes = 0;  // in what the host gets
  size_t turn = 0;                // as many transfers of outputs come before it
};

// Rows of an output that leave together: in each tile those from the `first` of its own on.
struct LeftRows {
  Map map;
  int64_t first = 0, each = 0;    // rows of a tile; the last one may have fewer
  int64_t offset = 0, bytes = 0;  // in what the host gets
  size_t turn = 0;                // as LeftPart
};

// Rows of an input that the host sends between other transfers, in runs one after the other.
struct HostRows {
  ValueId value = kAbsent;
  std::vector<SentRows> parts{};
  size_t turn = 0;              // as many transfers of outputs come before it
  int64_t streamed_before = 0;  // bytes of parameters
};

// A picture to the scratch memory of the host or back, between other transfers.
struct ScratchTransfer {
  bool returns = false;
  int64_t offset = 0, bytes = 0;
  size_t turn = 0;              // as HostRows
  int64_t streamed_before = 0;  // the same
};

// A tensor that the host gives or gets: rows, columns and channels, or a vector.
struct HostTensor {
  ValueId value = kAbsent;
  bool vector = false;
  Map map;             // of one that is no vector
  int64_t bytes = 0;   // of a vector: its elements
  bool state = false;  // a variable: it goes back to the host as an output of the chip alone
  size_t turn = 0;     // of an output: as many leave before it
  // That the host sends, or gets, one after the other; none: all of it at once. An output that
  // comes so has its tiles' parts without gaps.
  std::vector<SentRows> parts{};
  std::vector<LeftPart> list{};  // of an output: that leaves in parts
  std::vector<LeftRows> rows{};  // the same, in rows of each tile
};

// One layer of the plan, for people.
struct PlannedOp {
  size_t op = 0;
  std::string template_name;
  int64_t narrow_bytes = 0;     // of its result in the tile that has most
  int64_t parameter_lines = 0;  // of wide memory
  int64_t live_bytes = 0;       // of all tensors in use at the step that needs most, in that tile
};

// Wide memory that other programs have which share it: parameters of theirs rest below `used` lines
// of each tile, and buffers lie from `top` on.
struct Occupied {
  std::array<int64_t, 16> used{};
  int64_t top = kWideTop;
  bool last = false;  // no other program's parameters come to rest after its own
  bool even = false;  // large blocks are cut, so that there is room for others at the same line
};

// A group of operators as programs.
struct CompiledSegment {
  darwinn::Bitstream run, caching;
  Bytes parameters;  // that rest in the tiles
  Bytes streamed;    // that come at every inference
  int64_t streamed_bytes = 0;
  std::vector<int64_t> streamed_before{};  // each output, in the order in which they leave
  std::vector<HostTensor> inputs, outputs;
  std::vector<ScratchTransfer> scratch{};
  int64_t scratch_bytes = 0;          // of the host's memory
  std::vector<HostRows> host_rows{};  // of inputs that do not come at the beginning
  int64_t narrow_bytes = 0;           // in use in each tile
  int64_t resident_lines = 0;         // of all tiles
  int64_t resident_room = 0;
  Occupied occupied;  // with those before it
  std::vector<PlannedOp> ops;
  // The operator that each part of `run` belongs to, by its first byte.
  std::vector<std::pair<size_t, size_t>> op_at;
};

// `plan_only`: no program is made.
std::variant<CompiledSegment, Refusal> compile_segment(const Source& source, const Segment& segment,
                                                       bool plan_only, const Occupied& before = {});

}  // namespace edgetwin::edgetpu::compiler
