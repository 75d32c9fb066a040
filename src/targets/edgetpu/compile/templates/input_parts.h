// What inputs of all kinds have in common.
#pragma once

#include <string>

#include "targets/edgetpu/compile/templates/others.h"

namespace edgetwin::edgetpu::compiler {

inline constexpr int64_t kInputUnit = 8;  // bytes that a transfer of activations counts in
inline constexpr int64_t kInputChunk = 16384;
inline constexpr int64_t kInputRing = 2 * kInputChunk;
inline constexpr int64_t kInputLine = 256;
inline constexpr uint32_t kMatrixIdle = 0x20;  // n2w, which writes the unit matrix

// The vendor's compiler fences an input off from what comes before it.
void begin_input(Program& p);
// Bytes of it from the host, and units from `first` on to tiles. `turn`: after what the ring has
// sent of parameters.
void infeed(Program& p, const std::string& name, const SentRows& sent);
void param(Program& p, uint32_t tiles, int64_t first, int64_t units, bool turn = false);

}  // namespace edgetwin::edgetpu::compiler
