// GRU and LSTM of ONNX in float32: X [seq, batch, input], W [dirs, gates*hidden, input],
// R [dirs, gates*hidden, hidden], B [dirs, 2*gates*hidden], Y [seq, dirs, batch, hidden].
#include "ops/onnx/prepare.h"

#include <cmath>

#include "numerics/plain/onnx.h"
#include "ops/core/checks.h"

namespace edgetwin::ops::onnx {
namespace {

using numerics::onnx::sigmoid;

struct RnnPlan {
  int64_t seq = 0, batch = 0, input = 0, hidden = 0, dirs = 1, gates = 4;
  bool gru = false, reverse = false, linear_before_reset = false;
  bool has_bias = false, has_h = false, has_c = false;
  size_t outputs = 1;
};

Status check_operand(const OpContext& c, size_t i, const Shape& wanted) {
  if (!c.has_input(i)) return Ok{};
  if (c.input(i).dtype != DType::float32) return c.unsupported_types();
  if (c.input_shape(i) == wanted) return Ok{};
  return c.error(ErrorCode::op_shape, "operand " + std::to_string(i) + " is " +
                                          to_string(c.input_shape(i)) + ", expected " +
                                          to_string(wanted));
}

[[gnu::cold]] Result<RnnPlan> plan_rnn(const OpContext& c) {
  EDGETWIN_TRY(checks::operands(c, 3));
  const auto& a = c.op().as<RecurrentAttrs>();
  const Shape& x = c.input_shape(0);
  RnnPlan p;
  p.gru = c.op().kind == OpKind::gru;
  p.gates = p.gru ? 3 : 4;
  p.hidden = a.hidden_size;
  p.dirs = a.bidirectional ? 2 : 1;
  p.reverse = a.reverse;
  p.linear_before_reset = a.linear_before_reset;
  if (x.rank() != 3 || x.elements() < 1 || p.hidden < 1 || p.hidden > (1 << 20)) {
    return c.error(ErrorCode::op_shape, "the input must be sequence x batch x features, it is " +
                                            to_string(x) + ", hidden size " +
                                            std::to_string(p.hidden));
  }
  if (c.has_input(4)) return c.error(ErrorCode::op_unsupported, "sequences of several lengths");
  p.seq = x[0];
  p.batch = x[1];
  p.input = x[2];
  const int64_t rows = p.gates * p.hidden;
  EDGETWIN_TRY(check_operand(c, 0, x));
  EDGETWIN_TRY(check_operand(c, 1, {p.dirs, rows, p.input}));
  EDGETWIN_TRY(check_operand(c, 2, {p.dirs, rows, p.hidden}));
  EDGETWIN_TRY(check_operand(c, 3, {p.dirs, 2 * rows}));
  EDGETWIN_TRY(check_operand(c, 5, {p.dirs, p.batch, p.hidden}));
  EDGETWIN_TRY(check_operand(c, 6, {p.dirs, p.batch, p.hidden}));
  p.has_bias = c.has_input(3);
  p.has_h = c.has_input(5);
  p.has_c = c.has_input(6);
  p.outputs = c.output_count();
  return p;
}

// One direction of one sequence.
class Cell {
 public:
  Cell(const RnnPlan& p, const Args& args, int64_t dir) : p_(p) {
    const int64_t rows = p.gates * p.hidden;
    w_ = args.input<float>(1) + dir * rows * p.input;
    r_ = args.input<float>(2) + dir * rows * p.hidden;
    if (p.has_bias) b_ = args.input<float>(3) + dir * 2 * rows;
    h_.assign(static_cast<size_t>(p.hidden), 0.0F);
    c_ = h_;
  }

  void start(const float* h, const float* c) {
    if (h != nullptr) std::copy(h, h + p_.hidden, h_.begin());
    if (c != nullptr) std::copy(c, c + p_.hidden, c_.begin());
  }

  void step(const float* x) {
    const std::vector<float> before = h_;
    for (int64_t j = 0; j < p_.hidden; ++j) {
      const auto i = static_cast<size_t>(j);
      h_[i] = p_.gru ? gru(x, before, j) : lstm(x, before, j);
    }
  }

  const std::vector<float>& h() const { return h_; }
  const std::vector<float>& c() const { return c_; }

 private:
  static float dot(const float* a, const float* b, int64_t n) {
    float sum = 0.0F;
    for (int64_t i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
  }
  float of_input(const float* x, int64_t row) const {
    return dot(w_ + row * p_.input, x, p_.input) + (b_ == nullptr ? 0.0F : b_[row]);
  }
  float recurrent_bias(int64_t row) const {
    return b_ == nullptr ? 0.0F : b_[p_.gates * p_.hidden + row];
  }
  float of_state(const std::vector<float>& h, int64_t row) const {
    return dot(r_ + row * p_.hidden, h.data(), p_.hidden) + recurrent_bias(row);
  }

  // Gates in the order z, r, h.
  float gru(const float* x, const std::vector<float>& h, int64_t j) const {
    const int64_t n = p_.hidden;
    const float z = sigmoid(of_input(x, j) + of_state(h, j));
    float state = 0.0F;
    if (p_.linear_before_reset) {
      state = sigmoid(of_input(x, n + j) + of_state(h, n + j)) * of_state(h, 2 * n + j);
    } else {
      for (int64_t i = 0; i < n; ++i) {
        const float reset = sigmoid(of_input(x, n + i) + of_state(h, n + i));
        state += r_[(2 * n + j) * n + i] * (reset * h[static_cast<size_t>(i)]);
      }
      state += recurrent_bias(2 * n + j);
    }
    const float candidate = numerics::float32::tanh(of_input(x, 2 * n + j) + state);
    return (1.0F - z) * candidate + z * h[static_cast<size_t>(j)];
  }

  // Gates in the order i, o, f, c.
  float lstm(const float* x, const std::vector<float>& h, int64_t j) {
    const int64_t n = p_.hidden;
    const auto sum = [&](int64_t gate) {
      return of_input(x, gate * n + j) + of_state(h, gate * n + j);
    };
    float& cell = c_[static_cast<size_t>(j)];
    cell = sigmoid(sum(2)) * cell + sigmoid(sum(0)) * numerics::float32::tanh(sum(3));
    return sigmoid(sum(1)) * numerics::float32::tanh(cell);
  }

  const RnnPlan& p_;
  const float* w_ = nullptr;
  const float* r_ = nullptr;
  const float* b_ = nullptr;
  std::vector<float> h_, c_;
};

void run_direction(const RnnPlan& p, const Args& args, int64_t dir, int64_t n) {
  Cell cell(p, args, dir);
  const int64_t state = (dir * p.batch + n) * p.hidden;
  cell.start(p.has_h ? args.input<float>(5) + state : nullptr,
             p.has_c ? args.input<float>(6) + state : nullptr);
  const bool backwards = p.reverse || dir == 1;
  for (int64_t s = 0; s < p.seq; ++s) {
    const int64_t t = backwards ? p.seq - 1 - s : s;
    cell.step(args.input<float>(0) + (t * p.batch + n) * p.input);
    std::copy(cell.h().begin(), cell.h().end(),
              args.output<float>(0) + ((t * p.dirs + dir) * p.batch + n) * p.hidden);
  }
  if (p.outputs > 1) std::copy(cell.h().begin(), cell.h().end(), args.output<float>(1) + state);
  if (p.outputs > 2) std::copy(cell.c().begin(), cell.c().end(), args.output<float>(2) + state);
}

}  // namespace

Result<Prepared> prepare_recurrent(const OpContext& c) {
  EDGETWIN_TRY_ASSIGN(const RnnPlan p, plan_rnn(c));
  Prepared prepared;
  prepared.output_shapes = {{p.seq, p.dirs, p.batch, p.hidden}};
  while (prepared.output_shapes.size() < p.outputs) {
    prepared.output_shapes.push_back({p.dirs, p.batch, p.hidden});
  }
  for (size_t o = 0; o < p.outputs; ++o) {
    if (c.output(o).dtype != DType::float32) return c.unsupported_types();
    EDGETWIN_TRY(checks::output_shape(c, o, prepared.output_shapes[o]));
  }
  prepared.run = [p](const Args& args) -> Status {
    args.pool.parallel_for(p.dirs * p.batch, 1, [&](int64_t begin, int64_t end, int) {
      for (int64_t i = begin; i < end; ++i) run_direction(p, args, i / p.batch, i % p.batch);
    });
    return Ok{};
  };
  return prepared;
}

}  // namespace edgetwin::ops::onnx
