#include "targets/edgetpu/templates/parts.h"

namespace edgetwin::edgetpu::templates {

Result<Template> build(const Dense& a) {
  EDGETWIN_TRY(check_ranges(a));
  const auto size = static_cast<size_t>(a.n) * static_cast<size_t>(a.n);
  if (!a.weights_int8.empty() && a.weights_int8.size() != size) {
    return refused(std::to_string(a.weights_int8.size()) + " weights, the matrix has " +
                       std::to_string(a.n) + " x " + std::to_string(a.n) + " = " +
                       std::to_string(size),
                   "weights_int8");
  }
  const std::vector<int8_t> zeros(a.weights_int8.empty() ? size : 0);
  const std::vector<int8_t>& weights = a.weights_int8.empty() ? zeros : a.weights_int8;
  constexpr double kInputScale = 2.0 / 255.0;
  const double scale = scale_of_integers(weights);
  const double output_scale = kInputScale * scale * a.n;
  const Shape row{1, a.n};
  Maker m("dense " + std::to_string(a.n));
  const ValueId input = m.tensor("input", DType::uint8, row, affine(kInputScale, 127));
  const ValueId w = m.weights("weights", {a.n, a.n}, affine(scale, 0), weights);
  const ValueId x = m.quantized_copy("input_int8", input, DType::int8, affine(kInputScale, -1));
  const ValueId y = m.tensor("product", DType::int8, row, affine(output_scale, 1));
  m.op(OpKind::fully_connected, 4, FullyConnectedAttrs{}, {x, w, kAbsent}, y);
  const ValueId output = m.quantized_copy("output", y, DType::uint8, affine(output_scale, 129));
  const int64_t n = a.n;
  return std::move(m).finish(input, output,
                             {{"matrix_size", n},
                              {"weight_scale", scale},
                              {"weight_zero_point", int64_t{0}},
                              {"input_scale", kInputScale},
                              {"input_zero_point", int64_t{127}},
                              {"output_scale", output_scale},
                              {"output_zero_point", int64_t{129}},
                              {"use_bias", false},
                              {"param_size", n * n}});
}

}  // namespace edgetwin::edgetpu::templates
