// UNIDIRECTIONAL_SEQUENCE_LSTM, 8x8 bits with a 16-bit cell: the walk over time, batch and gates.
// Source: kernel specification 4.7.
#include <array>

#include "ops/core/common.h"
#include "ops/core/instantiate.h"
#include "ops/edgetpu/open.h"
#include "ops/recurrent/prepare.h"

namespace edgetwin::ops {
namespace {

using numerics::tflite::kLstmGates;
using numerics::tflite::LstmGate;

// Operand numbers, each followed by its gates in the order input, forget, cell, output.
constexpr size_t kX = 0, kInputWeights = 1, kRecurrentWeights = 5, kPeepholes = 9, kBiases = 12,
                 kProjection = 16, kOutputState = 18, kCellState = 19, kLayerNorm = 20;

struct LstmPlan {
  int64_t time = 0, batch = 0, depth = 0, units = 0;
  bool time_major = false;

  // The row of x and y at one time and batch.
  int64_t row(int64_t t, int64_t b) const { return time_major ? t * batch + b : b * time + t; }
};

Status check_forms(const OpContext& c) {
  const auto& a = c.op().as<LstmAttrs>();
  if (a.activation != Activation::tanh || a.diagonal_recurrent_tensors || a.proj_clip != 0.0F) {
    return c.error(ErrorCode::op_attribute,
                   "only TANH without projection and diagonal recurrence is defined");
  }
  for (size_t i = kPeepholes; i < kBiases; ++i) {
    if (c.has_input(i)) return c.error(ErrorCode::op_unsupported, "peephole connections");
  }
  if (c.has_input(kProjection) || c.has_input(kProjection + 1)) {
    return c.error(ErrorCode::op_unsupported, "a projection");
  }
  for (size_t i = kLayerNorm; i < kLayerNorm + kLstmGates; ++i) {
    if (c.has_input(i)) return c.error(ErrorCode::op_unsupported, "layer normalization");
  }
  for (size_t i = kX; i <= kCellState; ++i) {
    const bool optional =
        (i >= kPeepholes && i < kBiases) || i == kProjection || i == kProjection + 1;
    if (!optional && !c.has_input(i)) {
      return c.error(ErrorCode::graph_arity, "operand " + std::to_string(i) + " is absent");
    }
  }
  return Ok{};
}

Status check_lstm_types(const OpContext& c) {
  bool fits = c.input(kX).dtype == DType::int8 && c.output(0).dtype == DType::int8 &&
              c.input(kOutputState).dtype == DType::int8 &&
              c.input(kCellState).dtype == DType::int16;
  for (size_t g = 0; g < kLstmGates; ++g) {
    fits = fits && c.input(kInputWeights + g).dtype == DType::int8 &&
           c.input(kRecurrentWeights + g).dtype == DType::int8 &&
           c.input(kBiases + g).dtype == DType::int32;
  }
  if (!fits) return c.unsupported_types();
  if (!c.input(kOutputState).is_variable || !c.input(kCellState).is_variable) {
    return c.error(ErrorCode::op_attribute, "the state tensors must be variables");
  }
  return Ok{};
}

[[gnu::cold]] Result<LstmPlan> plan_lstm(const OpContext& c) {
  EDGETWIN_TRY(check_forms(c));
  EDGETWIN_TRY(check_lstm_types(c));
  const Shape& x = c.input_shape(kX);
  const Shape& w = c.input_shape(kInputWeights);
  if (x.rank() != 3 || w.rank() != 2) {
    return c.error(ErrorCode::op_shape, "the input must have three dimensions, weights two");
  }
  LstmPlan p;
  p.time_major = c.op().as<LstmAttrs>().time_major;
  p.time = p.time_major ? x[0] : x[1];
  p.batch = p.time_major ? x[1] : x[0];
  p.depth = x[2];
  p.units = w[0];
  bool fits = c.input_shape(kOutputState).elements() == p.batch * p.units &&
              c.input_shape(kCellState).elements() == p.batch * p.units;
  for (size_t g = 0; g < kLstmGates; ++g) {
    fits = fits && c.input_shape(kInputWeights + g) == Shape{p.units, p.depth} &&
           c.input_shape(kRecurrentWeights + g) == Shape{p.units, p.units} &&
           c.input_shape(kBiases + g).elements() == p.units;
  }
  if (!fits) {
    return c.error(ErrorCode::op_shape, "weights and states do not fit the input")
        .detail("input " + to_string(x) + ", " + std::to_string(p.units) + " units");
  }
  return p;
}

numerics::tflite::LstmSpec lstm_spec(const OpContext& c) {
  numerics::tflite::LstmSpec spec;
  spec.x = c.input(kX).quant;
  spec.hidden = c.input(kOutputState).quant;
  spec.cell = c.input(kCellState).quant;
  for (size_t g = 0; g < kLstmGates; ++g) {
    spec.input_weights[g] = c.input(kInputWeights + g).quant;
    spec.recurrent_weights[g] = c.input(kRecurrentWeights + g).quant;
  }
  spec.cell_clip = c.op().as<LstmAttrs>().cell_clip;
  spec.edgetpu = c.options().edgetpu;
  return spec;
}

int32_t dot(const int8_t* w, const int8_t* v, int64_t n, int32_t zero, int32_t start) {
  for (int64_t i = 0; i < n; ++i) start = numerics::wrapping_add(start, w[i] * (v[i] - zero));
  return start;
}

// One step of one batch: the new cell and hidden state, from x and the old hidden state.
template <class Rule>
void lstm_step(const Args& args, const LstmPlan& p, const Rule& rule, const int8_t* x,
               const int8_t* old_hidden, int16_t* cell, int8_t* hidden) {
  for (int64_t u = 0; u < p.units; ++u) {
    std::array<int16_t, kLstmGates> gate;
    for (size_t g = 0; g < kLstmGates; ++g) {
      const int32_t from_x = dot(args.input<int8_t>(kInputWeights + g) + u * p.depth, x, p.depth,
                                 rule.zero_x, args.input<int32_t>(kBiases + g)[u]);
      const int32_t from_hidden = dot(args.input<int8_t>(kRecurrentWeights + g) + u * p.units,
                                      old_hidden, p.units, rule.zero_hidden, 0);
      const auto which = static_cast<LstmGate>(g);
      gate[g] = rule.activate(which, rule.gate_sum(which, from_x, from_hidden));
    }
    const numerics::tflite::LstmStates states = rule.next(gate, cell[u]);
    cell[u] = states.cell;
    hidden[u] = states.hidden;
  }
}

template <class Rule>
void run_lstm(const Args& args, const LstmPlan& p, const Rule& rule) {
  auto* state = args.state<int8_t>(kOutputState);
  auto* cell = args.state<int16_t>(kCellState);
  auto* old_hidden = reinterpret_cast<int8_t*>(args.scratch);
  for (int64_t b = 0; b < p.batch; ++b) {
    for (int64_t t = 0; t < p.time; ++t) {
      std::copy_n(state + b * p.units, p.units, old_hidden);
      lstm_step(args, p, rule, args.input<int8_t>(kX) + p.row(t, b) * p.depth, old_hidden,
                cell + b * p.units, state + b * p.units);
      std::copy_n(state + b * p.units, p.units, args.output<int8_t>(0) + p.row(t, b) * p.units);
    }
  }
}

// The known program of the Edge TPU does not clip its cell: its clip lies beyond 16 bits.
bool clips(const OpContext& c) {
  const float clip = c.op().as<LstmAttrs>().cell_clip;
  if (clip <= 0.0F || !c.has_input(kCellState)) return false;
  const Quant& cell = c.input(kCellState).quant;
  return cell.scheme == Quant::Scheme::affine && clip < cell.scale_of(0) * 32767.0F;
}

}  // namespace

template <class F>
Result<Prepared> prepare_lstm(const OpContext& c) {
  using Rule = typename F::Lstm;
  EDGETWIN_TRY_ASSIGN(const LstmPlan plan, plan_lstm(c));
  EDGETWIN_TRY_ASSIGN(const Rule rule, make_rule<Rule>(c, lstm_spec(c)));
  Prepared prepared;
  Shape out = c.input_shape(kX);
  out[2] = plan.units;
  prepared.output_shapes = {out};
  prepared.scratch_bytes = static_cast<size_t>(plan.units);
  prepared.macs = plan.time * plan.batch * plan.units * (plan.depth + plan.units) * 4;
  prepared.run = [plan, rule](const Args& args) -> Status {
    run_lstm(args, plan, rule);
    return Ok{};
  };
  if constexpr (is_edgetpu<F>) count_open(c, rule, prepared);
  return prepared;
}

Result<Prepared> prepare_chip_lstm(const OpContext& c) {
  if (clips(c)) {
    return with_evidence(c, EdgetpuRule::not_known, prepare_lstm<numerics::Tflite>(c));
  }
  return with_evidence(c, EdgetpuRule::lstm, prepare_lstm<numerics::Edgetpu>(c));
}

EDGETWIN_FOR_EACH_TFLITE(prepare_lstm)
EDGETWIN_FOR_EACH_EDGETPU(prepare_lstm)

}  // namespace edgetwin::ops
