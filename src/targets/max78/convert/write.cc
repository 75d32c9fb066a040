// The description and the checkpoint, in the forms that docs/formats/ai8x.md has.
#include <algorithm>
#include <cmath>

#include "formats/torch/checkpoint.h"
#include "targets/max78/convert/convert.h"
#include "tensor/npy.h"

namespace edgetwin::max78 {
namespace {

using ai8x::Eltwise;
using ai8x::Operator;
using ai8x::Pooling;

std::string hex(uint64_t value, int digits) {
  std::string text = "0x";
  for (int i = digits - 1; i >= 0; --i) text += "0123456789abcdef"[(value >> (4 * i)) & 15U];
  return text;
}

std::string pair(Size2 s) { return "[" + std::to_string(s.h) + ", " + std::to_string(s.w) + "]"; }

class YamlText {
 public:
  YamlText(const Draft& d, bool placed, bool training)
      : d_(d), placed_(placed), training_(training) {}

  std::string text() {
    text_ = "---\n# Made by edgetwin from a float network";
    if (training_) {
      text_ += ", to be trained.\n";
    } else {
      text_ += ".\n# Numbers of the input: q = x * 2^" + std::to_string(7 - d_.tensor(0).exponent) +
               ", to nearest, from -128 to 127.\n";
    }
    if (const int s = d_.tensor(0).fold; s > 1) {
      text_ += "# Folded by " + std::to_string(s) + ": channel (row * " + std::to_string(s) +
               " + column) * channels + channel of the picture.\n";
    }
    text_ += "arch: " + d_.name + "\ndataset: " + d_.name + "\n\nlayers:\n";
    for (size_t i = 0; i < d_.layers.size(); ++i) layer(static_cast<int>(i));
    return std::move(text_);
  }

 private:
  void key(const std::string& name, const std::string& value) {
    text_ += "    " + name + ": " + value + "\n";
  }

  void layer(int i) {
    const DraftLayer& l = d_.layer(i);
    const DraftTensor& out = d_.tensor(l.out);
    text_ += "  - name: " + l.name + "\n";
    key("op", op_of(l));
    sources(l);
    if (i == 0 && d_.planes) key("data_format", "chw");
    if (placed_) places(l);
    if (l.eltwise != Eltwise::none) {
      if (l.has_weights()) key("eltwise", std::string(ai8x::name(l.eltwise)));
      key("operands", std::to_string(static_cast<int64_t>(l.sources.size())));
    }
    const DraftTensor& in = d_.tensor(l.sources[0]);
    if (!(l.in_dim == Size2{in.h, in.w})) key("in_dim", pair(l.in_dim));
    pooling(l);
    operation(l);
    if (out.output) key("output", "true");
  }

  void places(const DraftLayer& l) {
    const DraftTensor& out = d_.tensor(l.out);
    uint64_t processors = 0;
    int64_t offset = d_.tensor(l.sources[0]).offset;
    for (const int s : l.sources) {
      processors |= d_.tensor(s).processors;
      offset = std::min(offset, d_.tensor(s).offset);
    }
    key("processors", hex(processors, 16));
    key("output_processors", hex(out.processors, 16));
    key("in_offset", hex(static_cast<uint64_t>(offset), 5));
    key("out_offset", hex(static_cast<uint64_t>(out.offset), 5));
    if (out.gap > 0) key("write_gap", std::to_string(out.gap));
  }

  static std::string op_of(const DraftLayer& l) {
    if (l.has_weights()) return std::string(ai8x::name(l.op));
    return l.eltwise == Eltwise::none ? "passthrough" : std::string(ai8x::name(l.eltwise));
  }

  void sources(const DraftLayer& l) {
    std::string names;
    for (const int s : l.sources) {
      const int p = d_.tensor(s).producer;
      names += (names.empty() ? "" : ", ") + (p < 0 ? std::string("input") : d_.layer(p).name);
    }
    // The first layer reads the input without being told.
    if (&l == d_.layers.data() && names == "input") return;
    key("in_sequences", "[" + names + "]");
  }

  void pooling(const DraftLayer& l) {
    const bool line = l.op == Operator::conv1d || (!l.has_weights() && l.in_dim.w == 1);
    const auto size = [&](Size2 s) { return line && s.w == 1 ? std::to_string(s.h) : pair(s); };
    if (l.pooling == Pooling::max) key("max_pool", size(l.pool));
    if (l.pooling == Pooling::average) key("avg_pool", size(l.pool));
    const bool strides = l.pool_stride.h > 1 || l.pool_stride.w > 1;
    if (strides || l.pooling != Pooling::none) key("pool_stride", std::to_string(l.pool_stride.h));
  }

  void operation(const DraftLayer& l) {
    if (!l.has_weights()) return;
    if (l.op == Operator::conv1d) {
      key("kernel_size", std::to_string(l.kernel.h));
      if (l.dilation.h > 1) key("dilation", std::to_string(l.dilation.h));
    } else if (l.op != Operator::linear) {
      key("kernel_size", std::to_string(l.kernel.h) + "x" + std::to_string(l.kernel.w));
    }
    if (l.op != Operator::linear) key("pad", std::to_string(l.pad.h));
    if (l.op == Operator::conv_transpose2d) key("output_pad", std::to_string(l.output_pad));
    if (l.groups > 1) key("groups", std::to_string(l.groups));
    if (l.flatten) key("flatten", "true");
    key("activate", std::string(ai8x::name(l.activation)));
    if (!training_) key("quantization", std::to_string(l.bits));
    if (training_) key("out_channels", std::to_string(d_.tensor(l.out).channels));
    if (training_ && is_wide(d_, l)) key("output_width", "32");
  }

  const Draft& d_;
  bool placed_, training_;
  std::string text_;
};

Status put(torch::Checkpoint& c, torch::NodeId state, const std::string& name, float value) {
  EDGETWIN_TRY_ASSIGN(const Tensor t, float_tensor({1}, {value}));
  c.append(state, name, c.add_tensor(t));
  return Ok{};
}

}  // namespace

Result<Tensor> float_tensor(const Shape& shape, const std::vector<float>& values) {
  EDGETWIN_TRY_ASSIGN(Tensor t, Tensor::zeros(DType::float32, shape));
  std::copy(values.begin(), values.end(), t.as<float>().begin());
  return t;
}

Result<Tensor> stored_weights(const Draft& d, const DraftLayer& l,
                              const std::vector<float>& values) {
  const int64_t out = d.tensor(l.out).channels;
  const auto taps = static_cast<int64_t>(l.taps());
  const auto in = static_cast<int64_t>(values.size()) / (out * taps);
  if (l.op == Operator::linear) return float_tensor({out, in}, values);
  if (l.op == Operator::conv1d) return float_tensor({out, in, taps}, values);
  if (l.op != Operator::conv_transpose2d) {
    return float_tensor({out, in, l.kernel.h, l.kernel.w}, values);
  }
  std::vector<float> turned(values.size());
  for (int64_t o = 0; o < out; ++o) {
    for (int64_t i = 0; i < in; ++i) {
      for (int64_t k = 0; k < taps; ++k) {
        turned[static_cast<size_t>((i * out + o) * taps + taps - 1 - k)] =
            values[static_cast<size_t>((o * in + i) * taps + k)];
      }
    }
  }
  return float_tensor({in, out, l.kernel.h, l.kernel.w}, turned);
}

bool is_wide(const Draft& draft, const DraftLayer& layer) {
  return &layer == &draft.layers.back() && layer.has_weights() &&
         layer.activation == ai8x::Activation::none && draft.tensor(layer.out).output;
}

std::string yaml_text(const Draft& draft, bool placed) {
  return YamlText(draft, placed, false).text();
}

std::string training_yaml_text(const Draft& draft) { return YamlText(draft, true, true).text(); }

Result<Bytes> checkpoint_bytes(const Draft& d) {
  torch::Checkpoint c = torch::Checkpoint::make(d.name + ".pth.tar");
  const torch::NodeId state = c.add_dict(true);
  for (const DraftLayer& l : d.layers) {
    if (!l.has_weights()) continue;
    const auto bits = static_cast<float>(l.bits);
    EDGETWIN_TRY(put(c, state, l.name + ".output_shift", static_cast<float>(l.shift)));
    EDGETWIN_TRY(put(c, state, l.name + ".weight_bits", bits));
    EDGETWIN_TRY(put(c, state, l.name + ".bias_bits", bits));
    EDGETWIN_TRY(put(c, state, l.name + ".quantize_activation", 1.0F));
    EDGETWIN_TRY(put(c, state, l.name + ".adjust_output_shift", 0.0F));
    const std::vector<float> integers(l.integers.begin(), l.integers.end());
    EDGETWIN_TRY_ASSIGN(const Tensor w, stored_weights(d, l, integers));
    c.append(state, l.name + ".op.weight", c.add_tensor(w));
    if (l.bias_integers.empty()) continue;
    // The reader of a checkpoint divides by half the range of the weights.
    std::vector<float> bias(l.bias_integers.begin(), l.bias_integers.end());
    for (float& b : bias) b = std::ldexp(b, l.bits - 1);
    EDGETWIN_TRY_ASSIGN(const Tensor b, float_tensor({static_cast<int64_t>(bias.size())}, bias));
    c.append(state, l.name + ".op.bias", c.add_tensor(b));
  }
  c.set(c.root(), "epoch", c.add_integer(0));
  c.set(c.root(), "arch", c.add_text(d.name));
  c.set(c.root(), "state_dict", state);
  c.set(c.root(), "extras", c.add_dict(false));
  return torch::write(c);
}

Result<Tensor> device_input(const Draft& d, const Tensor& sample) {
  const DraftTensor& in = d.tensor(0);
  EDGETWIN_TRY_ASSIGN(Tensor t, Tensor::zeros(DType::int8, {in.channels, in.h, in.w}));
  const auto values = sample.as<float>();
  const std::vector<float> from = as_folded(in, {values.begin(), values.end()});
  auto to = t.as<int8_t>();
  for (size_t i = 0; i < to.size() && i < from.size(); ++i) {
    const double q = std::floor(std::ldexp(static_cast<double>(from[i]), 7 - in.exponent) + 0.5);
    to[i] = static_cast<int8_t>(std::clamp(q, -128.0, 127.0));
  }
  return t;
}

}  // namespace edgetwin::max78
