// The spot tracker and the pattern tracker: a map, and the heads that tell where it is largest.
#include <algorithm>
#include <cmath>

#include "targets/edgetpu/templates/parts.h"

namespace edgetwin::edgetpu::templates {
namespace {

// The picture as int8, and the constants of the heads: what both trackers begin with.
struct Picture {
  ValueId input = kAbsent, signed_input = kAbsent;
};
Picture add_picture(Maker& m, int height, int width, int channels) {
  Picture p;
  p.input = m.tensor("input", DType::uint8, {1, height, width, channels}, affine(1.0, 0));
  p.signed_input = m.quantized_copy("input_int8", p.input, DType::int8, affine(1.0, -128));
  return p;
}

// A convolution to one channel without bias whose output holds the largest sum that can be.
struct Filter {
  int height = 1, width = 1, channels = 1;
  std::vector<int8_t> data;
  double scale = 1.0;
};
ValueId convolve(Maker& m, ValueId from, const Filter& f, Padding::Kind padding, int out_h,
                 int out_w) {
  const ValueId bias = m.zero_bias("bias", affine(f.scale, 0));
  const ValueId weights =
      m.weights("filter", {1, f.height, f.width, f.channels}, affine(f.scale, 0), f.data);
  const double scale = 255.0 * static_cast<double>(sum_of_magnitudes(f.data)) * f.scale / 127.0;
  const ValueId map = m.tensor("map", DType::int8, {1, out_h, out_w, 1}, affine(scale, -128));
  Conv2DAttrs attrs;
  attrs.padding.kind = padding;
  attrs.stride_h = attrs.stride_w = 1;
  attrs.activation = Activation::relu;
  m.op(OpKind::conv_2d, 3, attrs, {from, weights, bias}, map);
  return map;
}

Result<Filter> color_filter(const SpotTracker& a) {
  if (a.color_weights.size() != 3) {
    return refused("the variant '" + a.variant + "' needs three weights, of red, green and blue; " +
                       std::to_string(a.color_weights.size()) + " are given",
                   "color_weights");
  }
  std::vector<float> real;
  for (const double w : a.color_weights) {
    if (!std::isfinite(w)) return refused("a weight is not finite", "color_weights");
    real.push_back(static_cast<float>(w));
  }
  QuantizedWeights q = quantize_weights(real, 1e-6);
  if (sum_of_magnitudes(q.data) == 0) return refused("all weights are 0", "color_weights");
  return Filter{1, 1, 3, std::move(q.data), q.scale};
}

Result<Filter> pattern_filter(const PatternTracker& a) {
  Filter f{a.kernel_h, a.kernel_w, a.channels, a.conv_weights_int8, 1.0};
  const size_t count = static_cast<size_t>(a.kernel_h) * static_cast<size_t>(a.kernel_w) *
                       static_cast<size_t>(a.channels);
  if (!f.data.empty()) {
    if (f.data.size() != count) {
      return refused(std::to_string(f.data.size()) + " weights, the pattern has " +
                         std::to_string(a.kernel_h) + " x " + std::to_string(a.kernel_w) + " x " +
                         std::to_string(a.channels) + " = " + std::to_string(count),
                     "conv_weights_int8");
    }
    if (sum_of_magnitudes(f.data) == 0) return refused("all weights are 0", "conv_weights_int8");
    f.scale = scale_of_integers(f.data);
    return f;
  }
  const double sigma = std::max(a.kernel_h, a.kernel_w) / 4.0;
  std::vector<double> bell;
  for (int y = 0; y < a.kernel_h; ++y) {
    for (int x = 0; x < a.kernel_w; ++x) {
      const double dx = x - a.kernel_w / 2.0, dy = y - a.kernel_h / 2.0;
      bell.push_back(std::exp(-(dx * dx + dy * dy) / (2.0 * sigma * sigma)));
    }
  }
  const double most = *std::max_element(bell.begin(), bell.end());
  std::vector<float> real;
  for (const double b : bell) {
    const float w = static_cast<float>(b / most) / static_cast<float>(a.channels);
    real.insert(real.end(), static_cast<size_t>(a.channels), w);
  }
  QuantizedWeights q = quantize_weights(real, 1e-6);
  f.data = std::move(q.data);
  f.scale = q.scale;
  return f;
}

}  // namespace

Result<Template> build(const SpotTracker& a) {
  EDGETWIN_TRY(check_ranges(a));
  const bool bright = a.variant == "bright";
  if (!bright && !a.variant.starts_with("color")) {
    return refused("there is no variant '" + a.variant + "'; bright and color_NAME are possible",
                   "variant");
  }
  if (bright && !a.color_weights.empty()) {
    return refused("the variant bright has no weights of colours", "color_weights");
  }
  EDGETWIN_TRY(Heads::check(a.height, a.width, a.temperature));
  Filter filter;
  if (!bright) {
    EDGETWIN_TRY_ASSIGN(filter, color_filter(a));
  }
  Maker m("spot tracker " + a.variant);
  const Picture p = add_picture(m, a.height, a.width, filter.channels);
  Heads heads(m, a.height, a.width, a.temperature);
  ValueId map = p.signed_input;
  if (!bright) map = convolve(m, map, filter, Padding::Kind::same, a.height, a.width);
  const ValueId output = heads.finish(map);
  Metadata metadata{{"height", int64_t{a.height}},
                    {"width", int64_t{a.width}},
                    {"channels", int64_t{filter.channels}}};
  heads.describe_output(metadata);
  metadata.emplace_back("variant", a.variant);
  heads.describe_softmax(metadata);
  if (!bright) metadata.emplace_back("color_weight_scale", filter.scale);
  return std::move(m).finish(p.input, output, std::move(metadata));
}

Result<Template> build(const PatternTracker& a) {
  EDGETWIN_TRY(check_ranges(a));
  if (a.kernel_h >= a.search_h || a.kernel_w >= a.search_w) {
    return refused("a pattern of " + std::to_string(a.kernel_h) + " x " +
                       std::to_string(a.kernel_w) + " must be smaller than the picture, " +
                       std::to_string(a.search_h) + " x " + std::to_string(a.search_w) +
                       ", in both directions",
                   "kernel_h");
  }
  const int out_h = a.search_h - a.kernel_h + 1, out_w = a.search_w - a.kernel_w + 1;
  EDGETWIN_TRY(Heads::check(out_h, out_w, a.temperature));
  EDGETWIN_TRY_ASSIGN(const Filter filter, pattern_filter(a));
  Maker m("pattern tracker");
  const Picture p = add_picture(m, a.search_h, a.search_w, a.channels);
  Heads heads(m, out_h, out_w, a.temperature);
  const ValueId map = convolve(m, p.signed_input, filter, Padding::Kind::valid, out_h, out_w);
  const ValueId output = heads.finish(map);
  Metadata metadata{{"search_height", int64_t{a.search_h}},
                    {"search_width", int64_t{a.search_w}},
                    {"kernel_height", int64_t{a.kernel_h}},
                    {"kernel_width", int64_t{a.kernel_w}},
                    {"channels", int64_t{a.channels}}};
  heads.describe_output(metadata);
  heads.describe_softmax(metadata);
  metadata.emplace_back("conv_weight_scale", filter.scale);
  metadata.emplace_back("conv_weight_zero_point", int64_t{0});
  metadata.emplace_back("conv_weight_count", static_cast<int64_t>(filter.data.size()));
  return std::move(m).finish(p.input, output, std::move(metadata));
}

}  // namespace edgetwin::edgetpu::templates
