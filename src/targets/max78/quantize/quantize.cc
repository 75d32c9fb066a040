#include "targets/max78/quantize/quantize.h"

#include <algorithm>
#include <cmath>

#include "numerics/rounding.h"
#include "targets/max78/quantize/scale.h"
#include "targets/max78/quantize/state.h"

namespace edgetwin::max78 {
namespace {

struct Names {
  std::string layer;      // "block.conv3"
  std::string parameter;  // "weight"
  std::string bias;       // the bias of the same layer and operator
};

// "<layer>.<op>.<parameter>", split from the right; the operator may be missing.
std::optional<Names> split(const std::string& name) {
  const size_t last = name.rfind('.');
  if (last == std::string::npos || last == 0) return std::nullopt;
  const size_t before = name.rfind('.', last - 1);
  Names out;
  out.parameter = name.substr(last + 1);
  out.layer = name.substr(0, before == std::string::npos ? last : before);
  out.bias = name.substr(0, last) + ".bias";
  return out;
}

float round_to(float value, float low, float high) {
  return std::clamp(numerics::round_float(value, numerics::Rounding::half_up), low, high);
}

class Quantizer {
 public:
  Quantizer(torch::Checkpoint checkpoint, const QuantizeOptions& options, Quantization& out)
      : checkpoint_(std::move(checkpoint)), options_(options), out_(out) {
    if (options.network == nullptr) return;
    for (const ai8x::Layer& layer : options.network->layers) {
      if (layer.takes_weights() || options.upstream_bugs) described_.push_back(&layer);
    }
  }

  void run() {
    if (const Status status = fold(); !status.ok()) return fail(status.error());
    auto state = State::of(checkpoint_);
    if (!state.ok()) return fail(state.error());
    state_ = std::move(*state);
    const std::vector<std::string> names = state_.names();  // entries are added on the way
    for (const std::string& name : names) {
      const auto parts = split(name);
      if (!parts) continue;
      if (Status status = entry(name, *parts); !status.ok()) fail(status.error());
    }
    if (out_.report.ok() && handled_ == 0) {
      fail(Error(ErrorCode::ai8x_quantize, "no entry of the checkpoint is a weight"));
    }
    if (!out_.report.ok()) return;
    compare_with_description();
    state_.store(checkpoint_);
    store_extras();
    out_.checkpoint = std::move(checkpoint_);
  }

 private:
  void fail(Error error) {
    if (error.place.file.empty()) error.place.file = checkpoint_.file();
    out_.report.findings.push_back(finding_of(error, Severity::error));
  }

  void warn(const std::string& entry, std::string message) {
    out_.report.findings.push_back(
        finding_of(Error(ErrorCode::ai8x_quantize_note, std::move(message))
                       .in_file(checkpoint_.file())
                       .in_field(entry),
                   Severity::warning));
  }

  Status fold() {
    if (!options_.fold_batch_norm) return Ok{};
    EDGETWIN_TRY_ASSIGN(const auto folded, fold_batch_norm(checkpoint_, options_.bn_epsilon));
    out_.folded = folded.size();
    if (!folded.empty()) {
      warn(folded.front() + ".bn",
           "batch normalization of " + std::to_string(folded.size()) + " layers was folded first");
    }
    return Ok{};
  }

  Status entry(const std::string& name, const Names& parts) {
    const std::string& p = parts.parameter;
    if (p == "w_zero_point" || p == "b_zero_point") return remove_zero_point(name);
    if (p == "base_b_q") {
      state_.remove(name);
    } else if (p == "adjust_output_shift") {
      state_.set(name, {1}, {0.0F});
    } else if (p == "quantize_activation") {
      state_.set(name, {1}, {1.0F});
    } else if (p == "weight") {
      return weights(name, parts);
    }
    return Ok{};
  }

  Status remove_zero_point(const std::string& name) {
    EDGETWIN_TRY_ASSIGN(const auto values, state_.floats(name, ErrorCode::ai8x_zero_point));
    for (const float v : values) {
      if (v == 0) continue;
      return Error(ErrorCode::ai8x_zero_point, "'" + name + "' is " + std::to_string(v))
          .in_field(name);
    }
    state_.remove(name);
    return Ok{};
  }

  // The one value of an entry; nothing where the entry does not exist.
  Result<std::optional<float>> one(const std::string& name) {
    if (state_.find(name) == nullptr) return std::optional<float>();
    EDGETWIN_TRY_ASSIGN(const auto values, state_.floats(name, ErrorCode::ai8x_quantize));
    if (values.size() != 1 || !std::isfinite(values[0])) {
      return Error(ErrorCode::ai8x_quantize, "'" + name + "' is not one finite number")
          .in_field(name);
    }
    return std::optional<float>(values[0]);
  }

  // From the description, the checkpoint, the option, or 8; `index` counts the layers with weights.
  Result<int> bits_of(size_t index, const Names& parts, const std::string& name) {
    EDGETWIN_TRY_ASSIGN(const auto stored, one(parts.layer + ".weight_bits"));
    int bits = options_.weight_bits.value_or(8);
    if (stored && *stored != 0) bits = static_cast<int>(*stored);
    if (index < described_.size()) bits = described_[index]->quantization.value_or(bits);
    if (bits == 1 || bits == 2 || bits == 4 || bits == 8) return bits;
    return Error(ErrorCode::ai8x_quantize,
                 bits == ai8x::kBinary
                     ? "binary weights cannot be made from float weights"
                     : "weights cannot have " + std::to_string(bits) + " bits; 1, 2, 4 or 8 can")
        .in_field(name)
        .with_hint("train with binary weights, or give another quantization");
  }

  Result<std::vector<float>> finite(const std::string& name) {
    EDGETWIN_TRY_ASSIGN(auto values, state_.floats(name, ErrorCode::ai8x_quantize));
    for (const float v : values) {
      if (std::isfinite(v)) continue;
      return Error(ErrorCode::ai8x_quantize, "'" + name + "' holds a value that is not finite")
          .in_field(name);
    }
    return values;
  }

  // The kernel of a layer that the description gives to these weights.
  Status check_described(size_t index, const std::string& name) {
    if (index >= described_.size() || options_.upstream_bugs) return Ok{};
    const ai8x::Layer& layer = *described_[index];
    const Shape& shape = state_.find(name)->shape;
    int64_t has = 1;
    for (int axis = 2; axis < shape.rank(); ++axis) has *= shape[axis];
    const int64_t wanted =
        layer.op == ai8x::Operator::linear ? 1 : int64_t{layer.kernel.h} * layer.kernel.w;
    if (has == wanted) return Ok{};
    return Error(ErrorCode::ai8x_quantize,
                 "the description is not of this checkpoint: its layer " + std::to_string(index) +
                     " with weights has a kernel of " + std::to_string(layer.kernel.h) + "x" +
                     std::to_string(layer.kernel.w) + ", the entry is " + to_string(shape))
        .in_field(name)
        .with_hint("Give the description of this network, or none.");
  }

  // A description may end earlier; then the rest stays as it is.
  void compare_with_description() {
    if (options_.network == nullptr || options_.upstream_bugs) return;
    if (handled_ != described_.size()) {
      warn("state_dict", "the description has " + std::to_string(described_.size()) +
                             " layers with weights, the checkpoint " + std::to_string(handled_));
    }
    const auto arch = checkpoint_.text(checkpoint_.root(), "arch");
    if (arch && !options_.network->arch.empty() && *arch != options_.network->arch) {
      warn("arch", "the checkpoint is of '" + std::string(*arch) + "', the description of '" +
                       options_.network->arch + "'");
    }
  }

  Status weights(const std::string& name, const Names& parts) {
    const size_t index = handled_++;
    if (options_.network != nullptr && index >= described_.size()) return Ok{};
    EDGETWIN_TRY(check_described(index, name));
    EDGETWIN_TRY_ASSIGN(const int bits, bits_of(index, parts, name));
    EDGETWIN_TRY_ASSIGN(std::vector<float> values, finite(name));
    if (values.empty()) {
      return Error(ErrorCode::ai8x_quantize, "'" + name + "' is empty").in_field(name);
    }
    std::vector<float> bias;
    const bool has_bias = state_.find(parts.bias) != nullptr;
    if (has_bias) {
      EDGETWIN_TRY_ASSIGN(bias, finite(parts.bias));
    }
    QuantizedLayer layer;
    layer.name = name;
    layer.bits = bits;
    layer.has_bias = has_bias;
    const Shape shape = state_.find(name)->shape;
    const auto steps = static_cast<float>(1 << (bits - 1));
    if (options_.described_shifts && index < described_.size()) {
      layer.shift = described_[index]->output_shift;
    }
    // What weights and biases have in common; weights also get the steps of their bits.
    EDGETWIN_TRY_ASSIGN(const float common, common_factor(values, bias, shape, parts, layer));
    const float factor = steps * common;
    layer.factor = static_cast<double>(factor);
    for (float& v : values) {
      v = round_to(factor * v, -steps, steps - 1);
      layer.clipped += v == -steps || v == steps - 1 ? 1 : 0;
    }
    state_.set(name, shape, values);
    EDGETWIN_TRY(set_bits(parts, bits));
    if (has_bias) {
      const Shape bias_shape = state_.find(parts.bias)->shape;
      for (float& v : bias) v = round_to(steps * (v * common), -steps, steps - 1) * steps;
      state_.set(parts.bias, bias_shape, bias);
      state_.set(parts.layer + ".bias_bits", {1}, {static_cast<float>(bits)});
    }
    out_.layers.push_back(std::move(layer));
    return Ok{};
  }

  // The power of two that training recorded, which becomes the output shift; or what the method
  // computes. The vendor's quantizer stops on a bias with a method; here both get the same factor,
  // without which the sum of products and bias would be another one.
  Result<float> common_factor(const std::vector<float>& values, const std::vector<float>& bias,
                              const Shape& shape, const Names& parts, QuantizedLayer& layer) {
    switch (options_.method) {
      case ClipMethod::max_bit_shift:
        break;
      case ClipMethod::avgmax:
        return mean_magnitude(values, shape);
      case ClipMethod::max:
        return largest_magnitude(values);
      case ClipMethod::stddev:
        if (values.size() < 2) {
          return Error(ErrorCode::ai8x_quantize, "one weight has no standard deviation")
              .in_field(layer.name);
        }
        return deviation_magnitude(values, static_cast<float>(options_.deviations));
      case ClipMethod::scale:
        return static_cast<float>(options_.scale);
    }
    if (layer.shift) {
      state_.set(parts.layer + ".output_shift", {1}, {static_cast<float>(*layer.shift)});
      return std::ldexp(1.0F, -*layer.shift);
    }
    EDGETWIN_TRY_ASSIGN(const auto quantile, one(parts.layer + ".shift_quantile"));
    if (quantile && !(*quantile >= 0 && *quantile <= 1)) {
      return Error(ErrorCode::ai8x_quantize,
                   "the quantile is " + std::to_string(*quantile) + "; it lies in 0 to 1")
          .in_field(parts.layer + ".shift_quantile");
    }
    const float most = magnitude_quantile(values, bias, quantile.value_or(1.0F));
    const float exponent =
        std::clamp(std::floor(std::log2(1.0F / most)), static_cast<float>(-7 - layer.bits),
                   static_cast<float>(23 - layer.bits));
    EDGETWIN_TRY_ASSIGN(layer.shift, output_shift(-static_cast<int>(exponent), parts));
    state_.set(parts.layer + ".output_shift", {1}, {static_cast<float>(*layer.shift)});
    return std::ldexp(1.0F, static_cast<int>(exponent));
  }

  // A layer trained with an activation threshold is shifted by so much less, within the range that
  // training has.
  Result<int> output_shift(int of_weights, const Names& parts) {
    constexpr int kMost = 15;
    EDGETWIN_TRY_ASSIGN(const auto threshold, one(parts.layer + ".activation_threshold"));
    if (!threshold) return of_weights;
    EDGETWIN_TRY_ASSIGN(const auto limits, one(parts.layer + ".clamp_activation"));
    if (limits && *limits == 0) {
      return Error(ErrorCode::ai8x_quantize,
                   "the checkpoint is of the method of activation thresholds, which are not found "
                   "yet: its activations have no limits")
          .in_field(parts.layer + ".clamp_activation")
          .with_hint("Train on until quantization takes part, or let `evaluate -8` find them.");
    }
    return std::clamp(of_weights - static_cast<int>(*threshold), -kMost, kMost);
  }

  // Only a missing or zero entry is set, and always to 8: the vendor's quantizer does not record
  // fewer bits that were asked for, so that the description must repeat them.
  Status set_bits(const Names& parts, int bits) {
    const std::string name = parts.layer + ".weight_bits";
    EDGETWIN_TRY_ASSIGN(const auto stored, one(name));
    const int kept = stored && *stored != 0 ? static_cast<int>(*stored) : 8;
    if (!stored || *stored == 0) state_.set(name, {1}, {8.0F});
    if (kept != bits) {
      warn(name, "the weights have " + std::to_string(bits) + " bits, but the entry says " +
                     std::to_string(kept) +
                     ", as with the vendor's quantizer: the description must " +
                     "have quantization: " + std::to_string(bits));
    }
    return Ok{};
  }

  void store_extras() {
    auto extras = checkpoint_.find(checkpoint_.root(), "extras");
    if (!extras || checkpoint_.node(*extras).kind != torch::NodeKind::dict) {
      extras = checkpoint_.add_dict(false);
      checkpoint_.set(checkpoint_.root(), "extras", *extras);
    }
    checkpoint_.set(*extras, "clipping_method",
                    checkpoint_.add_text(std::string(name(options_.method))));
    if (options_.method == ClipMethod::stddev) {
      checkpoint_.set(*extras, "clipping_nstds", checkpoint_.add_real(options_.deviations));
    }
    if (options_.method == ClipMethod::scale) {
      checkpoint_.set(*extras, "clipping_scale", checkpoint_.add_real(options_.scale));
    }
    store_masks();
  }

  // A pruning schedule has an entry for each parameter; the new ones have no mask.
  void store_masks() {
    const auto schedule = checkpoint_.find(checkpoint_.root(), "compression_sched");
    if (!schedule) return;
    const auto masks = checkpoint_.find(*schedule, "masks_dict");
    if (!masks || checkpoint_.node(*masks).kind != torch::NodeKind::dict) return;
    for (const QuantizedLayer& layer : out_.layers) {
      const std::string base = split(layer.name)->layer;
      for (const char* part : {".weight_bits", ".output_shift"}) {
        if (!checkpoint_.find(*masks, base + part)) {
          checkpoint_.set(*masks, base + part, checkpoint_.add_none());
        }
      }
    }
  }

  torch::Checkpoint checkpoint_;
  const QuantizeOptions& options_;
  Quantization& out_;
  State state_;
  std::vector<const ai8x::Layer*> described_;
  size_t handled_ = 0;
};

}  // namespace

Quantization quantize(torch::Checkpoint checkpoint, const QuantizeOptions& options) {
  Quantization out;
  Quantizer(std::move(checkpoint), options, out).run();
  return out;
}

}  // namespace edgetwin::max78
