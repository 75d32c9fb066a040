#include "decode/espdl/features/features.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "decode/espdl/core/outputs.h"

namespace edgetwin::espdl_decode {
namespace {

constexpr float kNoThreshold = std::numeric_limits<float>::lowest();
constexpr float kMatchThreshold = 0.5F;
constexpr float kRootStep = 0.00001F;
constexpr std::array kGestures = {"one", "two",        "three", "four",    "five",   "like",
                                  "ok",  "no_gesture", "call",  "dislike", "no_hand"};

Result<Map> only_output(std::span<const Tensor> outputs) {
  if (outputs.size() != 1) {
    return Error(ErrorCode::decode_maps, "there are " + std::to_string(outputs.size()) +
                                             " outputs, this decoder takes one");
  }
  EDGETWIN_TRY_ASSIGN(const Map map, Map::of(outputs[0]));
  EDGETWIN_TRY(check_map(map, map.channels(), 1, 1));
  return map;
}

Result<Decoded> classes_of(std::span<const Tensor> outputs, const Params& params, int most) {
  EDGETWIN_TRY_ASSIGN(const Map map, only_output(outputs));
  std::vector<float> scores;
  float sum = 0.0F;
  for (int64_t c = 0; c < map.channels(); ++c) {
    scores.push_back(params.softmax ? std::exp(map.real(0, c)) : map.real(0, c));
    sum += scores.back();
  }
  Decoded decoded;
  decoded.classes.emplace();
  const float threshold = params.score_threshold.value_or(kNoThreshold);
  for (size_t c = 0; c < scores.size(); ++c) {
    const float score = params.softmax ? scores[c] / sum : scores[c];
    if (score > threshold) decoded.classes->push_back({static_cast<int>(c), score});
  }
  std::stable_sort(decoded.classes->begin(), decoded.classes->end(),
                   [](const ClassScore& a, const ClassScore& b) { return a.score > b.score; });
  const auto wanted = static_cast<size_t>(params.top_k.value_or(most));
  if (decoded.classes->size() > wanted) decoded.classes->resize(wanted);
  return decoded;
}

// Newton's steps from the number itself; each at least halves a large number, so they end.
float newton_root(float number) {
  constexpr int kMostSteps = 200;
  float root = number;
  for (int i = 0; i < kMostSteps; ++i) {
    const float next = (root + number / root) / 2.0F;
    const float step = std::abs(next - root);
    root = next;
    if (step <= kRootStep) break;
  }
  return root;
}

}  // namespace

Result<Decoded> decode_imagenet(std::span<const Tensor> outputs, const Params& params) {
  return classes_of(outputs, params, 5);
}

Result<Decoded> decode_gesture(std::span<const Tensor> outputs, const Params& params) {
  EDGETWIN_TRY_ASSIGN(Decoded decoded, classes_of(outputs, params, 1));
  decoded.names.assign(kGestures.begin(), kGestures.end());
  return decoded;
}

Result<Decoded> decode_feature(std::span<const Tensor> outputs, const Params& /*params*/) {
  EDGETWIN_TRY_ASSIGN(const Map map, only_output(outputs));
  EDGETWIN_TRY_ASSIGN(Tensor feature, Tensor::zeros(DType::float32, {map.channels()}));
  feature.name = "feature";
  float sum = 0.0F;
  for (int64_t i = 0; i < map.channels(); ++i) sum += map.real(0, i) * map.real(0, i);
  if (!(sum > 0.0F) || !std::isfinite(sum)) {
    return Error(ErrorCode::decode_maps,
                 "output '" + map.name() + "' has the length 0 or none: it is not a feature");
  }
  const float length = newton_root(sum);
  for (int64_t i = 0; i < map.channels(); ++i) {
    feature.as<float>()[static_cast<size_t>(i)] = map.real(0, i) / length;
  }
  Decoded decoded;
  decoded.arrays.push_back(std::move(feature));
  return decoded;
}

Result<Decoded> match_features(const Tensor& query, std::span<const Tensor> database,
                               const Params& params) {
  const auto check = [&query](const Tensor& t) -> Status {
    if (t.dtype == DType::float32 && !t.data.empty() && t.data.size() == query.data.size()) {
      return Ok{};
    }
    return Error(ErrorCode::decode_maps, "feature '" + t.name + "' is " + to_string(t.shape) + " " +
                                             std::string(name(t.dtype)) +
                                             ", the one asked for is " + to_string(query.shape) +
                                             " " + std::string(name(query.dtype)))
        .with_hint("Compare features of one model only; they are float32.");
  };
  EDGETWIN_TRY(check(query));
  Decoded decoded;
  decoded.matches.emplace();
  int position = 0;
  for (size_t i = 0; i < database.size(); ++i) {
    EDGETWIN_TRY(check(database[i]));
    const auto& gone = params.deleted;
    if (std::find(gone.begin(), gone.end(), static_cast<int>(i + 1)) != gone.end()) continue;
    ++position;
    float sum = 0.0F;
    for (size_t k = 0; k < query.as<float>().size(); ++k) {
      sum += query.as<float>()[k] * database[i].as<float>()[k];
    }
    if (sum > params.threshold.value_or(kMatchThreshold)) {
      decoded.matches->push_back({position, sum});
    }
  }
  std::stable_sort(decoded.matches->begin(), decoded.matches->end(),
                   [](const Match& a, const Match& b) { return a.similarity > b.similarity; });
  const auto wanted = static_cast<size_t>(params.top_k.value_or(1));
  if (decoded.matches->size() > wanted) decoded.matches->resize(wanted);
  return decoded;
}

}  // namespace edgetwin::espdl_decode
