#include "targets/edgetpu/decompile/compare/network.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <optional>
#include <set>

#include "graph/uses.h"
#include "numerics/edgetpu/elementwise.h"
#include "targets/edgetpu/decompile/compare/element_layers.h"
#include "targets/edgetpu/decompile/compare/gates.h"
#include "targets/edgetpu/decompile/compare/relabel.h"
#include "targets/edgetpu/decompile/compare/transposed.h"
#include "targets/edgetpu/decompile/scales/scale_problem.h"

namespace edgetwin::edgetpu {
namespace {

constexpr size_t kTransposedData = 2;  // operand of TRANSPOSE_CONV

bool is_byte(const Value& v) { return v.dtype == DType::uint8 || v.dtype == DType::int8; }
int unsigned_zero(const Value& v, size_t c = 0) {
  return static_cast<int>(v.quant.zero_point_of(c)) + (v.dtype == DType::int8 ? 128 : 0);
}

class Describer {
 public:
  Describer(const Graph& graph, NetworkOrigin origin)
      : graph_(graph), uses_(graph), origin_(origin), makers_(graph.values.size()) {
    for (size_t i = 0; i < graph.inputs.size(); ++i) {
      makers_[static_cast<size_t>(graph.inputs[i])] = {-1 - static_cast<int>(i)};
    }
  }

  DescribedNetwork run() {
    for (size_t i = 0; i < graph_.ops.size(); ++i) add(i);
    for (const ValueId v : graph_.outputs) leave(v);
    return {std::move(layers_), std::move(leaving_)};
  }

 private:
  const Value& input(const Op& op, size_t i) const { return graph_.value(op.inputs[i]); }
  const Value& output(const Op& op) const { return graph_.value(op.outputs[0]); }
  // Whether the chip has the same bytes for both, whatever their types.
  static bool same_bytes(const Value& a, const Value& b) {
    return a.quant.scale == b.quant.scale && unsigned_zero(a) == unsigned_zero(b);
  }

  // Behind an operator that only rescales the chip makes the rescaled result at once.
  const Value& result(const Op& op) const {
    const std::optional<size_t> next = uses_.only_consumer(op.outputs[0]);
    if (!next || graph_.ops[*next].kind != OpKind::quantize) return output(op);
    const Value& rescaled = graph_.value(graph_.ops[*next].outputs[0]);
    const bool only_type = same_bytes(rescaled, output(op));
    const bool fused = origin_ == NetworkOrigin::source || only_type;
    return fused && is_byte(rescaled) ? rescaled : output(op);
  }

  void leave(ValueId v) {
    if (v != kAbsent) leaving_.push_back(makers_[static_cast<size_t>(v)]);
  }

  static std::vector<int> first_of_each(const std::vector<int>& all) {
    std::vector<int> first;
    std::set<int> seen;
    std::ranges::copy_if(all, std::back_inserter(first),
                         [&](int n) { return seen.insert(n).second; });
    return first;
  }

  void pass_on(const Op& op) {
    std::vector<int> from;
    for (const ValueId v : op.inputs) {
      if (v == kAbsent) continue;
      const auto& m = makers_[static_cast<size_t>(v)];
      from.insert(from.end(), m.begin(), m.end());
    }
    // In order: what a concatenation puts side by side is part of the network.
    from.erase(std::unique(from.begin(), from.end()), from.end());
    // Halves that are put beside each other again and again would be twice as many each time.
    constexpr size_t kMost = 256;
    if (from.size() > kMost) from = first_of_each(from);
    for (const ValueId v : op.outputs) makers_[static_cast<size_t>(v)] = from;
  }

  // False: its parts are not known; it is no layer.
  bool add_transposed(size_t index) {
    const Op& op = graph_.ops[index];
    if (!is_byte(data_of(graph_, op)) || !is_byte(output(op))) return false;
    NetworkLayer l;
    l.op = index;
    l.label = op_label(graph_, index);
    l.output = output(op).name;
    l.kind = "CONV_2D";
    l.producers.push_back(makers_[static_cast<size_t>(op.inputs[kTransposedData])]);
    sizes(op, l);
    numbers(op, result(op), l);
    std::vector<int> made;
    for (NetworkLayer& part : transposed_parts(l, op.as<TransposeConvAttrs>())) {
      made.push_back(static_cast<int>(layers_.size()));
      layers_.push_back(std::move(part));
    }
    makers_[static_cast<size_t>(op.outputs[0])] = made;
    return !made.empty();
  }

  void add(size_t index) {
    const Op& op = graph_.ops[index];
    if (op.kind == OpKind::transpose_conv && add_transposed(index)) return;
    const bool bytes = !op.inputs.empty() && op.inputs[0] != kAbsent && is_byte(input(op, 0)) &&
                       op.outputs.size() == 1 && is_byte(output(op));
    const bool rescaled = bytes && op.kind == OpKind::quantize &&
                          origin_ == NetworkOrigin::decompiled &&
                          !same_bytes(input(op, 0), output(op));
    if (!bytes || op.kind == OpKind::opaque || (keeps_bytes(graph_, op) && !rescaled)) {
      if (!keeps_bytes(graph_, op)) std::ranges::for_each(op.inputs, [&](ValueId v) { leave(v); });
      return pass_on(op);
    }
    NetworkLayer l;
    l.op = index;
    l.label = op_label(graph_, index);
    l.output = output(op).name;
    l.kind = rescales(op) ? "QUANTIZE" : op_type_name(op);
    l.spare = op.kind == OpKind::quantize;
    for (const ValueId v : op.inputs) {
      if (v != kAbsent && !graph_.value(v).is_constant()) {
        l.producers.push_back(makers_[static_cast<size_t>(v)]);
      }
    }
    sizes(op, l);
    NetworkLayer alone = l;
    const Value& made = result(op);
    numbers(op, made, l);
    if (origin_ == NetworkOrigin::source && !same_bytes(made, output(op))) {
      numbers(op, output(op), alone);
      l.apart = {std::move(alone), rescaling(output(op), made)};
    }
    if (rescales(op)) {
      pass_on(op);
    } else {
      makers_[static_cast<size_t>(op.outputs[0])] = {static_cast<int>(layers_.size())};
    }
    layers_.push_back(std::move(l));
  }

  static int64_t dim(const Shape& s, int from_back) {
    return s.rank() > from_back ? s[s.rank() - 1 - from_back] : 1;
  }

  void sizes(const Op& op, NetworkLayer& l) {
    const Shape& in = data_of(graph_, op).shape;
    const Shape& out = output(op).shape;
    l.in_c = dim(in, 0);
    l.out_c = dim(out, 0);
    if (out.rank() == 4) {
      l.out_h = out[1];
      l.out_w = out[2];
    } else if (out.rank() == 3) {
      l.out_w = out[1];
    }
    if (op.kind == OpKind::conv_2d || op.kind == OpKind::depthwise_conv_2d) {
      const auto& a = op.as<Conv2DAttrs>();
      const Shape& f = input(op, 1).shape;
      l.kernel_h = static_cast<int>(f[1]);
      l.kernel_w = static_cast<int>(f[2]);
      set_window(op, a.padding, a.stride_h, a.stride_w, a.dilation_h, a.dilation_w, l);
    }
    if (op.kind == OpKind::average_pool_2d || op.kind == OpKind::max_pool_2d) {
      const auto& a = op.as<PoolAttrs>();
      l.kernel_h = a.filter_h;
      l.kernel_w = a.filter_w;
      set_window(op, a.padding, a.stride_h, a.stride_w, 1, 1, l);
    }
    if (op.kind == OpKind::transpose_conv) {
      const Shape& f = input(op, 1).shape;
      l.kernel_h = static_cast<int>(f[1]);
      l.kernel_w = static_cast<int>(f[2]);
      l.in_h = in[1];
      l.in_w = in[2];
    }
    if (op.kind == OpKind::mean) take_mean(graph_, op, l);
    if (op.kind == OpKind::fully_connected) {
      l.kind = "CONV_2D";
      l.in_c = input(op, 1).shape[1];
    }
  }

  void set_window(const Op& op, const Padding& p, int sh, int sw, int dh, int dw, NetworkLayer& l) {
    l.stride_h = sh;
    l.stride_w = sw;
    l.dilation_h = dh;
    l.dilation_w = dw;
    const Shape& in = input(op, 0).shape;
    l.in_h = in[1];
    l.in_w = in[2];
    if (p.kind == Padding::Kind::same) {
      l.pad_top = padding_before(in[1], l.out_h, (l.kernel_h - 1) * dh + 1, sh);
      l.pad_left = padding_before(in[2], l.out_w, (l.kernel_w - 1) * dw + 1, sw);
    }
    // From the last one on: channels may be padded apart.
    ValueId padded = op.inputs[0];
    for (size_t k = graph_.ops.size(); k-- > 0;) {
      const Op& pad = graph_.ops[k];
      if (pad.kind != OpKind::pad || pad.outputs[0] != padded) continue;
      padded = pad.inputs[0];
      const Value& sizes = input(pad, 1);
      if (!sizes.is_constant() || sizes.constant->size() != 32) continue;
      std::array<int32_t, 8> n{};
      std::memcpy(n.data(), sizes.constant->data(), sizeof(n));
      l.in_h = l.in_w = 0;
      l.pad_top += n[2];
      l.pad_left += n[4];
    }
    // What has no effect on a single row or column, or a window of one.
    if (l.out_h == 1) l.stride_h = 1;
    if (l.out_w == 1) l.stride_w = 1;
    if (l.kernel_h == 1) l.dilation_h = 1;
    if (l.kernel_w == 1) l.dilation_w = 1;
  }

  static NetworkLayer rescaling(const Value& from, const Value& to) {
    NetworkLayer l;
    l.kind = "QUANTIZE";
    const int zero = unsigned_zero(to);
    const auto clamp =
        numerics::edgetpu::clamp_of(real_range(Activation::none), to.quant.scale_of(0), zero);
    l.lower = clamp.low;
    l.upper = clamp.high;
    l.multipliers = {from.quant.scale_of(0) * (1.0F / to.quant.scale_of(0))};
    l.zero_points = {unsigned_zero(from), zero};
    return l;
  }

  // `out`: what the instruction writes.
  void numbers(const Op& op, const Value& out, NetworkLayer& l) {
    const bool transposed = op.kind == OpKind::transpose_conv;
    const Value& in = input(op, transposed ? kTransposedData : 0);
    const int zero = unsigned_zero(out);
    const float so = out.quant.scale_of(0);
    l.activation = activation_of(op);
    const auto clamp = numerics::edgetpu::clamp_of(real_range(l.activation), so, zero);
    l.lower = clamp.low;
    l.upper = clamp.high;
    l.zero_points = {unsigned_zero(in)};
    const float si = in.quant.scale_of(0);
    const float inverse = 1.0F / so;
    switch (op.kind) {
      case OpKind::conv_2d:
      case OpKind::depthwise_conv_2d:
      case OpKind::fully_connected:
      case OpKind::transpose_conv:
        weights(op, si, so, l);
        break;
      case OpKind::unidirectional_sequence_lstm:
        take_gates(graph_, op, l);
        break;
      case OpKind::add:
      case OpKind::sub: {
        if (const auto spec = with_number(graph_, op)) {
          take_number(*spec, in.dtype, l);
          break;
        }
        const auto w = numerics::edgetpu::add_weights(si, input(op, 1).quant.scale_of(0));
        l.multipliers = {(si / static_cast<float>(w.a)) * inverse, static_cast<float>(w.a),
                         static_cast<float>(w.b)};
        l.zero_points.push_back(unsigned_zero(input(op, 1)));
        break;
      }
      case OpKind::mul:
        l.multipliers = {(si * input(op, 1).quant.scale_of(0)) * inverse};
        l.zero_points.push_back(unsigned_zero(input(op, 1)));
        take_factors(graph_, op, l);
        break;
      default:
        l.multipliers = {si == so ? 1.0F : si * inverse};
        if (l.kind == "AVERAGE_POOL_2D") {
          l.multipliers.clear();
          for (const int64_t count : pool_counts(graph_, op, l)) {
            l.multipliers.push_back(numerics::edgetpu::mean_multiplier(si, count, so));
          }
        }
    }
    // The operands of a sum or product may be exchanged.
    if (l.weights.empty() || l.kind == "MUL") std::sort(l.zero_points.begin(), l.zero_points.end());
    l.zero_points.push_back(zero);
  }

  void weights(const Op& op, float si, float so, NetworkLayer& l) {
    const Value& w = input(op, 1);
    if (!w.is_constant()) return;
    l.weights = *w.constant;
    if (w.dtype == DType::int8) {
      for (std::byte& b : l.weights) b ^= std::byte{0x80};
    }
    if (op.kind == OpKind::depthwise_conv_2d) {
      const auto outs = static_cast<size_t>(w.shape[3]);
      const size_t positions = outs == 0 ? 0 : l.weights.size() / outs;
      const Bytes given = l.weights;
      for (size_t p = 0; p < positions; ++p) {
        for (size_t o = 0; o < outs; ++o) l.weights[o * positions + p] = given[p * outs + o];
      }
      // One channel in: a convolution.
      if (l.in_c == 1) l.kind = "CONV_2D";
    }
    for (size_t c = 0; c < static_cast<size_t>(l.out_c); ++c) {
      l.multipliers.push_back(chip_multiplier(si, w.quant.scale_of(c), so));
    }
    for (size_t c = 0; c < w.quant.zero_point.size(); ++c) {
      const int z = unsigned_zero(w, c);
      if (l.zero_points.size() < 2 || l.zero_points.back() != z) l.zero_points.push_back(z);
    }
    const size_t bias = op.kind == OpKind::transpose_conv ? 3 : 2;
    if (!op.has_input(bias)) return;
    const Value& b = input(op, bias);
    if (!b.is_constant() || b.dtype != DType::int32) return;
    l.bias.resize(b.constant->size() / sizeof(int32_t));
    if (!l.bias.empty()) std::memcpy(l.bias.data(), b.constant->data(), l.bias.size() * 4);
    // A bias of zeros is none.
    if (std::all_of(l.bias.begin(), l.bias.end(), [](int32_t x) { return x == 0; })) l.bias.clear();
  }

  const Graph& graph_;
  const Uses uses_;
  NetworkOrigin origin_;
  std::vector<std::vector<int>> makers_;  // by value
  std::vector<NetworkLayer> layers_;
  std::vector<std::vector<int>> leaving_;
};

}  // namespace

DescribedNetwork described_network(const Graph& graph, NetworkOrigin origin) {
  return Describer(graph, origin).run();
}

std::vector<NetworkLayer> network_layers(const Graph& graph, NetworkOrigin origin) {
  return described_network(graph, origin).layers;
}

}  // namespace edgetwin::edgetpu
