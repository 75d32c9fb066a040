// UNIDIRECTIONAL_SEQUENCE_LSTM as the chip's loop computes a step: every part of a gate is a byte
// in the hidden state's quantization, the gates are bytes, the cell and what is added to it 16
// bits. Source: the one public program with a recurrent layer, docs/edgetpu-machine.md.
#pragma once

#include <array>

#include "numerics/edgetpu/common.h"
#include "numerics/edgetpu/elementwise.h"
#include "numerics/edgetpu/table.h"
#include "numerics/tflite/lstm.h"

namespace edgetwin::numerics::edgetpu {

using tflite::kLstmGates;
using tflite::LstmGate;
using tflite::LstmSpec;
using tflite::LstmStates;

struct Lstm {
  // Fixed steps inside of a layer, and zero points as the chip has them.
  static constexpr float kGateScale = 1.0F / 255;      // of input, forget and output gate
  static constexpr float kCellGateScale = 2.0F / 255;  // of the cell's gate, whose zero is 128
  static constexpr float kAddedScale = 2.0F / 32767;   // input * cell gate, and tanh of the cell
  static constexpr int32_t kCellGateZero = 128, kAddedZero = 16384, kCellZero = 32768;

  int32_t zero_x = 0, zero_hidden = 0;
  float hidden_scale = 1.0F;
  std::array<float, kLstmGates> input_multiplier{}, recurrent_multiplier{};
  AddWeights weights;  // of what is kept and what is added
  float kept_multiplier = 1.0F, added_multiplier = 1.0F, cell_multiplier = 1.0F;
  float tanh_multiplier = 1.0F, output_multiplier = 1.0F;
  FunctionTable gate_logistic, gate_tanh, cell_tanh;
  Tail<int8_t> tail;           // of what has the hidden state's quantization
  Tail<uint16_t> cell, added;  // of what has the cell's; of what is added to it

  static Result<Lstm> make(const LstmSpec& spec) {
    EDGETWIN_TRY(need_affine(spec.x, "the input"));
    EDGETWIN_TRY(need_affine(spec.hidden, "the output state"));
    EDGETWIN_TRY(need_affine(spec.cell, "the cell state"));
    if (zero_point(spec.cell) != 0) {
      return Error(ErrorCode::op_quant, "the cell state's zero point must be 0");
    }
    Lstm rule;
    rule.zero_x = zero_point(spec.x);
    rule.zero_hidden = zero_point(spec.hidden);
    rule.hidden_scale = scale(spec.hidden);
    rule.tail = Tail<int8_t>::make(spec.hidden, {}, spec.edgetpu);
    rule.cell = rule.tail_of_halves(kCellZero);
    rule.added = rule.tail_of_halves(kAddedZero);
    rule.gate_logistic = kLogisticTable.times(static_cast<double>(1.0F / kGateScale) / 256);
    rule.gate_tanh = kTanhTable.times(static_cast<double>(1.0F / kCellGateScale));
    rule.cell_tanh = kTanhTable.times(static_cast<double>(1.0F / kAddedScale));
    EDGETWIN_TRY(rule.make_multipliers(spec));
    return rule;
  }

  // The sum of a gate in steps of the hidden state: input part (with bias) and recurrent part, each
  // a byte of its own.
  int16_t gate_sum(LstmGate gate, int32_t input_acc, int32_t recurrent_acc) const {
    const auto g = static_cast<size_t>(gate);
    const int32_t a = tail(input_acc, input_multiplier[g]) - zero_hidden;
    const int32_t b = tail(recurrent_acc, recurrent_multiplier[g]) - zero_hidden;
    return static_cast<int16_t>(a + b);
  }

  // Steps of the gate, from its zero point on.
  int16_t activate(LstmGate gate, int16_t sum) const {
    const float x = static_cast<float>(sum) * hidden_scale;
    if (gate != LstmGate::cell) {
      const float y = gate_logistic(std::clamp(x, -kLogisticLimit, kLogisticLimit));
      return limited(y, 0, 255);
    }
    const float y = odd(gate_tanh, std::clamp(x, -kTanhLimit, kTanhLimit));
    return limited(y, -kCellGateZero, 255 - kCellGateZero);
  }

  // The hidden state comes from the sum of the cell itself, not from the 16 bits that are kept.
  LstmStates next(const std::array<int16_t, kLstmGates>& gate, int16_t old) const {
    const auto at = [&gate](LstmGate g) { return int32_t{gate[static_cast<size_t>(g)]}; };
    const int32_t k = cell(at(LstmGate::forget) * old, kept_multiplier) - kCellZero;
    const int32_t a =
        added(at(LstmGate::input) * at(LstmGate::cell), added_multiplier) - kAddedZero;
    const int64_t sum = int64_t{weights.a} * k + int64_t{weights.b} * a;
    const float x = to_float(cell.in_32_bits(sum), cell.options.truncate_large) * tanh_multiplier;
    const float y = odd(cell_tanh, std::clamp(x, -kTanhLimit, kTanhLimit));
    const int32_t t = limited(y, -kAddedZero, 65535 - kAddedZero);
    return {static_cast<int16_t>(cell(sum, cell_multiplier) - kCellZero),
            tail(at(LstmGate::output) * t, output_multiplier)};
  }

 private:
  int16_t limited(float y, int32_t low, int32_t high) const {
    return static_cast<int16_t>(std::clamp(round_to_integer(y, 0, tail.options), low, high));
  }
  Tail<uint16_t> tail_of_halves(int32_t zero) const {
    const auto z = static_cast<float>(zero);
    return {{-z, 65535.0F - z}, zero, tail.options, tail.open};
  }

  // All as the compiler forms them: equal to those of the program, bit for bit.
  Status make_multipliers(const LstmSpec& spec) {
    for (size_t g = 0; g < kLstmGates; ++g) {
      input_multiplier[g] = multiplier(scale(spec.x), scale(spec.input_weights[g]), hidden_scale);
      recurrent_multiplier[g] =
          multiplier(hidden_scale, scale(spec.recurrent_weights[g]), hidden_scale);
      EDGETWIN_TRY(need_finite(input_multiplier[g], "input scale * weight scale / state scale"));
      EDGETWIN_TRY(need_finite(recurrent_multiplier[g], "recurrent weights' scale"));
    }
    const float cell_scale = scale(spec.cell);
    kept_multiplier = multiplier(kGateScale, cell_scale, cell_scale);
    added_multiplier = multiplier(kGateScale, kCellGateScale, kAddedScale);
    weights = add_weights(cell_scale, kAddedScale);
    if (weights.a == 0) return Error(ErrorCode::op_quant, "the cell state's steps are too small");
    tanh_multiplier = cell_scale / static_cast<float>(weights.a);
    cell_multiplier = tanh_multiplier * (1.0F / cell_scale);
    output_multiplier = multiplier(kGateScale, kAddedScale, hidden_scale);
    EDGETWIN_TRY(need_finite(cell_multiplier, "cell scale / integer / cell scale"));
    return need_finite(output_multiplier, "gate scale * tanh scale / state scale");
  }
};

}  // namespace edgetwin::numerics::edgetpu
