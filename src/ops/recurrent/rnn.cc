// GRU and LSTM of ESP-DL. Source: specification of the runtime, operators 11; known from reading
// only. Layouts: X [seq, 1, input], W [dirs, gates*hidden, input], R [dirs, gates*hidden, hidden],
// B [dirs, 2*gates*hidden], Y [seq, dirs, 1, hidden], all in natural order.
#include "ops/core/checks.h"
#include "ops/core/instantiate.h"
#include "ops/recurrent/prepare.h"

namespace edgetwin::ops {
namespace {

using numerics::espdl::exponent;
using numerics::espdl::GateFunction;
using numerics::espdl::scale;
using numerics::espdl::wrap16;

struct RnnPlan {
  int64_t seq = 0, input = 0, hidden = 0, dirs = 1, gates = 0;
  int shift_w = 0, shift_r = 0;
  float rescale_y = 1.0F, rescale_c = 1.0F;
  GateFunction sigmoid{false, -8}, tanh{true, -8};
  bool has_bias = false, has_h = false, has_c = false, has_y_h = false, has_y_c = false;
};

Status check_placed(const OpContext& c, const Quant& q, const char* what) {
  Status checked = numerics::espdl::check_exponent(q, what);
  return checked.ok() ? Status(Ok{}) : Status(std::move(checked).error().in_layer(c.label()));
}

Status check_operand(const OpContext& c, size_t i, const Shape& wanted, DType type) {
  if (!c.has_input(i)) return Ok{};
  if (c.input(i).dtype != type) return c.unsupported_types();
  if (c.input_shape(i) == wanted) return Ok{};
  return c.error(ErrorCode::op_shape, "operand " + std::to_string(i) + " is " +
                                          to_string(c.input_shape(i)) + ", expected " +
                                          to_string(wanted));
}

Status check_shapes(const OpContext& c, const RnnPlan& p) {
  const DType type = c.input(0).dtype;
  const int64_t rows = p.gates * p.hidden;
  EDGETWIN_TRY(check_operand(c, 1, {p.dirs, rows, p.input}, type));
  EDGETWIN_TRY(check_operand(c, 2, {p.dirs, rows, p.hidden}, type));
  EDGETWIN_TRY(check_operand(c, 3, {p.dirs, 2 * rows}, DType::int16));
  EDGETWIN_TRY(check_operand(c, 5, {p.dirs, 1, p.hidden}, type));
  EDGETWIN_TRY(check_operand(c, 6, {p.dirs, 1, p.hidden}, DType::int16));
  return Ok{};
}

// The state is Y_h's, the results are Y's; the cell is kept in units of the gates.
Status check_exponents(const OpContext& c) {
  const int gate = c.op().as<RecurrentAttrs>().gate_exponent;
  for (const size_t i : {size_t{0}, size_t{1}, size_t{2}}) {
    EDGETWIN_TRY(check_placed(c, c.input(i).quant, "an operand"));
  }
  EDGETWIN_TRY(check_placed(c, c.output(0).quant, "the output"));
  const int e_y = exponent(c.output(0).quant);
  if (c.output_count() > 1 && exponent(c.output(1).quant) != e_y) {
    return c.error(ErrorCode::op_quant, "Y and Y_h must have the same exponent")
        .detail("Y " + std::to_string(e_y) + ", Y_h " +
                std::to_string(exponent(c.output(1).quant)));
  }
  if (c.output_count() > 2 && exponent(c.output(2).quant) != gate) {
    return c.error(ErrorCode::op_quant, "Y_c must have the exponent of the gates")
        .detail("Y_c " + std::to_string(exponent(c.output(2).quant)) + ", gate_exponent " +
                std::to_string(gate));
  }
  return Ok{};
}

[[gnu::cold]] Result<RnnPlan> plan_rnn(const OpContext& c) {
  EDGETWIN_TRY(checks::operands(c, 3));
  const auto& a = c.op().as<RecurrentAttrs>();
  const Shape& x = c.input_shape(0);
  RnnPlan p;
  p.gates = c.op().kind == OpKind::gru ? 3 : 4;
  p.hidden = a.hidden_size;
  p.dirs = a.bidirectional ? 2 : 1;
  if (x.rank() != 3 || x[1] != 1 || p.hidden < 1 || p.hidden > (1 << 20) || x.elements() < 1) {
    return c.error(ErrorCode::op_shape, "the input must be sequence x 1 x features, it is " +
                                            to_string(x) + ", hidden size " +
                                            std::to_string(p.hidden));
  }
  if (p.gates == 3 && !a.linear_before_reset) {
    return c.error(ErrorCode::op_attribute, "linear_before_reset must be 1");
  }
  if (a.gate_exponent > 0 || a.gate_exponent < -14) {
    return c.error(ErrorCode::op_attribute, "gate_exponent " + std::to_string(a.gate_exponent));
  }
  p.seq = x[0];
  p.input = x[2];
  EDGETWIN_TRY(check_shapes(c, p));
  EDGETWIN_TRY(check_exponents(c));
  const int e_y = exponent(c.output(0).quant);
  p.shift_w = a.gate_exponent - (exponent(c.input(0).quant) + exponent(c.input(1).quant));
  p.shift_r = a.gate_exponent - (e_y + exponent(c.input(2).quant));
  p.rescale_y = scale(-e_y);
  p.rescale_c = scale(-a.gate_exponent);
  p.sigmoid = GateFunction(false, a.gate_exponent);
  p.tanh = GateFunction(true, a.gate_exponent);
  p.has_bias = c.has_input(3);
  p.has_h = c.has_input(5);
  p.has_c = c.has_input(6);
  p.has_y_h = c.output_count() > 1;
  p.has_y_c = c.output_count() > 2;
  return p;
}

// One direction: its weights and its state.
template <class T, class Unit>
class Direction {
 public:
  Direction(const RnnPlan& p, const Args& args, int64_t dir) : p_(p) {
    const int64_t rows = p.gates * p.hidden;
    w_ = args.input<T>(1) + dir * rows * p.input;
    r_ = args.input<T>(2) + dir * rows * p.hidden;
    if (p.has_bias) bias_ = args.input<int16_t>(3) + dir * 2 * rows;
    h_.assign(static_cast<size_t>(p.hidden), 0);
    c_.assign(static_cast<size_t>(p.hidden), 0);
    if (p.has_h) std::copy_n(args.input<T>(5) + dir * p.hidden, p.hidden, h_.begin());
    if (p.has_c) std::copy_n(args.input<int16_t>(6) + dir * p.hidden, p.hidden, c_.begin());
  }

  void step(const T* x) {
    std::vector<T> next(h_.size());
    for (int64_t i = 0; i < p_.hidden; ++i) {
      next[static_cast<size_t>(i)] = p_.gates == 3 ? gru(x, i) : lstm(x, i);
    }
    h_ = std::move(next);
  }
  const std::vector<T>& h() const { return h_; }
  const std::vector<int16_t>& c() const { return c_; }

 private:
  int32_t from_input(const T* x, int64_t row) const {
    return numerics::espdl::gate_dot<T, Unit>(x, w_ + row * p_.input, p_.input, p_.shift_w);
  }
  int32_t from_state(int64_t row) const {
    return numerics::espdl::gate_dot<T, Unit>(h_.data(), r_ + row * p_.hidden, p_.hidden,
                                              p_.shift_r);
  }
  int32_t bias(int64_t row) const { return bias_ == nullptr ? 0 : bias_[row]; }
  int32_t recurrent_bias(int64_t row) const { return bias(row + p_.gates * p_.hidden); }

  T gru(const T* x, int64_t i) const {
    int32_t a[3];
    int32_t r[3];
    for (int64_t g = 0; g < 3; ++g) {
      const int64_t row = g * p_.hidden + i;
      a[g] = wrap16(from_input(x, row) + (bias_ == nullptr ? 0 : bias(row)));
      r[g] = wrap16(from_state(row) + (bias_ == nullptr ? 0 : recurrent_bias(row)));
    }
    const float z = p_.sigmoid(a[0] + r[0]);
    const float reset = p_.sigmoid(a[1] + r[1]);
    const float inner = static_cast<float>(a[2]) + reset * static_cast<float>(r[2]);
    const auto n = p_.tanh(numerics::espdl::round_to<int32_t, Unit>(inner));
    const auto before = static_cast<float>(h_[static_cast<size_t>(i)]);
    return numerics::espdl::round_to<T, Unit>((1.0F - z) * n * p_.rescale_y + z * before);
  }

  T lstm(const T* x, int64_t i) {
    int32_t a[4];
    for (int64_t g = 0; g < 4; ++g) {
      const int64_t row = g * p_.hidden + i;
      const int32_t both = bias_ == nullptr ? 0 : bias(row) + recurrent_bias(row);
      a[g] = wrap16(from_input(x, row) + from_state(row) + both);
    }
    int16_t& cell = c_[static_cast<size_t>(i)];
    const float kept = p_.sigmoid(a[2]) * static_cast<float>(cell);
    const float added = p_.sigmoid(a[0]) * p_.tanh(a[3]) * p_.rescale_c;
    cell = wrap16(numerics::espdl::round_to<int32_t, Unit>(kept + added));
    return numerics::espdl::round_to<T, Unit>(p_.sigmoid(a[1]) * p_.tanh(cell) * p_.rescale_y);
  }

  const RnnPlan& p_;
  const T* w_ = nullptr;
  const T* r_ = nullptr;
  const int16_t* bias_ = nullptr;
  std::vector<T> h_;
  std::vector<int16_t> c_;
};

template <class T, class Unit>
Kernel rnn_kernel(const RnnPlan& plan) {
  return [plan](const Args& args) -> Status {
    for (int64_t dir = 0; dir < plan.dirs; ++dir) {
      Direction<T, Unit> d(plan, args, dir);
      for (int64_t t = 0; t < plan.seq; ++t) {
        const int64_t at = dir == 0 ? t : plan.seq - 1 - t;
        d.step(args.input<T>(0) + at * plan.input);
        std::copy(d.h().begin(), d.h().end(),
                  args.output<T>(0) + (at * plan.dirs + dir) * plan.hidden);
      }
      if (plan.has_y_h) {
        std::copy(d.h().begin(), d.h().end(), args.output<T>(1) + dir * plan.hidden);
      }
      if (plan.has_y_c) {
        std::copy(d.c().begin(), d.c().end(), args.output<int16_t>(2) + dir * plan.hidden);
      }
    }
    return Ok{};
  };
}

}  // namespace

template <class F>
Result<Prepared> prepare_recurrent(const OpContext& c) {
  EDGETWIN_TRY_ASSIGN(const RnnPlan plan, plan_rnn(c));
  const DType type = c.input(0).dtype;
  if (c.output(0).dtype != type || (type != DType::int8 && type != DType::int16)) {
    return c.unsupported_types();
  }
  Prepared prepared;
  prepared.output_shapes = {{plan.seq, plan.dirs, 1, plan.hidden}};
  for (size_t o = 1; o < c.output_count(); ++o) {
    if (c.output(o).dtype != (o == 1 ? type : DType::int16)) return c.unsupported_types();
    prepared.output_shapes.push_back({plan.dirs, 1, plan.hidden});
  }
  prepared.run = type == DType::int8 ? rnn_kernel<int8_t, typename F::Unit>(plan)
                                     : rnn_kernel<int16_t, typename F::Unit>(plan);
  prepared.findings.push_back({Severity::note, "", c.label(),
                               "known from reading the runtime only: no recorded result exists",
                               ""});
  if (c.op().as<RecurrentAttrs>().reverse) {
    prepared.findings.push_back({Severity::warning, "", c.label(),
                                 "direction 'reverse' runs forward in the runtime, and so here",
                                 "Reverse the sequence with ReverseSequence."});
  }
  return prepared;
}

EDGETWIN_FOR_EACH_ESPDL(prepare_recurrent)

}  // namespace edgetwin::ops
