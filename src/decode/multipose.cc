// MultiPose: a displacement for every edge of the skeleton, walked from a peak of a heatmap.
#include <algorithm>
#include <cmath>

#include "decode/maps.h"
#include "decode/posenet.h"

namespace edgetwin::decode {
namespace {

constexpr int kRefinements = 2;

struct Maps {
  int64_t height = 0, width = 0;
  std::vector<float> heat, offsets, forward, backward;
};

bool has(const Tensor& t, std::string_view word) { return t.name.find(word) != std::string::npos; }

Result<const Tensor*> find(std::span<const Tensor> maps, std::string_view word, int64_t channels,
                           size_t nth) {
  for (const Tensor& t : maps) {
    const auto size = map_size(t);
    // "displacement_fwd" says nothing of offsets.
    if (size.ok() && size->channels == channels && has(t, word)) return &t;
  }
  for (const Tensor& t : maps) {
    const auto size = map_size(t);
    if (size.ok() && size->channels == channels && nth-- == 0) return &t;
  }
  return maps_error("no map with " + std::to_string(channels) + " channels for '" +
                    std::string(word) + "'");
}

Result<Maps> maps_of(std::span<const Tensor> tensors) {
  constexpr int64_t kEdgeChannels = 2 * ops::kPoseEdges;
  EDGETWIN_TRY_ASSIGN(const Tensor* heat, find(tensors, "heatmap", kKeypoints, 0));
  EDGETWIN_TRY_ASSIGN(const Tensor* offsets, find(tensors, "offset", 2 * kKeypoints, 0));
  EDGETWIN_TRY_ASSIGN(const Tensor* forward, find(tensors, "fwd", kEdgeChannels, 0));
  EDGETWIN_TRY_ASSIGN(const Tensor* backward, find(tensors, "bwd", kEdgeChannels, 1));
  Maps m;
  const MapSize size = *map_size(*heat);
  m.height = size.height, m.width = size.width;
  for (const Tensor* t : {offsets, forward, backward}) {
    const MapSize s = *map_size(*t);
    if (s.height != size.height || s.width != size.width) {
      return maps_error("'" + t->name + "' is " + to_string(t->shape) + ", the heatmaps are " +
                        to_string(heat->shape));
    }
  }
  EDGETWIN_TRY_ASSIGN(m.heat, real_values(*heat));
  EDGETWIN_TRY_ASSIGN(m.offsets, real_values(*offsets));
  EDGETWIN_TRY_ASSIGN(m.forward, real_values(*forward));
  EDGETWIN_TRY_ASSIGN(m.backward, real_values(*backward));
  for (float& v : m.heat) v = ops::sigmoid(v);
  return m;
}

struct Peak {
  float score = 0.0F;
  int keypoint = 0;
  int64_t y = 0, x = 0;
};

class Decoder {
 public:
  Decoder(const Maps& maps, const MultiposeOptions& options)
      : m_(maps), o_(options), stride_(static_cast<float>(options.stride)) {}

  std::vector<Person> run() const {
    std::vector<Person> people;
    const double reach = o_.nms_radius * o_.nms_radius;
    for (const Peak& peak : peaks()) {
      if (people.size() >= static_cast<size_t>(o_.most)) break;
      const auto k = static_cast<size_t>(peak.keypoint);
      const ops::PosePoint at = refined(peak.y, peak.x, peak.keypoint);
      const bool taken = std::any_of(people.begin(), people.end(), [&](const Person& p) {
        const double dy = p.points[k].y - static_cast<double>(at.y);
        const double dx = p.points[k].x - static_cast<double>(at.x);
        return dy * dy + dx * dx <= reach;
      });
      if (!taken) people.push_back(person(peak, at));
    }
    std::stable_sort(people.begin(), people.end(),
                     [](const Person& a, const Person& b) { return a.score > b.score; });
    return people;
  }

 private:
  float at(const std::vector<float>& map, int channels, int64_t y, int64_t x, int channel) const {
    return map[static_cast<size_t>((y * m_.width + x) * channels + channel)];
  }
  int64_t block(float p, int64_t size) const {
    const float last = static_cast<float>(size - 1);
    const float b = p / stride_;
    return static_cast<int64_t>(b > 0.0F ? std::min(b, last) : 0.0F);
  }
  ops::PosePoint refined(int64_t y, int64_t x, int k) const {
    return {static_cast<float>(y) * stride_ + at(m_.offsets, 2 * kKeypoints, y, x, k),
            static_cast<float>(x) * stride_ + at(m_.offsets, 2 * kKeypoints, y, x, kKeypoints + k)};
  }
  Keypoint keypoint(ops::PosePoint p, int k) const {
    const float score = at(m_.heat, kKeypoints, block(p.y, m_.height), block(p.x, m_.width), k);
    return {static_cast<double>(p.x), static_cast<double>(p.y), static_cast<double>(score)};
  }

  std::vector<Peak> peaks() const;
  ops::PosePoint step(ops::PosePoint p, const std::vector<float>& displacements, int edge,
                      int target) const;
  Person person(const Peak& peak, ops::PosePoint root) const;

  const Maps& m_;
  const MultiposeOptions& o_;
  float stride_;
};

std::vector<Peak> Decoder::peaks() const {
  std::vector<Peak> all;
  for (int k = 0; k < kKeypoints; ++k) {
    for (int64_t y = 0; y < m_.height; ++y) {
      for (int64_t x = 0; x < m_.width; ++x) {
        const float score = at(m_.heat, kKeypoints, y, x, k);
        if (!(score >= static_cast<float>(o_.threshold)) || !(score > 0.0F)) continue;
        bool largest = true;
        for (int64_t v = std::max<int64_t>(y - 1, 0); v <= std::min(y + 1, m_.height - 1); ++v) {
          for (int64_t u = std::max<int64_t>(x - 1, 0); u <= std::min(x + 1, m_.width - 1); ++u) {
            largest = largest && !(at(m_.heat, kKeypoints, v, u, k) > score);
          }
        }
        if (largest) all.push_back({score, k, y, x});
      }
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Peak& a, const Peak& b) { return a.score > b.score; });
  return all;
}

ops::PosePoint Decoder::step(ops::PosePoint p, const std::vector<float>& displacements, int edge,
                             int target) const {
  const int64_t y = block(p.y, m_.height), x = block(p.x, m_.width);
  p.y += at(displacements, 2 * ops::kPoseEdges, y, x, edge);
  p.x += at(displacements, 2 * ops::kPoseEdges, y, x, ops::kPoseEdges + edge);
  for (int i = 0; i < kRefinements; ++i) {
    p = refined(block(p.y, m_.height), block(p.x, m_.width), target);
  }
  return p;
}

Person Decoder::person(const Peak& peak, ops::PosePoint root) const {
  Person result;
  std::array<bool, kKeypoints> set = {};
  std::array<ops::PosePoint, kKeypoints> points = {};
  const auto put = [&](int k, ops::PosePoint p) {
    const auto id = static_cast<size_t>(k);
    set[id] = true;
    points[id] = p;
    result.points[id] = keypoint(p, k);
  };
  put(peak.keypoint, root);
  result.points[static_cast<size_t>(peak.keypoint)].score = static_cast<double>(peak.score);
  const auto walk = [&](int from, int to, const std::vector<float>& map, int edge) {
    if (!set[static_cast<size_t>(from)] || set[static_cast<size_t>(to)]) return;
    put(to, step(points[static_cast<size_t>(from)], map, edge, to));
  };
  for (int e = ops::kPoseEdges - 1; e >= 0; --e) {
    const auto& edge = ops::kEdges[static_cast<size_t>(e)];
    walk(edge[1], edge[0], m_.backward, e);
  }
  for (int e = 0; e < ops::kPoseEdges; ++e) {
    const auto& edge = ops::kEdges[static_cast<size_t>(e)];
    walk(edge[0], edge[1], m_.forward, e);
  }
  for (const Keypoint& p : result.points) result.score += p.score;
  result.score /= kKeypoints;
  return result;
}

}  // namespace

Result<std::vector<Person>> decode_multipose(std::span<const Tensor> maps,
                                             const MultiposeOptions& options) {
  if (options.stride < 1 || options.most < 1 || !(options.nms_radius >= 0.0)) {
    return Error(ErrorCode::decode_options,
                 "stride " + std::to_string(options.stride) + ", " + std::to_string(options.most) +
                     " people and radius " + std::to_string(options.nms_radius) +
                     ": the first two must be 1 or more, the last 0 or more");
  }
  EDGETWIN_TRY_ASSIGN(const Maps m, maps_of(maps));
  return Decoder(m, options).run();
}

}  // namespace edgetwin::decode
