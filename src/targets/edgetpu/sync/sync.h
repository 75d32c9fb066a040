// Programs of the Edge TPU as the chip runs them: engines side by side, ordered by counters alone.
// docs/edgetpu-sync.md.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/rule.h"
#include "formats/darwinn/darwinn.h"
#include "targets/edgetpu/machine/machine.h"
#include "targets/edgetpu/sync/cost.h"
#include "targets/edgetpu/sync/shadow.h"

namespace edgetwin::edgetpu::sync {

struct SyncOptions {
  // Among the engines that may go on any is taken, by this number; nothing: in a fixed order.
  std::optional<uint64_t> seed;
  // With a seed, of all tiles: goes on before all others wherever it may; only where no other may.
  std::optional<size_t> hurried, starved;  // by tile_engine()
  bool races = false;                      // keeps vector clocks and looks at every access
  bool timeline = false;                   // keeps when which engine worked
  // Receivers wait by the words that a line really holds. Compilers count 64 for each, which is too
  // early where lines are shorter.
  bool exact_lines = false;
  // A word that counts does so by itself, not sixteen of them at once: slower, and finds more.
  bool every_place = false;
  bool plain = false;  // iterations one after the other, which defines the results
  Costs costs;
  machine::MachineLimits limits;
};

// What an engine did without a break.
struct Busy {
  uint32_t lane = 0;                      // see clock.h
  uint32_t item = 0;                      // instruction that the scalar core came to
  int64_t ready = 0, begin = 0, end = 0;  // could have begun but for its waits; began; ended
};

// The program does not come to its end: what waits for which counter.
struct Standstill {
  struct Waiting {
    std::string engine;  // "tile 3, n2w side b"
    std::string step;    // its instruction
    std::string reason;  // "RING_WRITE is 3 and must be 4; ring.send counts it, ..."
  };
  std::vector<Waiting> waiting;
};

struct SyncReport {
  std::vector<Race> races;  // `step` and `other` are indices of `steps`
  RaceCounts checked;
  std::optional<Standstill> standstill;
  std::vector<std::string> steps;  // "instruction 12 (tensor, chunk 0, word 174)"
  std::vector<Busy> busy;
  struct ItemName {
    std::string_view engine;
    uint32_t operation = 0;
    uint32_t layer =
        0;  // tensor instructions in a row with the same numbers, and what follows them
  };
  std::vector<ItemName> items;  // instructions of `busy`
  int64_t time = 0;             // steps of the chip
};

// The package with the waits that SyncOptions::exact_lines would use written into its program for
// inferences. Errors: as of SyncMachine::run().
Result<darwinn::Package> with_exact_lines(const darwinn::Package& package);

// The executables of a package, run in this way.
class SyncMachine {
 public:
  // Runs the parameter-caching program, if there is one. The package must outlive the machine.
  // Errors: edgetpu_instruction, edgetpu_endless, those named chip_; a standstill is in caching().
  static Result<SyncMachine> make(const darwinn::Package& package, SyncOptions options = {});
  // One inference; inputs and outputs as of machine::Machine::run(). Where the program stands still
  // there are no outputs, and report() says why.
  Result<std::vector<Bytes>> run(const std::vector<ByteSpan>& inputs);
  const SyncReport& report() const { return report_; }    // of the last inference
  const SyncReport& caching() const { return caching_; }  // of the parameter-caching program

 private:
  SyncMachine() = default;
  const darwinn::Executable* inference_ = nullptr;
  SyncOptions options_;
  std::unique_ptr<machine::Core> core_;
  SyncReport report_, caching_;
};

}  // namespace edgetwin::edgetpu::sync
