// Shifts, quantiles, preprocessing, folding of batch norm.
#include <cmath>

#include "train/cases/kinds.h"
#include "train/layers/fold.h"
#include "train/layers/shift.h"
#include "train/rules/rules.h"

namespace edgetwin::train {
namespace {

// (c, h, w) with ratio r to (r * r * c, h / r, w / r): by row phase, column phase, channel.
std::vector<float> folded(std::span<const float> in, const Shape& shape, int64_t r, bool back) {
  const int64_t channels = shape[0], h = shape[1], w = shape[2];
  std::vector<float> out(in.size());
  for (int64_t c = 0; c < channels; ++c) {
    for (int64_t y = 0; y < h; ++y) {
      for (int64_t x = 0; x < w; ++x) {
        const int64_t plane = (y % r * r + x % r) * channels + c;
        const auto flat = static_cast<size_t>((c * h + y) * w + x);
        const auto deep = static_cast<size_t>((plane * (h / r) + y / r) * (w / r) + x / r);
        out[back ? flat : deep] = in[back ? deep : flat];
      }
    }
  }
  return out;
}

}  // namespace

Result<CaseResults> compute_shift(const CaseArrays& in) {
  EDGETWIN_TRY_ASSIGN(const std::vector<float> limits, in.floats("limit"));
  std::vector<float> shifts;
  for (const float limit : limits) shifts.push_back(static_cast<float>(shift_of_limit(limit)));
  CaseResults results;
  results.add("shift", {static_cast<int64_t>(shifts.size())}, std::span<const float>(shifts));
  return results;
}

Result<CaseResults> compute_quantile(const CaseArrays& in) {
  EDGETWIN_TRY_ASSIGN(const Tensor* table, in.get("table"));
  if (table->shape.rank() != 2 || table->shape[1] < 2) {
    return broken(Rule::recorded_case, "the table has no columns of vectors and quantiles");
  }
  std::vector<double> rows;
  for (int64_t i = 0; i < table->shape[0]; ++i) {
    const double vector = element_as_double(table->dtype, table->data, i * table->shape[1]);
    const double q = element_as_double(table->dtype, table->data, i * table->shape[1] + 1);
    EDGETWIN_TRY_ASSIGN(const std::vector<float> v,
                        in.floats("v" + std::to_string(static_cast<int>(vector))));
    const auto part = static_cast<float>(q);
    const float older = magnitude_quantile(v, {}, part, QuantileRule::older);
    const float ordinary = magnitude_quantile(v, {}, part, QuantileRule::ordinary);
    rows.insert(rows.end(), {vector, q, static_cast<double>(older), static_cast<double>(ordinary),
                             static_cast<double>(shift_of_limit(older))});
  }
  CaseResults results;
  results.add("table", {table->shape[0], 5}, std::span<const double>(rows));
  return results;
}

Result<CaseResults> compute_preprocess(const CaseEntry& entry, const CaseArrays& in) {
  EDGETWIN_TRY_ASSIGN(const std::vector<float> bytes, in.floats("byte"));
  std::vector<int32_t> image, raw;
  std::vector<float> image_float, raw_float;
  for (const float byte : bytes) {
    const float x = byte / 255.0F;
    const float t = std::clamp(std::nearbyint((x - 0.5F) * 256.0F), -128.0F, 127.0F);
    image.push_back(static_cast<int32_t>(t));
    image_float.push_back(t / 128.0F);
    raw.push_back(static_cast<int32_t>(byte) - 128);
    raw_float.push_back((byte - 128.0F) / 128.0F);
  }
  const Shape shape = {static_cast<int64_t>(bytes.size())};
  CaseResults results;
  results.add("image_int", DType::int16, shape, image);
  results.add("image_float", shape, std::span<const float>(image_float));
  results.add("raw_int", DType::int16, shape, raw);
  results.add("raw_float", shape, std::span<const float>(raw_float));
  EDGETWIN_TRY_ASSIGN(const Tensor* fold_in, in.get("fold_in"));
  const int64_t r = entry.integer("fold_ratio", 1);
  const Shape& s = fold_in->shape;
  if (s.rank() != 3 || r < 1 || s[1] % r != 0 || s[2] % r != 0) {
    return broken(Rule::recorded_case, "the ratio does not divide the picture");
  }
  const std::vector<float> out = folded(float_values(*fold_in), s, r, false);
  results.add("fold_out", {s[0] * r * r, s[1] / r, s[2] / r}, std::span<const float>(out));
  results.add("unfold_out", {1, s[0], s[1], s[2]}, std::span<const float>(folded(out, s, r, true)));
  return results;
}

namespace {

// Every array of a channel has as many numbers as the weights have output channels.
Status check_fold(const LayerParameters& p, int64_t channels) {
  const BatchNorm& norm = *p.norm;
  for (const auto* values : {&p.bias, &norm.scale, &norm.offset, &norm.mean, &norm.variance}) {
    const bool optional = values == &p.bias || values == &norm.scale || values == &norm.offset;
    if (optional && values->empty()) continue;
    if (static_cast<int64_t>(values->size()) == channels) continue;
    return broken(Rule::recorded_case, "an array has " + std::to_string(values->size()) +
                                           " numbers, the weights " + std::to_string(channels) +
                                           " output channels");
  }
  return Ok{};
}

}  // namespace

Result<CaseResults> compute_fold(const CaseEntry& entry, const CaseArrays& in) {
  EDGETWIN_TRY_ASSIGN(const Tensor* w, in.get("w"));
  const bool transposed = file_has(entry, "transpose");  // output channels on the second axis
  if (w->shape.rank() < 2) return broken(Rule::recorded_case, "the weights have no two axes");
  const int64_t channels = w->shape[transposed ? 1 : 0];
  LayerParameters stored{.weights = float_values(*w), .bias = {}, .norm = BatchNorm()};
  stored.bias = in.floats_or_none("b");
  stored.norm->scale = in.floats_or_none("bn_weight");
  stored.norm->offset = in.floats_or_none("bn_bias");
  EDGETWIN_TRY_ASSIGN(stored.norm->mean, in.floats("mean"));
  EDGETWIN_TRY_ASSIGN(stored.norm->variance, in.floats("var"));
  EDGETWIN_TRY(check_fold(stored, channels));
  Window window;
  window.first = static_cast<int>(w->shape[0]);
  window.second = static_cast<int>(w->shape[1]);
  window.kernel = {static_cast<int>(w->shape.elements(2, w->shape.rank())), 1};
  const auto started =
      static_cast<float>(entry.number("eps", static_cast<double>(kBatchNormEpsilon)));
  CaseResults results;
  for (const auto& [name, epsilon] :
       {std::pair{"auto", started}, std::pair{"offline", kOfflineEpsilon}}) {
    LayerParameters p = stored;
    fold_batch_norm(p, window, transposed, epsilon);
    results.add(std::string("w_") + name, w->shape, std::span<const float>(p.weights));
    results.add(std::string("b_") + name, {channels}, std::span<const float>(p.bias));
  }
  return results;
}

}  // namespace edgetwin::train
