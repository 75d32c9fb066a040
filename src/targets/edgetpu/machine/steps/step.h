// A program of the chip, prepared for execution: its instructions for the tile engines and the
// queues, with what belongs together found.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formats/darwinn/darwinn.h"
#include "targets/edgetpu/isa/nest.h"
#include "targets/edgetpu/machine/steps/memory.h"
#include "targets/edgetpu/program/generator.h"
#include "targets/edgetpu/program/trace.h"

namespace edgetwin::edgetpu::machine {

inline constexpr size_t kNone = static_cast<size_t>(-1);

inline constexpr int64_t kNoPlace = -1;

// Lines that a ring receiver takes from one of its senders.
struct LineSource {
  size_t step = 0;
  uint64_t first = 0, lines = 0;  // of those that the sender sends
  bool operator==(const LineSource&) const = default;
};

// What tiles of a receiver take, from one sender after the other. In public programs it is the same
// in all tiles of an instruction.
struct ReceivedLines {
  uint32_t tiles = 0;
  std::vector<LineSource> sources;
};

// An instruction that the machine executes, with what it is connected to.
struct Step : EngineFields {
  Step() = default;
  explicit Step(const EngineFields& fields) : EngineFields(fields) {}

  size_t number = 0;  // of the instruction in the executable, from 0
  size_t chunk = 0, word = 0;
  Opcode opcode = Opcode::tensor;
  ByteSpan bytes;
  bool dynamic = false;  // registers of the scalar core take part
  bool done = false;
  size_t idles = 0;  // how often all engines of all tiles were idle before it

  // Where the ring's buffer of scales, biases and zero points begins; kNoPlace: not known.
  int64_t header_start = kNoPlace;
  size_t zero_sets = 1;     // sets of weight zero points
  uint32_t begins = 0;      // tiles in which it reads the first pass of an input
  uint32_t placed = 0;      // tiles in which its input is in place, although others have passes
  bool own_buffer = false;  // the buffer of its input begins where it reads
  // By tile the n2w that fills the buffer which it multiplies with; empty: none does.
  std::vector<size_t> feeders;

  // n2w
  uint32_t feeds = 0;      // tiles in which its lines are for one tensor instruction
  std::vector<Bytes> fed;  // by tile
  // w2n
  bool from_tile = false;  // what n2w wrote, not what came from the ring
  size_t copied = kNone;   // that n2w
  // Ring and queues.
  std::vector<ReceivedLines> received;  // ring_receive
  size_t source = kNone;                // param: the outfeed that returns; outfeed: the ring_send
  uint64_t taken = 0;                   // param: lines that its receivers take
  uint64_t skipped_bytes = 0;           // outfeed: of its sender, that others before it take
  size_t infeed = kNone;                // param: number of the input transfer
  SentBytes data;                       // ring_send, param: what went out

  int64_t result_bytes() const { return result_form == 0 ? 1 : 2; }
  // Sums stay in wide memory. Layers keep theirs there as well, but nobody reads them.
  bool leaves_sums() const {
    return opcode == Opcode::tensor && (nest->kind & (kKindFinished | kKindWeights)) == 0;
  }
  // ring_receive: lines of all passes, with those put apart; never more than `most`.
  uint64_t lines_received(uint64_t most) const;
  Instruction instruction() const { return {&info(opcode), word, bytes}; }
};

inline bool has_tile(uint32_t mask, size_t tile) { return ((mask >> tile) & 1U) != 0; }

struct Steps {
  std::vector<Step> list;   // tile engines and queues only
  size_t instructions = 0;  // of the program, each once
};

// What the trace points to must outlive the result. Errors: chip_tiles, chip_stream.
Result<Steps> make_steps(const Trace& trace, const std::string& program);
// The same for all instructions in their order; `bitstreams` must outlive the result. Errors also:
// those of straight().
Result<Steps> make_steps(const std::vector<ByteSpan>& bitstreams, const std::string& program);

// Finds for everything that receives who sends. Errors: chip_stream. pairs.cc
Status pair_queues(std::vector<Step>& list, const std::string& program);

// Finds out which buffers are filled more often than their instructions say. links.cc
void link_buffers(std::vector<Step>& list);
// Of tensor instructions: which passes of an input they read, and which input is in place.
// inputs.cc
void link_inputs(std::vector<Step>& list);

std::string describe(const Step& step);

}  // namespace edgetwin::edgetpu::machine
