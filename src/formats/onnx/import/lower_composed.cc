// Operators that the graph has no kind for, made of others.
#include <cmath>
#include <numbers>

#include "formats/onnx/import/importer.h"

namespace edgetwin::onnx {
namespace {

Result<ValueId> binary(Importer& m, const Node& n, OpKind kind, ValueId a, ValueId b,
                       const std::string& suffix) {
  Op op = m.make(n, kind);
  op.inputs = {a, b};
  return m.step(n, std::move(op), suffix);
}

}  // namespace

// The larger one of x and -x.
Status lower_abs(Importer& m, const Node& n) {
  EDGETWIN_TRY_ASSIGN(const ValueId x, m.input(n, 0));
  Op neg = m.make(n, OpKind::neg);
  neg.inputs = {x};
  EDGETWIN_TRY_ASSIGN(const ValueId negated, m.step(n, std::move(neg), "Neg"));
  Op op = m.make(n, OpKind::maximum);
  op.inputs = {x, negated};
  return m.finish(n, std::move(op));
}

// What is left of x without its fraction, and one less where that fraction is below 0.
Status lower_floor(Importer& m, const Node& n) {
  EDGETWIN_TRY_ASSIGN(const ValueId x, m.input(n, 0));
  const std::string base = n.outputs.at(0);
  EDGETWIN_TRY_ASSIGN(const ValueId fraction,
                      binary(m, n, OpKind::mod, x, m.add_floats(base + "/one", {}, {1.0F}), "Mod"));
  Op less = m.make(n, OpKind::less);
  less.name = base + "/Less";
  less.type = "Less";
  less.inputs = {fraction, m.add_floats(base + "/zero", {}, {0.0F})};
  EDGETWIN_TRY_ASSIGN(const auto below,
                      m.emit(n, std::move(less), {base + "/Less"}, DType::boolean));
  Op cast = m.make(n, OpKind::cast);
  cast.name = base + "/Cast";
  cast.type = "Cast";
  cast.attrs = CastAttrs{DType::boolean, DType::float32};
  cast.inputs = {below[0]};
  EDGETWIN_TRY_ASSIGN(const auto one, m.emit(n, std::move(cast), {base + "/Cast"}, DType::float32));
  EDGETWIN_TRY_ASSIGN(const ValueId whole, binary(m, n, OpKind::sub, x, fraction, "Whole"));
  Op op = m.make(n, OpKind::sub);
  op.type = "Sub";
  op.inputs = {whole, one[0]};
  return m.finish(n, std::move(op));
}

// x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))
Status write_out_gelu(Importer& m, const Node& n) {
  EDGETWIN_TRY_ASSIGN(const ValueId x, m.input(n, 0));
  const std::string base = n.outputs.at(0);
  const auto number = [&](const char* what, float v) { return m.add_floats(base + what, {}, {v}); };
  const float root = std::sqrt(2.0F / std::numbers::pi_v<float>);
  EDGETWIN_TRY_ASSIGN(const ValueId square, binary(m, n, OpKind::mul, x, x, "Square"));
  EDGETWIN_TRY_ASSIGN(const ValueId part, binary(m, n, OpKind::mul, square,
                                                 number("/cubic", 0.044715F * root), "Part"));
  EDGETWIN_TRY_ASSIGN(const ValueId factor,
                      binary(m, n, OpKind::add, part, number("/root", root), "Factor"));
  EDGETWIN_TRY_ASSIGN(const ValueId inner, binary(m, n, OpKind::mul, factor, x, "Inner"));
  Op tanh = m.make(n, OpKind::tanh);
  tanh.inputs = {inner};
  EDGETWIN_TRY_ASSIGN(const ValueId bent, m.step(n, std::move(tanh), "Tanh"));
  EDGETWIN_TRY_ASSIGN(const ValueId raised,
                      binary(m, n, OpKind::add, bent, number("/one", 1.0F), "Raised"));
  EDGETWIN_TRY_ASSIGN(const ValueId half,
                      binary(m, n, OpKind::mul, x, number("/half", 0.5F), "Half"));
  Op op = m.make(n, OpKind::mul);
  op.type = "Mul";
  op.inputs = {half, raised};
  return m.finish(n, std::move(op));
}

Status pool_by_taps(Importer& m, const Node& n, const Spatial& s) {
  EDGETWIN_TRY_ASSIGN(const ValueId x, m.input(n, 0));
  const Shape in = m.shape(x);
  const bool flat = s.kernel.size() == 1;
  const int64_t rows = flat ? 1 : s.kernel[0];
  const int64_t taps = rows * s.kernel.back();
  for (size_t i = 0; i < s.kernel.size(); ++i) {
    if (s.before[i] == 0 && s.after[i] == 0 && taps <= 64) continue;
    return m.bad_attribute(n, "dilations",
                           "other than 1 are read for windows of at most 64 taps without padding");
  }
  const bool average = n.op_type == "AveragePool";
  std::optional<ValueId> all;
  for (int64_t k = 0; k < taps; ++k) {
    SliceStepsAttrs a;
    for (size_t i = 0; i < s.kernel.size(); ++i) {
      const int64_t at = i + 1 == s.kernel.size() ? k % s.kernel.back() : k / s.kernel.back();
      const int64_t reach = (s.kernel[i] - 1) * s.dilations[i] + 1;
      const int64_t out = (in[static_cast<int>(i) + 2] - reach) / s.strides[i] + 1;
      if (out < 1) return m.bad_attribute(n, "dilations", "make a window larger than the picture");
      const int64_t start = at * s.dilations[i];
      a.axes.push_back(static_cast<int64_t>(i) + 2);
      a.starts.push_back(start);
      a.ends.push_back(start + (out - 1) * s.strides[i] + 1);
      a.steps.push_back(s.strides[i]);
    }
    Op slice = m.make(n, OpKind::slice_steps);
    slice.attrs = std::move(a);
    slice.inputs = {x};
    const std::string number = std::to_string(k);
    EDGETWIN_TRY_ASSIGN(const ValueId tap, m.step(n, std::move(slice), "Tap" + number));
    if (!all) {
      all = tap;
      continue;
    }
    const OpKind kind = average ? OpKind::add : OpKind::maximum;
    EDGETWIN_TRY_ASSIGN(all, binary(m, n, kind, *all, tap, (average ? "Sum" : "Max") + number));
  }
  if (!average) return m.alias(n, 0, *all);
  Op op = m.make(n, OpKind::mul);
  op.type = "Mul";
  const float share = 1.0F / static_cast<float>(taps);
  op.inputs = {*all, m.add_floats(n.outputs.at(0) + "/share", {}, {share})};
  return m.finish(n, std::move(op));
}

}  // namespace edgetwin::onnx
