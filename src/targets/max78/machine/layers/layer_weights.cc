#include "targets/max78/machine/layers/layer_weights.h"

#include <algorithm>

#include "targets/max78/chip/processor_map.h"
#include "targets/max78/machine/layers/dot.h"

namespace edgetwin::max78 {
namespace {

constexpr int64_t kMostWeights = int64_t{1} << 25;

class Fetcher {
 public:
  Fetcher(Core& core, const LayerConfig& c, LayerWeights& w) : core_(core), c_(c), w_(w) {
    for (int p = 0; p < kProcessors; ++p) {
      if (in_map(c.processors, p)) processors_.push_back(p);
    }
    channels_ = static_cast<int64_t>(processors_.size()) * c.passes;
    kernels_ = (c.kernel_last - c.kernel_first) / c.bits + 1;
  }

  bool dense() {
    const int64_t outputs = c_.total_outputs();
    w_.stride = (static_cast<size_t>(c_.kernel_w * channels_) + kDotStep - 1) / kDotStep * kDotStep;
    const int64_t size = outputs * c_.kernel_h * static_cast<int64_t>(w_.stride);
    if (channels_ == 0 || size > kMostWeights) return too_many(size);
    w_.values.assign(static_cast<size_t>(size), 0);
    w_.active.assign(static_cast<size_t>(outputs), 0);
    w_.bias.assign(static_cast<size_t>(outputs), 0);
    for (int64_t o = 0; o < outputs; ++o) dense_output(o);
    trailing();
    for (int64_t o = 0; o < outputs; ++o) dense_bias(o);
    return true;
  }

  bool depthwise() {
    w_.stride = static_cast<size_t>(channels_);
    if (channels_ == 0 || channels_ * c_.taps() > kMostWeights) {
      return too_many(channels_ * c_.taps());
    }
    w_.values.assign(w_.stride * static_cast<size_t>(c_.taps()), 0);
    w_.active.assign(w_.stride, 1);
    w_.bias.assign(w_.stride, 0);
    const int64_t count = static_cast<int64_t>(processors_.size());
    for (int64_t i = 0; i < channels_; ++i) {
      const int p = processors_[static_cast<size_t>(i % count)];
      const int64_t kernel = int64_t{c_.outputs - 1} * c_.passes + i / count;
      const auto put = [&](int t) -> int16_t& {
        return w_.values[static_cast<size_t>(t) * w_.stride + static_cast<size_t>(i)];
      };
      if (!kernel_of(p, kernel, 0, put)) not_loaded(p, kernel);
      depthwise_bias(p, static_cast<int>(i / count), i);
    }
    return true;
  }

 private:
  bool too_many(int64_t size) {
    core_.findings.add(MachineEvent::bad_register, c_.layer, kNobody, 0, core_.steps, [&] {
      return "layer " + std::to_string(c_.layer) + ": " + std::to_string(c_.total_outputs()) +
             " outputs of " + std::to_string(channels_) + " channels and " +
             std::to_string(c_.taps()) + " taps make " + std::to_string(size) +
             " weights, which no kernel memory holds";
    });
    return false;
  }

  int16_t weight(uint8_t byte, int shift) const {
    const int q = c_.bits;
    const int v = byte >> shift & ((1 << q) - 1);
    if (c_.binary) return static_cast<int16_t>(v != 0 ? -1 : 1);
    return static_cast<int16_t>(v >= 1 << (q - 1) ? v - (1 << q) : v);
  }

  // Tap t of kernel `n` of a processor goes to put(t). False where it was never loaded. `quarter`:
  // which of the four memories, where four outputs are computed at a time.
  template <class Put>
  bool kernel_of(int processor, int64_t n, int quarter, const Put& put) {
    if (c_.bypass) {
      for (int t = 0; t < c_.taps(); ++t) put(t) = 1;
      return true;
    }
    const int64_t bit = c_.kernel_first + n * c_.bits;
    int64_t base = (bit >> 3) * c_.taps() + c_.kernel_start;
    const int64_t apart = base / kColumnBytes < 4096 ? 1024 : 256;
    base += quarter * apart * kColumnBytes;
    const int64_t last = base + c_.taps() - 1;
    if (base < 0 || last / kColumnBytes >= core_.kernels.columns(processor)) {
      core_.findings.add(MachineEvent::kernel_outside, c_.layer, kNobody, 0, core_.steps, [&] {
        return "layer " + std::to_string(c_.layer) + ": kernel " + std::to_string(n) +
               " of processor " + std::to_string(processor) + " would lie in column " +
               std::to_string(last / kColumnBytes) + "; the memory has " +
               std::to_string(core_.kernels.columns(processor));
      });
      return true;
    }
    bool loaded = true;
    for (int64_t column = base / kColumnBytes; column <= last / kColumnBytes; ++column) {
      loaded = loaded && core_.kernels.loaded(processor, column);
    }
    const int shift = static_cast<int>(bit & 7);
    for (int t = 0; t < c_.taps(); ++t) {
      put(t) = weight(core_.kernels.stream_byte(processor, last - t), shift);
    }
    return loaded;
  }

  void not_loaded(int processor, int64_t n) {
    core_.findings.add(MachineEvent::kernel_not_loaded, c_.layer, kNobody, 0, core_.steps, [&] {
      const int64_t bit = c_.kernel_first + n * c_.bits;
      const int64_t column = ((bit >> 3) * c_.taps() + c_.kernel_start) / kColumnBytes;
      return "layer " + std::to_string(c_.layer) + " uses kernel " + std::to_string(n) +
             " of processor " + std::to_string(processor) + " in column " + std::to_string(column) +
             ", which was never loaded";
    });
  }

  void dense_output(int64_t o) {
    const bool split = c_.calcx4 || c_.quad;
    const int64_t first = (split ? o / 4 : o) * c_.passes;
    if (!split && !c_.bypass && first + c_.passes > kernels_) return;  // ends before
    size_t loaded = 0, missing = 0;
    int lost = 0;
    for (size_t r = 0; r < processors_.size(); ++r) {
      const int p = processors_[r];
      if (c_.quad && p / kGroupProcessors != o % 4) continue;
      for (int e = 0; e < c_.passes; ++e) {
        const size_t channel = static_cast<size_t>(e) * processors_.size() + r;
        const auto put = [&](int t) -> int16_t& {
          const auto ky = static_cast<size_t>(t / c_.kernel_w);
          const auto kx = static_cast<size_t>(t % c_.kernel_w);
          return w_
              .values[(static_cast<size_t>(o) * static_cast<size_t>(c_.kernel_h) + ky) * w_.stride +
                      kx * static_cast<size_t>(channels_) + channel];
        };
        const bool there = kernel_of(p, first + e, c_.calcx4 ? static_cast<int>(o % 4) : 0, put);
        ++(there ? loaded : missing);
        if (!there) lost = p;
      }
    }
    // A loader that fills gaps with zeros fills those of some processors only.
    const bool gap = missing > 0 && all_zero(o);
    w_.active[static_cast<size_t>(o)] = loaded > 0 && !gap;
    if (loaded > 0 && missing > 0 && !gap) not_loaded(lost, first);
    if (loaded == 0 && missing > 0) unloaded_.push_back(o);
  }

  // Outputs without kernels in front or between are bytes that nobody uses; after the last one
  // the layer counts further than what was loaded.
  void trailing() {
    const auto last = std::find(w_.active.rbegin(), w_.active.rend(), 1);
    const int64_t end = w_.active.rend() - last;
    for (const int64_t o : unloaded_) {
      if (o >= end) return not_loaded(processors_.front(), o * c_.passes);
    }
  }

  bool all_zero(int64_t o) const {
    const size_t n = w_.stride * static_cast<size_t>(c_.kernel_h);
    const auto from = w_.values.begin() + static_cast<std::ptrdiff_t>(n) * o;
    return std::all_of(from, from + static_cast<std::ptrdiff_t>(n),
                       [](int16_t v) { return v == 0; });
  }

  void dense_bias(int64_t o) {
    if (w_.active[static_cast<size_t>(o)] == 0) return;
    // MAX78000 begins one byte later in a first layer that streams.
    const bool later = core_.chip.device == Device::max78000 && c_.streams && c_.layer == 0;
    for (int g = 0; g < kGroups; ++g) {
      if (c_.bias[static_cast<size_t>(g)] < 0 || (c_.quad && g != o % 4)) continue;
      const int64_t index =
          c_.bias[static_cast<size_t>(g)] + (c_.quad ? o / 4 : o) + (later ? 1 : 0);
      add_bias(g, index, static_cast<size_t>(o), !all_zero(o));
    }
  }

  void depthwise_bias(int processor, int pass, int64_t channel) {
    const int g = processor / kGroupProcessors;
    if (c_.bias[static_cast<size_t>(g)] < 0) return;
    const int64_t index =
        c_.bias[static_cast<size_t>(g)] + depthwise_bias_index(c_, processor, pass);
    add_bias(g, index, static_cast<size_t>(channel), false);
  }

  void add_bias(int group, int64_t index, size_t at, bool must) {
    if (core_.biases.loaded(group, index)) {
      w_.bias[at] += core_.biases.value(group, index) * 128;
      return;
    }
    if (!must) return;
    core_.findings.add(MachineEvent::bias_not_loaded, c_.layer, kNobody, 0, core_.steps, [&] {
      return "layer " + std::to_string(c_.layer) + " uses the bias " + std::to_string(index) +
             " of group " + std::to_string(group) + ", which was never loaded";
    });
  }

  Core& core_;
  const LayerConfig& c_;
  LayerWeights& w_;
  std::vector<int> processors_;
  std::vector<int64_t> unloaded_;
  int64_t channels_ = 0, kernels_ = 0;
};

}  // namespace

int64_t depthwise_bias_index(const LayerConfig& c, int processor, int pass) {
  const int g = processor / kGroupProcessors, at = processor % kGroupProcessors;
  if (c.broadcast) return int64_t{pass} * kGroupProcessors + at % 4 * 4 + at / 4;
  const int first = lowest_bit(c.processors), last = highest_bit(c.processors);
  const int shift = g == first / kGroupProcessors ? first % kGroupProcessors : 0;
  const bool ends = g == last / kGroupProcessors;
  const int count = ends ? last % kGroupProcessors - shift + 1 : kGroupProcessors;
  return int64_t{pass} * count + at - shift;
}

bool fetch_weights(Core& core, const LayerConfig& c, LayerWeights& weights) {
  if (c.passthrough) return true;
  Fetcher fetcher(core, c, weights);
  return c.depthwise ? fetcher.depthwise() : fetcher.dense();
}

}  // namespace edgetwin::max78
