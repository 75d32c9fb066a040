#include "targets/edgetpu/decompile/scales/scales.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <optional>

#include "targets/edgetpu/decompile/scales/scale_solver.h"

namespace edgetwin::edgetpu {
namespace {

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

// A rescaling whose limits are numbers of an activation, such as 6.
bool cuts(const DecompiledLayer& l) {
  const bool rescales = l.type == LayerType::quantize && !adds(l);
  const Activation a = activation_of(l.numbers);
  return rescales && (a == Activation::relu6 || a == Activation::relu_n1_to_1);
}

bool has_limits(const DecompiledLayer& l) {
  return cuts(l) || has_weights(l.type) || adds(l) || l.type == LayerType::add ||
         l.type == LayerType::mul;
}

// A product with constants, or a rescaling that adds several: it has weights of its own.
bool has_constant(const DecompiledLayer& l) {
  return (l.type == LayerType::mul && !l.constant.empty()) || (adds(l) && !adds_number(l));
}

// The output has the scale and zero point of the input.
bool tied(const DecompiledLayer& l) {
  if (l.type != LayerType::average_pool) return keeps_numbers(l.type);
  const auto count = static_cast<float>(pool_count(l));
  return std::abs(1.0F / count - l.numbers.multiplier) <= l.numbers.multiplier * 0x1p-22F;
}

// Large mantissas are missed by more scales of the output than small ones.
std::vector<float> strictest_first(std::vector<float> wanted) {
  const auto mantissa = [](float x) { return std::bit_cast<uint32_t>(x) & 0x7F'FFFFU; };
  std::sort(wanted.begin(), wanted.end(), [&](float x, float y) {
    return std::pair(mantissa(x), x) > std::pair(mantissa(y), y);
  });
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  return wanted;
}

class Chooser {
 public:
  Chooser(const Layers& layers, const darwinn::Executable& inference, ScaleOptions options)
      : all_(layers.layers), layers_(layers), inference_(inference), options_(options) {}

  Scales run() {
    parent_.resize(inference_.inputs.size() + all_.size());
    std::iota(parent_.begin(), parent_.end(), size_t{0});
    for (const DecompiledLayer& l : all_) {
      const bool rescales = l.type == LayerType::quantize && !adds(l);
      result_.activations.push_back(has_limits(l) || rescales ? activation_of(l.numbers)
                                                              : Activation::none);
    }
    tie();
    problem_.anchors.assign(parent_.size(), 0.0F);
    fix();
    for (size_t l = 0; l < all_.size(); ++l) add_laws(l);
    scale_ = solve_scales(problem_, options_);
    return finish();
  }

 private:
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
    if (inputs.size() <= operand || inputs[operand].from.empty()) return kNoTensor;
    const size_t t = tensor(inputs[operand].from.front());
    return t < parent_.size() ? root(t) : kNoTensor;
  }
  float scale(size_t t) const { return t == kNoTensor ? 0.0F : scale_[t]; }

  void unite(size_t x, size_t y) { parent_[root(x)] = root(y); }

  // Constants are no tensors.
  void unite_parts(const Operand& o) {
    for (const Producer p : o.from) {
      if (tensor(p) < parent_.size() && tensor(o.from.front()) < parent_.size()) {
        unite(tensor(p), tensor(o.from.front()));
      }
    }
  }

  void tie() {
    for (size_t l = 0; l < all_.size(); ++l) {
      for (const Operand& o : all_[l].inputs) unite_parts(o);
      if (tied(all_[l]) && input(l) != kNoTensor) unite(output(l), input(l));
      const bool two = all_[l].type == LayerType::maximum || all_[l].type == LayerType::minimum;
      if (two && input(l, 1) != kNoTensor) unite(input(l), input(l, 1));
    }
    for (const DecompiledOutput& o : layers_.outputs) unite_parts(o.from);
  }

  void fix(size_t t, float scale) {
    if (t >= parent_.size() || !usable_scale(scale) || problem_.anchors[root(t)] != 0.0F) return;
    problem_.anchors[root(t)] = scale;
  }

  // What the file and the function tables tell.
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

  // ---- laws
  void add_laws(size_t l) {
    const DecompiledLayer& layer = all_[l];
    if (!layer.problem.empty()) return;
    const Nest& n = layer.numbers;
    if (has_limits(layer)) {
      problem_.limits.push_back(
          {output(l), n.output_zero_point, result_.activations[l], n.lower, n.upper});
    }
    for (const ScaleLaw& law : laws_of(l)) problem_.laws.push_back(law);
  }

  // Windows over the edge have means of fewer places, and a law for each number of places.
  std::vector<ScaleLaw> laws_of(size_t l) const {
    const auto law = law_of(l);
    if (!law) return {};
    std::vector<ScaleLaw> all{*law};
    const std::vector<PoolMean>& means = all_[l].means;
    for (size_t k = 1; k < means.size(); ++k) {
      all.push_back(*law);
      all.back().count = means[k].count;
      all.back().wanted = {means[k].multiplier};
    }
    return all;
  }

  std::optional<ScaleLaw> law_of(size_t l) const {
    const DecompiledLayer& layer = all_[l];
    const float m = layer.numbers.multiplier;
    ScaleLaw law;
    law.in = input(l);
    law.out = output(l);
    law.wanted = {m};
    if (has_weights(layer.type) || has_constant(layer)) {
      law.kind = ScaleLawKind::weighted;
      if (!layer.content.scales.empty()) law.wanted = strictest_first(layer.content.scales);
      return law;
    }
    // A pool keeps its scale, and still rounds by it.
    if (tied(layer) && layer.type != LayerType::average_pool) return std::nullopt;
    switch (layer.type) {
      case LayerType::add:
        if (layer.add_weight[0] == 0) return std::nullopt;
        return sum_law(law.in, input(l, 1), law.out, m, layer.add_weight[0], layer.add_weight[1]);
      case LayerType::mul:
        law.kind = ScaleLawKind::product;
        law.second = input(l, 1);
        return law;
      case LayerType::quantize:
        law.kind = ScaleLawKind::rescale;
        return law;
      case LayerType::average_pool:
        law.kind = ScaleLawKind::pool;
        law.count = pool_count(layer);
        return law;
      default:
        return std::nullopt;
    }
  }

  // ---- results
  Scales finish() {
    result_.weights.resize(all_.size());
    for (size_t i = 0; i < inference_.inputs.size(); ++i) {
      const auto& n = inference_.inputs[i].numerics;
      result_.inputs.push_back({scale_[root(i)], n ? n->zero_point : 0, true});
    }
    for (size_t l = 0; l < all_.size(); ++l) {
      const size_t t = output(l);
      result_.layers.push_back({scale_[t], zero_point(l), problem_.anchors[t] != 0.0F});
      solve(l);
      if (!exact(l)) result_.inexact.push_back(l);
    }
    return std::move(result_);
  }

  bool exact(size_t l) const {
    const DecompiledLayer& layer = all_[l];
    if (!layer.problem.empty()) return true;
    const std::vector<ScaleLaw> laws = laws_of(l);
    const bool kept = std::ranges::all_of(laws, [&](const ScaleLaw& law) {
      return holds(law, scale(law.in), scale(law.second), scale(law.out));
    });
    if (!kept) return false;
    const Nest& n = layer.numbers;
    return !has_limits(layer) || holds(ScaleLimits{output(l), n.output_zero_point,
                                                   result_.activations[l], n.lower, n.upper},
                                       scale_[output(l)]);
  }

  int zero_point(size_t l) const {
    const DecompiledLayer& layer = all_[l];
    if (layer.type == LayerType::tanh) return 128;
    if (layer.type == LayerType::logistic || layer.type == LayerType::softmax) return 0;
    // A pool with its input's scale may still have a zero point of its own.
    if (!keeps_numbers(layer.type) || layer.inputs.empty() || layer.inputs.front().from.empty()) {
      return layer.numbers.output_zero_point;
    }
    const Producer p = layer.inputs.front().from.front();
    if (p >= 0) return result_.layers[static_cast<size_t>(p)].zero_point;
    const auto index = static_cast<size_t>(-1 - p);
    return index < result_.inputs.size() ? result_.inputs[index].zero_point : 0;
  }

  void solve(size_t l) {
    const DecompiledLayer& layer = all_[l];
    if (!has_weights(layer.type) && !has_constant(layer)) return;
    const float si = input(l) == kNoTensor ? 1.0F : scale_[input(l)];
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

  const std::vector<DecompiledLayer>& all_;
  const Layers& layers_;
  const darwinn::Executable& inference_;
  ScaleOptions options_;
  std::vector<size_t> parent_;  // of tensors with one scale: inputs, then results of layers
  ScaleProblem problem_;
  std::vector<float> scale_;  // by root
  Scales result_;
};

}  // namespace

Scales choose_scales(const Layers& layers, const darwinn::Executable& inference,
                     ScaleOptions options) {
  return Chooser(layers, inference, options).run();
}

}  // namespace edgetwin::edgetpu
