#include <cmath>

#include "decode/espdl/detect/stages.h"

namespace edgetwin::espdl_decode {
namespace {

constexpr int64_t kPicoValues = 8;

Decoded finished(std::vector<Detection> found, const Limits& limits, Size picture) {
  sort_by_score(found);
  suppress(found, limits.nms, limits.most);
  limit_to_picture(found, picture);
  Decoded decoded;
  decoded.detections = std::move(found);
  return decoded;
}

}  // namespace

Result<Decoded> decode_espdet(std::span<const Tensor> outputs, const Params& params) {
  EDGETWIN_TRY_ASSIGN(const espdl_image::Placement placement, params.placement());
  EDGETWIN_TRY_ASSIGN(const std::vector<Stage> stages,
                      stages_of(outputs, "box", "score", 4, kStrides));
  const Limits limits = limits_of(params, kEspdet);
  std::vector<Detection> found;
  for (const Stage& stage : stages) {
    const Threshold threshold(stage.score, inverse_sigmoid(limits.score), params.rounding());
    for (int64_t cell = 0; cell < stage.score.cells(); ++cell) {
      for (int64_t c = 0; c < stage.score.channels(); ++c) {
        if (!threshold.reaches(stage.score, cell, c)) continue;
        Detection d;
        d.category = static_cast<int>(c);
        d.score = sigmoid(stage.score.real(cell, c));
        std::array<float, 4> distance{};
        for (size_t i = 0; i < distance.size(); ++i) {
          distance[i] = stage.box.real(cell, static_cast<int64_t>(i));
        }
        d.box = placed_box(distance, cell % stage.score.columns(), cell / stage.score.columns(),
                           stage.stride, placement);
        found.push_back(std::move(d));
      }
    }
  }
  return finished(std::move(found), limits, *params.source);
}

Result<Decoded> decode_pico(std::span<const Tensor> outputs, const Params& params) {
  EDGETWIN_TRY_ASSIGN(espdl_image::Placement placement, params.placement());
  placement.border = {};  // the network is fed without a border
  EDGETWIN_TRY_ASSIGN(const std::vector<Stage> stages,
                      stages_of(outputs, "bbox", "score", kPicoValues * 4, kStrides));
  const Limits limits = limits_of(params, kPico);
  std::vector<Detection> found;
  for (const Stage& stage : stages) {
    const Threshold threshold(stage.score, limits.score * limits.score, params.rounding());
    for (int64_t cell = 0; cell < stage.score.cells(); ++cell) {
      for (int64_t c = 0; c < stage.score.channels(); ++c) {
        if (!threshold.exceeds(stage.score, cell, c)) continue;
        Detection d;
        d.category = static_cast<int>(c);
        d.score = std::sqrt(stage.score.real(cell, c));
        d.box = placed_box(distances(stage.box, cell, kPicoValues), cell % stage.score.columns(),
                           cell / stage.score.columns(), stage.stride, placement);
        found.push_back(std::move(d));
      }
    }
  }
  return finished(std::move(found), limits, *params.source);
}

}  // namespace edgetwin::espdl_decode
