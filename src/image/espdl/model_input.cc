#include "image/espdl/model_input.h"

#include "image/espdl/rules.h"

namespace edgetwin::espdl_image {

Status fill_from_input(const Shape& shape, DType type, const Quant& quant, Params& params) {
  const bool picture = shape.rank() == 4 && shape[0] == 1 && (shape[3] == 1 || shape[3] == 3);
  const bool integers = type == DType::int8 || type == DType::int16;
  if (!picture || !integers || quant.exponent.size() != 1) {
    return rule_error(Rule::bad_params,
                      "the model's input is " + to_string(shape) + " " + std::string(name(type)) +
                          ", not one picture (1, rows, columns, 1 or 3) with an exponent");
  }
  if (!params.height) params.height = static_cast<int>(shape[1]);
  if (!params.width) params.width = static_cast<int>(shape[2]);
  if (!params.exponent) params.exponent = quant.exponent[0];
  if (params.pipeline == Pipeline::ocr_rec) params.bits = type == DType::int16 ? 16 : 8;
  if (params.target || params.pipeline != Pipeline::transform) return Ok{};
  if (shape[3] == 1) {
    params.target = type == DType::int16 ? PixelType::gray_qint16 : PixelType::gray_qint8;
  } else {
    params.target = type == DType::int16 ? PixelType::rgb888_qint16 : PixelType::rgb888_qint8;
  }
  return Ok{};
}

}  // namespace edgetwin::espdl_image
