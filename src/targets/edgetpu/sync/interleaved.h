// One inference with the engines side by side, in an order that a number picks, beside the order of
// the program.
#pragma once

#include <string>
#include <vector>

#include "targets/edgetpu/sync/sync.h"

namespace edgetwin::edgetpu::sync {

struct Interleaved {
  std::vector<Bytes> outputs;
  // Errors: a standstill (then there are no outputs), races, other bytes than `expected`. A note:
  // none of these with the true words of short lines, in which way the outputs were made then.
  std::vector<Finding> findings;
};

// Beginning with the parameter-caching program. `place` names the executable in findings. Errors:
// as of SyncMachine.
Result<Interleaved> run_interleaved(const darwinn::Package& package,
                                    const std::vector<ByteSpan>& inputs, uint64_t seed,
                                    const std::vector<Bytes>& expected, const std::string& place);

// What is said of a program whose only races are those of short lines.
Finding short_lines_note(const std::string& place, size_t races, size_t different);

}  // namespace edgetwin::edgetpu::sync
