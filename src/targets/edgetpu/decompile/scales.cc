#include "targets/edgetpu/decompile/scales.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>

#include "numerics/flavour/edgetpu_elementwise.h"

namespace edgetwin::edgetpu {
namespace {

float next(float x, int ulps) {
  return std::bit_cast<float>(
      static_cast<uint32_t>(static_cast<int32_t>(std::bit_cast<uint32_t>(x)) + ulps));
}

bool usable(float x) { return std::isnormal(x) && x > 0.0F; }

struct Limits {
  float low, high;
};

// As the compiler makes them: limits of the byte in real numbers, those of the activation, back.
Limits limits_of(float scale, int zero, Activation a) {
  float low = static_cast<float>(0 - zero) * scale;
  float high = static_cast<float>(255 - zero) * scale;
  if (a == Activation::relu || a == Activation::relu6) low = std::max(low, 0.0F);
  if (a == Activation::relu6) high = std::min(high, 6.0F);
  if (a == Activation::relu_n1_to_1) {
    low = std::max(low, -1.0F);
    high = std::min(high, 1.0F);
  }
  const float inverse = 1.0F / scale;
  return {low * inverse, high * inverse};
}

// The activation that the limits tell; where zero is the smallest value, RELU says nothing more.
Activation activation_of(const Nest& n) {
  const auto zero = static_cast<float>(n.output_zero_point);
  constexpr float kRounding = 1e-4F;
  const bool cut_low = n.lower > -zero + kRounding;
  const bool cut_high = n.upper < 255.0F - zero - kRounding;
  if (cut_low && cut_high && n.lower == -n.upper) return Activation::relu_n1_to_1;
  if (cut_high) return Activation::relu6;
  if (cut_low || n.output_zero_point == 0) return Activation::relu;
  return Activation::none;
}

bool weighted(const DecompiledLayer& l) {
  return l.type == LayerType::conv || l.type == LayerType::depthwise || l.type == LayerType::dense;
}

// The output has the scale and zero point of the input.
bool tied(const DecompiledLayer& l) {
  switch (l.type) {
    case LayerType::max_pool:
    case LayerType::resize:
    case LayerType::reshape:
    case LayerType::concat:
      return true;
    case LayerType::average_pool: {
      const float count = static_cast<float>(l.kernel_h * l.kernel_w);
      return std::abs(1.0F / count - l.numbers.multiplier) <= l.numbers.multiplier * 0x1p-22F;
    }
    default:
      return false;
  }
}

// Which quotients of two scales give the weights of an addition: those that are nearer to the
// weights' fraction than to its neighbours among all of bounded denominator. Within a margin around
// the ends add_weights() itself decides.
class WeightTest {
 public:
  WeightTest() = default;
  WeightTest(int64_t a, int64_t b) : a_(std::abs(a)), b_(std::abs(b)) {
    constexpr int64_t kMost = 32767;
    const int64_t p = std::min(a_, b_);
    const int64_t q = std::max(a_, b_);
    if (p < 1 || q > kMost || std::gcd(p, q) != 1) return;
    int64_t below = kMost;
    while ((p * below - 1) % q != 0) --below;
    int64_t above = kMost;
    while ((p * above + 1) % q != 0) --above;
    const auto real = [](int64_t n) { return static_cast<double>(n); };
    low_ = real(p) / real(q) - 0.5 / (real(q) * real(below));
    high_ = real(p) / real(q) + 0.5 / (real(q) * real(above));
    quick_ = true;
  }

  bool operator()(float first, float second) const {
    if (quick_) {
      constexpr double kMargin = 1e-14;
      if (a_ != b_ && (a_ < b_) != (first < second)) return false;
      const double x = static_cast<double>(std::min(first, second)) /
                       static_cast<double>(std::max(first, second));
      if (x < low_ - kMargin || x > high_ + kMargin) return false;
      if (x > low_ + kMargin && x < high_ - kMargin) return true;
    }
    const auto w = numerics::edgetpu::add_weights(first, second);
    return w.a == a_ && w.b == b_;
  }

 private:
  int64_t a_ = 0, b_ = 0;
  bool quick_ = false;
  double low_ = 0.0, high_ = 0.0;
};

class Chooser {
 public:
  Chooser(const Layers& layers, const darwinn::Executable& inference, ScaleOptions options)
      : all_(layers.layers), layers_(layers), inference_(inference), options_(options) {}

  Scales run() {
    const size_t inputs = inference_.inputs.size();
    scale_.assign(inputs + all_.size(), 0.0F);
    known_.assign(scale_.size(), false);
    parent_.resize(scale_.size());
    std::iota(parent_.begin(), parent_.end(), size_t{0});
    result_.weights.resize(all_.size());
    for (const DecompiledLayer& l : all_)
      result_.activations.push_back(has_limits(l) ? activation_of(l.numbers) : Activation::none);
    for (const DecompiledLayer& l : all_)
      add_fits_.push_back(l.type == LayerType::add ? WeightTest(l.add_weight[0], l.add_weight[1])
                                                   : WeightTest());
    tie();
    fix();
    group();
    for (const auto& g : ordered_) decide(g);
    return finish();
  }

 private:
  using Group = std::vector<size_t>;  // of roots

  size_t tensor(Producer p) const {
    return p < 0 ? static_cast<size_t>(-1 - p) : inference_.inputs.size() + static_cast<size_t>(p);
  }
  size_t root(size_t t) const {
    while (parent_[t] != t) t = parent_[t];
    return t;
  }
  size_t output(size_t layer) const { return root(inference_.inputs.size() + layer); }
  size_t input(size_t layer, size_t operand = 0) const {
    const auto& inputs = all_[layer].inputs;
    if (inputs.size() <= operand || inputs[operand].from.empty()) return kNone;
    const size_t t = tensor(inputs[operand].from.front());
    return t < parent_.size() ? root(t) : kNone;
  }
  static bool has_limits(const DecompiledLayer& l) {
    return weighted(l) || l.type == LayerType::add || l.type == LayerType::mul;
  }

  void unite(size_t x, size_t y) { parent_[root(x)] = root(y); }

  void tie() {
    for (size_t l = 0; l < all_.size(); ++l) {
      for (const Operand& o : all_[l].inputs) {
        for (const Producer p : o.from) {
          if (tensor(p) < parent_.size() && tensor(o.from.front()) < parent_.size()) {
            unite(tensor(p), tensor(o.from.front()));
          }
        }
      }
      if (tied(all_[l]) && input(l) != kNone) unite(output(l), input(l));
    }
    for (const DecompiledOutput& o : layers_.outputs) {
      for (const Producer p : o.from.from) unite(tensor(p), tensor(o.from.from.front()));
    }
  }

  void fix(size_t t, float scale) {
    if (t == kNone || known_[root(t)] || !usable(scale)) return;
    scale_[root(t)] = scale;
    known_[root(t)] = true;
  }

  void fix() {
    for (size_t i = 0; i < inference_.inputs.size(); ++i) {
      const auto& n = inference_.inputs[i].numerics;
      if (n) fix(i, n->factor);
    }
    for (const DecompiledOutput& o : layers_.outputs) {
      const auto& n = inference_.outputs[o.layer_index].numerics;
      if (n && !o.from.from.empty()) fix(tensor(o.from.from.front()), n->factor);
    }
    for (size_t l = 0; l < all_.size(); ++l) {
      const DecompiledLayer& layer = all_[l];
      if (layer.type == LayerType::softmax) {
        fix(input(l), layer.softmax_scale);
        fix(output(l), 1.0F / 256);
      }
      if (layer.type == LayerType::logistic || layer.type == LayerType::tanh) {
        fix(input(l), layer.numbers.multiplier);
        fix(output(l), layer.type == LayerType::tanh ? 1.0F / 128 : 1.0F / 256);
      }
    }
  }

  // Tensors that additions couple are decided together, before the others.
  void group() {
    std::vector<size_t> coupled(parent_.size());
    std::iota(coupled.begin(), coupled.end(), size_t{0});
    const auto find = [&](size_t t) {
      while (coupled[t] != t) t = coupled[t];
      return t;
    };
    touching_.resize(parent_.size());
    for (size_t l = 0; l < all_.size(); ++l) {
      std::vector<size_t> tensors{output(l)};
      for (size_t i = 0; i < all_[l].inputs.size(); ++i) {
        if (input(l, i) != kNone) tensors.push_back(input(l, i));
      }
      for (const size_t t : tensors) {
        if (touching_[t].empty() || touching_[t].back() != l) touching_[t].push_back(l);
        if (all_[l].type == LayerType::add) coupled[find(t)] = find(tensors.front());
      }
    }
    std::vector<Group> groups(parent_.size());
    for (size_t t = 0; t < parent_.size(); ++t) {
      if (root(t) == t) groups[find(t)].push_back(t);
    }
    // Those with the least freedom first.
    const auto rank = [&](const Group& g) {
      if (g.size() > 1) return 0;
      return scale_of_limit(g.front()) ? 1 : 2;
    };
    for (const int wanted : {0, 1, 2}) {
      for (const Group& g : groups) {
        if (!g.empty() && rank(g) == wanted) ordered_.push_back(g);
      }
    }
  }

  // ---- one group
  // ----------------------------------------------------------------------------------- Scales of
  // an addition's operands follow from that of its result, but for the last bits.
  bool propagate(const std::vector<size_t>& adds) {
    for (const size_t l : adds) {
      const DecompiledLayer& a = all_[l];
      const float so = scale_[output(l)];
      if (!usable(so)) return false;
      const size_t first = input(l, 0);
      const size_t second = input(l, 1);
      if (first == kNone || second == kNone) continue;
      const float wa = std::abs(static_cast<float>(a.add_weight[0]));
      const float wb = std::abs(static_cast<float>(a.add_weight[1]));
      if (!(wa > 0.0F) || !(wb > 0.0F)) continue;
      const float inverse = 1.0F / so;
      if (!usable(scale_[first])) {
        const float guess = a.numbers.multiplier / inverse * wa;
        std::optional<float> found;
        for (const int u : {0, 1, -1, 2, -2, 3, -3}) {
          const float s = next(guess, u);
          if ((s / wa) * inverse != a.numbers.multiplier) continue;
          found = s;
          if (limits_hold(first, s)) break;
        }
        scale_[first] = found.value_or(guess);
      }
      if (!usable(scale_[second])) {
        const float guess = static_cast<float>(static_cast<double>(scale_[first]) *
                                               static_cast<double>(wb) / static_cast<double>(wa));
        scale_[second] = guess;
        for (const int u : {0, 1, -1, 2, -2}) {
          if (!add_fits_[l](scale_[first], next(guess, u))) continue;
          scale_[second] = next(guess, u);
          if (limits_hold(second, next(guess, u))) break;
        }
      }
    }
    return true;
  }

  // Limits of all layers that write this tensor.
  bool limits_hold(size_t t, float scale) const {
    for (const size_t l : touching_[t]) {
      if (output(l) == t && !layer_limits(l, scale)) return false;
    }
    return true;
  }

  bool layer_limits(size_t l, float scale) const {
    const DecompiledLayer& layer = all_[l];
    if (!has_limits(layer) || !layer.problem.empty()) return true;
    const Limits made = limits_of(scale, layer.numbers.output_zero_point, result_.activations[l]);
    return made.low == layer.numbers.lower && made.high == layer.numbers.upper;
  }

  // Whether the layer's multiplier comes out exactly with what is decided so far.
  bool layer_fits(size_t l) const {
    const DecompiledLayer& layer = all_[l];
    if (!layer.problem.empty()) return true;
    const float so = scale_[output(l)];
    if (!usable(so)) return true;
    const float si = input(l) == kNone ? 0.0F : scale_[input(l)];
    const Nest& n = layer.numbers;
    if (weighted(layer)) return weights_fit(layer, si, so);
    if (!usable(si)) return true;
    switch (layer.type) {
      case LayerType::add: {
        const float s2 = input(l, 1) == kNone ? 0.0F : scale_[input(l, 1)];
        if (!usable(s2)) return true;
        const float wa = std::abs(static_cast<float>(layer.add_weight[0]));
        return (si / wa) * (1.0F / so) == n.multiplier && add_fits_[l](si, s2);
      }
      case LayerType::mul: {
        if (!layer.constant.empty()) return solve_weight(si, so, n.multiplier) != 0.0F;
        const float s2 = input(l, 1) == kNone ? 0.0F : scale_[input(l, 1)];
        return !usable(s2) || (si * s2) * (1.0F / so) == n.multiplier;
      }
      case LayerType::quantize:
        if (n.has_bias) return solve_weight(si, so, n.multiplier) != 0.0F;
        return si * (1.0F / so) == n.multiplier;
      case LayerType::average_pool: {
        const float count = static_cast<float>(layer.kernel_h * layer.kernel_w);
        return (si * (1.0F / so)) * (1.0F / count) == n.multiplier;
      }
      default:
        return true;
    }
  }

  static bool weights_fit(const DecompiledLayer& l, float si, float so) {
    const auto fits = [&](float wanted) {
      // With an input that is not decided yet: whether any product leads there at all.
      return usable(si) ? solve_weight(si, so, wanted) != 0.0F : solve_product(so, wanted) != 0.0F;
    };
    if (l.content.scales.empty()) return fits(l.numbers.multiplier);
    return std::all_of(l.content.scales.begin(), l.content.scales.end(), fits);
  }

  static float solve_product(float so, float wanted) {
    const float inverse = 1.0F / so;
    const float guess = wanted / inverse;
    for (const int u : {0, 1, -1, 2, -2}) {
      if (next(guess, u) * inverse == wanted) return next(guess, u);
    }
    return 0.0F;
  }

  void decide(const Group& g) {
    std::vector<size_t> open;
    for (const size_t t : g) {
      if (!usable(scale_[t])) open.push_back(t);
    }
    if (open.empty()) return;
    // Additions from the last to the first: results before operands.
    std::vector<size_t> adds;
    std::vector<size_t> near;
    for (const size_t t : g) {
      for (const size_t l : touching_[t]) {
        if (std::find(near.begin(), near.end(), l) == near.end()) near.push_back(l);
      }
    }
    std::sort(near.begin(), near.end());
    for (const size_t l : near) {
      if (all_[l].type == LayerType::add) adds.insert(adds.begin(), l);
    }
    const size_t lead = adds.empty() ? open.front() : output(adds.front());
    if (usable(scale_[lead])) {
      propagate(adds);
      settle(g, adds);
      return;
    }
    scan(lead, open, adds, near);
    settle(g, adds);
  }

  // What additions do not reach.
  void settle(const Group& g, const std::vector<size_t>& adds) {
    propagate(adds);
    for (const size_t t : g) {
      if (!usable(scale_[t])) scale_[t] = kStart;
    }
  }

  // Costs of what a choice misses.
  static constexpr int kLayer = 16;
  static constexpr int kLimits = 1;

  // A multiplier that no product of scales reaches with the output's scale, which stands: whatever
  // is chosen for the input, the layer is missed.
  bool hopeless(size_t l) const {
    const DecompiledLayer& layer = all_[l];
    const float so = scale_[output(l)];
    if (!weighted(layer) || !layer.problem.empty() || !usable(so)) return false;
    const auto out_of_reach = [&](float wanted) {
      const float inverse = 1.0F / so;
      for (int u = -kNear; u <= kNear; ++u) {
        if (next(wanted / inverse, u) * inverse == wanted) return false;
      }
      return true;
    };
    const auto& scales = layer.content.scales;
    if (scales.empty()) return out_of_reach(layer.numbers.multiplier);
    return std::any_of(scales.begin(), scales.end(), out_of_reach);
  }

  int count_fits(const std::vector<size_t>& open, const std::vector<size_t>& near, int missing,
                 int least) const {
    for (const size_t l : near) {
      if (!layer_fits(l)) missing += kLayer;
      if (missing >= least) return missing;
    }
    for (const size_t t : open) {
      if (!limits_hold(t, scale_[t])) missing += kLimits;
      if (missing >= least) return missing;
    }
    return missing;
  }

  void scan(size_t lead, const std::vector<size_t>& open, const std::vector<size_t>& adds,
            const std::vector<size_t>& near) {
    std::vector<float> best;
    int least = std::numeric_limits<int>::max();
    // Less than what is missed in any case cannot be had: the first choice that misses no more is
    // the best.
    std::vector<size_t> hopeful;
    std::copy_if(near.begin(), near.end(), std::back_inserter(hopeful),
                 [&](size_t l) { return !hopeless(l); });
    const int floor = kLayer * static_cast<int>(near.size() - hopeful.size());
    const auto attempt = [&](float s) {
      for (const size_t t : open) scale_[t] = 0.0F;
      scale_[lead] = s;
      if (!propagate(adds)) return false;
      const int missing = count_fits(open, hopeful, floor, least);
      if (missing < least) {
        least = missing;
        best.clear();
        for (const size_t t : open) best.push_back(scale_[t]);
      }
      return least == floor;
    };
    bool done = false;
    const std::optional<float> guess = guess_of(lead);
    for (int u = 0; guess && u <= 64 && !done; ++u) {
      done = attempt(next(*guess, u % 2 == 0 ? u / 2 : -(u + 1) / 2));
    }
    const std::optional<float> limited = guess ? guess : scale_of_limit(lead);
    if (limited && !guess) {
      for (int u = 0; u <= 16 && !done; ++u)
        done = attempt(next(*limited, u % 2 == 0 ? u / 2 : -(u + 1) / 2));
    }
    for (uint32_t k = 0; !limited && k < options_.tries && !done; ++k) {
      done = attempt(next(kStart, static_cast<int>(k)));
    }
    for (size_t i = 0; i < open.size(); ++i) scale_[open[i]] = best[i];
  }

  // The scale that layers without weights ask for, but for the last bits.
  std::optional<float> guess_of(size_t t) const {
    for (const size_t l : touching_[t]) {
      const DecompiledLayer& layer = all_[l];
      const bool writes = output(l) == t;
      float m = layer.numbers.multiplier;
      if (!(m > 0.0F) || !layer.problem.empty() || tied(layer)) continue;
      if (layer.type == LayerType::average_pool) {
        m *= static_cast<float>(layer.kernel_h * layer.kernel_w);
      } else if (layer.type != LayerType::quantize && layer.type != LayerType::mul) {
        continue;
      }
      const size_t a = input(l);
      if (layer.type == LayerType::mul) {
        const size_t b = input(l, 1);
        if (a == kNone || b == kNone) continue;
        if (writes && usable(scale_[a]) && usable(scale_[b])) return scale_[a] * scale_[b] / m;
        if (writes || !usable(scale_[output(l)])) continue;
        if (a == b) return std::sqrt(m * scale_[output(l)]);
        const size_t other = a == t ? b : a;
        if (usable(scale_[other])) return m * scale_[output(l)] / scale_[other];
        continue;
      }
      if (writes && a != kNone && usable(scale_[a])) return scale_[a] / m;
      if (!writes && usable(scale_[output(l)])) return scale_[output(l)] * m;
    }
    return std::nullopt;
  }

  // An upper limit of 6 tells the scale.
  std::optional<float> scale_of_limit(size_t t) const {
    for (const size_t l : touching_[t]) {
      if (output(l) != t || !has_limits(all_[l])) continue;
      if (result_.activations[l] == Activation::relu6) return 6.0F / all_[l].numbers.upper;
      if (result_.activations[l] == Activation::relu_n1_to_1) return 1.0F / all_[l].numbers.upper;
    }
    return std::nullopt;
  }

  // ---- results
  // -----------------------------------------------------------------------------------
  Scales finish() {
    for (size_t i = 0; i < inference_.inputs.size(); ++i) {
      const auto& n = inference_.inputs[i].numerics;
      result_.inputs.push_back({scale_[root(i)], n ? n->zero_point : 0, true});
    }
    for (size_t l = 0; l < all_.size(); ++l) {
      const size_t t = output(l);
      result_.layers.push_back({scale_[t], zero_point(l), known_[t]});
      solve(l);
      const bool exact = layer_fits(l) && layer_limits(l, scale_[t]);
      if (!exact) result_.inexact.push_back(l);
    }
    return std::move(result_);
  }

  int zero_point(size_t l) const {
    const DecompiledLayer& layer = all_[l];
    if (layer.type == LayerType::tanh) return 128;
    if (layer.type == LayerType::logistic || layer.type == LayerType::softmax) return 0;
    if (!tied(layer) || layer.inputs.empty() || layer.inputs.front().from.empty()) {
      return layer.numbers.output_zero_point;
    }
    const Producer p = layer.inputs.front().from.front();
    if (p >= 0) return result_.layers[static_cast<size_t>(p)].zero_point;
    const auto index = static_cast<size_t>(-1 - p);
    return index < result_.inputs.size() ? result_.inputs[index].zero_point : 0;
  }

  void solve(size_t l) {
    const DecompiledLayer& layer = all_[l];
    const bool adds = layer.type == LayerType::quantize && layer.numbers.has_bias;
    if (!weighted(layer) && layer.constant.empty() && !adds) return;
    const float si = input(l) == kNone ? 1.0F : scale_[input(l)];
    const float so = scale_[output(l)];
    const auto best = [&](float wanted) {
      const float exact = solve_weight(si, so, wanted);
      return exact != 0.0F ? exact : wanted * so / si;
    };
    if (layer.content.scales.empty()) {
      const size_t n = layer.numbers.channel_zero_points ? layer.content.zero_points.size() : 1;
      result_.weights[l].assign(n, best(layer.numbers.multiplier));
      return;
    }
    for (const float s : layer.content.scales) result_.weights[l].push_back(best(s));
  }

  static constexpr size_t kNone = static_cast<size_t>(-1);
  static constexpr float kStart = 0x1p-6F;
  static constexpr int kNear = 4;  // steps within which every product that rounds there lies

  const std::vector<DecompiledLayer>& all_;
  const Layers& layers_;
  const darwinn::Executable& inference_;
  ScaleOptions options_;
  std::vector<float> scale_;  // by root
  std::vector<bool> known_;
  std::vector<size_t> parent_;
  std::vector<std::vector<size_t>> touching_;  // by root: layers
  std::vector<Group> ordered_;
  std::vector<WeightTest> add_fits_;  // by layer
  Scales result_;
};

}  // namespace

float chip_multiplier(float input, float weight, float output) {
  return (input * weight) * (1.0F / output);
}

float solve_weight(float input, float output, float wanted) {
  const float inverse = 1.0F / output;
  const float guess = (wanted / inverse) / input;
  // The product grows with the weight: only one side of the guess can be right.
  const float product = (input * guess) * inverse;
  const int side = product < wanted ? 1 : -1;
  for (int u = 0; u <= 3; ++u) {
    const float w = next(guess, side * u);
    const float made = (input * w) * inverse;
    if (made == wanted) return usable(w) ? w : 0.0F;
    if (side > 0 ? made > wanted : made < wanted) break;
  }
  return 0.0F;
}

Scales choose_scales(const Layers& layers, const darwinn::Executable& inference,
                     ScaleOptions options) {
  return Chooser(layers, inference, options).run();
}

}  // namespace edgetwin::edgetpu
