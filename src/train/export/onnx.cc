#include "train/export/onnx.h"

#include <cmath>
#include <cstdlib>

#include "train/engine/batch_norm.h"
#include "train/export/document_builder.h"
#include "train/export/real_powers.h"
#include "train/network/integer.h"
#include "train/network/parameters.h"
#include "train/rules/rules.h"

namespace edgetwin::train {
namespace {

constexpr float kExactSums = 16'777'216;  // 2^24

std::vector<int64_t> pair_of(Pair p) { return {p.h, p.w}; }
// Before and after, of rows and columns.
std::vector<int64_t> pads_of(Pair p) { return {p.h, p.w, p.h, p.w}; }

std::vector<float> real_numbers(const std::vector<int32_t>& values, int32_t factor = 1) {
  std::vector<float> result;
  for (const int32_t v : values) result.push_back(static_cast<float>(v * factor));
  return result;
}

onnx::ValueInfo value_info(const std::string& name) {
  onnx::ValueInfo info;
  info.name = name;
  info.dtype = DType::float32;
  info.has_shape = true;
  return info;
}

class NetworkExporter : private DocumentBuilder {
 public:
  NetworkExporter(const Model& model, ExportForm form)
      : DocumentBuilder(model.network.arch),
        model_(model),
        integers_(form == ExportForm::integers) {}

  Result<Exported> run() && {
    const Network& network = model_.network;
    std::string input = take_input();
    std::vector<std::string> outputs;
    for (size_t i = 0; i < network.layers.size(); ++i) {
      const NetworkLayer& layer = network.layers[i];
      std::vector<std::string> sources;
      for (const int s : layer.sources) {
        sources.push_back(s < 0 ? input : outputs[static_cast<size_t>(s)]);
      }
      EDGETWIN_TRY_ASSIGN(std::string output, take_layer(i, std::move(sources)));
      outputs.push_back(std::move(output));
    }
    for (const size_t i : network.outputs()) {
      onnx::ValueInfo info = value_info(outputs[i]);
      const MapShape& s = network.layers[i].output;
      info.dims = {{1, ""}, {s.c, ""}, {s.size.h, ""}, {s.size.w, ""}};
      document().outputs.push_back(std::move(info));
    }
    made_.document = std::move(document());
    return std::move(made_);
  }

 private:
  // One-dimensional data become maps of one column.
  std::string take_input() {
    const MapShape& in = model_.network.input;
    onnx::ValueInfo info = value_info("input");
    bool one_dimension = false;
    for (const NetworkLayer& layer : model_.network.layers) {
      one_dimension = one_dimension || layer.spec.op == ai8x::Operator::conv1d;
    }
    info.dims = {{1, ""}, {in.c, ""}, {in.size.h, ""}};
    if (!one_dimension) info.dims.push_back({in.size.w, ""});
    document().inputs.push_back(std::move(info));
    return one_dimension ? reshaped("input", "maps", in) : "input";
  }

  // To the range of 8 bits.
  std::string limited(const std::string& x, const std::string& name) {
    if (model_.unlimited()) return node(name, "Identity", {x});
    return integers_ ? clipped(x, name, -kGrid, kGrid - 1) : clipped(x, name, kLow, kHigh);
  }

  Result<std::string> take_layer(size_t i, std::vector<std::string> sources) {
    const NetworkLayer& layer = model_.network.layers[i];
    const LayerSpec& spec = layer.spec;
    if (spec.eltwise == ai8x::Eltwise::bitwise_or || spec.eltwise == ai8x::Eltwise::bitwise_xor) {
      return refused(layer, "a bitwise operation of real numbers");
    }
    if (integers_ && spec.average_rounding && spec.pooling == ai8x::Pooling::average) {
      return refused(layer, "a mean that is rounded");
    }
    arrange(layer, sources);
    const bool pools = spec.pooling != ai8x::Pooling::none;
    const bool joins = spec.eltwise != ai8x::Eltwise::none;
    const bool pools_each = pools && (spec.pool_first || !joins);
    for (size_t s = 0; s < sources.size() && pools_each; ++s) {
      sources[s] = pooled(layer, sources[s], layer.name + "/pool" + std::to_string(s));
    }
    std::string x = joins ? joined(layer, sources) : sources[0];
    if (pools && !pools_each) x = pooled(layer, x, layer.name + "/pool");
    if (!spec.has_weights()) {
      return spec.flatten ? reshaped(x, layer.name, layer.output)
                          : node(layer.name, "Identity", {x});
    }
    if (spec.flatten) {
      x = reshaped(x, layer.name + "/flat", {spec.in_channels(), {1, 1}});
    }
    return finished(i, with_weights(i, x));
  }

  Error refused(const NetworkLayer& layer, const std::string& what) const {
    return broken(Rule::exported, what + " has no form in ONNX here")
        .in_file(model_.network.file)
        .in_layer(layer.name);
  }

  // Channels joined, rows cut off, another view.
  void arrange(const NetworkLayer& layer, std::vector<std::string>& sources) {
    if (sources.size() > 1 && layer.spec.eltwise == ai8x::Eltwise::none) {
      sources = {node(layer.name + "/concat", "Concat", sources, {integer_attribute("axis", 1)})};
    }
    for (size_t s = 0; s < sources.size(); ++s) {
      const std::string name = layer.name + "/in" + std::to_string(s);
      if (layer.crop[0] != 0 || layer.crop[1] != 0) {
        sources[s] = node(name + "/crop", "Slice",
                          {sources[s], sizes(name + "/start", {layer.crop[0]}),
                           sizes(name + "/end", {layer.crop[1] == 0 ? INT32_MAX : -layer.crop[1]}),
                           sizes(name + "/axis", {2})});
      }
      if (layer.view) sources[s] = reshaped(sources[s], name + "/view", layer.input);
    }
  }

  std::string joined(const NetworkLayer& layer, const std::vector<std::string>& sources) {
    const char* type = layer.spec.eltwise == ai8x::Eltwise::sub ? "Sub" : "Add";
    std::string x = sources[0];
    for (size_t s = 1; s < sources.size(); ++s) {
      x = node(layer.name + "/join" + std::to_string(s), type, {x, sources[s]});
    }
    return limited(x, layer.name + "/joined");
  }

  std::string pooled(const NetworkLayer& layer, const std::string& x, const std::string& name) {
    const PoolWindow& v = layer.spec.pool;
    std::vector<onnx::Attribute> attributes = {
        integers_attribute("kernel_shape", pair_of(v.size)),
        integers_attribute("strides", pair_of(v.stride)),
        integers_attribute("dilations", pair_of(v.dilation))};
    if (layer.spec.pooling == ai8x::Pooling::max) {
      return node(name, "MaxPool", {x}, std::move(attributes));
    }
    // The sum, then a division: a mean by a reciprocal would fall below whole numbers.
    const auto channels = static_cast<int64_t>(layer.input.c);
    const auto taps = static_cast<size_t>(v.size.h) * static_cast<size_t>(v.size.w);
    const std::vector<float> ones(static_cast<size_t>(channels) * taps, 1.0F);
    attributes.push_back(integer_attribute("group", channels));
    const std::string sum =
        node(name + "/sum", "Conv",
             {x, floats(name + "/ones", {channels, 1, v.size.h, v.size.w}, ones)}, attributes);
    std::string mean =
        node(name + "/mean", "Div", {sum, number(name + "/count", static_cast<float>(taps))});
    if (integers_) mean = cut(mean, name);
    return limited(mean, name);
  }

  // Toward zero.
  std::string cut(const std::string& x, const std::string& name) {
    const std::string above = node(name + "/above", "Relu", {x});
    const std::string below = node(name + "/below", "Relu", {node(name + "/neg", "Neg", {x})});
    return node(
        name + "/cut", "Sub",
        {node(name + "/floor", "Floor", {above}), node(name + "/floor_neg", "Floor", {below})});
  }

  struct Weights {
    std::vector<float> values, bias;
  };

  Weights weights_of(size_t i) {
    const size_t owner = model_.network.owner(i);
    if (!integers_) {
      const LayerParameters& p = model_.parameters[owner];
      return {p.weights, p.bias};
    }
    const IntegerParameters p = integer_parameters(model_, owner);
    Weights w{real_numbers(p.weights), real_numbers(p.bias, static_cast<int32_t>(kGrid))};
    note_sums(model_.network.layers[i], w);
    return w;
  }

  // Every partial sum is below 2^24 if the magnitudes of an output channel are.
  void note_sums(const NetworkLayer& layer, const Weights& w) {
    const LayerSpec& spec = layer.spec;
    const auto outputs = static_cast<size_t>(spec.out_channels());
    std::vector<float> sums(outputs);
    const size_t each = w.values.size() / outputs;
    const auto taps =
        static_cast<size_t>(spec.window.kernel.h) * static_cast<size_t>(spec.window.kernel.w);
    const size_t in_group = outputs / static_cast<size_t>(spec.window.groups);
    for (size_t k = 0; k < w.values.size(); ++k) {
      // Of a transposed layer (in, out / groups, taps): all groups together are a bound.
      const size_t out = spec.transposed() ? k / taps % in_group : k / each;
      sums[out] += std::abs(w.values[k]) * kGrid;
    }
    for (size_t c = 0; c < outputs; ++c) {
      const float bias = w.bias.empty() ? 0 : std::abs(w.bias[c]);
      if (sums[spec.transposed() ? c % in_group : c] + bias <= kExactSums) continue;
      made_.inexact.push_back(layer.name);
      return;
    }
  }

  std::string with_weights(size_t i, const std::string& x) {
    const NetworkLayer& layer = model_.network.layers[i];
    const Window& v = layer.spec.window;
    const Weights w = weights_of(i);
    const bool transposed = layer.spec.transposed();
    std::vector<std::string> inputs = {
        x, floats(layer.name + ".weight", {v.first, v.second / v.groups, v.kernel.h, v.kernel.w},
                  w.values)};
    if (!w.bias.empty()) {
      inputs.push_back(floats(layer.name + ".bias", {static_cast<int64_t>(w.bias.size())}, w.bias));
    }
    std::vector<onnx::Attribute> attributes = {
        integers_attribute("kernel_shape", pair_of(v.kernel)),
        integers_attribute("strides", pair_of(v.stride)),
        integers_attribute("pads", pads_of(v.pad)),
        integers_attribute("dilations", pair_of(v.dilation)), integer_attribute("group", v.groups)};
    if (transposed) {
      attributes.push_back(integers_attribute("output_padding", pair_of(layer.spec.output_pad)));
    }
    return node(layer.name + "/sum", transposed ? "ConvTranspose" : "Conv", std::move(inputs),
                std::move(attributes));
  }

  std::string normalized(size_t i, const std::string& x) {
    const std::optional<BatchNorm>& norm = model_.parameters[model_.network.owner(i)].norm;
    if (!norm || integers_) return x;
    const std::string name = model_.network.layers[i].name;
    const auto channels = static_cast<int64_t>(norm->mean.size());
    const std::vector<float> ones(norm->mean.size(), 1.0F), zeros(norm->mean.size(), 0.0F);
    onnx::Attribute epsilon;
    epsilon.name = "epsilon";
    epsilon.kind = onnx::Attribute::Kind::real;
    epsilon.real = kBatchNormEpsilon;
    const std::string y =
        node(name + "/norm", "BatchNormalization",
             {x, floats(name + "/norm.scale", {channels}, norm->affine() ? norm->scale : ones),
              floats(name + "/norm.offset", {channels}, norm->affine() ? norm->offset : zeros),
              floats(name + "/norm.mean", {channels}, norm->mean),
              floats(name + "/norm.variance", {channels}, norm->variance)},
             {epsilon});
    if (model_.unlimited()) return y;
    return node(name + "/quarter", "Mul", {y, number(name + "/quarter_of", kNormPart)});
  }

  std::string powered(const std::string& x, const std::string& name, int exponent) {
    if (integers_ || exponent == 0) return x;
    return node(name, "Mul", {x, number(name + "_of", std::ldexp(1.0F, exponent))});
  }

  std::string finished(size_t i, std::string x) {
    const NetworkLayer& layer = model_.network.layers[i];
    const LayerSpec& spec = layer.spec;
    const RealPowers powers = real_powers(model_, i);
    x = powered(normalized(i, x), layer.name + "/range", powers.before);
    if (spec.activation == ai8x::Activation::relu) x = node(layer.name + "/relu", "Relu", {x});
    if (spec.activation == ai8x::Activation::abs) x = node(layer.name + "/abs", "Abs", {x});
    if (spec.wide) {
      if (integers_) return node(layer.name, "Identity", {x});
      x = clipped(x, layer.name, -kWideLimit, kWideLimit);
      return powered(x, layer.name + "/real", powers.after);
    }
    if (!integers_) return powered(limited(x, layer.name), layer.name + "/real", powers.after);
    const IntegerParameters p = integer_parameters(model_, model_.network.owner(i));
    const float factor = std::ldexp(1.0F, p.shift + 8 - p.bits) / kGrid;
    x = node(layer.name + "/scaled", "Mul", {x, number(layer.name + "/scale", factor)});
    x = node(layer.name + "/raised", "Add", {x, number(layer.name + "/half", 0.5F)});
    return limited(node(layer.name + "/rounded", "Floor", {x}), layer.name);
  }

  const Model& model_;
  bool integers_;
  Exported made_;
};

}  // namespace

Result<Exported> export_onnx(const Model& model, ExportForm form) {
  if (form == ExportForm::real || model.quantized) return NetworkExporter(model, form).run();
  Model quantized = model;
  start_quantization(quantized);
  return NetworkExporter(quantized, form).run();
}

}  // namespace edgetwin::train
