#include "decode/posenet.h"

#include <algorithm>
#include <cmath>

#include "decode/maps.h"

namespace edgetwin::decode {

static_assert(kKeypoints == ops::kKeypoints);
namespace {

constexpr int kMost = 1000;

Error bad_option(std::string what) { return Error(ErrorCode::decode_options, std::move(what)); }

Status check(const PosenetAttrs& o) {
  if (o.max_detections < 1 || o.max_detections > kMost) {
    return bad_option("max_detections is " + std::to_string(o.max_detections) + ", not 1 to 1000");
  }
  if (o.stride < 1) return bad_option("stride is " + std::to_string(o.stride));
  if (!(o.score_threshold >= 0.0F && o.score_threshold <= 1.0F)) {
    return bad_option("score_threshold is " + std::to_string(o.score_threshold) +
                      ", not within 0..1");
  }
  if (!(o.nms_radius >= 0.0F && std::isfinite(o.nms_radius))) {
    return bad_option("nms_radius is " + std::to_string(o.nms_radius));
  }
  return Ok{};
}

// The one map of a depth; of two the one that has `word` in its name (BodyPix has long offsets
// too).
Result<const Tensor*> of_depth(std::span<const Tensor> maps, int64_t channels,
                               std::string_view word) {
  std::vector<const Tensor*> found;
  for (const Tensor& map : maps) {
    const auto size = map_size(map);
    if (size.ok() && size->channels == channels) found.push_back(&map);
  }
  if (found.size() > 1) {
    std::erase_if(found,
                  [word](const Tensor* t) { return t->name.find(word) == std::string::npos; });
  }
  if (found.size() == 1) return found[0];
  return maps_error((found.empty() ? "no map has " : "several maps have ") +
                    std::to_string(channels) + " channels, as the " + std::string(word) +
                    " map of a pose network");
}

}  // namespace

Result<std::vector<ops::Pose>> posenet_poses(std::span<const Tensor> maps,
                                             const PosenetAttrs& options) {
  EDGETWIN_TRY(check(options));
  EDGETWIN_TRY_ASSIGN(const Tensor* heat, of_depth(maps, kKeypoints, "heatmap"));
  EDGETWIN_TRY_ASSIGN(const Tensor* near, of_depth(maps, 2 * kKeypoints, "short"));
  EDGETWIN_TRY_ASSIGN(const Tensor* far, of_depth(maps, 4 * ops::kPoseEdges, "mid"));
  const MapSize size = *map_size(*heat);
  for (const Tensor* other : {near, far}) {
    const MapSize s = *map_size(*other);
    if (s.height != size.height || s.width != size.width) {
      return maps_error("'" + other->name + "' is " + to_string(other->shape) + ", '" + heat->name +
                        "' " + to_string(heat->shape));
    }
  }
  const float in_blocks = 1.0F / static_cast<float>(options.stride);
  EDGETWIN_TRY_ASSIGN(const std::vector<float> heatmaps, real_values(*heat));
  EDGETWIN_TRY_ASSIGN(const std::vector<float> short_offsets, real_values(*near, in_blocks));
  EDGETWIN_TRY_ASSIGN(const std::vector<float> mid_offsets, real_values(*far, in_blocks));
  return ops::decode_poses({size.height, size.width, heatmaps, short_offsets, mid_offsets},
                           options);
}

std::vector<Person> people_of(const std::vector<ops::Pose>& poses) {
  std::vector<Person> people(poses.size());
  for (size_t i = 0; i < poses.size(); ++i) {
    people[i].score = static_cast<double>(poses[i].score);
    for (size_t k = 0; k < poses[i].points.size(); ++k) {
      people[i].points[k] = {static_cast<double>(poses[i].points[k].x),
                             static_cast<double>(poses[i].points[k].y),
                             static_cast<double>(poses[i].scores[k])};
    }
  }
  return people;
}

Result<std::vector<Person>> people_of_outputs(std::span<const Tensor> outputs) {
  constexpr int64_t kPoints = kKeypoints;
  const bool four = outputs.size() >= 4;
  const int64_t rows = four ? outputs[2].shape.elements() : 0;
  if (!four || outputs[0].shape.elements() != rows * kPoints * 2 ||
      outputs[1].shape.elements() != rows * kPoints || outputs[3].shape.elements() != 1) {
    return maps_error("the outputs are not key points, their scores, poses' scores and a number");
  }
  std::array<std::vector<float>, 4> v;
  for (size_t i = 0; i < v.size(); ++i) {
    EDGETWIN_TRY_ASSIGN(v[i], real_values(outputs[i]));
  }
  const float count = std::clamp(v[3][0], 0.0F, static_cast<float>(rows));
  std::vector<ops::Pose> poses(count > 0.0F ? static_cast<size_t>(count) : 0);
  for (size_t i = 0; i < poses.size(); ++i) {
    poses[i].score = v[2][i];
    for (size_t k = 0; k < kKeypoints; ++k) {
      const size_t at = i * kKeypoints + k;
      poses[i].scores[k] = v[1][at];
      poses[i].points[k] = {v[0][2 * at], v[0][2 * at + 1]};
    }
  }
  return people_of(poses);
}

}  // namespace edgetwin::decode
