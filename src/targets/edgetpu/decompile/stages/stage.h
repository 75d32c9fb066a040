// Stages: instructions of a program that belong to one operator, with what the replay found out
// about them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "targets/edgetpu/decompile/stages/origin.h"
#include "targets/edgetpu/program/resident.h"

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

// Who wrote the words that a stage reads as one operand, and how many of them.
using Votes = std::map<Owner, int64_t>;

// What an instruction finds in a tile: which of the words that it reads there are constants.
struct Corner {
  size_t step = 0;
  size_t tile = 0;
  std::vector<int64_t> constants;  // ascending
};

// Of a constant that waits in wide memory: words that were read of it, and where they stand in the
// parameters, the first and the last one.
struct ResidentPart {
  int64_t words = 0;
  size_t first = 0, last = 0;
};

// Words that follow each other in a tile and that one owner wrote.
struct OwnedRun {
  Owner owner = kUnknown;
  int64_t words = 0;
};

// A word that is read: who computed it, and where; of a constant its value instead.
struct MadeAt {
  Owner maker = kUnknown;
  int32_t born = -1;
  bool operator==(const MadeAt&) const = default;
};

// The same in a tile, in the order in which words are fetched.
struct TileWords {
  size_t tile = 0;
  std::vector<MadeAt> made;
};

// What an instruction reads as one operand, by ascending words: where they lie, the same in all
// tiles, and what stands there in each.
struct StepReads {
  size_t step = 0;
  std::vector<int32_t> words;
  std::map<size_t, std::vector<MadeAt>> made;  // by tile
};

// Lines of wide memory that an instruction takes its operand from in a tile, and the copy that
// filled them.
struct FetchedLines {
  size_t step = 0, fetch = 0;
  size_t tile = 0;
  int64_t first = 0, lines = 0;
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
  // By operand: words of inputs of the executable that it reads where they came, by input.
  std::vector<std::map<size_t, int64_t>> from_inputs;
  // By operand: the words of each instruction; none: too many to remember.
  std::vector<std::vector<StepReads>> reads;
  // Of a function, by instruction and tile, from the lowest on: the words that it reads, by
  // ascending places.
  std::vector<std::vector<OwnedRun>> runs;
  int64_t written_words = 0;  // of a pixel, as far as one instruction writes them
  std::vector<BlockPlace> blocks;
  std::map<size_t, ResidentPart> resident;  // by tile: the constant operand of a product
  Votes direct;  // what its own traversal reads, where that is not its operand
  // Of a stage that reads one position in one tile, or the same in several ones, the words that it
  // reads, in order.
  std::vector<int32_t> row;
  // Inside of a loop: the words that it reads in its lowest tile, and those of a product that
  // stream past them. -1: not followed.
  std::vector<int32_t> loop_row, loop_factors;
  // The copies of narrow memory into wide memory before a pool, and which of them each instruction
  // reads.
  std::vector<size_t> fetches;
  std::vector<FetchedLines> fetched;
  // Constants that were put into wide memory since the stage before: the weights of an addition.
  std::vector<uint32_t> patterns;
  // Of a rescaling: the number in the diagonal of its matrix.
  std::optional<uint8_t> factor;
  // Where the picture begins, in tile 0, and where it ends, in the highest tile.
  std::optional<Corner> first, last;
  // Lowest place in the program's own parameters among the words it reads that came from there.
  std::optional<size_t> streamed;
  bool again = false;     // it reads what the stage before read, once more
  bool closed = false;    // parameters were loaded: what follows is another stage
  bool too_many = false;  // words that it reads, to remember them
};

}  // namespace edgetwin::edgetpu
