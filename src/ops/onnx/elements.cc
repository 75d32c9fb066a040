// Identity, Clip, PRelu and the normalizations of ONNX in float32.
#include <cmath>

#include "ops/core/broadcast.h"
#include "ops/core/checks.h"
#include "ops/core/rows.h"
#include "ops/onnx/prepare.h"

namespace edgetwin::ops::onnx {
namespace {

constexpr int64_t kElementGrain = 16384;

bool all_floats(const OpContext& c) {
  for (size_t i = 0; i < c.input_count(); ++i) {
    if (c.has_input(i) && c.input(i).dtype != DType::float32) return false;
  }
  return c.output(0).dtype == DType::float32;
}

[[gnu::cold]] Result<float> bound(const OpContext& c, size_t i, float otherwise) {
  if (!c.has_input(i)) return otherwise;
  const Bytes* data = c.constant(i);
  if (data == nullptr) return c.error(ErrorCode::op_constant, "the bounds must be constant");
  if (data->size() != sizeof(float)) {
    return c.error(ErrorCode::op_shape,
                   "a bound must be one element, it is " + to_string(c.input_shape(i)));
  }
  float value;
  std::memcpy(&value, data->data(), sizeof value);
  return value;
}

}  // namespace

Result<Prepared> prepare_identity(const OpContext& c) {
  EDGETWIN_TRY(checks::operands(c, 1));
  return checks::moved_whole(c, c.input_shape(0));
}

Result<Prepared> prepare_clip(const OpContext& c) {
  EDGETWIN_TRY(checks::operands(c, 1));
  if (!all_floats(c)) return c.unsupported_types();
  EDGETWIN_TRY_ASSIGN(const float low, bound(c, 1, std::numeric_limits<float>::lowest()));
  EDGETWIN_TRY_ASSIGN(const float high, bound(c, 2, std::numeric_limits<float>::max()));
  Prepared prepared;
  prepared.output_shapes = {c.input_shape(0)};
  const int64_t elements = c.input_shape(0).elements();
  prepared.run = [low, high, elements](const Args& args) -> Status {
    const float* x = args.input<float>(0);
    float* y = args.output<float>(0);
    args.pool.parallel_for(elements, kElementGrain, [&](int64_t begin, int64_t end, int) {
      for (int64_t i = begin; i < end; ++i) {
        const float v = x[i] < low ? low : x[i];
        y[i] = v > high ? high : v;
      }
    });
    return Ok{};
  };
  return prepared;
}

Result<Prepared> prepare_prelu(const OpContext& c) {
  EDGETWIN_TRY_ASSIGN(const Shape out, checks::broadcast_shape(c));
  if (!all_floats(c)) return c.unsupported_types();
  if (!(out == c.input_shape(0))) {
    return c.error(ErrorCode::op_shape, "slopes of " + to_string(c.input_shape(1)) +
                                            " do not fit the input " + to_string(c.input_shape(0)));
  }
  const auto plan = BroadcastPlan::make(c.input_shape(0), c.input_shape(1), out);
  Prepared prepared;
  prepared.output_shapes = {out};
  prepared.run = [plan](const Args& args) -> Status {
    const float* x = args.input<float>(0);
    const float* slope = args.input<float>(1);
    float* y = args.output<float>(0);
    plan.for_each_run([&](int64_t ix, int64_t is, int64_t iy, int64_t n, int64_t sx, int64_t ss) {
      for (int64_t i = 0; i < n; ++i) {
        const float v = x[ix + i * sx];
        y[iy + i] = v < 0.0F ? v * slope[is + i * ss] : v;
      }
    });
    return Ok{};
  };
  return prepared;
}

namespace {

// Mean and variance in double: the reference has no rounding of its own to defend.
struct LayerNorm {
  float epsilon = 1e-5F;
  bool centred = true;  // false: RMSNormalization
  std::vector<float> scale, shift;

  void row(const float* x, int64_t n, float* y) const {
    double sum = 0.0;
    double squares = 0.0;
    for (int64_t i = 0; i < n && centred; ++i) sum += static_cast<double>(x[i]);
    const double mean = sum / static_cast<double>(n);
    for (int64_t i = 0; i < n; ++i) {
      const double d = static_cast<double>(x[i]) - mean;
      squares += d * d;
    }
    const double factor =
        1.0 / std::sqrt(squares / static_cast<double>(n) + static_cast<double>(epsilon));
    for (int64_t i = 0; i < n; ++i) {
      const auto k = static_cast<size_t>(i);
      auto v = static_cast<float>((static_cast<double>(x[i]) - mean) * factor);
      if (!scale.empty()) v *= scale[k];
      if (!shift.empty()) v += shift[k];
      y[i] = v;
    }
  }
};

struct LpNorm {
  int p = 2;
  void row(const float* x, int64_t n, float* y) const {
    double sum = 0.0;
    for (int64_t i = 0; i < n; ++i) {
      const auto v = static_cast<double>(x[i]);
      sum += p == 1 ? std::abs(v) : v * v;
    }
    const double norm = p == 1 ? sum : std::sqrt(sum);
    for (int64_t i = 0; i < n; ++i) {
      y[i] = norm == 0.0 ? 0.0F : static_cast<float>(static_cast<double>(x[i]) / norm);
    }
  }
};

[[gnu::cold]] Result<std::vector<float>> row_constant(const OpContext& c, size_t i, int64_t n) {
  std::vector<float> values;
  if (!c.has_input(i)) return values;
  const Bytes* data = c.constant(i);
  if (data == nullptr) return c.error(ErrorCode::op_constant, "scale and shift must be constant");
  const int64_t have = c.input_shape(i).elements();
  if (have != n && have != 1) {
    return c.error(ErrorCode::op_shape, "operand " + std::to_string(i) + " is " +
                                            to_string(c.input_shape(i)) + ", a row has " +
                                            std::to_string(n) + " elements");
  }
  const auto* from = reinterpret_cast<const float*>(data->data());
  for (int64_t k = 0; k < n; ++k) values.push_back(from[have == 1 ? 0 : k]);
  return values;
}

}  // namespace

Result<Prepared> prepare_norm(const OpContext& c) {
  EDGETWIN_TRY(checks::operands(c, 1));
  if (!all_floats(c)) return c.unsupported_types();
  if (c.output_count() != 1) {
    return c.error(ErrorCode::op_unsupported, "mean and deviation as further outputs");
  }
  const auto& a = c.op().as<NormAttrs>();
  if (c.op().kind == OpKind::lp_norm) {
    if (a.p != 1 && a.p != 2) return c.error(ErrorCode::op_attribute, "p must be 1 or 2");
    EDGETWIN_TRY_ASSIGN(const Rows rows, rows_along(c, a.axis));
    return prepare_rows<float, float>(c, rows, LpNorm{a.p});
  }
  EDGETWIN_TRY_ASSIGN(const Rows rows, rows_from(c, a.axis));
  LayerNorm rule{a.epsilon, c.op().kind == OpKind::layer_norm, {}, {}};
  EDGETWIN_TRY_ASSIGN(rule.scale, row_constant(c, 1, rows.length));
  EDGETWIN_TRY_ASSIGN(rule.shift, row_constant(c, 2, rows.length));
  return prepare_rows<float, float>(c, rows, std::move(rule));
}

}  // namespace edgetwin::ops::onnx
