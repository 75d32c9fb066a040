// What an instruction of a tile engine or a queue says, read once for all that use programs.
#pragma once

#include <cstdint>
#include <memory>

#include "targets/edgetpu/isa/nest.h"
#include "targets/edgetpu/program/generator.h"

namespace edgetwin::edgetpu {

inline constexpr int64_t kWideLineBytes = 256;
inline constexpr uint64_t kStreamUnitBytes = 8;  // of the streams from and to the host

// Where `param` takes its bytes.
enum class ParamSource : uint8_t { input, parameters, returned, unknown };

// Lines that a ring receiver puts apart, before each period of the others: scales, biases, zero
// points.
struct HeaderLines {
  int64_t start = 0, count = 0;  // count 0: none
  int64_t period = 0;            // other lines between two of them; 0: once, before all
  bool streamed = false;
};

struct EngineFields {
  uint32_t tiles = 0;     // mask; of `param` see `destination`
  Generator a, b;         // read and written; of tensor instructions input and output
  Generator weight, acc;  // tensor instructions
  // Shared by copies of these fields: they are two thirds of them.
  std::shared_ptr<const Nest> nest;         // null: no tensor instruction
  std::shared_ptr<const CopyPattern> copy;  // null: no copy engine's

  // Tensor instructions: weight zero points of channels.
  int64_t zero_line = 0, zero_distance = 0;
  int lanes = 4;             // accumulators that leave together
  uint64_t result_form = 0;  // 0: bytes, else numbers of 16 bits; see `wide_result` in isa.def
  uint64_t odd = 0;          // not 0: the table is of an odd function

  // n2w
  size_t flush = 0;   // level after whose passes a new line begins
  size_t planes = 1;  // 4, 2: the innermost level counts the bytes, halves of a lane
  // w2n
  bool numbers = false;  // scales or biases instead of data
  int64_t skipped = 0;   // words that n2w or the ring give and that are dropped first
  // Mesh: a side that is not used.
  bool sends = false, receives = false;
  // Ring and queues.
  HeaderLines header;
  bool to_host = false;      // outfeed, ring_send to the outfeed
  int consumer = 0;          // ring_send: which of the two ring receivers
  uint32_t destination = 0;  // ring_send, param: tiles
  // param
  ParamSource from = ParamSource::parameters;
  uint64_t lines = 0;                   // that must have arrived, plus one
  uint64_t offset = 0;                  // of its first byte
  bool parameter_place = false;         // its two fields agree about a place in the parameters
  int64_t line_bytes = kWideLineBytes;  // that a receiver writes of a line
  // outfeed, infeed
  uint64_t length = 0;     // bytes; of infeed units of 8 or 64 bytes
  bool to_memory = false;  // into the memory of the scalar core, at this word
  size_t memory_word = 0;
  bool activations = false;  // infeed: not parameters
};

// The engines that work in tiles, `param` and `outfeed`: all but the scalar core and its waits.
bool is_engine(Opcode opcode);
bool is_tensor(Opcode opcode);

// Of an infeed or of an instruction with is_engine(); others have nothing of it.
EngineFields decode_engine(const Instruction& instruction);

}  // namespace edgetwin::edgetpu
