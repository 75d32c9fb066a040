#include "train/network/description.h"
#include "train/rules/rules.h"

#include <algorithm>
#include <bit>

namespace edgetwin::train {
namespace {

using ai8x::Key;
using ai8x::Operator;

Pair pair_of(ai8x::Size2 size) { return {size.h, size.w}; }

std::string text(const MapShape& s) {
  return std::to_string(s.c) + "x" + std::to_string(s.size.h) + "x" + std::to_string(s.size.w);
}

class Builder {
 public:
  Builder(const ai8x::Network& description, const BuildOptions& options)
      : in_(description), options_(options) {}

  Result<Network> run() {
    out_.file = in_.file;
    out_.arch = in_.arch;
    out_.input = options_.input;
    for (size_t i = 0; i < in_.layers.size(); ++i) {
      if (in_.layers[i].takes_weights()) last_with_weights_ = i;
    }
    for (size_t i = 0; i < in_.layers.size(); ++i) EDGETWIN_TRY(layer(i));
    if (out_.outputs().empty()) out_.layers.back().is_output = true;
    return std::move(out_);
  }

 private:
  Error error(Rule rule, size_t i, std::string message) const {
    Error e = broken(rule, std::move(message));
    e.place = ai8x::place(in_, i);
    return e;
  }

  Status layer(size_t i) {
    EDGETWIN_TRY(check_trainable(i));
    const ai8x::Layer& l = in_.layers[i];
    NetworkLayer result;
    result.name = l.name.empty() ? "layer" + std::to_string(l.sequence) : l.name;
    result.line = l.mark.line;
    result.is_output = l.output;
    result.frozen = l.bypass;
    result.crop = l.in_crop;
    if (l.weight_source) result.owner = *l.weight_source;
    if (l.quantization) result.bits = *l.quantization;
    result.output_shift = l.output_shift;
    fill_sources(i, result);
    fill_input_stage(l, result);
    EDGETWIN_TRY(arrange(i, result));
    EDGETWIN_TRY(fill_operator(i, result));
    const Pair size = result.spec.output_of(result.input.size);
    if (size.h < 1 || size.w < 1) {
      return error(Rule::shapes, i, "the window is larger than the input " + text(result.input));
    }
    int channels = result.input.c;
    if (result.spec.has_weights()) {
      channels = result.spec.out_channels();
    } else if (result.spec.flatten) {
      const Pair pooled = result.spec.pooling == ai8x::Pooling::none
                              ? result.input.size
                              : result.spec.pool.output_of(result.input.size);
      channels *= pooled.h * pooled.w;
    }
    result.output = {channels, size};
    out_.layers.push_back(std::move(result));
    return Ok{};
  }

  // Keys that compute something that has no gradient here.
  Status check_trainable(size_t i) const {
    const ai8x::Layer& l = in_.layers[i];
    for (const Key key : {Key::snoop_sequence, Key::buffer_shift, Key::buffer_insert}) {
      if (!l.has(key)) continue;
      Error e = error(Rule::key, i, "the key cannot be trained");
      e.place = ai8x::place(in_, i, key);
      return e;
    }
    if (in_.data_buffer) return error(Rule::key, i, "a network with data_buffer cannot be trained");
    if (l.quantization == ai8x::kBinary) {
      return error(Rule::key, i, "`quantization: binary` cannot be trained");
    }
    if (l.op == Operator::none && l.activation != ai8x::Activation::none) {
      return error(Rule::key, i, "an activation without an operator cannot be trained");
    }
    return Ok{};
  }

  void fill_sources(size_t i, NetworkLayer& result) const {
    const ai8x::Layer& l = in_.layers[i];
    if (l.in_sequences) {
      for (const int s : *l.in_sequences) result.sources.push_back(s);
    } else {
      result.sources.push_back(i == 0 ? kNetworkInput : static_cast<int>(i) - 1);
    }
  }

  void fill_input_stage(const ai8x::Layer& l, NetworkLayer& result) const {
    LayerSpec& spec = result.spec;
    spec.eltwise = l.eltwise;
    spec.pool_first = l.pool_first;
    spec.pooling = l.pooling;
    spec.pool = {pair_of(l.pool), pair_of(l.pool_stride), pair_of(l.pool_dilation)};
    const bool strides =
        l.pooling == ai8x::Pooling::none && (l.pool_stride.h > 1 || l.pool_stride.w > 1);
    if (strides) {
      // A window of one place that only strides.
      spec.pooling = ai8x::Pooling::max;
      spec.pool.size = {1, 1};
    }
    spec.average_rounding = options_.average_rounding;
    spec.activation = l.activation;
    spec.wide = l.output_width == 32;
    spec.flatten = l.flatten;
  }

  MapShape shape_of(int source) const {
    return source < 0 ? out_.input : out_.layers[static_cast<size_t>(source)].output;
  }

  // Shape of what the input stage reads: joined, cropped, viewed.
  Status arrange(size_t i, NetworkLayer& result) const {
    for (const int s : result.sources) {
      if (s >= static_cast<int>(i) || s < kNetworkInput) {
        return error(Rule::key, i, "in_sequences names a layer that does not run before");
      }
    }
    MapShape shape = shape_of(result.sources[0]);
    const bool joins = result.spec.eltwise != ai8x::Eltwise::none;
    const ai8x::Layer& l = in_.layers[i];
    if (joins && static_cast<int>(result.sources.size()) != l.operands) {
      return error(Rule::key, i, "training needs one source per operand");
    }
    for (size_t s = 1; s < result.sources.size(); ++s) {
      const MapShape other = shape_of(result.sources[s]);
      if (other.size != shape.size || (joins && other.c != shape.c)) {
        return error(Rule::shapes, i,
                     "sources of " + text(shape) + " and " + text(other) + " do not fit together");
      }
      if (!joins) shape.c += other.c;
    }
    shape.size.h -= l.in_crop[0] + l.in_crop[1];
    if (l.in_dim && pair_of(*l.in_dim) != shape.size) {
      result.view = pair_of(*l.in_dim);
      const int places = result.view->h * result.view->w;
      if (places < 1 || shape.elements() % places != 0) {
        return error(Rule::shapes, i, "in_dim does not divide the input " + text(shape));
      }
      shape = {shape.elements() / places, *result.view};
    }
    if (shape.size.h < 1) {
      return error(Rule::shapes, i, "in_crop removes all rows");
    }
    result.input = shape;
    return Ok{};
  }

  Status fill_operator(size_t i, NetworkLayer& result) {
    const ai8x::Layer& l = in_.layers[i];
    LayerSpec& spec = result.spec;
    spec.op = l.bypass ? Operator::none : l.op;
    if (!spec.has_weights()) return Ok{};
    const bool linear = spec.op == Operator::linear;
    MapShape input = result.input;
    if (spec.pooling != ai8x::Pooling::none) input.size = spec.pool.output_of(input.size);
    if (spec.flatten) input = {input.elements(), {1, 1}};
    if (linear && input.size != Pair{}) {
      return error(Rule::shapes, i,
                   "a linear layer reads " + text(input) + "; add `flatten: true`");
    }
    EDGETWIN_TRY_ASSIGN(const int out, channels_of(i, result));
    spec.window = {.kernel = linear ? Pair{} : pair_of(l.kernel),
                   .stride = linear ? Pair{} : pair_of(l.stride),
                   .pad = linear ? Pair{0, 0} : pair_of(l.pad),
                   .dilation = linear ? Pair{} : pair_of(l.dilation),
                   .groups = l.groups,
                   .first = spec.transposed() ? input.c : out,
                   .second = spec.transposed() ? out : input.c};
    spec.output_pad = {l.output_pad, l.output_pad};
    if (input.c % l.groups != 0 || out % l.groups != 0) {
      return error(Rule::shapes, i,
                   std::to_string(input.c) + " to " + std::to_string(out) +
                       " channels do not make " + std::to_string(l.groups) + " groups");
    }
    const auto with_bias = options_.biases.find(result.name);
    result.bias = with_bias != options_.biases.end() ? with_bias->second : options_.bias;
    const auto named = options_.norms.find(result.name);
    if (named != options_.norms.end()) {
      result.norm = named->second;
    } else if (!linear && i != last_with_weights_) {
      result.norm = options_.norm;
    }
    return Ok{};
  }

  // Output channels; takes the name from the options too.
  Result<int> channels_of(size_t i, NetworkLayer& result) {
    if (result.owner >= 0) {
      const LayerSpec& other = out_.layers[static_cast<size_t>(result.owner)].spec;
      return other.out_channels();
    }
    const size_t n = weights_seen_++;
    if (n < options_.names.size()) result.name = options_.names[n];
    if (in_.layers[i].out_channels) return *in_.layers[i].out_channels;
    if (n < options_.out_channels.size()) return options_.out_channels[n];
    if (i == last_with_weights_ && options_.classes > 0) return options_.classes;
    Error e = error(Rule::channels, i, "the description does not have the output channels");
    const std::optional<size_t> next = reader_of(i);
    if (!next) return e;
    const int read = std::popcount(in_.layers[*next].processors);
    return std::move(e).detail("layer " + std::to_string(*next) + " reads it with " +
                               std::to_string(read) + " processors: `out_channels: " +
                               std::to_string(read) + "` in one pass, a multiple in several");
  }

  // The first layer that reads layer `i`.
  std::optional<size_t> reader_of(size_t i) const {
    for (size_t k = i + 1; k < in_.layers.size(); ++k) {
      NetworkLayer other;
      fill_sources(k, other);
      for (const int s : other.sources) {
        if (s == static_cast<int>(i)) return k;
      }
    }
    return std::nullopt;
  }

  const ai8x::Network& in_;
  const BuildOptions& options_;
  Network out_;
  size_t last_with_weights_ = 0;
  size_t weights_seen_ = 0;
};

}  // namespace

std::vector<size_t> Network::outputs() const {
  std::vector<size_t> result;
  for (size_t i = 0; i < layers.size(); ++i) {
    if (layers[i].is_output) result.push_back(i);
  }
  return result;
}

int64_t Network::products() const {
  int64_t sum = 0;
  for (const NetworkLayer& l : layers) {
    if (!l.spec.has_weights()) continue;
    const Pair small = l.spec.transposed() ? l.input.size : l.output.size;
    sum += static_cast<int64_t>(l.spec.window.weights()) * small.h * small.w;
  }
  return sum;
}

Result<Network> build_network(const ai8x::Network& description, const BuildOptions& options) {
  return Builder(description, options).run();
}

}  // namespace edgetwin::train
