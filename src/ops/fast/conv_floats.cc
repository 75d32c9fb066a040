#include "ops/fast/conv_floats.h"

#include <algorithm>
#include <cmath>

#include "kernels/floats/sums.h"
#include "ops/core/common.h"
#include "ops/fast/wanted_isa.h"

namespace edgetwin::ops {
namespace {

using kernels::FloatTable;
using numerics::float32::Accumulate;

// A layer with its weights side by side for the lanes: [block][tap][k][width], of depthwise layers
// [tap][channel] as they are.
struct FloatLayer {
  Window2D g;
  const FloatTable* table = nullptr;
  Accumulate rule;
  std::vector<float> weights;
  int taps = 0;
  std::vector<float> zeros;  // a pixel outside the picture
};

int64_t blocks_of(const FloatLayer& l) { return (l.g.out_c + l.table->width - 1) / l.table->width; }

std::vector<float> weights_by_lane(const FloatLayer& l, const float* w) {
  const int64_t depth = int64_t{l.taps} * l.g.in_c, width = l.table->width;
  std::vector<float> packed(static_cast<size_t>(blocks_of(l) * depth * width), 0.0F);
  for (int64_t o = 0; o < l.g.out_c; ++o) {
    float* to = packed.data() + o / width * depth * width + o % width;
    for (int64_t k = 0; k < depth; ++k) to[k * width] = w[o * depth + k];
  }
  return packed;
}

// Where tap t of output pixel `index` is in the input; null outside the picture.
const float* tap_of(const Window2D& g, const float* x, int64_t index, int t) {
  const int64_t row = index / g.out_w;
  const int iy = g.row(static_cast<int>(row % g.out_h), t / g.kernel_w);
  const int ix = g.column(static_cast<int>(index % g.out_w), t % g.kernel_w);
  if (!g.inside(iy, ix)) return nullptr;
  return x + ((row / g.out_h * g.in_h + iy) * g.in_w + ix) * g.in_c;
}

void finish_pixel(const Accumulate& rule, const float* sums, int first, int count, float* y) {
  if (rule.bias.empty()) {
    for (int j = 0; j < count; ++j) y[j] = numerics::float32::limit(sums[j], rule.range);
    return;
  }
  const float* bias = rule.bias.data() + first;
  for (int j = 0; j < count; ++j) y[j] = numerics::float32::limit(sums[j] + bias[j], rule.range);
}

// Output pixels, a few at a time through all blocks of channels.
class DenseTiles {
 public:
  DenseTiles(const FloatLayer& layer, const float* x, float* y)
      : l_(layer), x_(x), y_(y), tile_(layer.table->rows) {
    pixels_.resize(static_cast<size_t>(kTiles * tile_ * l_.taps));
    weights_.resize(static_cast<size_t>(l_.taps));
    sums_.resize(static_cast<size_t>(tile_ * l_.table->width));
  }

  // Pixels [begin, end) of all pictures.
  void run(int64_t begin, int64_t end) {
    for (int64_t at = begin; at < end; at += kTiles * tile_) {
      const int64_t last = std::min(end, at + kTiles * tile_);
      find_pixels(at, last);
      for (int64_t block = 0; block < blocks_of(l_); ++block) run_block(block, at, last);
    }
  }

 private:
  static constexpr int64_t kTiles = 8;  // through which a block of weights passes

  void find_pixels(int64_t begin, int64_t end) {
    for (int64_t at = begin; at < end; at += tile_) {
      const int64_t count = std::min(tile_, end - at);
      const float** to = pixels_.data() + (at - begin) * l_.taps;
      for (int t = 0; t < l_.taps; ++t) {
        for (int64_t p = 0; p < count; ++p) {
          const float* pixel = tap_of(l_.g, x_, at + p, t);
          *to++ = pixel == nullptr ? l_.zeros.data() : pixel;
        }
      }
    }
  }

  void run_block(int64_t block, int64_t begin, int64_t end) {
    const int64_t width = l_.table->width, tap_floats = l_.g.in_c * width;
    const float* first = l_.weights.data() + block * l_.taps * tap_floats;
    for (int t = 0; t < l_.taps; ++t) weights_[static_cast<size_t>(t)] = first + t * tap_floats;
    const auto channel = static_cast<int>(block * width);
    const int channels = std::min(l_.table->width, l_.g.out_c - channel);
    for (int64_t at = begin; at < end; at += tile_) {
      const auto count = static_cast<int>(std::min(tile_, end - at));
      l_.table->chains({.pixels = pixels_.data() + (at - begin) * l_.taps,
                        .weights = weights_.data(),
                        .tap_count = l_.taps,
                        .count = count,
                        .depth = l_.g.in_c,
                        .out = sums_.data()});
      for (int p = 0; p < count; ++p) {
        finish_pixel(l_.rule, sums_.data() + p * width, channel, channels,
                     y_ + (at + p) * l_.g.out_c + channel);
      }
    }
  }

  const FloatLayer& l_;
  const float* x_;
  float* y_;
  int64_t tile_;
  std::vector<const float*> pixels_, weights_;
  std::vector<float> sums_;
};

void depthwise_pixels(const FloatLayer& l, const float* x, float* y, int64_t begin, int64_t end) {
  std::vector<const float*> pixels(static_cast<size_t>(l.taps)), weights(pixels.size());
  std::vector<float> sums(static_cast<size_t>(l.g.out_c));
  for (int64_t index = begin; index < end; ++index) {
    int count = 0;
    for (int t = 0; t < l.taps; ++t) {
      const float* pixel = tap_of(l.g, x, index, t);
      if (pixel == nullptr) continue;
      pixels[static_cast<size_t>(count)] = pixel;
      weights[static_cast<size_t>(count++)] = l.weights.data() + int64_t{t} * l.g.out_c;
    }
    l.table->channels({.pixels = pixels.data(),
                       .weights = weights.data(),
                       .tap_count = count,
                       .channels = l.g.out_c,
                       .out = sums.data()});
    finish_pixel(l.rule, sums.data(), 0, l.g.out_c, y + index * l.g.out_c);
  }
}

}  // namespace

bool make_fast_conv(const OpContext& c, const Accumulate& rule, const Window2D& window,
                    bool depthwise, Prepared& prepared) {
  const kernels::Isa isa = wanted_isa(c.options());
  const Bytes* constant = c.constant(1);
  if (isa == kernels::Isa::plain || constant == nullptr) return false;
  if (depthwise && window.out_c != window.in_c) return false;
  const auto* w = reinterpret_cast<const float*>(constant->data());
  const size_t count = constant->size() / sizeof(float);
  if (!std::all_of(w, w + count, [](float x) { return std::isfinite(x); })) return false;
  const auto layer = std::make_shared<FloatLayer>();
  layer->g = window;
  layer->table = &kernels::float_table(isa);
  layer->rule = rule;
  layer->taps = window.kernel_h * window.kernel_w;
  layer->zeros.resize(static_cast<size_t>(window.in_c));
  layer->weights = depthwise ? std::vector<float>(w, w + count) : weights_by_lane(*layer, w);
  prepared.path = layer->table->path;
  prepared.packed = true;
  const int64_t pixels = int64_t{window.batch} * window.out_h * window.out_w;
  const int64_t work = int64_t{layer->taps} * window.out_c * (depthwise ? 1 : window.in_c);
  const int64_t grain = std::max<int64_t>(layer->table->rows, grain_for(work / 8));
  prepared.run = [layer, depthwise, pixels, grain](const Args& args) -> Status {
    args.pool.parallel_for(pixels, grain, [&](int64_t begin, int64_t end, int) {
      if (depthwise) {
        depthwise_pixels(*layer, args.input<float>(0), args.output<float>(0), begin, end);
      } else {
        DenseTiles(*layer, args.input<float>(0), args.output<float>(0)).run(begin, end);
      }
    });
    return Ok{};
  };
  return true;
}

}  // namespace edgetwin::ops
