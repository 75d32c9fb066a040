#include "targets/max78/machine/layers/layer_run.h"

#include <algorithm>

#include "numerics/max78/max78.h"
#include "targets/max78/chip/processor_map.h"
#include "targets/max78/machine/layers/dot.h"

namespace edgetwin::max78 {
namespace {

constexpr int64_t kMostRing = int64_t{1} << 24;  // elements of the rows that are kept
constexpr int64_t kMostPixels = int64_t{1} << 26;

numerics::max78::Activation activation_of(const LayerConfig& c) {
  if (c.relu) return numerics::max78::Activation::relu;
  if (c.absolute) return numerics::max78::Activation::absolute;
  return numerics::max78::Activation::none;
}

}  // namespace

std::unique_ptr<LayerRun> LayerRun::make(Core& core, const LayerConfig& config) {
  std::unique_ptr<LayerRun> run(new LayerRun(core, config));
  if (!run->prepare()) return nullptr;
  return run;
}

bool LayerRun::bad(const std::string& why) {
  core_.findings.add(MachineEvent::bad_register, c_.layer, kNobody, 0, core_.steps,
                     [&] { return "layer " + std::to_string(c_.layer) + " " + why; });
  return false;
}

bool LayerRun::prepare() {
  for (int i = 0; i < kInstances; ++i) {
    Source s{i, {}};
    for (int b = 0; b < kInstanceProcessors; ++b) {
      if (!in_map(c_.processors, i * kInstanceProcessors + b)) continue;
      s.lanes.push_back({b, processors_++});
    }
    if (s.lanes.empty()) continue;
    source_mask_ |= 1U << i;
    sources_.push_back(std::move(s));
  }
  channels_ = static_cast<size_t>(processors_) * static_cast<size_t>(c_.passes);
  out_rows_ = c_.out_rows();
  out_columns_ = c_.out_columns();
  const auto size = [](int h, int w) { return std::to_string(h) + "x" + std::to_string(w); };
  if (processors_ == 0) return bad("uses no processor");
  if (c_.pooled_rows < 1 || c_.pooled_columns < 1) {
    return bad("has a pooled picture of " + size(c_.pooled_rows, c_.pooled_columns));
  }
  if (c_.kernel_h < 1 || c_.kernel_w < 1) return bad("has a kernel without taps");
  if (out_rows_ < 1 || out_columns_ < 1) {
    return bad("has an output of " + size(out_rows_, out_columns_));
  }
  in_pixels_ = int64_t{c_.pooled_rows} * c_.pooled_columns;
  out_pixels_ = int64_t{out_rows_} * out_columns_;
  const int64_t columns = int64_t{c_.pooled_columns} * (c_.transposed ? 2 : 1) + 2 * c_.pad_w;
  const int64_t ring = columns * c_.kernel_h * static_cast<int64_t>(channels_);
  if (ring > kMostRing || in_pixels_ > kMostPixels || out_pixels_ > kMostPixels) {
    return bad("has pictures of " + size(c_.pooled_rows, c_.pooled_columns) + " and " +
               std::to_string(channels_) + " channels, more than any memory holds");
  }
  if (!fetch_weights(core_, c_, weights_)) return false;
  ring_stride_ = static_cast<size_t>(columns) * channels_;
  ring_.assign(ring_stride_ * static_cast<size_t>(c_.kernel_h) + weights_.stride + kDotStep, 0);
  pixel_.assign(channels_, 0);
  const size_t taps = static_cast<size_t>(c_.pool_h) * static_cast<size_t>(c_.pool_w);
  taps_.assign(taps * static_cast<size_t>(c_.operands) * static_cast<size_t>(processors_), 0);
  // Fetching costs as well: many layers without pixels come to an end too.
  core_.products += weights_.values.size() + ring_.size() / 16;
  plan_outputs();
  return true;
}

int64_t LayerRun::needed_words() const {
  if (next_in_ == in_pixels_) return 0;
  const int y = static_cast<int>(next_in_ / c_.pooled_columns) * c_.pool_stride +
                (c_.pool_h - 1) * c_.dilation_h;
  const int x = static_cast<int>(next_in_ % c_.pooled_columns) * c_.pool_stride +
                (c_.pool_w - 1) * c_.dilation_w;
  const int64_t pixel = int64_t{y} * c_.columns + x;
  if (c_.chw) return pixel / 4 + 1;
  return ((pixel + 1) * c_.passes * c_.operands - 1) * c_.read_step + 1;
}

bool LayerRun::still_needed(int64_t word) const {
  if (word < 0 || next_in_ == in_pixels_ || c_.columns < 1) return false;
  const int64_t words = int64_t{c_.passes} * c_.operands * c_.read_step;
  const int64_t first = c_.chw ? word * 4 : word / words;
  const int64_t row = next_in_ / c_.pooled_columns * c_.pool_stride;
  const int64_t column = next_in_ % c_.pooled_columns * c_.pool_stride;
  const int64_t reach_h = int64_t{c_.pool_h - 1} * c_.dilation_h;
  const int64_t reach_w = int64_t{c_.pool_w - 1} * c_.dilation_w;
  const int64_t end_row = int64_t{c_.pooled_rows - 1} * c_.pool_stride + reach_h;
  const int64_t end_column = int64_t{c_.pooled_columns - 1} * c_.pool_stride + reach_w;
  for (int64_t pixel = first; pixel < first + (c_.chw ? 4 : 1); ++pixel) {
    const int64_t y = pixel / c_.columns, x = pixel % c_.columns;
    if (y > end_row || x > end_column) continue;
    if (y % c_.pool_stride > reach_h || x % c_.pool_stride > reach_w) continue;
    if (y >= row + c_.pool_stride || (y >= row && x >= column)) return true;
  }
  return false;
}

int64_t LayerRun::written_words() const {
  if (done()) return INT64_MAX;
  const auto& consumer = consumer_->config();
  const int64_t ahead = int64_t{c_.write_base[0] & ((1U << core_.chip.pointer_shift) - 1)} -
                        int64_t{consumer.read_base};
  return ahead + next_out_ * pixel_step_;
}

void LayerRun::step() {
  ++core_.steps;
  if (next_in_ < in_pixels_) {
    read_pixel();
    if (++next_in_ == in_pixels_) input_ends();
  }
  // One row at most where nothing is left to read, so that a consumer keeps up.
  int64_t most = next_in_ < in_pixels_ ? out_pixels_ : out_columns_;
  while (most-- > 0 && output_due() && core_.products < core_.options.multiply_limit) {
    write_pixel();
  }
}

bool LayerRun::output_due() const {
  if (next_out_ == out_pixels_) return false;
  if (next_in_ == in_pixels_) return true;
  if (c_.passthrough) return next_out_ < next_in_;
  const int up = c_.transposed ? 2 : 1;
  const auto oy = static_cast<int>(next_out_ / out_columns_);
  const auto ox = static_cast<int>(next_out_ % out_columns_);
  const int vy = std::clamp(oy - c_.pad_h + c_.kernel_h - 1, 0, c_.pooled_rows * up - 1);
  const int vx = std::clamp(ox - c_.pad_w + c_.kernel_w - 1, 0, c_.pooled_columns * up - 1);
  return int64_t{vy / up} * c_.pooled_columns + vx / up < next_in_;
}

const int16_t* LayerRun::ring_row(int virtual_row) const {
  const int up = c_.transposed ? 2 : 1;
  if (virtual_row < 0 || virtual_row >= c_.pooled_rows * up || virtual_row % up != 0) {
    return nullptr;
  }
  return &ring_[static_cast<size_t>(virtual_row / up % c_.kernel_h) * ring_stride_];
}

void LayerRun::sum_dense(int oy, int ox) {
  const size_t outputs = weights_.active.size();
  const size_t row = static_cast<size_t>(c_.kernel_h) * weights_.stride;
  for (size_t o = 0; o < outputs; ++o) sums_[o] = weights_.bias[o];
  for (int ky = 0; ky < c_.kernel_h; ++ky) {
    const int16_t* x = ring_row(oy - c_.pad_h + ky);
    if (x == nullptr) continue;
    dot_rows(x + static_cast<size_t>(ox) * channels_,
             &weights_.values[static_cast<size_t>(ky) * weights_.stride], row, weights_.stride,
             outputs, sums_.data());
    core_.products += outputs * weights_.stride;
  }
}

void LayerRun::sum_depthwise(int oy, int ox) {
  for (size_t i = 0; i < channels_; ++i) sums_[i] = weights_.bias[i];
  for (int ky = 0; ky < c_.kernel_h; ++ky) {
    const int16_t* x = ring_row(oy - c_.pad_h + ky);
    if (x == nullptr) continue;
    for (int kx = 0; kx < c_.kernel_w; ++kx) {
      const int16_t* from = x + static_cast<size_t>(ox + kx) * channels_;
      const int16_t* w =
          &weights_.values[static_cast<size_t>(ky * c_.kernel_w + kx) * weights_.stride];
      for (size_t i = 0; i < channels_; ++i) sums_[i] += int32_t{from[i]} * w[i];
    }
    core_.products += channels_ * static_cast<size_t>(c_.kernel_w);
  }
}

void LayerRun::finish_sums() {
  const auto activation = activation_of(c_);
  for (size_t i = 0; i < sums_.size(); ++i) {
    results_[i] =
        numerics::max78::activated(numerics::max78::shifted(sums_[i], c_.shift), activation);
  }
}

void LayerRun::write_pixel() {
  const int64_t pixel = next_out_++;
  if (!c_.passthrough) {
    const auto oy = static_cast<int>(pixel / out_columns_);
    const auto ox = static_cast<int>(pixel % out_columns_);
    if (c_.depthwise) {
      sum_depthwise(oy, ox);
    } else {
      sum_dense(oy, ox);
    }
    if (!c_.wide) finish_sums();
  } else {
    for (size_t i = 0; i < channels_; ++i) {
      results_[i] = static_cast<int8_t>(pixel_[i]);
      sums_[i] = results_[i];
    }
  }
  ++core_.steps;
  write_words(pixel);
}

}  // namespace edgetwin::max78
