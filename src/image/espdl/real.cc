#include "image/espdl/real.h"

#include <cmath>

#include "image/espdl/preprocess.h"
#include "image/espdl/rules.h"

namespace edgetwin::espdl_image {
namespace {

// The largest value of the detector of texts is 2.64, that of its recognizer 1.
constexpr int kDetectorExponent = -13;
constexpr int kRecognizerExponent = -14;

// The type whose bytes the table of `type` is applied to.
PixelType bytes_of(PixelType type) {
  switch (type) {
    case PixelType::rgb888_qint8:
    case PixelType::rgb888_qint16:
      return PixelType::rgb888;
    case PixelType::bgr888_qint8:
    case PixelType::bgr888_qint16:
      return PixelType::bgr888;
    case PixelType::gray_qint8:
    case PixelType::gray_qint16:
      return PixelType::gray;
    default:
      return type;
  }
}

Status fill(Params& p, int64_t rows, int64_t columns, int64_t channels) {
  if (!p.height) p.height = static_cast<int>(rows);
  if (!p.width) p.width = static_cast<int>(columns);
  if (p.pipeline == Pipeline::transform && !p.target) {
    p.target = channels == 1 ? PixelType::gray_qint8 : PixelType::rgb888_qint8;
  }
  const int64_t given = p.pipeline == Pipeline::transform ? info(*p.target).target_elements : 3;
  if (*p.height == rows && *p.width == columns && given == channels) return Ok{};
  return rule_error(Rule::bad_params, "the pipeline gives " + std::to_string(*p.height) + " x " +
                                          std::to_string(*p.width) + " x " + std::to_string(given) +
                                          ", the input is " + std::to_string(rows) + " x " +
                                          std::to_string(columns) + " x " +
                                          std::to_string(channels));
}

Status check_scale(const Params& p, size_t channels) {
  if (p.mean.size() == channels && p.std.size() == channels) return Ok{};
  return rule_error(Rule::bad_params, "'mean' and 'std' need " + std::to_string(channels) +
                                          (channels == 1 ? " number each" : " numbers each"));
}

}  // namespace

Result<Tensor> real_picture(const Tensor& picture, Params params, int64_t rows, int64_t columns,
                            int64_t channels) {
  EDGETWIN_TRY(fill(params, rows, columns, channels));
  const bool table = params.pipeline == Pipeline::transform && is_quantized(*params.target);
  const auto count = static_cast<size_t>(channels);
  if (table) {
    EDGETWIN_TRY(check_scale(params, count));
    params.target = bytes_of(*params.target);
  }
  if (params.pipeline != Pipeline::transform) {
    params.bits = 16;
    params.exponent =
        params.pipeline == Pipeline::ocr_det ? kDetectorExponent : kRecognizerExponent;
  }
  Params plain = params;
  if (table) plain.mean.clear(), plain.std.clear(), plain.exponent.reset();
  EDGETWIN_TRY_ASSIGN(const Preprocessed made, preprocess(picture, plain));
  EDGETWIN_TRY_ASSIGN(Tensor real, Tensor::zeros(DType::float32, made.tensor.shape));
  const auto out = real.as<float>();
  const double step =
      made.tensor.quant.exponent.empty() ? 1.0 : std::ldexp(1.0, made.tensor.quant.exponent[0]);
  for (size_t i = 0; i < out.size(); ++i) {
    const auto at = static_cast<int64_t>(i);
    const auto v =
        static_cast<float>(element_as_double(made.tensor.dtype, made.tensor.data, at) * step);
    const size_t c = i % count;
    out[i] = table ? (v - params.mean[c]) * (1.0F / params.std[c]) : v;
  }
  return real;
}

}  // namespace edgetwin::espdl_image
