// A recurrent layer in a program: the loop of the scalar core around one step, its four gates and
// its two states.
#pragma once

#include <array>
#include <optional>

#include "targets/edgetpu/decompile/replay/replay.h"

namespace edgetwin::edgetpu {

// In the order of UNIDIRECTIONAL_SEQUENCE_LSTM's operands.
enum class Gate : uint8_t { input, forget, cell, output };
inline constexpr size_t kGates = 4;

// A gate adds what two products of weights make, one of the step's input and one of the hidden
// state, and passes the sum through its function. All are stages.
struct GateStages {
  size_t of_input = 0, of_hidden = 0, sum = 0;
};

struct LstmStages {
  size_t first_step = 0, last_step = 0;  // of the loop, both inclusive
  size_t first_stage = 0, last_stage = 0;
  std::array<GateStages, kGates> gates;
  size_t result = 0;            // the stage that makes the hidden state
  size_t hidden = 0, cell = 0;  // inputs of the executable that are states
};

// The program's loop, if it has one: its first and last step.
struct LoopSteps {
  size_t first = 0, last = 0;
};
std::optional<LoopSteps> find_loop(const DecodedProgram& steps);

// Nothing: no loop, or not with these gates.
std::optional<LstmStages> find_lstm(const Replay& replay, const darwinn::Executable& executable);

// Whether the scalar core compares with `number` inside the loop.
bool compares_with(const DecodedProgram& steps, const LstmStages& lstm, int64_t number);

}  // namespace edgetwin::edgetpu
