#include "robotics/flow/replica.h"

#include <algorithm>
#include <cmath>

#include "robotics/picture.h"
#include "targets/edgetpu/templates/templates.h"

namespace edgetwin::robotics {
namespace {

Error bad_replica(std::string message) {
  return Error(ErrorCode::module_input, std::move(message));
}

int8_t to_int8(double v) {
  return static_cast<int8_t>(std::clamp(std::nearbyint(v), -128.0, 127.0));
}

}  // namespace

Result<FlowReplica> FlowReplica::make(int height, int width, const ReplicaOptions& options) {
  ReplicaOptions o = options;
  edgetpu::templates::OpticalFlowPooled a;
  a.height = height;
  a.width = width;
  a.ksize = o.ksize;
  a.orientations = o.orientations;
  a.sigmas = o.sigmas;
  a.pool_factor = o.pool_factor;
  if (height < 1 || width < 1 || o.ksize < 1 || o.orientations < 1) {
    return bad_replica("a picture of " + std::to_string(height) + " x " + std::to_string(width));
  }
  const auto made = edgetpu::templates::build(a);
  if (!made.ok()) return bad_replica(made.error().message);
  // The filters are those of the template.
  const Graph& graph = made->model.main();
  const Value& weights = graph.value(graph.ops[1].inputs[1]);
  const Value& map = graph.value(graph.ops[1].outputs[0]);
  if (o.conv_scale == 0.0) o.conv_scale = static_cast<double>(map.quant.scale[0]);
  if (o.pool_scale == 0.0) o.pool_scale = o.conv_scale;
  if (o.final_scale == 0.0) o.final_scale = o.pool_scale;
  for (const double s : {o.input_scale, o.int8_scale, o.conv_scale, o.pool_scale, o.final_scale}) {
    if (!(s > 0.0)) return bad_replica("a scale of " + std::to_string(s) + "; it must be above 0");
  }
  FlowSettings settings{height / o.pool_factor,
                        width / o.pool_factor,
                        static_cast<int>(weights.shape[3]),
                        o.final_zero_point,
                        1,
                        o.search_range,
                        o.temperature,
                        true};
  EDGETWIN_TRY_ASSIGN(FlowStage stage, FlowStage::make(settings));
  FlowReplica r(std::move(stage));
  r.height_ = height;
  r.width_ = width;
  r.filters_ = settings.filters;
  r.options_ = o;
  const auto* bytes = reinterpret_cast<const int8_t*>(weights.constant->data());
  r.weights_.assign(bytes, bytes + weights.constant->size());
  for (const float s : weights.quant.scale) {
    r.multipliers_.push_back(o.int8_scale * static_cast<double>(s) / o.conv_scale);
  }
  return r;
}

std::vector<int32_t> FlowReplica::convolve(const std::vector<int8_t>& x) const {
  const int k = options_.ksize / 2, zero = options_.int8_zero_point;
  const auto filters = static_cast<size_t>(filters_);
  std::vector<int32_t> acc(x.size() * filters, 0);
  for (int y = 0; y < height_; ++y) {
    for (int at = 0; at < width_; ++at) {
      int32_t* sums = &acc[static_cast<size_t>(y * width_ + at) * filters];
      for (int dy = std::max(-k, -y); dy <= std::min(k, height_ - 1 - y); ++dy) {
        for (int dx = std::max(-k, -at); dx <= std::min(k, width_ - 1 - at); ++dx) {
          const int32_t v = x[static_cast<size_t>((y + dy) * width_ + at + dx)] - zero;
          const auto place = static_cast<size_t>((dy + k) * options_.ksize + dx + k);
          for (size_t f = 0; f < filters; ++f) sums[f] += v * weights_[place * filters + f];
        }
      }
    }
  }
  return acc;
}

Result<ReplicaMaps> FlowReplica::maps(const Tensor& picture) const {
  EDGETWIN_TRY_ASSIGN(const Tensor p, normalize(picture, false, height_, width_, 1));
  const ReplicaOptions& o = options_;
  ReplicaMaps m;
  m.input_uint8.assign(p.as<uint8_t>().begin(), p.as<uint8_t>().end());
  const double factor = o.input_scale / o.int8_scale;
  for (const uint8_t v : m.input_uint8) {
    m.after_quantize_int8.push_back(
        to_int8(v * factor + o.int8_zero_point - o.input_zero_point * factor));
  }
  m.conv_acc_int32 = convolve(m.after_quantize_int8);
  const auto filters = static_cast<size_t>(filters_);
  for (size_t i = 0; i < m.conv_acc_int32.size(); ++i) {
    const int8_t v = to_int8(m.conv_acc_int32[i] * multipliers_[i % filters] + o.conv_zero_point);
    m.conv_output_int8.push_back(std::max(v, static_cast<int8_t>(o.conv_zero_point)));
  }
  const int pool = o.pool_factor;
  const double last = o.pool_scale / o.final_scale;
  for (int y = 0; y < pooled_height(); ++y) {
    for (int x = 0; x < pooled_width(); ++x) {
      for (size_t f = 0; f < filters; ++f) {
        int sum = 0;
        for (int i = 0; i < pool * pool; ++i) {
          const int at = (y * pool + i / pool) * width_ + x * pool + i % pool;
          sum += m.conv_output_int8[static_cast<size_t>(at) * filters + f];
        }
        const int8_t mean = to_int8(static_cast<double>(sum) / (pool * pool));
        m.pool_output_int8.push_back(mean);
        const double v = (mean - o.pool_zero_point) * last + o.final_zero_point;
        m.final_uint8.push_back(static_cast<std::byte>(std::clamp(std::nearbyint(v), 0.0, 255.0)));
      }
    }
  }
  return m;
}

Result<Flow> FlowReplica::compute(const Tensor& frame_t, const Tensor& frame_t1) {
  EDGETWIN_TRY_ASSIGN(const ReplicaMaps a, maps(frame_t));
  EDGETWIN_TRY_ASSIGN(const ReplicaMaps b, maps(frame_t1));
  return stage_.compute(a.final_uint8, b.final_uint8);
}

}  // namespace edgetwin::robotics
