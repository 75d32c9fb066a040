// A recurrent layer's parameters, input and states, each proven from the program.
#pragma once

#include "targets/edgetpu/decompile/operands/byte_follower.h"
#include "targets/edgetpu/decompile/operands/lstm_stages.h"

namespace edgetwin::edgetpu {

struct LstmContext {
  const darwinn::Executable& inference;
  const darwinn::Executable* caching;
  const Resident& resident;
  const Replay& replay;
};

// Fills type, operand, sizes and gates of the layer; where it fails, `problem`. `used`: the
// resident blocks that it takes.
void read_lstm(DecompiledLayer& layer, const LstmStages& stages, const LstmContext& context,
               Follower& follower, std::vector<size_t>& used);

// How many bytes each step's result takes where it is put aside.
int64_t lstm_row_bytes(const DecompiledLayer& layer);

}  // namespace edgetwin::edgetpu
