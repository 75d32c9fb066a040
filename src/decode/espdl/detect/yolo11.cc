#include <algorithm>
#include <cmath>

#include "decode/espdl/detect/stages.h"

namespace edgetwin::espdl_decode {
namespace {

constexpr int64_t kDflChannels = 64;
constexpr int64_t kPoints = 17;
constexpr float kConfidence = 0.5F;  // compared with the raw number, without a sigmoid

// Detections of the three stages, suppressed and not yet limited to the picture.
struct Found {
  std::vector<Detection> detections;
  espdl_image::Placement placement;
};

Result<Found> find_boxes(std::span<const Tensor> outputs, const Params& params) {
  Found found;
  EDGETWIN_TRY_ASSIGN(found.placement, params.placement());
  EDGETWIN_TRY_ASSIGN(const std::vector<Stage> stages,
                      stages_of(outputs, "box", "score", kDflChannels, kStrides));
  const Limits limits = limits_of(params, kYolo11);
  EDGETWIN_TRY_ASSIGN(found.detections,
                      dfl_candidates(stages, params, found.placement, limits.score));
  suppress(found.detections, limits.nms, limits.most);
  return found;
}

std::vector<int> keypoints_of(const Map& map, int64_t cell, int stride,
                              const espdl_image::Placement& p) {
  std::vector<int> points;
  const int64_t x = cell % map.columns() * stride;  // the centre without its offset
  const int64_t y = cell / map.columns() * stride;
  const auto place = [&](float v, int64_t corner, int border, float k) {
    return trunc_to_int(
        (static_cast<double>(v) * 2.0 * stride + static_cast<double>(corner) - border) *
        static_cast<double>(k));
  };
  for (int64_t i = 0; i < kPoints; ++i) {
    if (!(map.real(cell, i * 3 + 2) >= kConfidence)) {
      points.insert(points.end(), {0, 0});
      continue;
    }
    points.push_back(place(map.real(cell, i * 3), x, p.border.left, p.inverse_x));
    points.push_back(place(map.real(cell, i * 3 + 1), y, p.border.top, p.inverse_y));
  }
  return points;
}

// Where a box of the picture lies in the prototypes, along one axis.
struct Range {
  int low, high;
};

Range prototype_range(int low, int high, float inverse, int border, int64_t input, int64_t size) {
  const float factor = 1.0F / inverse;
  const float ratio = static_cast<float>(size) / static_cast<float>(input);
  const auto at = [&](int v) {
    const float model = static_cast<float>(v) * factor + static_cast<float>(border);
    const int in_model = trunc_to_int(static_cast<double>(model));
    const int proto = trunc_to_int(static_cast<double>(static_cast<float>(in_model) * ratio));
    return std::clamp(proto, 0, static_cast<int>(size) - 1);
  };
  return {at(low), at(high)};
}

// Bits of the prototypes' sum with these coefficients, enlarged to the box.
Result<std::optional<Tensor>> mask_of(const Detection& d, const Map& coefficients, const Map& p,
                                      const espdl_image::Placement& placement, Size input) {
  const Range x = prototype_range(d.box[0], d.box[2], placement.inverse_x, placement.border.left,
                                  input.width, p.columns());
  const Range y = prototype_range(d.box[1], d.box[3], placement.inverse_y, placement.border.top,
                                  input.height, p.rows());
  const int64_t columns = x.high - x.low;
  const int64_t rows = y.high - y.low;
  const int64_t width = d.box[2] - d.box[0];
  const int64_t height = d.box[3] - d.box[1];
  if (columns <= 0 || rows <= 0 || width <= 0 || height <= 0) return std::optional<Tensor>{};
  std::vector<uint8_t> bits;
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) {
      float sum = 0.0F;
      const int64_t cell = (y.low + r) * p.columns() + x.low + c;
      for (int64_t k = 0; k < p.channels(); ++k) {
        sum += coefficients.real(d.cell, k) * p.real(cell, k);
      }
      bits.push_back(sum > 0.0F ? 1 : 0);
    }
  }
  EDGETWIN_TRY_ASSIGN(Tensor mask, Tensor::zeros(DType::uint8, {height, width}));
  for (int64_t r = 0; r < height; ++r) {
    for (int64_t c = 0; c < width; ++c) {
      mask.as<uint8_t>()[static_cast<size_t>(r * width + c)] =
          bits[static_cast<size_t>(r * rows / height * columns + c * columns / width)];
    }
  }
  return std::optional<Tensor>(std::move(mask));
}

}  // namespace

Result<Decoded> decode_yolo11(std::span<const Tensor> outputs, const Params& params) {
  EDGETWIN_TRY_ASSIGN(Found found, find_boxes(outputs, params));
  limit_to_picture(found.detections, *params.source);
  Decoded decoded;
  decoded.detections = std::move(found.detections);
  return decoded;
}

Result<Decoded> decode_pose(std::span<const Tensor> outputs, const Params& params) {
  EDGETWIN_TRY_ASSIGN(Found found, find_boxes(outputs, params));
  std::vector<Map> maps;
  for (size_t i = 0; i < kStrides.size(); ++i) {
    EDGETWIN_TRY_ASSIGN(Map map, output_named(outputs, "kpt" + std::to_string(i)));
    EDGETWIN_TRY_ASSIGN(const Map score, output_named(outputs, "score" + std::to_string(i)));
    EDGETWIN_TRY(check_map(map, kPoints * 3, score.rows(), score.columns()));
    maps.push_back(map);
  }
  for (Detection& d : found.detections) {
    const auto stage = static_cast<size_t>(d.stage);
    d.keypoints = keypoints_of(maps[stage], d.cell, kStrides[stage], found.placement);
  }
  limit_to_picture(found.detections, *params.source);
  Decoded decoded;
  decoded.detections = std::move(found.detections);
  return decoded;
}

Result<Decoded> decode_segments(std::span<const Tensor> outputs, const Params& params) {
  EDGETWIN_TRY_ASSIGN(Found found, find_boxes(outputs, params));
  EDGETWIN_TRY_ASSIGN(const Map prototypes, output_named(outputs, "p"));
  std::vector<Map> maps;
  for (size_t i = 0; i < kStrides.size(); ++i) {
    EDGETWIN_TRY_ASSIGN(Map map, output_named(outputs, "mc" + std::to_string(i)));
    EDGETWIN_TRY_ASSIGN(const Map score, output_named(outputs, "score" + std::to_string(i)));
    EDGETWIN_TRY(check_map(map, prototypes.channels(), score.rows(), score.columns()));
    maps.push_back(map);
  }
  limit_to_picture(found.detections, *params.source);
  for (Detection& d : found.detections) {
    EDGETWIN_TRY_ASSIGN(d.mask, mask_of(d, maps[static_cast<size_t>(d.stage)], prototypes,
                                        found.placement, *params.input));
    if (!d.mask) continue;
    const auto bits = d.mask->as<uint8_t>();
    d.mask_pixels = std::count(bits.begin(), bits.end(), uint8_t{1});
  }
  Decoded decoded;
  decoded.detections = std::move(found.detections);
  return decoded;
}

}  // namespace edgetwin::espdl_decode
