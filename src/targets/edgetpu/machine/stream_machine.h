// The chip as the host's controller meets it: instructions with the host's addresses in them, one
// stream of activations and one of parameters in, one stream out. Nothing of the file is needed.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "formats/darwinn/darwinn.h"
#include "targets/edgetpu/machine/engines/core.h"
#include "targets/edgetpu/program/interpret.h"

namespace edgetwin::edgetpu::machine {

// What a program read and sent.
struct StreamRun {
  // The activations that it took, transfer after transfer. Where `input` ended before, they are
  // what the program itself had sent to the same addresses, or zero.
  Bytes input;
  Bytes parameters;  // as far as they were given
  Bytes sent;
};

class StreamMachine {
 public:
  explicit StreamMachine(MachineLimits limits = {});
  ~StreamMachine();

  // Executes `chunks` in order, from the first instruction to the last. `program` is the same
  // number for equal chunks while the machine lives: then they are decoded once. Memories keep what
  // earlier programs left there. Errors: edgetpu_instruction, edgetpu_endless, those named chip_.
  Result<StreamRun> run(uint64_t program, const std::vector<Bytes>& chunks, ByteSpan input,
                        ByteSpan parameters);
  // Products of the array in one run, with the places that padding takes; 0: cannot be executed.
  int64_t macs(uint64_t program, const std::vector<Bytes>& chunks);
  // All memories are empty again.
  void reset();

 private:
  struct Decoded;
  Core& core();
  Result<const Decoded*> decoded(uint64_t program, const std::vector<Bytes>& chunks);

  MachineLimits limits_;
  std::unique_ptr<Core> core_;  // null: empty memories
  std::map<uint64_t, std::unique_ptr<Decoded>> programs_;
};

}  // namespace edgetwin::edgetpu::machine
