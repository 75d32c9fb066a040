// The accelerator of the MAX78000 and MAX78002 as a machine: memories and registers behind the
// addresses of the bus, executed from nothing but what was written there. It shares with the
// simulation of networks (targets/max78/simulate) only the numerics. docs/max78-machine.md has
// what is modelled, what is not, and why.
//
//   Machine machine(Device::max78000);
//   machine.write32(0x50100000, 0x00100008);   // whatever the firmware writes, in its order
//   ...
//   if (machine.run() == MachineState::finished) word = machine.read32(0x50401000);
//
// Behind another emulator's bus: forward accesses for which maps() is true to write32(), write8(),
// read32(); after each write call run() while running() is true (it returns at once where nothing
// can be done), and raise the accelerator's interrupt while interrupt() is true. The firmware
// clears it by a write to the control register. The machine never throws but for lack of memory,
// never exits, and is bounded by its options whatever is written to it.
#pragma once

#include <bitset>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/rule.h"
#include "targets/max78/chip/limits.h"
#include "targets/max78/machine/state/events.h"
#include "targets/max78/machine/state/options.h"

namespace edgetwin::max78 {

enum class MachineState : uint8_t {
  idle,        // never started, or stopped
  waiting,     // started, and waits for words in a FIFO
  running,     // started; run() would go on
  paused,      // one-shot: waits for the next start after a layer
  finished,    // the last layer is done, the interrupt is raised
  stuck,       // cannot go on; findings() say why
  step_limit,  // run()'s or the options' limit was reached
};
std::string_view name(MachineState state);

// Where the last run left a word of data memory: for reports of words that differ.
struct WordOrigin {
  int writer = kNobody;  // layer, kHost, kFifoInput
  uint64_t step = 0;     // when
  int64_t pixel = -1;    // of the output of that layer, counted row by row; -1: not a layer
  int row = -1, column = -1;
  int pass = 0;  // 64 channels (or what the layer has in one pass) each
  // Output channel of each byte, of 32-bit words of the word in [0]; -1: the byte has none.
  int channels[4] = {-1, -1, -1, -1};
  bool wide = false;
};

class Machine {
 public:
  explicit Machine(Device device, const MachineOptions& options = {});
  ~Machine();
  Machine(Machine&&) noexcept;
  Machine& operator=(Machine&&) noexcept;

  const Limits& chip() const;

  // Whether the address belongs to the accelerator: its groups, the FIFOs, the fast FIFO and the
  // power register of the accelerator.
  bool maps(uint32_t address) const;

  // A bus access. Unmapped addresses change nothing and are a finding; reads of them give 0.
  void write32(uint32_t address, uint32_t value);
  void write8(uint32_t address, uint8_t value);  // only sets the packed address of a kernel memory
  uint32_t read32(uint32_t address);

  // Without side effects and findings: for reports and comparison.
  uint32_t peek32(uint32_t address) const;

  // Works until finished, waiting, stuck, paused or `steps` more steps are done.
  MachineState run(uint64_t steps = UINT64_MAX);
  MachineState state() const;
  bool running() const;    // run() may get further
  bool interrupt() const;  // the interrupt line: done, and not yet acknowledged
  bool fifo_full(int fifo) const;
  uint64_t steps() const;
  uint64_t multiplications() const;
  int layers_done() const;

  // Says that no more words will come: what is missing then becomes a finding.
  void end_of_input();

  void set_hook(MachineHook hook);

  // Numbers of the fields (regs.def) that decoding has looked at so far.
  const std::bitset<256>& fields_read() const;

  // In the order of their first time.
  const std::vector<Finding>& findings() const;

  WordOrigin origin(uint32_t address) const;
  // Whose words a layer read in its last run.
  struct InputWords {
    int writer = kNobody;
    uint64_t words = 0;
    uint32_t address = 0;  // of the first
    uint64_t step = 0;     // in which that was written
  };
  std::vector<InputWords> inputs_of(int layer) const;
  // The sum (bias included, before shift and rounding) that a byte was made of (0 to 3; of 32-bit
  // words: 0) of data memory; nothing where no layer with sums wrote it, or without `keep_sums`.
  std::optional<int64_t> accumulator(uint32_t address, int byte) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace edgetwin::max78
