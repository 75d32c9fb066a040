// A program of the chip under a debugger: the scalar core goes on one instruction at a time, and
// the engines of the tiles run with it. docs/edgetpu-debugger.md.
//
// Time has two sides here. The scalar core only hands instructions to the engines; on the chip it
// may be far ahead of them. The debugger waits at each instruction of an engine until that
// instruction has run; what runs before its turn, such as a queue that another one waits for, is
// reported with it. The order of the engines is that of the machine, so that results are the same.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "formats/darwinn/darwinn.h"
#include "targets/edgetpu/machine/engines/core.h"
#include "targets/edgetpu/program/interpret.h"
#include "targets/edgetpu/program/program.h"

namespace edgetwin::edgetpu {

// What the program under the debugger is made of; an executable that no file has is made of a raw
// bitstream.
struct DebugSource {
  // Programs that ran before: the parameter-caching one. All must outlive the debugger.
  const darwinn::Executable* before = nullptr;
  const darwinn::Executable* program = nullptr;
  std::vector<Bytes> layers;  // inputs as they go over the wire; of a raw program all of its input
  bool raw = false;
  machine::MachineLimits limits = {};
};

// Bytes of a memory of one tile.
struct MemoryWindow {
  enum class Memory : uint8_t { narrow, wide, scalar };
  Memory memory = Memory::narrow;
  size_t tile = 0;     // scalar memory has none
  uint64_t begin = 0;  // in bytes
  uint64_t size = 1;
  bool operator==(const MemoryWindow&) const = default;
};
std::string to_text(const MemoryWindow& window);  // "narrow 3 0x40+16"

class Debugger {
 public:
  // Errors: those of Machine::make; bad_value where inputs do not fit.
  static Result<std::unique_ptr<Debugger>> make(const DebugSource& source);
  ~Debugger();

  // An instruction that the scalar core has executed.
  struct Executed {
    size_t number = 0;           // index into program().all
    std::vector<size_t> engine;  // instructions of engines that ran meanwhile, in their order
  };
  // The next instruction. Errors: those of the machine and of the scalar core.
  Result<Executed> step();
  bool finished() const;  // the last HALT was reached

  const DecodedProgram& program() const;
  size_t number() const;   // of the next instruction; of the last HALT where it has finished
  size_t chunk() const;    // its bitstream
  size_t pc() const;       // its word there
  uint64_t steps() const;  // executed since the start
  const ScalarCore& scalar() const;
  // Bytes that went to the host so far.
  const Bytes& sent() const;

  // Error: usage where the window is not inside of the memory.
  Status check(const MemoryWindow& window) const;
  Bytes read(const MemoryWindow& window) const;  // of a checked window
  // The step after which the window had other contents than before it for the last time, and
  // the instructions that ran then; found by a second run from the start. Nothing: no instruction
  // of this program changed it. An instruction that writes what is there already is not seen.
  struct Change {
    uint64_t step = 0;  // number of the step, from 1
    Executed executed;
  };
  Result<std::optional<Change>> last_change(const MemoryWindow& window) const;

 private:
  struct State;
  explicit Debugger(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace edgetwin::edgetpu
