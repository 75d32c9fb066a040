#include "image/espdl/ocr.h"

#include <algorithm>
#include <cmath>

#include "image/espdl/convert.h"
#include "image/espdl/perspective.h"
#include "image/espdl/rules.h"
#include "image/image.h"

namespace edgetwin::espdl_image {
namespace {

constexpr std::array kDetectorMean = {123.675F, 116.28F, 103.53F};
constexpr std::array kDetectorStd = {58.395F, 57.12F, 57.375F};
constexpr uint8_t kDetectorGround = 127;
constexpr float kUpright = 1.5F;  // height / width from which a text is turned

float edge(PointF a, PointF b) {
  const float dx = a.x - b.x;
  const float dy = a.y - b.y;
  return std::sqrt(dx * dx + dy * dy);
}

// The source as r, g, b.
Result<Tensor> colour_picture(const Tensor& source, PixelType type) {
  if (info(type).space != Space::colour) {
    return rule_error(Rule::refused,
                      "the pipelines for texts take colours, not " + std::string(info(type).name))
        .in_field("source");
  }
  EDGETWIN_TRY_ASSIGN(Conversion conversion, Conversion::make(type, PixelType::rgb888));
  const int64_t rows = source.shape[0];
  const int64_t columns = source.shape[1];
  EDGETWIN_TRY_ASSIGN(Tensor result, Tensor::zeros(DType::uint8, {rows, columns, 3}));
  std::vector<int32_t> pixels(static_cast<size_t>(columns));
  for (int64_t y = 0; y < rows; ++y) {
    for (int64_t x = 0; x < columns; ++x) {
      pixels[static_cast<size_t>(x)] = static_cast<int32_t>(y * columns + x);
    }
    conversion.row(
        source.as<uint8_t>(), pixels,
        std::span(result.data)
            .subspan(static_cast<size_t>(y * columns * 3), static_cast<size_t>(columns * 3)));
  }
  return result;
}

// Bilinear with half-pixel centres: where one line of the result lies between two of the source.
struct Between {
  int64_t low, high;
  float part;
};

std::vector<Between> between(int64_t source, int64_t target) {
  const float k = static_cast<float>(source) / static_cast<float>(target);
  std::vector<Between> lines;
  for (int64_t i = 0; i < target; ++i) {
    const float at = (static_cast<float>(i) + 0.5F) * k - 0.5F;
    const float low = std::floor(at);
    const auto index = static_cast<int64_t>(low);
    lines.push_back({std::clamp<int64_t>(index, 0, source - 1),
                     std::clamp<int64_t>(index + 1, 0, source - 1), at - low});
  }
  return lines;
}

// Weights and sum in this order, from the left.
float mixed(std::span<const uint8_t> picture, int64_t columns, Between y, Between x, int64_t c) {
  const auto level = [&](int64_t row, int64_t column) {
    return static_cast<float>(picture[static_cast<size_t>((row * columns + column) * 3 + c)]);
  };
  const float a = x.part;
  const float b = y.part;
  float v = (1.0F - a) * (1.0F - b) * level(y.low, x.low);
  v += a * (1.0F - b) * level(y.low, x.high);
  v += (1.0F - a) * b * level(y.high, x.low);
  v += a * b * level(y.high, x.high);
  return v;
}

Result<int> exponent_of(const Params& p) {
  if (p.exponent) return *p.exponent;
  return rule_error(Rule::bad_params, "'exponent' is missing: that of the network's input")
      .in_field("exponent");
}

}  // namespace

std::array<PointF, 4> ordered_corners(const std::array<PointF, 4>& corners) {
  size_t least = 0;
  size_t most = 0;
  for (size_t i = 1; i < corners.size(); ++i) {
    if (corners[i].x + corners[i].y < corners[least].x + corners[least].y) least = i;
    if (corners[i].x + corners[i].y > corners[most].x + corners[most].y) most = i;
  }
  std::vector<size_t> others;
  for (size_t i = 0; i < corners.size(); ++i) {
    if (i != least && i != most) others.push_back(i);
  }
  const PointF& p = corners[others[0]];
  const PointF& q = corners[others[1]];
  const bool p_is_upper = p.y - p.x <= q.y - q.x;
  return {corners[least], p_is_upper ? p : q, corners[most], p_is_upper ? q : p};
}

float text_aspect(const std::array<PointF, 4>& c) {
  const float width = std::max(edge(c[0], c[1]), edge(c[3], c[2]));
  const float height = std::max(edge(c[0], c[3]), edge(c[1], c[2]));
  return height / width >= kUpright ? height / width : width / height;
}

Result<Preprocessed> ocr_detector_input(const Tensor& source, const Params& p) {
  EDGETWIN_TRY_ASSIGN(const int exponent, exponent_of(p));
  EDGETWIN_TRY_ASSIGN(const Tensor picture, colour_picture(source, p.source));
  const int64_t rows = picture.shape[0];
  const int64_t columns = picture.shape[1];
  const float s = std::min(static_cast<float>(*p.width) / static_cast<float>(columns),
                           static_cast<float>(*p.height) / static_cast<float>(rows));
  const auto size = [s](int64_t from, int to) {
    const auto scaled = static_cast<int64_t>(std::round(static_cast<float>(from) * s));
    return std::min(std::max<int64_t>(1, scaled), int64_t{to});
  };
  const std::vector<Between> xs = between(columns, size(columns, *p.width));
  const std::vector<Between> ys = between(rows, size(rows, *p.height));
  const bool wide = p.bits == 16;  // of calibration only
  EDGETWIN_TRY_ASSIGN(const QuantTable table, quant_table(kDetectorMean, kDetectorStd, exponent,
                                                          wide, rounding_of(p.chip)));
  Preprocessed result;
  EDGETWIN_TRY_ASSIGN(result.tensor,
                      Tensor::zeros(wide ? DType::int16 : DType::int8, {*p.height, *p.width, 3}));
  result.tensor.quant = Quant::power_of_two(exponent);
  size_t at = 0;
  for (size_t y = 0; y < static_cast<size_t>(*p.height); ++y) {
    for (size_t x = 0; x < static_cast<size_t>(*p.width); ++x) {
      const bool inside = y < ys.size() && x < xs.size();
      for (size_t c = 0; c < 3; ++c) {
        uint8_t level = kDetectorGround;
        if (inside) {  // channels b, g, r
          const float v =
              mixed(picture.as<uint8_t>(), columns, ys[y], xs[x], 2 - static_cast<int64_t>(c));
          level = static_cast<uint8_t>(std::clamp(v + 0.5F, 0.0F, 255.0F));
        }
        if (wide) {
          result.tensor.as<int16_t>()[at++] = table[c][level];
        } else {
          result.tensor.as<int8_t>()[at++] = static_cast<int8_t>(table[c][level]);
        }
      }
    }
  }
  result.geometry = {{"resize_scale", static_cast<double>(s)}};
  return result;
}

Result<Preprocessed> ocr_recognizer_input(const Tensor& source, const Params& p) {
  EDGETWIN_TRY_ASSIGN(const int exponent, exponent_of(p));
  EDGETWIN_TRY_ASSIGN(const Tensor picture, colour_picture(source, p.source));
  std::array<PointF, 4> corners;
  for (size_t i = 0; i < corners.size(); ++i) {
    corners[i] = {static_cast<float>((*p.box)[i * 2]), static_cast<float>((*p.box)[i * 2 + 1])};
  }
  corners = ordered_corners(corners);
  const int cw = std::max(
      1, static_cast<int>(std::max(edge(corners[0], corners[1]), edge(corners[3], corners[2]))));
  const int ch = std::max(
      1, static_cast<int>(std::max(edge(corners[0], corners[3]), edge(corners[1], corners[2]))));
  EDGETWIN_TRY_ASSIGN(Tensor text, upright_text(picture, corners, cw, ch));
  if (static_cast<float>(ch) / static_cast<float>(cw) >= kUpright) {
    EDGETWIN_TRY_ASSIGN(text, turned_left(text));
  }
  const int64_t text_rows = text.shape[0];
  const int64_t text_columns = text.shape[1];
  const float proportion = static_cast<float>(text_columns) / static_cast<float>(text_rows);
  const float wanted = std::ceil(static_cast<float>(*p.height) * proportion);
  const auto width =
      static_cast<int64_t>(std::max(1.0F, std::min(wanted, static_cast<float>(*p.width))));
  const std::vector<Between> xs = between(text_columns, width);
  const std::vector<Between> ys = between(text_rows, *p.height);
  const float reciprocal_scale = std::ldexp(1.0F, -exponent);
  const numerics::Rounding rounding = rounding_of(p.chip);
  const float low = p.bits == 16 ? -32768.0F : -128.0F;
  const float high = p.bits == 16 ? 32767.0F : 127.0F;
  Preprocessed result;
  EDGETWIN_TRY_ASSIGN(result.tensor, Tensor::zeros(p.bits == 16 ? DType::int16 : DType::int8,
                                                   {*p.height, *p.width, 3}));
  result.tensor.quant = Quant::power_of_two(exponent);
  for (size_t y = 0; y < ys.size(); ++y) {
    for (size_t x = 0; x < xs.size(); ++x) {
      for (size_t c = 0; c < 3; ++c) {  // b, g, r
        const float v = std::clamp(
            mixed(text.as<uint8_t>(), text_columns, ys[y], xs[x], 2 - static_cast<int64_t>(c)),
            0.0F, 255.0F);
        const float real = (v / 255.0F - 0.5F) / 0.5F;
        const float q =
            std::clamp(numerics::round_float(real * reciprocal_scale, rounding), low, high);
        const size_t at = (y * static_cast<size_t>(*p.width) + x) * 3 + c;
        if (p.bits == 16) {
          result.tensor.as<int16_t>()[at] = static_cast<int16_t>(q);
        } else {
          result.tensor.as<int8_t>()[at] = static_cast<int8_t>(q);
        }
      }
    }
  }
  result.geometry = {{"aspect", static_cast<double>(text_aspect(corners))},
                     {"crop_h", static_cast<double>(text_rows)},
                     {"crop_w", static_cast<double>(text_columns)}};
  return result;
}

}  // namespace edgetwin::espdl_image
