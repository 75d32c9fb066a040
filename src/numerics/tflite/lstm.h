// UNIDIRECTIONAL_SEQUENCE_LSTM with 8-bit activations and weights and a 16-bit cell.
// Source: kernel specification 4.7.
#pragma once

#include <array>
#include <cstdint>

#include "numerics/edgetpu_options.h"
#include "numerics/sigmoid16.h"
#include "numerics/tflite/common.h"

namespace edgetwin::numerics::tflite {

enum class LstmGate : uint8_t { input, forget, cell, output };
inline constexpr size_t kLstmGates = 4;

struct LstmSpec {
  Quant x, hidden, cell;                        // of the input, output state and cell state
  std::array<Quant, kLstmGates> input_weights;  // in the order of LstmGate
  std::array<Quant, kLstmGates> recurrent_weights;
  float cell_clip = 0.0F;
  EdgetpuOptions edgetpu;
};

// The states after a step, of one unit.
struct LstmStates {
  int16_t cell = 0;
  int8_t hidden = 0;
};

template <Requantization R>
struct Lstm {
  int32_t zero_x = 0, zero_hidden = 0;
  std::array<QuantizedMultiplier, kLstmGates> input_multiplier, recurrent_multiplier;
  QuantizedMultiplier forget_cell, input_cell, output;
  Input16 cell_tanh;
  int32_t cell_clip = 0;  // 0: no clip

  static Result<Lstm> make(const LstmSpec& spec) {
    Lstm rule;
    rule.zero_x = zero_point(spec.x);
    rule.zero_hidden = zero_point(spec.hidden);
    EDGETWIN_TRY(rule.make_gates(spec));
    int log2 = 0;
    if (std::frexp(scale(spec.cell), &log2) != 0.5F) {
      return Error(ErrorCode::op_quant, "the cell state's scale must be a power of two")
          .detail(to_string(spec.cell));
    }
    --log2;
    if (log2 < -25 || log2 > 0) {
      return Error(ErrorCode::op_quant, "the cell state's scale is 2^" + std::to_string(log2));
    }
    const double cell = static_cast<double>(scale(spec.cell));
    const double hidden = static_cast<double>(scale(spec.hidden));
    rule.forget_cell = quantize_multiplier(std::ldexp(1.0, -15) * cell / cell, R);
    rule.input_cell = quantize_multiplier(std::ldexp(1.0, -30) / cell, R);
    rule.output = quantize_multiplier(std::ldexp(1.0, -30) / hidden, R);
    rule.cell_tanh = power_of_two_input16(15 + log2 - 3);
    if (spec.cell_clip > 0.0F) {
      rule.cell_clip = saturate_float(spec.cell_clip / scale(spec.cell), 0, INT16_MAX);
    }
    return rule;
  }

  // The 3.12 sum of a gate: input part (with bias) and recurrent part, each cut to 16 bits.
  int16_t gate_sum(LstmGate gate, int32_t input_acc, int32_t recurrent_acc) const {
    const auto g = static_cast<size_t>(gate);
    const int32_t a =
        saturate<int16_t>(multiply_by_quantized_multiplier<R>(input_acc, input_multiplier[g]));
    const int32_t b = saturate<int16_t>(
        multiply_by_quantized_multiplier<R>(recurrent_acc, recurrent_multiplier[g]));
    return saturate<int16_t>(a + b);
  }

  static int16_t activate(LstmGate gate, int16_t sum) {
    const int32_t v = scale_input16(sum, power_of_two_input16(0));
    return gate == LstmGate::cell ? tanh16(v) : logistic16(v);
  }

  int16_t next_cell(int16_t forget, int16_t cell, int16_t input, int16_t cell_gate) const {
    const int32_t kept = scaled_product<int16_t>(forget, cell, forget_cell, 0);
    const int32_t added = scaled_product<int16_t>(input, cell_gate, input_cell, 0);
    const int16_t sum = saturate<int16_t>(kept + added);
    if (cell_clip == 0) return sum;
    return static_cast<int16_t>(std::clamp<int32_t>(sum, -cell_clip, cell_clip));
  }

  LstmStates next(const std::array<int16_t, kLstmGates>& gate, int16_t cell) const {
    const auto at = [&gate](LstmGate g) { return gate[static_cast<size_t>(g)]; };
    const int16_t after =
        next_cell(at(LstmGate::forget), cell, at(LstmGate::input), at(LstmGate::cell));
    return {after, next_hidden(after, at(LstmGate::output))};
  }

  int8_t next_hidden(int16_t cell, int16_t output_gate) const {
    const int16_t t = tanh16(scale_input16(cell, cell_tanh));
    return scaled_product<int8_t>(t, output_gate, output, zero_hidden);
  }

 private:
  Status make_gates(const LstmSpec& spec) {
    for (size_t g = 0; g < kLstmGates; ++g) {
      const float in = scale(spec.x) * scale(spec.input_weights[g]);
      const float recurrent = scale(spec.hidden) * scale(spec.recurrent_weights[g]);
      EDGETWIN_TRY_ASSIGN(input_multiplier[g],
                          checked_multiplier(static_cast<double>(in) * 4096.0, R,
                                             "input scale * weight scale * 2^12"));
      EDGETWIN_TRY_ASSIGN(recurrent_multiplier[g],
                          checked_multiplier(static_cast<double>(recurrent) * 4096.0, R,
                                             "state scale * weight scale * 2^12"));
    }
    return Ok{};
  }

  template <class T>
  static T scaled_product(int16_t a, int16_t b, QuantizedMultiplier m, int32_t zero) {
    const int32_t scaled = multiply_by_quantized_multiplier<R>(int32_t{a} * b, m);
    return saturate<T>(int64_t{scaled} + zero);
  }
};

}  // namespace edgetwin::numerics::tflite
