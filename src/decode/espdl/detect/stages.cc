#include "decode/espdl/detect/stages.h"

#include <algorithm>
#include <cmath>

namespace edgetwin::espdl_decode {

Result<std::vector<Stage>> stages_of(std::span<const Tensor> outputs, const std::string& boxes,
                                     const std::string& scores, int64_t box_channels,
                                     std::span<const int> strides) {
  std::vector<Stage> stages;
  for (size_t i = 0; i < strides.size(); ++i) {
    Stage stage;
    stage.stride = strides[i];
    EDGETWIN_TRY_ASSIGN(stage.box, output_named(outputs, boxes + std::to_string(i)));
    EDGETWIN_TRY_ASSIGN(stage.score, output_named(outputs, scores + std::to_string(i)));
    EDGETWIN_TRY(check_map(stage.box, box_channels, stage.score.rows(), stage.score.columns()));
    stages.push_back(stage);
  }
  return stages;
}

float expected_distance(const Map& map, int64_t cell, int64_t first, int64_t count) {
  float most = map.real(cell, first);
  for (int64_t i = 1; i < count; ++i) most = std::max(most, map.real(cell, first + i));
  std::vector<float> parts(static_cast<size_t>(count));
  float sum = 0.0F;
  for (int64_t i = 0; i < count; ++i) {
    parts[static_cast<size_t>(i)] = std::exp(map.real(cell, first + i) - most);
    sum += parts[static_cast<size_t>(i)];
  }
  float distance = 0.0F;
  for (size_t i = 0; i < parts.size(); ++i) distance += (parts[i] / sum) * static_cast<float>(i);
  return distance;
}

std::array<float, 4> distances(const Map& map, int64_t cell, int64_t count) {
  std::array<float, 4> d{};
  for (size_t side = 0; side < d.size(); ++side) {
    d[side] = expected_distance(map, cell, static_cast<int64_t>(side) * count, count);
  }
  return d;
}

Limits limits_of(const Params& params, const Defaults& defaults) {
  return {params.score_threshold.value_or(defaults.score),
          params.nms_threshold.value_or(defaults.nms), params.top_k.value_or(defaults.most)};
}

std::array<int, 4> placed_box(const std::array<float, 4>& distance, int64_t x, int64_t y,
                              int stride, const espdl_image::Placement& p) {
  const auto step = static_cast<float>(stride);
  const auto cx = static_cast<float>(x * stride + stride / 2);
  const auto cy = static_cast<float>(y * stride + stride / 2);
  const auto left = static_cast<float>(p.border.left);
  const auto top = static_cast<float>(p.border.top);
  const auto cut = [](float at, float border, float k) {
    return trunc_to_int(static_cast<double>((at - border) * k));
  };
  return {cut(cx - distance[0] * step, left, p.inverse_x),
          cut(cy - distance[1] * step, top, p.inverse_y),
          cut(cx + distance[2] * step, left, p.inverse_x),
          cut(cy + distance[3] * step, top, p.inverse_y)};
}

Result<std::vector<Detection>> dfl_candidates(const std::vector<Stage>& stages,
                                              const Params& params,
                                              const espdl_image::Placement& placement,
                                              float score_threshold) {
  constexpr int64_t kValues = 16;
  std::vector<Detection> found;
  for (size_t s = 0; s < stages.size(); ++s) {
    const Stage& stage = stages[s];
    const Threshold threshold(stage.score, inverse_sigmoid(score_threshold), params.rounding());
    for (int64_t cell = 0; cell < stage.score.cells(); ++cell) {
      for (int64_t c = 0; c < stage.score.channels(); ++c) {
        if (!threshold.exceeds(stage.score, cell, c)) continue;
        Detection d;
        d.category = static_cast<int>(c);
        d.score = sigmoid(stage.score.real(cell, c));
        d.box = placed_box(distances(stage.box, cell, kValues), cell % stage.score.columns(),
                           cell / stage.score.columns(), stage.stride, placement);
        d.cell = cell;
        d.stage = static_cast<int>(s);
        found.push_back(std::move(d));
      }
    }
  }
  sort_by_score(found);
  return found;
}

}  // namespace edgetwin::espdl_decode
