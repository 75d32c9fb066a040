#include "image/espdl/preprocess.h"

#include <algorithm>
#include <cstring>

#include "image/espdl/byte_order.h"
#include "image/espdl/convert.h"
#include "image/espdl/ocr.h"
#include "image/espdl/rules.h"
#include "image/image.h"

namespace edgetwin::espdl_image {
namespace {

Error refused(const std::string& what, const std::string& member) {
  return rule_error(Rule::refused, what).in_field(member);
}

// Is the picture one in the bytes of its pixel type? Nothing if it is used as it is; a grey one
// becomes r = g = b where the source is a colour of three bytes.
Result<std::optional<Tensor>> source_picture(const Tensor& picture, PixelType source) {
  const int bytes = info(source).source_bytes;
  if (picture.dtype != DType::uint8 || picture.shape.rank() != 3 || picture.shape.elements() == 0) {
    return refused("the picture is " + to_string(picture.shape) + " " +
                       std::string(name(picture.dtype)) +
                       ", not uint8 of rows, columns and bytes per pixel",
                   "picture");
  }
  if (picture.shape[0] > kMaxPictureSide || picture.shape[1] > kMaxPictureSide) {
    return Error(ErrorCode::out_of_memory, "the picture is " + to_string(picture.shape) +
                                               ", at most " + std::to_string(kMaxPictureSide) +
                                               " rows and columns are taken");
  }
  if (picture.shape[2] == 1 && bytes == 3 && source != PixelType::hsv) {
    EDGETWIN_TRY_ASSIGN(Tensor result,
                        Tensor::zeros(DType::uint8, {picture.shape[0], picture.shape[1], 3}));
    for (size_t i = 0; i < result.data.size(); ++i) result.data[i] = picture.data[i / 3];
    return std::optional<Tensor>(std::move(result));
  }
  if (picture.shape[2] != bytes) {
    return refused("the picture has " + std::to_string(picture.shape[2]) + " bytes per pixel, " +
                       std::string(info(source).name) + " has " + std::to_string(bytes),
                   "source");
  }
  if (info(source).space == Space::yuv && picture.shape[1] % 2 != 0) {
    return refused("the picture is " + std::to_string(picture.shape[1]) +
                       " columns wide; pixels of " + std::string(info(source).name) +
                       " come in pairs",
                   "source");
  }
  return std::optional<Tensor>{};
}

// One use of the pipeline `transform`.
class Transform {
 public:
  Transform(const Tensor& source, const Params& p) : p_(p), source_(source) {}

  Result<Preprocessed> run() {
    EDGETWIN_TRY(place());
    EDGETWIN_TRY(make_conversion());
    const PixelInfo& target = info(*p_.target);
    const Shape shape = {*p_.height, *p_.width, target.target_elements};
    EDGETWIN_TRY_ASSIGN(result_.tensor, Tensor::zeros(target.type, shape));
    pixel_bytes_ = static_cast<size_t>(target.target_elements) * byte_size(target.type);
    if (is_quantized(*p_.target)) result_.tensor.quant = Quant::power_of_two(*p_.exponent);
    EDGETWIN_TRY(fill_background());
    if (p_.affine || p_.landmarks) {
      EDGETWIN_TRY(map_pixels());
    } else {
      scale_pixels();
    }
    return std::move(result_);
  }

 private:
  int inner_width() const { return *p_.width - border_.left - border_.right; }
  int inner_height() const { return *p_.height - border_.top - border_.bottom; }
  bool bordered() const {
    return border_.left > 0 || border_.right > 0 || border_.top > 0 || border_.bottom > 0;
  }

  Status place() {
    const auto rows = static_cast<int>(source_.shape[0]);
    const auto columns = static_cast<int>(source_.shape[1]);
    crop_ = p_.crop.value_or(Box{0, 0, columns, rows});
    if (crop_.x1 >= crop_.x2 || crop_.y1 >= crop_.y2 || crop_.x2 > columns || crop_.y2 > rows) {
      return refused("the crop " + std::to_string(crop_.x1) + ", " + std::to_string(crop_.y1) +
                         ", " + std::to_string(crop_.x2) + ", " + std::to_string(crop_.y2) +
                         " is empty or beyond the picture of " + std::to_string(columns) + " x " +
                         std::to_string(rows),
                     "crop");
    }
    border_ = p_.border.value_or(Border{});
    if (p_.letterbox) {
      border_ = letterbox_border(crop_.width(), crop_.height(), *p_.width, *p_.height);
    }
    if (inner_height() < 1 || inner_width() < 1) {
      return refused("the border leaves nothing of the result: top and bottom may be " +
                         std::to_string(*p_.height - 1) + " rows, left and right " +
                         std::to_string(*p_.width - 1) + " columns",
                     "border");
    }
    if (info(*p_.target).space == Space::yuv && *p_.width % 2 != 0) {
      return refused("the result is " + std::to_string(*p_.width) + " columns wide; pixels of " +
                         std::string(info(*p_.target).name) + " come in pairs",
                     "width");
    }
    report_geometry();
    return Ok{};
  }

  void report_geometry() {
    auto& g = result_.geometry;
    if (p_.landmarks) return;
    if (p_.affine) {
      g = {{"scale_x", 0.0}, {"scale_y", 0.0}};
      return;
    }
    const Placement placement = placement_of(crop_.width(), crop_.height(), *p_.width, *p_.height,
                                             border_, crop_.x1, crop_.y1);
    if (p_.letterbox) {
      g = {{"border_left", border_.left},
           {"border_top", border_.top},
           {"inv_scale_x", static_cast<double>(placement.inverse_x)},
           {"inv_scale_y", static_cast<double>(placement.inverse_y)}};
    }
    g.emplace_back("scale_x", static_cast<double>(placement.factor_x));
    g.emplace_back("scale_y", static_cast<double>(placement.factor_y));
    result_.placement = placement;
  }

  Status make_conversion() {
    EDGETWIN_TRY_ASSIGN(Conversion conversion, Conversion::make(p_.source, *p_.target));
    if (is_quantized(*p_.target)) {
      const auto channels = static_cast<size_t>(info(*p_.target).target_elements);
      if (p_.mean.size() != channels || p_.std.size() != channels || !p_.exponent) {
        return rule_error(
            Rule::bad_params,
            "the target " + std::string(info(*p_.target).name) + " needs 'mean' and 'std' of " +
                std::to_string(channels) + " numbers and 'exponent'; given are " +
                std::to_string(p_.mean.size()) + " and " + std::to_string(p_.std.size()) +
                (p_.exponent ? "" : " without 'exponent'"));
      }
      EDGETWIN_TRY_ASSIGN(QuantTable table,
                          quant_table(p_.mean, p_.std, *p_.exponent,
                                      info(*p_.target).type == DType::int16, rounding_of(p_.chip)));
      conversion.set_table(std::move(table));
    } else if (!p_.mean.empty() || !p_.std.empty() || p_.exponent) {
      note(Rule::no_effect, "mean, std and exponent have no effect: the target " +
                                std::string(info(*p_.target).name) + " is not quantized");
    }
    EDGETWIN_TRY(set_mask(conversion));
    conversion_ = std::move(conversion);
    return Ok{};
  }

  Status set_mask(Conversion& conversion) const {
    if (*p_.target != PixelType::hsv_mask) return Ok{};
    if (!p_.hsv_min || !p_.hsv_max) {
      return rule_error(Rule::bad_params, "the target hsv_mask needs 'hsv_min' and 'hsv_max'");
    }
    const auto& low = *p_.hsv_min;
    const auto& high = *p_.hsv_max;
    if (std::max(low[0], high[0]) > 180 || low[0] == high[0] || low[1] >= high[1] ||
        low[2] >= high[2]) {
      return refused(
          "hues are at most 180 and differ, saturation and value have a minimum below the maximum",
          "hsv_min");
    }
    conversion.set_mask(low, high);
    return Ok{};
  }

  void note(Rule rule, const std::string& message) {
    result_.findings.push_back(rule_finding(rule, message));
  }

  // Everywhere, where something of it will be seen.
  Status fill_background() {
    const bool grey = info(p_.source).space == Space::grey;
    const size_t wanted = grey ? 1 : 3;
    std::vector<uint8_t> levels = p_.background;
    if (levels.empty()) levels.assign(wanted, 0);
    if (levels.size() != wanted) {
      return refused("the background has " + std::to_string(levels.size()) +
                         " levels; sources of " + std::string(info(p_.source).name) + " take " +
                         std::to_string(wanted),
                     "background");
    }
    if (!bordered() && !p_.affine && !p_.landmarks) return Ok{};
    if (info(*p_.target).space == Space::yuv) {
      return refused(
          "the runtime has no conversion of a background to " + std::string(info(*p_.target).name),
          "background");
    }
    background_.resize(pixel_bytes_);
    conversion_->background(levels, background_);
    Bytes& data = result_.tensor.data;
    const size_t row = static_cast<size_t>(*p_.width) * pixel_bytes_;
    for (size_t at = 0; at < row; at += pixel_bytes_) {
      std::memcpy(data.data() + at, background_.data(), pixel_bytes_);
    }
    for (size_t at = row; at < data.size(); at += row) {
      std::memcpy(data.data() + at, data.data(), row);
    }
    return Ok{};
  }

  std::span<std::byte> inner_row(int j) {
    const size_t pixel = static_cast<size_t>(border_.top + j) * static_cast<size_t>(*p_.width) +
                         static_cast<size_t>(border_.left);
    return std::span(result_.tensor.data)
        .subspan(pixel * pixel_bytes_, static_cast<size_t>(inner_width()) * pixel_bytes_);
  }

  void scale_pixels() {
    const std::vector<int32_t> xs = nearest_lines(crop_.width(), inner_width());
    const std::vector<int32_t> ys = nearest_lines(crop_.height(), inner_height());
    const auto columns = static_cast<int32_t>(source_.shape[1]);
    std::vector<int32_t> pixels(xs.size());
    const Tensor& source = source_;
    for (int j = 0; j < inner_height(); ++j) {
      const int32_t first = (ys[static_cast<size_t>(j)] + crop_.y1) * columns + crop_.x1;
      for (size_t i = 0; i < xs.size(); ++i) pixels[i] = first + xs[i];
      conversion_->row(source.as<uint8_t>(), pixels, inner_row(j));
    }
  }

  Result<std::array<float, 6>> alignment() {
    bool defined = true;
    EDGETWIN_TRY_ASSIGN(const auto map,
                        face_alignment(*p_.landmarks, inner_width(), inner_height(), defined));
    if (!defined) {
      note(Rule::alignment,
           "the runtime divides by zero for these landmarks and repeats the left upper pixel of "
           "the picture; the result is what the chip computes");
    }
    return map;
  }

  Result<std::array<float, 6>> inverse_map() {
    if (p_.landmarks) return alignment();
    if (p_.affine_is_inverse) return *p_.affine;
    note(Rule::affine_inverse,
         "the runtime inverts the matrix with a wrong shift; the result is what the chip computes");
    return runtime_inverse(*p_.affine);
  }

  Status map_pixels() {
    EDGETWIN_TRY_ASSIGN(const auto inverse, inverse_map());
    if (inner_width() != inner_height()) {
      note(Rule::affine_table,
           "the target of " + std::to_string(inner_width()) + " x " +
               std::to_string(inner_height()) +
               " is not square: the tables of its map overrun their memory on the chip");
    }
    const AffineTables t = affine_tables(inverse, inner_width(), inner_height());
    const auto columns = static_cast<int32_t>(source_.shape[1]);
    std::vector<int32_t> pixels(static_cast<size_t>(inner_width()));
    std::vector<size_t> outside;
    const Tensor& source = source_;
    for (size_t j = 0; j < static_cast<size_t>(inner_height()); ++j) {
      outside.clear();
      for (size_t i = 0; i < pixels.size(); ++i) {
        const int64_t x = (t.x_of_column[i] + t.x_of_row[j] + 512) >> 10;
        const int64_t y = (t.y_of_column[i] + t.y_of_row[j] + 512) >> 10;
        const bool inside = x >= 0 && x < crop_.width() && y >= 0 && y < crop_.height();
        if (!inside) outside.push_back(i);
        pixels[i] = inside ? (static_cast<int32_t>(y) + crop_.y1) * columns +
                                 static_cast<int32_t>(x) + crop_.x1
                           : 0;
      }
      const std::span<std::byte> row = inner_row(static_cast<int>(j));
      conversion_->row(source.as<uint8_t>(), pixels, row);
      for (const size_t i : outside) {
        std::memcpy(row.data() + i * pixel_bytes_, background_.data(), pixel_bytes_);
      }
    }
    return Ok{};
  }

  const Params& p_;
  const Tensor& source_;
  Box crop_;
  Border border_;
  std::optional<Conversion> conversion_;
  Bytes background_;
  size_t pixel_bytes_ = 0;
  Preprocessed result_;
};

}  // namespace

Result<Preprocessed> preprocess(const Tensor& picture, const Params& params) {
  EDGETWIN_TRY(check_complete(params));
  if (*params.width > kMaxPictureSide || *params.height > kMaxPictureSide ||
      int64_t{*params.width} * *params.height > kMaxPicturePixels) {
    return Error(ErrorCode::out_of_memory, "the result is " + std::to_string(*params.width) +
                                               " x " + std::to_string(*params.height) +
                                               " pixels, which is beyond the limit for pictures");
  }
  EDGETWIN_TRY_ASSIGN(const auto converted, source_picture(picture, params.source));
  const Tensor& source = converted ? *converted : picture;
  if (params.pipeline == Pipeline::ocr_det) return ocr_detector_input(source, params);
  if (params.pipeline == Pipeline::ocr_rec) return ocr_recognizer_input(source, params);
  auto made = Transform(source, params).run();
  if (made.ok() && bytes_look_swapped(source, params.source)) {
    made->findings.push_back(rule_finding(
        Rule::byte_order, "neighbouring pixels would be far more alike with the bytes of " +
                              std::string(info(params.source).name) + " the other way round"));
  }
  return made;
}

}  // namespace edgetwin::espdl_image
