// The nearest changes with which a network fits. Each is planned before it is named.
#include <algorithm>

#include "targets/max78/network/resolve.h"
#include "targets/max78/planner/planner.h"
#include "targets/max78/planner/smaller.h"

namespace edgetwin::max78 {
namespace {

constexpr const char* kPlanned = " it fits: that was planned.";
// Starting orders of a trial: what fits easily is what a person is told.
constexpr uint32_t kTrialSeeds = 3;
constexpr size_t kMostLayers = 8;  // that are tried, the largest first
constexpr int kMostTrials = 24;    // of numbers of channels

std::string size_text(const SampleShape& s) {
  return std::to_string(s.h) + "x" + std::to_string(s.w);
}

class ChangeSearch {
 public:
  ChangeSearch(const ai8x::Network& network, const ai8x::Parameters& parameters,
               const SampleShape& sample, const Options& options)
      : base_{network, parameters, sample}, options_(options) {}

  std::string run() {
    std::string text;
    for (const std::string& change : {planes(), streams(), smaller_input(), folded(),
                                      fewer_channels(), narrower(), larger_chip()}) {
      if (!change.empty()) text += (text.empty() ? "" : " ") + change;
    }
    return text;
  }

 private:
  bool fits(SmallerNetwork n, const Options& options) const {
    Findings ignored;
    PlanSettings settings;
    settings.seeds = kTrialSeeds;
    settings.orders = 1;
    return plan_network(n.network, n.parameters, n.sample, options, ignored, settings).fits;
  }
  bool fits(SmallerNetwork n) const { return fits(std::move(n), options_); }

  size_t first() const { return static_cast<size_t>(options_.start_layer); }
  bool known_first() const { return first() < base_.network.layers.size(); }
  std::string name_of(size_t i) const { return ai8x::layer_name(base_.network, i); }

  // One channel in each data memory instead of four.
  std::string planes() const {
    if (!known_first() || base_.sample.c > 16) return {};
    const ai8x::Layer& l = base_.network.layers[first()];
    if (l.big_data || l.has(ai8x::Key::data_format)) return {};
    SmallerNetwork n = base_;
    n.network.layers[first()].big_data = true;
    if (!fits(std::move(n))) return {};
    return "With data_format: CHW in " + name_of(first()) + kPlanned;
  }

  std::string streams() const {
    if (options_.use_fifo() || !known_first()) return {};
    Options fifo = options_;
    fifo.fifo = true;
    if (!fits(base_, fifo)) return {};
    return "With --fifo, whose first layers stream," + std::string(kPlanned);
  }

  // The largest smaller input.
  std::string smaller_input() const {
    const SampleShape& s = base_.sample;
    for (const int eighths : {7, 6, 5, 4, 3, 2}) {
      const SampleShape less{s.c, s.h * eighths / 8, s.w == 1 ? 1 : s.w * eighths / 8};
      if (less.h < 1 || less.w < 1) break;
      SmallerNetwork n = base_;
      n.sample = less;
      if (known_first() && n.network.layers[first()].in_dim) {
        n.network.layers[first()].in_dim = Size2{less.h, less.w};
      }
      if (!fits(std::move(n))) continue;
      return "With an input of " + size_text(less) + " instead of " + size_text(s) + kPlanned;
    }
    return {};
  }

  std::string folded() const {
    SmallerNetwork n = base_;
    if (!fold_input(n, options_.start_layer)) return {};
    const std::string shape = std::to_string(n.sample.c) + "x" + size_text(n.sample);
    if (!fits(std::move(n))) return {};
    return "With the input folded to " + shape + " (2x2 pixels as channels), trained so," +
           kPlanned;
  }

  // Layers with weights, the largest first.
  std::vector<size_t> largest() const {
    std::vector<size_t> order;
    for (size_t i = 0; i < base_.parameters.layers.size(); ++i) {
      if (base_.parameters.layers[i].has_weights()) order.push_back(i);
    }
    const auto size = [this](size_t i) { return base_.parameters.layers[i].weights.size(); };
    std::ranges::stable_sort(order, [&](size_t a, size_t b) { return size(a) > size(b); });
    if (order.size() > kMostLayers) order.resize(kMostLayers);
    return order;
  }

  // As many as possible in one layer: an eighth less first.
  std::string fewer_channels() const {
    const std::vector<size_t> order = largest();
    int trials = 0;
    for (const int eighths : {7, 6, 5, 4, 3, 2, 1}) {
      for (const size_t i : order) {
        const int had = base_.parameters.layers[i].out;
        const int less = had * eighths / 8 / 4 * 4;
        if (less < 4 || ++trials > kMostTrials) continue;
        SmallerNetwork n = base_;
        if (!reduce_channels(n, static_cast<int>(i), less) || !fits(std::move(n))) continue;
        return "With " + std::to_string(less) + " instead of " + std::to_string(had) +
               " channels in " + name_of(i) + kPlanned;
      }
    }
    return {};
  }

  // In as few layers as it takes.
  std::string narrower() const {
    SmallerNetwork n = base_;
    std::string names;
    for (const size_t i : largest()) {
      if (!narrow_weights(n, static_cast<int>(i))) continue;
      names += (names.empty() ? "" : ", ") + name_of(i);
      if (fits(n)) return "With weights of 4 bits in " + names + kPlanned;
    }
    return {};
  }

  std::string larger_chip() const {
    if (base_.network.device != Device::max78000) return {};
    SmallerNetwork n = base_;
    n.network.device = Device::max78002;
    if (!fits(std::move(n))) return {};
    return "On the MAX78002" + std::string(kPlanned);
  }

  const SmallerNetwork base_;
  const Options& options_;
};

}  // namespace

std::string changes_that_fit(const ai8x::Network& network, const ai8x::Parameters& parameters,
                             const SampleShape& sample, const Options& options) {
  return ChangeSearch(network, parameters, sample, options).run();
}

}  // namespace edgetwin::max78
