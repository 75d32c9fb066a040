#include "ops/decoders/posenet_decoder.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "ops/core/checks.h"
#include "ops/decoders/detection_postprocess.h"
#include "ops/decoders/prepare.h"

namespace edgetwin::ops {
namespace {

constexpr int kRefinements = 5;

// The mean over all keypoints, the largest added first: that order gives the recorded pose scores
// to the last bit, and the order of the keypoints does not.
float pose_score(std::array<float, kKeypoints> scores) {
  if (std::any_of(scores.begin(), scores.end(), [](float s) { return std::isnan(s); })) return 0.0F;
  std::sort(scores.begin(), scores.end(), std::greater<>());
  return std::accumulate(scores.begin(), scores.end(), 0.0F) / static_cast<float>(kKeypoints);
}

class Decoder {
 public:
  Decoder(const PoseMaps& maps, const PosenetAttrs& options, int first_backward)
      : m_(maps), o_(options), first_backward_(first_backward) {
    const float radius = options.nms_radius / static_cast<float>(options.stride);
    squared_radius_ = radius * radius;
  }

  std::vector<Pose> run();

 private:
  float at(std::span<const float> map, int channels, int64_t y, int64_t x, int channel) const {
    return map[static_cast<size_t>((y * m_.width + x) * channels + channel)];
  }
  float sample(std::span<const float> map, int channels, PosePoint p, int channel) const;
  PosePoint clamped(PosePoint p) const {
    return {clamp_coordinate(p.y, m_.height), clamp_coordinate(p.x, m_.width)};
  }
  PosePoint displaced(std::span<const float> map, int channels, PosePoint p, int y, int x) const {
    const float dy = sample(map, channels, p, y);
    const float dx = sample(map, channels, p, x);
    return clamped({p.y + dy, p.x + dx});
  }
  float heat(PosePoint p, int keypoint) const {
    return sample(m_.heatmaps, kKeypoints, p, keypoint);
  }
  bool is_peak(int64_t y, int64_t x, int keypoint) const;
  CandidateHeap candidates() const;
  Candidate walk(PosePoint from, int walk, int target) const;
  Pose decode(const Candidate& root) const;
  bool taken(const std::vector<Pose>& poses, PosePoint p, int keypoint) const;
  std::vector<Pose> without_occluded(std::vector<Pose> poses) const;

  const PoseMaps& m_;
  const PosenetAttrs& o_;
  int first_backward_;
  float squared_radius_;
};

float Decoder::sample(std::span<const float> map, int channels, PosePoint p, int channel) const {
  const auto y0 = static_cast<int64_t>(p.y);
  const auto x0 = static_cast<int64_t>(p.x);
  const int64_t y1 = std::min(y0 + 1, m_.height - 1);
  const int64_t x1 = std::min(x0 + 1, m_.width - 1);
  const float fy = p.y - static_cast<float>(y0);
  const float fx = p.x - static_cast<float>(x0);
  const float top =
      (1.0F - fx) * at(map, channels, y0, x0, channel) + fx * at(map, channels, y0, x1, channel);
  const float bottom =
      (1.0F - fx) * at(map, channels, y1, x0, channel) + fx * at(map, channels, y1, x1, channel);
  return (1.0F - fy) * top + fy * bottom;
}

// No larger value of the channel in the 3x3 blocks around.
bool Decoder::is_peak(int64_t y, int64_t x, int keypoint) const {
  const float here = at(m_.heatmaps, kKeypoints, y, x, keypoint);
  for (int64_t v = std::max<int64_t>(y - 1, 0); v <= std::min(y + 1, m_.height - 1); ++v) {
    for (int64_t u = std::max<int64_t>(x - 1, 0); u <= std::min(x + 1, m_.width - 1); ++u) {
      if (at(m_.heatmaps, kKeypoints, v, u, keypoint) > here) return false;
    }
  }
  return true;
}

CandidateHeap Decoder::candidates() const {
  const auto limit =
      static_cast<float>(-std::log(1.0 / (static_cast<double>(o_.score_threshold) + 1e-6) - 1.0));
  CandidateHeap heap;
  for (int64_t y = 0; y < m_.height; ++y) {
    for (int64_t x = 0; x < m_.width; ++x) {
      for (int k = 0; k < kKeypoints; ++k) {
        const float score = at(m_.heatmaps, kKeypoints, y, x, k);
        if (!(score >= limit) || !is_peak(y, x, k)) continue;
        const float dy = at(m_.short_offsets, 2 * kKeypoints, y, x, k);
        const float dx = at(m_.short_offsets, 2 * kKeypoints, y, x, kKeypoints + k);
        heap.push({score, clamped({static_cast<float>(y) + dy, static_cast<float>(x) + dx}), k});
      }
    }
  }
  return heap;
}

// Along one edge, then a few times to where the blocks say the target is.
Candidate Decoder::walk(PosePoint from, int walk, int target) const {
  const int y_channel = walk < first_backward_ ? walk : walk + kPoseEdges;
  PosePoint p = displaced(m_.mid_offsets, 4 * kPoseEdges, from, y_channel, y_channel + kPoseEdges);
  for (int i = 0; i < kRefinements; ++i) {
    p = displaced(m_.short_offsets, 2 * kKeypoints, p, target, kKeypoints + target);
  }
  return {heat(p, target), p, target};
}

// The whole pose that a keypoint belongs to: the most certain neighbour next.
Pose Decoder::decode(const Candidate& root) const {
  Pose pose;
  std::array<bool, kKeypoints> set = {};
  CandidateHeap heap;
  heap.push({heat(root.point, root.keypoint), root.point, root.keypoint});
  while (!heap.empty()) {
    const Candidate c = heap.pop();
    const auto id = static_cast<size_t>(c.keypoint);
    if (set[id]) continue;
    set[id] = true;
    pose.points[id] = c.point;
    pose.scores[id] = sigmoid(c.score);
    for (int walk_id = 0; walk_id < 2 * kPoseEdges; ++walk_id) {
      const bool back = walk_id >= kPoseEdges;
      const PoseEdge& edge = kEdges[static_cast<size_t>(walk_id % kPoseEdges)];
      const int target = edge[back ? 0 : 1];
      if (edge[back ? 1 : 0] != c.keypoint || set[static_cast<size_t>(target)]) continue;
      heap.push(walk(c.point, walk_id, target));
    }
  }
  pose.score = pose_score(pose.scores);
  return pose;
}

bool Decoder::taken(const std::vector<Pose>& poses, PosePoint p, int keypoint) const {
  return std::any_of(poses.begin(), poses.end(), [&](const Pose& pose) {
    return squared_distance(pose.points[static_cast<size_t>(keypoint)], p) <= squared_radius_;
  });
}

void sort_by_score(std::vector<Pose>& poses) {
  std::stable_sort(poses.begin(), poses.end(),
                   [](const Pose& a, const Pose& b) { return a.score > b.score; });
}

// Keypoints that a better pose has at the same place do not count.
std::vector<Pose> Decoder::without_occluded(std::vector<Pose> poses) const {
  sort_by_score(poses);
  std::vector<Pose> better;
  std::vector<Pose> result;
  for (Pose& pose : poses) {
    std::array<float, kKeypoints> visible = pose.scores;
    for (int k = 0; k < kKeypoints; ++k) {
      const auto id = static_cast<size_t>(k);
      if (taken(better, pose.points[id], k)) visible[id] = 0.0F;
    }
    better.push_back(pose);
    pose.score = pose_score(visible);
    if (pose.score >= o_.score_threshold) result.push_back(pose);
  }
  sort_by_score(result);
  return result;
}

std::vector<Pose> Decoder::run() {
  std::vector<Pose> poses;
  CandidateHeap heap = candidates();
  while (!heap.empty() && poses.size() < static_cast<size_t>(o_.max_detections)) {
    const Candidate root = heap.pop();
    if (taken(poses, root.point, root.keypoint)) continue;
    const Pose pose = decode(root);
    if (pose.score >= o_.score_threshold) poses.push_back(pose);
  }
  poses = without_occluded(std::move(poses));
  for (Pose& pose : poses) {
    for (PosePoint& p : pose.points) {
      p = {p.y * static_cast<float>(o_.stride), p.x * static_cast<float>(o_.stride)};
    }
  }
  return poses;
}

}  // namespace

std::vector<Pose> decode_poses(const PoseMaps& maps, const PosenetAttrs& options,
                               int first_backward_walk) {
  return Decoder(maps, options, first_backward_walk).run();
}

namespace {

constexpr std::array<int64_t, 3> kDepths = {kKeypoints, 2 * kKeypoints, 4 * kPoseEdges};

Status check_operands(const OpContext& c) {
  if (c.input_count() != 3 || c.output_count() != 4) {
    return c.error(ErrorCode::op_unsupported,
                   std::to_string(c.input_count()) + " inputs and " +
                       std::to_string(c.output_count()) +
                       " outputs: what those beyond 3 and 4 hold (segmentation) is not known");
  }
  EDGETWIN_TRY(checks::operands(c, 3));
  for (size_t i = 0; i < 3; ++i) {
    const Shape& s = c.input_shape(i);
    const Shape& first = c.input_shape(0);
    const bool ok = s.rank() == 4 && first.rank() == 4 && s[0] == 1 && s[1] == first[1] &&
                    s[2] == first[2] && s[3] == kDepths[i];
    if (!ok) {
      return c.error(ErrorCode::op_shape, "input " + std::to_string(i) + " is " + to_string(s) +
                                              ", it must be 1xHxWx" + std::to_string(kDepths[i]));
    }
    if (c.input(i).dtype != c.input(0).dtype) return c.unsupported_types();
  }
  return Ok{};
}

Status check_options(const OpContext& c, const PosenetAttrs& o) {
  const auto fail = [&c](const std::string& what) {
    return c.error(ErrorCode::op_attribute, what);
  };
  if (o.max_detections < 1) return fail("max_detections is " + std::to_string(o.max_detections));
  if (o.stride < 1) return fail("stride is " + std::to_string(o.stride));
  if (!(o.score_threshold >= 0.0F && o.score_threshold <= 1.0F)) {
    return fail("score_threshold is " + std::to_string(o.score_threshold) + ", not within 0..1");
  }
  if (!(o.nms_radius >= 0.0F && std::isfinite(o.nms_radius))) {
    return fail("nms_radius is " + std::to_string(o.nms_radius));
  }
  return Ok{};
}

// Rows without a pose are zero.
void write(const std::vector<Pose>& poses, int64_t rows, const Args& args) {
  const std::array<int64_t, 4> sizes = {rows * kKeypoints * 2, rows * kKeypoints, rows, 1};
  for (size_t i = 0; i < 4; ++i) std::fill_n(args.output<float>(i), sizes[i], 0.0F);
  float* points = args.output<float>(0);
  float* scores = args.output<float>(1);
  for (size_t i = 0; i < poses.size(); ++i) {
    for (const PosePoint& p : poses[i].points) {
      *points++ = p.y;
      *points++ = p.x;
    }
    scores = std::copy(poses[i].scores.begin(), poses[i].scores.end(), scores);
    args.output<float>(2)[i] = poses[i].score;
  }
  *args.output<float>(3) = static_cast<float>(poses.size());
}

[[gnu::cold]] Result<std::vector<Shape>> pose_shapes(const OpContext& c, int64_t rows) {
  const std::vector<Shape> shapes = {
      {1, rows, kKeypoints, 2}, {1, rows, kKeypoints}, {1, rows}, {1}};
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (c.output(i).dtype != DType::float32) return c.unsupported_types();
    EDGETWIN_TRY(checks::output_shape(c, i, shapes[i]));
  }
  return shapes;
}

}  // namespace

Result<Prepared> prepare_posenet_decoder(const OpContext& c) {
  EDGETWIN_TRY(check_operands(c));
  const auto& o = c.op().as<PosenetAttrs>();
  EDGETWIN_TRY(check_options(c, o));
  Prepared prepared;
  EDGETWIN_TRY_ASSIGN(prepared.output_shapes, pose_shapes(c, o.max_detections));
  // Offsets are divided by the stride.
  const std::array<float, 3> extra = {1.0F, 1.0F / static_cast<float>(o.stride),
                                      1.0F / static_cast<float>(o.stride)};
  std::vector<RealOperand> inputs;
  for (size_t i = 0; i < 3; ++i) {
    EDGETWIN_TRY_ASSIGN(RealOperand input, RealOperand::make(c, i, extra[i]));
    inputs.push_back(input);
  }
  const int64_t height = c.input_shape(0)[1];
  const int64_t width = c.input_shape(0)[2];
  prepared.run = [inputs, height, width, o](const Args& args) -> Status {
    std::array<std::vector<float>, 3> maps;
    for (size_t i = 0; i < 3; ++i) maps[i] = inputs[i].read(args.inputs[i]);
    write(decode_poses({height, width, maps[0], maps[1], maps[2]}, o), o.max_detections, args);
    return Ok{};
  };
  return prepared;
}

}  // namespace edgetwin::ops
