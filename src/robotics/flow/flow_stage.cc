#include "robotics/flow/flow_stage.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "robotics/flow/flow_kernels.h"

namespace edgetwin::robotics {
namespace {

Error bad(std::string message) { return Error(ErrorCode::module_input, std::move(message)); }

// What two maps share when one is moved by (dx, dy).
struct Overlap {
  int rows, columns;
  size_t a, b;  // first elements
};
Overlap overlap_of(int dx, int dy, int height, int width, int filters) {
  const auto at = [&](int y, int x) {
    return (static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x)) *
           static_cast<size_t>(filters);
  };
  return {height - std::abs(dy), width - std::abs(dx), at(std::max(0, -dy), std::max(0, -dx)),
          at(std::max(0, dy), std::max(0, dx))};
}

// Largest magnitude of a sum over one square.
int64_t bound_of(const FlowSettings& s) {
  return int64_t{s.pool} * s.pool * std::max(std::abs(s.zero_point), std::abs(255 - s.zero_point));
}

bool fits_16_bits(const FlowSettings& s) {
  return int64_t{s.pool} * s.pool * 255 <= 32767 && bound_of(s) <= 32767;
}

}  // namespace

Result<FlowStage> FlowStage::make(const FlowSettings& s) {
  if (s.height < 1 || s.width < 1 || s.filters < 1 || s.height > 16384 || s.width > 16384 ||
      s.filters > 4096) {
    return bad("features of " + std::to_string(s.height) + " x " + std::to_string(s.width) + " x " +
               std::to_string(s.filters));
  }
  if (s.zero_point < -128 || s.zero_point > 255) {
    return bad("a zero point of " + std::to_string(s.zero_point));
  }
  if (!(s.temperature >= 0.0) || !std::isfinite(s.temperature)) {
    return bad("the temperature must be a number of at least 0");
  }
  if (s.pool < 1 || s.pool > std::min(s.height, s.width)) {
    return bad("squares of " + std::to_string(s.pool) + " in features of " +
               std::to_string(s.height) + " x " + std::to_string(s.width));
  }
  FlowStage stage;
  stage.settings_ = s;
  stage.height_ = s.height / s.pool;
  stage.width_ = s.width / s.pool;
  if (s.search_range < 0 || s.search_range >= std::min(stage.height_, stage.width_)) {
    return bad("a search range of " + std::to_string(s.search_range) + " in a map of " +
               std::to_string(stage.height_) + " x " + std::to_string(stage.width_) +
               "; it must be smaller than the map");
  }
  const auto side = static_cast<size_t>(2 * s.search_range + 1);
  stage.scores_.resize(side * side);
  return stage;
}

size_t FlowStage::feature_bytes() const {
  return static_cast<size_t>(settings_.height) * static_cast<size_t>(settings_.width) *
         static_cast<size_t>(settings_.filters);
}

Result<std::vector<int32_t>> FlowStage::pooled(ByteSpan frame) const {
  if (frame.size() != feature_bytes()) {
    return bad(std::to_string(frame.size()) + " bytes of features, " +
               std::to_string(feature_bytes()) + " are needed");
  }
  const FlowSettings& s = settings_;
  const auto width = static_cast<size_t>(s.width), filters = static_cast<size_t>(s.filters);
  const auto pool = static_cast<size_t>(s.pool);
  std::vector<int32_t> sums;
  for (size_t y = 0; y < static_cast<size_t>(height_); ++y) {
    for (size_t x = 0; x < static_cast<size_t>(width_); ++x) {
      for (size_t f = 0; f < filters; ++f) {
        int32_t sum = -s.pool * s.pool * s.zero_point;
        for (size_t i = 0; i < pool * pool; ++i) {
          const size_t py = y * pool + i / pool, px = x * pool + i % pool;
          sum += static_cast<int32_t>(frame[(py * width + px) * filters + f]);
        }
        sums.push_back(sum);
      }
    }
  }
  return sums;
}

// The definition: for sums of any size.
void FlowStage::correlate_plain() {
  const int range = settings_.search_range, filters = settings_.filters;
  const size_t stride = static_cast<size_t>(width_) * static_cast<size_t>(filters);
  size_t index = 0;
  for (int dy = -range; dy <= range; ++dy) {
    for (int dx = -range; dx <= range; ++dx) {
      const Overlap o = overlap_of(dx, dy, height_, width_, filters);
      const auto length = static_cast<size_t>(o.columns) * static_cast<size_t>(filters);
      double sum = 0.0;
      for (size_t r = 0; r < static_cast<size_t>(o.rows); ++r) {
        for (size_t i = 0; i < length; ++i) {
          sum += static_cast<double>(wide_a_[o.a + r * stride + i]) *
                 static_cast<double>(wide_b_[o.b + r * stride + i]);
        }
      }
      scores_[index++] =
          static_cast<float>(sum / (static_cast<double>(o.rows) * o.columns * filters));
    }
  }
}

// The same where sums fit 16 bits. The older map has zeros at both ends of its rows, so that every
// shift along a row is one offset.
void FlowStage::correlate(ByteSpan frame_t, ByteSpan frame_t1) {
  const FlowSettings& s = settings_;
  const auto filters = static_cast<size_t>(s.filters), height = static_cast<size_t>(height_);
  const size_t row = static_cast<size_t>(width_) * filters;
  const size_t length = (row + kFlowLanes - 1) / kFlowLanes * kFlowLanes;
  const size_t margin = static_cast<size_t>(s.search_range) * filters;
  const size_t a_row = length + 2 * margin;
  a_.resize(a_row * height);
  b_.resize(length * height);
  Squares squares{reinterpret_cast<const uint8_t*>(frame_t.data()),
                  a_.data() + margin,
                  height,
                  static_cast<size_t>(width_),
                  filters,
                  static_cast<size_t>(s.pool),
                  static_cast<size_t>(s.width) * filters,
                  a_row,
                  s.pool * s.pool * s.zero_point};
  sum_squares(squares);
  squares.from = reinterpret_cast<const uint8_t*>(frame_t1.data());
  squares.to = b_.data();
  squares.to_row = length;
  sum_squares(squares);
  const int range = s.search_range;
  const auto side = static_cast<size_t>(2 * range + 1);
  sums_.resize(side);
  Shifts shifts{nullptr, nullptr, a_row, length,      length,
                0,       filters, side,  bound_of(s), sums_.data()};
  for (int dy = -range; dy <= range; ++dy) {
    shifts.rows = static_cast<size_t>(height_ - std::abs(dy));
    shifts.a = a_.data() + static_cast<size_t>(std::max(0, -dy)) * a_row;
    shifts.b = b_.data() + static_cast<size_t>(std::max(0, dy)) * length;
    dot_shifts(shifts);
    for (int dx = -range; dx <= range; ++dx) {
      const double count = static_cast<double>(shifts.rows) * (width_ - std::abs(dx)) * s.filters;
      scores_[static_cast<size_t>(dy + range) * side + static_cast<size_t>(dx + range)] =
          static_cast<float>(static_cast<double>(sums_[static_cast<size_t>(range - dx)]) / count);
    }
  }
}

Result<Flow> FlowStage::compute(ByteSpan frame_t, ByteSpan frame_t1) {
  const FlowSettings& s = settings_;
  for (const ByteSpan frame : {frame_t, frame_t1}) {
    if (frame.size() == feature_bytes()) continue;
    return bad(std::to_string(frame.size()) + " bytes of features, " +
               std::to_string(feature_bytes()) + " are needed");
  }
  if (!s.fast || !fits_16_bits(s)) {
    EDGETWIN_TRY_ASSIGN(wide_a_, pooled(frame_t));
    EDGETWIN_TRY_ASSIGN(wide_b_, pooled(frame_t1));
    correlate_plain();
    return soft_argmax(scores_, s.search_range, s.temperature);
  }
  correlate(frame_t, frame_t1);
  return soft_argmax(scores_, s.search_range, s.temperature);
}

Flow soft_argmax(std::span<const float> scores, int range, double temperature) {
  if (scores.empty()) return {};
  const float most = *std::max_element(scores.begin(), scores.end());
  const auto t = static_cast<float>(std::max(temperature, 1e-6));
  double sum = 0.0, x = 0.0, y = 0.0;
  size_t index = 0;
  for (int dy = -range; dy <= range; ++dy) {
    for (int dx = -range; dx <= range; ++dx) {
      const float exponent = (scores[index++] - most) / t;
      // Below this exp() is 0 in single precision.
      if (exponent < -104.0F) continue;
      const auto w = static_cast<double>(std::exp(exponent));
      sum += w;
      x += w * dx;
      y += w * dy;
    }
  }
  if (sum < 1e-12) return {};
  return {x / sum, y / sum};
}

std::string flow_to_direction(double vx, double vy, double threshold) {
  if (std::sqrt(vx * vx + vy * vy) < threshold) return "center";
  const std::string vertical = vy < -threshold ? "up" : vy > threshold ? "down" : "";
  const std::string horizontal = vx < -threshold ? "left" : vx > threshold ? "right" : "";
  if (vertical.empty() && horizontal.empty()) return "center";
  return vertical + (vertical.empty() || horizontal.empty() ? "" : "-") + horizontal;
}

}  // namespace edgetwin::robotics
