// Whose results a tensor instruction reads: votes of the words that its operands touch, as a whole
// and by the words of a pixel.
#pragma once

#include <optional>
#include <vector>

#include "targets/edgetpu/decompile/replay/state.h"

namespace edgetwin::edgetpu {

// A pool or its first stage, which read what was copied to wide memory before.
constexpr bool pools(StageKind kind) {
  return kind == StageKind::pool || kind == StageKind::sum || kind == StageKind::maximum;
}

// The number in the diagonal of a matrix of constants that the instruction multiplies with, while
// all others are its weights' zero point; nothing: it has none.
std::optional<uint8_t> factor_of(const ReplayState& state, const Nest& nest);

// By operand. `used`: fetches that brought the words of a pool.
std::vector<Votes> operand_votes(const ReplayState& state, const Nest& nest, StageKind kind,
                                 std::vector<size_t>& used);

// Whether an operand is another input of the executable than that of the stage's instructions.
bool reads_other_input(ReplayState& state, const Nest& nest, const Stage& stage);

// Notes in its stage what an instruction reads, before it writes.
void add_reads(ReplayState& state, const Nest& nest, const std::vector<Votes>& votes, Stage& stage);

}  // namespace edgetwin::edgetpu
