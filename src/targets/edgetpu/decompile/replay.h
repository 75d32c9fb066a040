// Who wrote what: the program replayed with owners instead of values. Every word of the tiles'
// narrow memory remembers the stage that wrote it last, so that every stage finds out whose
// results it reads.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "targets/edgetpu/decompile/origin.h"

namespace edgetwin::edgetpu {

// What a stage does with its words, as far as its instructions tell (first match of a list).
enum class StageKind : uint8_t {
  resize,
  maximum,
  exponential_sum,
  depthwise,
  selection,  // by a matrix of zeros and ones
  conv,
  add,
  sum,   // first stage of a pool of two: plain sums
  pool,  // average
  copy,
  mul,
  logistic,
  tanh,
  exponential,
  rescale,
};
std::string_view name(StageKind kind);

// A part of memory that a stage reads as one operand.
using Votes = std::map<Owner, int64_t>;

// What an instruction finds in a tile: which of the words that it reads there are constants.
struct Corner {
  size_t step = 0;
  size_t tile = 0;
  std::vector<int64_t> constants;  // ascending
};

// Instructions that belong to one another: the same numbers over several tiles or bands.
struct Stage {
  StageKind kind = StageKind::copy;
  std::vector<size_t> steps;  // instructions, ascending
  Nest nest;                  // the first of them
  uint64_t reduction = 1;
  std::vector<Votes> inputs;  // one per operand
  // The same by words of a pixel, for operands that are read in one way by all instructions.
  std::vector<ChannelVotes> channels;
  int64_t written_words = 0;  // of a pixel, as far as one instruction writes them
  std::vector<BlockPlace> blocks;
  Votes direct;  // what its own traversal reads, where that is not its operand
  // Of a stage that reads one position in one tile, the words that it reads, in order.
  std::vector<int32_t> row;
  // The copies of narrow memory into wide memory before a pool.
  std::vector<size_t> fetches;
  // Constants that were put into wide memory since the stage before: the weights of an addition.
  std::vector<uint32_t> patterns;
  // Where the picture begins, in tile 0, and where it ends, in the highest tile.
  std::optional<Corner> first, last;
  // Lowest place in the program's own parameters among the words it reads that came from there.
  std::optional<size_t> streamed;
  bool closed = false;  // parameters were loaded: what follows is another stage
};

// A word as one that came from outside, or as one that a matrix made of others: single bytes can
// be followed through matrices of zeros and ones.
struct TraceNode {
  int32_t from = -1;  // -1 - number of the request that brought it; else index into pixels
  int32_t word = 0;   // of what was requested, or of the pixel that was made
};
struct TracedPixel {
  size_t stage = 0;
  std::vector<int32_t> in;  // nodes
};
// A fetch whose tile and address the scalar core sets at each step of a loop: what stands in each
// tile from its own address on.
struct LoopFetch {
  size_t step = 0;
  size_t words = 0;  // at each step of the loop
  std::array<std::vector<int32_t>, 16> nodes;
};
struct Traces {
  std::vector<TraceNode> nodes;
  std::vector<TracedPixel> pixels;
  std::vector<LoopFetch> loop_fetches;
};

// Words that leave for the host.
struct Sent {
  size_t step = 0;
  Votes votes;
  std::vector<Origin> words;  // different ones, in the order in which they leave
  int64_t count = 0;          // of all words
};

struct Replay {
  Steps steps;
  std::vector<Stage> stages;
  std::vector<Sent> sent;
  std::vector<size_t> unused_resident;  // blocks that no instruction loads
  bool inputs_certain = true;           // origins tell several inputs apart
  std::vector<size_t> requests;         // by number: the input; those behind are own results
  Traces traces;
};

struct ReplayLimits {
  uint64_t places = 4'000'000'000;  // of memory, visited in all
};

// `caching` may be null. Error: decompile_program.
Result<Replay> replay(const darwinn::Executable& executable, const Resident& resident,
                      ReplayLimits limits = {});

}  // namespace edgetwin::edgetpu
