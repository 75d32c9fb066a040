// A recurrent layer in a program: the loop of the scalar core around one step, its four gates and
// its two states.
#pragma once

#include <array>
#include <optional>

#include "targets/edgetpu/decompile/replay/loop.h"
#include "targets/edgetpu/decompile/replay/replay.h"

namespace edgetwin::edgetpu {

// In the order of UNIDIRECTIONAL_SEQUENCE_LSTM's operands.
enum class Gate : uint8_t { input, forget, cell, output };
inline constexpr size_t kGates = 4;

// Where UNIDIRECTIONAL_SEQUENCE_LSTM has its operands; of those of gates the first.
struct LstmOperand {
  static constexpr size_t kAll = 24, kInputWeights = 1, kHiddenWeights = 5, kBiases = 12,
                          kStates = 18;
};

// A gate adds what two products of weights make, one of the step's input and one of the hidden
// state, and passes the sum through its function. All are stages. Gates may share them and lie in
// tiles of their own, one after the other.
struct GateStages {
  size_t of_input = 0, of_hidden = 0, sum = 0;
  std::vector<size_t> tiles;
};

struct LstmStages {
  size_t first_step = 0, last_step = 0;  // of the loop, both inclusive
  size_t first_stage = 0, last_stage = 0;
  std::array<GateStages, kGates> gates;
  size_t result = 0;            // the stage that makes the hidden state
  size_t hidden = 0, cell = 0;  // inputs of the executable that are states
};

// Nothing: no loop, or not with these gates.
std::optional<LstmStages> find_lstm(const Replay& replay, const darwinn::Executable& executable);

// Whether the scalar core compares with `number` inside the loop.
bool compares_with(const DecodedProgram& steps, const LstmStages& lstm, int64_t number);

// Rows of an input that the loop takes one after the other, whose first word is in a register.
struct StepRows {
  size_t fetch = 0;  // index into Traces::loop_fetches: of the first step
  int64_t words = 0;
};
// Nothing: the register does not go on by these words with each pass, or the loop does not end with
// the last one of `steps` rows.
std::optional<StepRows> step_rows(const Replay& replay, const LstmStages& lstm, int64_t steps);
// The results of all steps, where they stay on the chip, row after row; null: not in this way.
const MovedRows* result_rows(const Replay& replay, const LstmStages& lstm);

}  // namespace edgetwin::edgetpu
