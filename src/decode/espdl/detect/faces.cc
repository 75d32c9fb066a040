#include <cmath>

#include "decode/espdl/detect/stages.h"

namespace edgetwin::espdl_decode {
namespace {

constexpr std::array kMsrStrides = {8, 16};
constexpr std::array<std::array<int, 2>, 2> kMsrAnchors = {{{16, 32}, {64, 128}}};
constexpr int kMsrOffset = 9;
constexpr int64_t kMnpPoints = 10;

int cut(float v) { return trunc_to_int(static_cast<double>(v)); }

std::array<int, 4> anchor_box(const Map& map, int64_t cell, int64_t first, int stride, int anchor,
                              const espdl_image::Placement& p) {
  const auto a = static_cast<float>(anchor);
  const auto corner = [&](int64_t at) {
    return static_cast<float>(at * stride + kMsrOffset - (anchor >> 1));
  };
  const float x = corner(cell % map.columns());
  const float y = corner(cell / map.columns());
  const auto v = [&](int64_t i) { return a * map.real(cell, first + i); };
  return {cut((x + v(0)) * p.inverse_x), cut((y + v(1)) * p.inverse_y),
          cut(((x + a) + v(2)) * p.inverse_x), cut(((y + a) + v(3)) * p.inverse_y)};
}

}  // namespace

Result<Decoded> decode_msr(std::span<const Tensor> outputs, const Params& params) {
  EDGETWIN_TRY_ASSIGN(const espdl_image::Placement placement, params.placement());
  EDGETWIN_TRY_ASSIGN(const std::vector<Stage> stages,
                      stages_of(outputs, "box", "score", 8, kMsrStrides));
  const Limits limits = limits_of(params, kFaces);
  std::vector<Detection> found;
  for (size_t s = 0; s < stages.size(); ++s) {
    const Stage& stage = stages[s];
    EDGETWIN_TRY(check_map(stage.score, 2));
    const Threshold threshold(stage.score, inverse_sigmoid(limits.score), params.rounding());
    for (int64_t cell = 0; cell < stage.score.cells(); ++cell) {
      for (int64_t a = 0; a < 2; ++a) {
        if (!threshold.exceeds(stage.score, cell, a)) continue;
        Detection d;
        d.score = sigmoid(stage.score.real(cell, a));
        d.box = anchor_box(stage.box, cell, a * 4, stage.stride,
                           kMsrAnchors[s][static_cast<size_t>(a)], placement);
        found.push_back(std::move(d));
      }
    }
  }
  sort_by_score(found);
  suppress(found, limits.nms, limits.most);
  limit_to_picture(found, *params.source);
  Decoded decoded;
  decoded.detections = std::move(found);
  return decoded;
}

Result<Decoded> decode_mnp(std::span<const Tensor> outputs, const Params& params) {
  EDGETWIN_TRY_ASSIGN(const espdl_image::Placement p, params.placement());
  EDGETWIN_TRY_ASSIGN(const Map score, output_named(outputs, "score"));
  EDGETWIN_TRY_ASSIGN(const Map box, output_named(outputs, "box"));
  EDGETWIN_TRY_ASSIGN(const Map landmark, output_named(outputs, "landmark"));
  EDGETWIN_TRY(check_map(score, 2, 1, 1));
  EDGETWIN_TRY(check_map(box, 4, 1, 1));
  EDGETWIN_TRY(check_map(landmark, kMnpPoints, 1, 1));
  const Limits limits = limits_of(params, kFaces);
  // The larger of the two probabilities, whichever class it is.
  const float most = std::max(score.real(0, 0), score.real(0, 1));
  const float sum = std::exp(score.real(0, 0) - most) + std::exp(score.real(0, 1) - most);
  Detection d;
  d.score = 1.0F / sum;
  const auto wide = static_cast<float>(params.input->width);
  const auto high = static_cast<float>(params.input->height);
  const auto x = [&](float v) { return cut(v * p.inverse_x + static_cast<float>(p.x1)); };
  const auto y = [&](float v) { return cut(v * p.inverse_y + static_cast<float>(p.y1)); };
  d.box = {x(wide * box.real(0, 0)), y(high * box.real(0, 1)), x(wide * box.real(0, 2) + wide),
           y(high * box.real(0, 3) + high)};
  for (int64_t i = 0; i < kMnpPoints; i += 2) {
    d.keypoints.push_back(x(wide * landmark.real(0, i)));
    d.keypoints.push_back(y(high * landmark.real(0, i + 1)));
  }
  Decoded decoded;
  decoded.detections.emplace();
  if (d.score > limits.score) decoded.detections->push_back(std::move(d));
  limit_to_picture(*decoded.detections, *params.source);
  return decoded;
}

}  // namespace edgetwin::espdl_decode
