// What a compiled file must show before it is written: known forms, no race, no standstill, the
// bytes of the twin. No device takes part.
#pragma once

#include <string>
#include <vector>

#include "base/finding.h"
#include "base/result.h"
#include "targets/edgetpu/compile/package/package.h"

namespace edgetwin::edgetpu::compiler {

struct ProofOptions {
  int inputs = 2;     // pseudo-random ones
  bool order = true;  // the checker of counters, with races
  uint32_t seed = 1;
  // Receivers may take short lines for whole ones, as the vendor's compiler has it: where only this
  // races, orders are shown with the true words.
  bool short_lines = false;
};

// Of one group of operators.
struct GroupProof {
  size_t instructions = 0, program_bytes = 0, caching_bytes = 0;
  size_t inputs = 0;                // runs: of the machine, then with engines in order
  size_t equal = 0;                 // of them with the twin's bytes
  size_t bytes = 0, different = 0;  // of all results
  std::string differs;              // the outputs that are not the twin's, with their bytes
  bool order_checked = false;
  size_t races = 0;
  size_t short_lines = 0;  // races that none is with the true words of short lines
  std::string standstill;  // what waits; empty: comes to its end
  int64_t steps = 0;       // of the timed machine
  std::string error;       // of a machine that refused the program
  bool holds() const;
};

struct Proof {
  std::vector<GroupProof> groups;
  std::vector<Finding> findings;  // of forms and of the file's own checks
  bool read_back = false;
  // Layers of the network, and those of them that `decompile` gives back equal.
  size_t layers = 0, decompiled = 0;
  // The others: not recovered, or of a part whose way is not understood. Where everything was
  // recovered, and weights, biases, multipliers, limits or zero points are not the network's, they
  // are findings instead.
  std::vector<std::string> open;
  std::string decompile_error;
  bool holds() const;
};

struct ProvenGroup {
  const Segment* segment = nullptr;
  const darwinn::Package* package = nullptr;
};
// `file`: the bytes of the compiled model. Errors: those of the twin for the source.
Result<Proof> prove(const Graph& source, const std::vector<ProvenGroup>& groups, ByteSpan file,
                    const ProofOptions& options);

}  // namespace edgetwin::edgetpu::compiler
