// A program of the chip, prepared for execution: its instructions for the tile engines and the
// queues, with what belongs together found.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formats/darwinn/darwinn.h"
#include "targets/edgetpu/isa/nest.h"
#include "targets/edgetpu/machine/generator.h"
#include "targets/edgetpu/machine/memory.h"

namespace edgetwin::edgetpu::machine {

inline constexpr size_t kNone = static_cast<size_t>(-1);

inline constexpr int64_t kNoPlace = -1;

// Where `param` takes its bytes.
enum class ParamSource : uint8_t { input, parameters, returned };

// An instruction that the scalar core comes to.
struct Visit {
  size_t number = 0;  // of the instruction in the executable, from 0
  size_t chunk = 0;
  Instruction instruction;
  // As the registers are then, where the instruction takes them from there.
  uint32_t tiles = 0;
  std::optional<int64_t> start;  // of side A
  bool dynamic = false;          // it takes something from there
};
// "instruction 12 (tensor, chunk 0, word 174)", for messages.
std::string describe(const Visit& visit);

// Lines that a ring receiver puts apart, before each period of the others: scales, biases, zero
// points.
struct HeaderLines {
  int64_t start = 0, count = 0;  // count 0: none
  int64_t period = 0;            // other lines between two of them; 0: once, before all
  bool streamed = false;
};

// Lines that a ring receiver takes from one of its senders.
struct Source {
  size_t step = 0;
  uint64_t first = 0, lines = 0;  // of those that the sender sends
  bool operator==(const Source&) const = default;
};

struct Step {
  size_t number = 0;  // of the instruction in the executable, from 0
  size_t chunk = 0, word = 0;
  Opcode opcode = Opcode::tensor;
  uint32_t tiles = 0;
  ByteSpan bytes;
  bool dynamic = false;  // registers of the scalar core take part
  bool done = false;

  Generator a, b;         // read and written; of tensor instructions input and output
  Generator weight, acc;  // tensor instructions
  std::optional<Nest> nest;
  // Where the ring's buffer of scales, biases and zero points begins; kNoPlace: not known.
  int64_t header_start = kNoPlace;
  // Tensor instructions: weight zero points of channels, and how many sets of them.
  int64_t zero_line = 0, zero_distance = 0;
  size_t zero_sets = 1;

  int lanes = 4;             // accumulators that leave together
  uint32_t begins = 0;       // tiles in which it reads the first pass of an input
  uint32_t placed = 0;       // tiles in which its input is in place, although others have passes
  bool own_buffer = false;   // the buffer of its input begins where it reads
  uint64_t result_form = 0;  // 0: bytes, else numbers of 16 bits; see `wide_result` in isa.def
  uint64_t odd = 0;          // not 0: the table is of an odd function
  // By tile the n2w that fills the buffer which it multiplies with; empty: none does.
  std::vector<size_t> feeders;

  // n2w
  size_t flush = 0;        // level behind whose passes a new line begins
  size_t planes = 1;       // 4, 2: the innermost level counts the bytes, halves of a lane
  uint32_t feeds = 0;      // tiles in which its lines are for one tensor instruction
  std::vector<Bytes> fed;  // by tile
  // w2n
  bool numbers = false;    // scales or biases instead of data
  bool from_tile = false;  // what n2w wrote, not what came from the ring
  size_t copied = kNone;   // that n2w
  int64_t skipped = 0;     // words that w2n drops before it writes
  // Mesh.
  CopyPattern move;
  bool sends = false, receives = false;
  // Ring and queues.
  HeaderLines header;
  std::vector<Source> sources;  // ring_receive: one after the other
  size_t source = kNone;        // param: the outfeed that returns; outfeed: the ring_send
  uint64_t taken = 0;           // param: lines that its receivers take
  bool to_host = false;         // outfeed, ring_send to the outfeed
  int consumer = 0;             // ring_send: which of the two ring receivers
  uint32_t destination = 0;     // ring_send, param: tiles
  ParamSource from = ParamSource::parameters;
  uint64_t offset = 0;  // param: of its first byte
  int64_t line_bytes = kWideLineBytes;
  uint64_t length = 0;         // outfeed: bytes
  uint64_t skipped_bytes = 0;  // outfeed: of its sender, that others before it take
  bool to_memory = false;      // outfeed: into the memory of the scalar core, at this word
  size_t memory_word = 0;
  size_t infeed = kNone;  // param: number of the input transfer
  SharedBytes data;       // ring_send, param: what went out

  int64_t result_bytes() const { return result_form == 0 ? 1 : 2; }
  // Sums stay in wide memory. Layers keep theirs there as well, but nobody reads them.
  bool leaves_sums() const {
    return opcode == Opcode::tensor && (nest->kind & (kKindFinished | kKindWeights)) == 0;
  }
  // ring_receive: lines of all passes, with those put apart; never more than `most`.
  uint64_t lines_received(uint64_t most) const;
  Instruction instruction() const { return {&info(opcode), word, bytes}; }
};

struct Steps {
  std::vector<Step> list;   // tile engines and queues only
  size_t instructions = 0;  // of the program, each once
};

// What the visits' instructions point to must outlive the result. Errors: chip_tiles, chip_stream.
Result<Steps> make_steps(const std::vector<Visit>& visits, size_t instructions,
                         const std::string& program);
// The same for all instructions in their order; `bitstreams` must outlive the result. Errors also:
// those of straight(). trace.cc
Result<Steps> make_steps(const std::vector<ByteSpan>& bitstreams, const std::string& program);

// Finds for everything that receives who sends. Errors: chip_stream. pairs.cc
Status pair_queues(std::vector<Step>& list, const std::string& program);

// Finds out which buffers are filled more often than their instructions say. links.cc
void link_buffers(std::vector<Step>& list);

std::string describe(const Step& step);

}  // namespace edgetwin::edgetpu::machine
