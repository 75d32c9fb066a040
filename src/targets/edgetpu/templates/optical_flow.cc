// Banks of filters over a grey picture.
#include <algorithm>
#include <cmath>

#include "targets/edgetpu/templates/parts.h"

namespace edgetwin::edgetpu::templates {
namespace {

Status check(const OpticalFlow& a) {
  if (a.ksize % 2 == 0) {
    return refused("filters of " + std::to_string(a.ksize) + " rows; the number must be odd",
                   "ksize");
  }
  if (a.sigmas.empty() || a.sigmas.size() * static_cast<size_t>(a.orientations) > 1024) {
    return refused(std::to_string(a.sigmas.size()) + " sizes times " +
                       std::to_string(a.orientations) +
                       " directions; 1 to 1024 filters are "
                       "possible",
                   "sigmas");
  }
  for (const double s : a.sigmas) {
    if (!(s > 0.0) || !std::isfinite(s)) return refused("a size must be above 0", "sigmas");
  }
  return Ok{};
}

Bank gabor(const OpticalFlow& a, int pool) {
  Bank b;
  b.height = a.height;
  b.width = a.width;
  b.ksize = a.ksize;
  b.filters = a.orientations * static_cast<int>(a.sigmas.size());
  b.pool = pool;
  b.input_scale = 1.0 / 255.0;
  const std::vector<float> bank = gabor_bank(a.ksize, a.orientations, a.sigmas);
  const size_t area = static_cast<size_t>(a.ksize) * static_cast<size_t>(a.ksize);
  const auto filters = static_cast<size_t>(b.filters);
  b.weights.resize(bank.size());
  for (size_t f = 0; f < filters; ++f) {
    const std::vector<float> one(&bank[f * area], &bank[f * area] + area);
    const QuantizedWeights q = quantize_weights(one, 1e-6);
    b.scales.push_back(q.scale);
    for (size_t i = 0; i < area; ++i) b.weights[i * filters + f] = q.data[i];
  }
  b.output_scale = static_cast<double>(area) * 127.0 * 1.5 * b.input_scale * mean(b.scales) / 127.0;
  return b;
}

Metadata flow_metadata(const OpticalFlow& a, const Bank& b) {
  const int64_t side = std::max(b.pool, 1);
  return {{"height", int64_t{a.height}},
          {"width", int64_t{a.width}},
          {"ksize", int64_t{a.ksize}},
          {"orientations", int64_t{a.orientations}},
          {"sigmas", a.sigmas},
          {"num_filters", int64_t{b.filters}},
          {"input_scale", b.input_scale},
          {"input_zero_point", int64_t{0}},
          {"output_scale", b.output_scale},
          {"output_zero_point", int64_t{0}},
          {"output_count", (a.height / side) * (a.width / side) * b.filters},
          {"gabor_weight_scale", mean(b.scales)}};
}

}  // namespace

Result<Template> build(const OpticalFlow& a) {
  EDGETWIN_TRY(check_ranges(a));
  EDGETWIN_TRY(check(a));
  const Bank b = gabor(a, 0);
  return bank_template(b, flow_metadata(a, b), "optical flow");
}

Result<Template> build(const OpticalFlowPooled& a) {
  EDGETWIN_TRY(check_ranges(a));
  const OpticalFlow plain{a.height, a.width, a.ksize, a.orientations, a.sigmas};
  EDGETWIN_TRY(check(plain));
  for (const auto& [size, name] : {std::pair(a.height, "height"), std::pair(a.width, "width")}) {
    if (size % a.pool_factor == 0) continue;
    return refused(std::string("a ") + name + " of " + std::to_string(size) +
                       " is no multiple of the pool factor, " + std::to_string(a.pool_factor),
                   name);
  }
  const Bank b = gabor(plain, a.pool_factor);
  Metadata metadata = flow_metadata(plain, b);
  metadata.emplace_back("fused_pool", int64_t{a.pool_factor});
  return bank_template(b, std::move(metadata), "optical flow, pooled");
}

Result<Template> build(const SimpleDepthwise& a) {
  EDGETWIN_TRY(check_ranges(a));
  const size_t area = static_cast<size_t>(a.ksize) * static_cast<size_t>(a.ksize);
  const auto filters = static_cast<size_t>(a.num_filters);
  if (!a.kernel_weights.empty() && a.kernel_weights.size() != area * filters) {
    return refused(std::to_string(a.kernel_weights.size()) + " weights, the filters have " +
                       std::to_string(area * filters),
                   "kernel_weights");
  }
  if (!(a.input_scale > 0.0)) return refused("the scale must be above 0", "input_scale");
  Bank b;
  b.height = a.height;
  b.width = a.width;
  b.ksize = a.ksize;
  b.filters = a.num_filters;
  b.input_scale = a.input_scale;
  b.weights.resize(area * filters);
  for (size_t f = 0; f < filters; ++f) {
    std::vector<float> one(area, 1.0F);
    for (size_t i = 0; i < area && !a.kernel_weights.empty(); ++i) {
      one[i] = static_cast<float>(a.kernel_weights[i * filters + f]);
    }
    const QuantizedWeights q = quantize_weights(one, 1e-6);
    b.scales.push_back(q.scale);
    for (size_t i = 0; i < area; ++i) b.weights[i * filters + f] = q.data[i];
  }
  const double average = mean(b.scales);
  const double spread = 127.0 / std::sqrt(3.0);
  b.output_scale = a.output_scale > 0.0 ? a.output_scale
                                        : std::sqrt(static_cast<double>(area)) * (spread * spread) /
                                              127.0 * a.input_scale * average / 127.0;
  Metadata metadata{{"height", int64_t{a.height}},    {"width", int64_t{a.width}},
                    {"ksize", int64_t{a.ksize}},      {"num_filters", int64_t{a.num_filters}},
                    {"input_scale", a.input_scale},   {"input_zero_point", int64_t{0}},
                    {"output_scale", b.output_scale}, {"output_zero_point", int64_t{0}},
                    {"weight_scales", b.scales},      {"avg_weight_scale", average}};
  return bank_template(b, std::move(metadata), "depthwise convolution");
}

}  // namespace edgetwin::edgetpu::templates
