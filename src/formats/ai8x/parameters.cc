// Parameters from a checkpoint (specification max7800x-network, 3.2 and 3.3).
#include "formats/ai8x/parameters.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "formats/ai8x/parameter_parts.h"
#include "formats/ai8x/yaml_scalar.h"

namespace edgetwin::ai8x {
namespace {

// "<layer>.<op>.<parameter>", or "<layer>.<parameter>" where there is only one dot.
struct EntryName {
  std::string layer;
  std::string op;
  std::string parameter;
};

std::optional<EntryName> split(const std::string& name) {
  const size_t last = name.rfind('.');
  if (last == std::string::npos) return std::nullopt;
  EntryName out;
  out.parameter = name.substr(last + 1);
  const size_t before = last == 0 ? std::string::npos : name.rfind('.', last - 1);
  if (before == std::string::npos) {
    out.layer = name.substr(0, last);
  } else {
    out.layer = name.substr(0, before);
    out.op = name.substr(before + 1, last - before - 1);
  }
  return out;
}

class CheckpointReader {
 public:
  CheckpointReader(const Network& network, const torch::Checkpoint& checkpoint,
                   const ParameterOptions& options, ParameterReading& out)
      : network_(network),
        checkpoint_(checkpoint),
        options_(options),
        out_(out),
        findings_(network, checkpoint.file(), out.report) {}

  void run() {
    check_header();
    auto state = checkpoint_.state_dict();
    if (!state.ok()) {
      findings_.error(ErrorCode::ai8x_checkpoint, {}, "state_dict", state.error().message);
      return;
    }
    state_ = std::move(*state);
    for (const auto& entry : state_) by_name_.emplace(entry.name, entry.tensor);
    parameters_.layers.resize(network_.layers.size());
    match();
    finish_layers(network_, parameters_, findings_);
    check_order(network_, parameters_, findings_);
    if (out_.report.ok()) out_.parameters = std::move(parameters_);
  }

 private:
  void check_header() {
    const torch::NodeId root = checkpoint_.root();
    out_.epoch = checkpoint_.integer(root, "epoch");
    if (!checkpoint_.find(root, "epoch")) {
      findings_.error(ErrorCode::ai8x_checkpoint, {}, "epoch", "the checkpoint has no 'epoch'");
    }
    const auto arch = checkpoint_.text(root, "arch");
    if (!arch) {
      findings_.warning(ErrorCode::ai8x_checkpoint, {}, "arch",
                        "the checkpoint does not say of which architecture it is");
      return;
    }
    out_.arch = *arch;
    if (lower(*arch) != lower(network_.arch)) {
      findings_.error(ErrorCode::ai8x_arch, {}, "arch",
                      "the checkpoint is of '" + shown(*arch) + "', the description of '" +
                          shown(network_.arch) + "'");
    }
  }

  size_t next_layer(size_t from) const {
    while (from < network_.layers.size() && !network_.layers[from].takes_weights()) ++from;
    return from;
  }

  void match() {
    size_t layer = next_layer(0);
    int skip = options_.skip_checkpoint_layers;
    size_t loaded = 0;
    for (const auto& entry : state_) {
      const auto name = split(entry.name);
      if (!name || name->parameter != "weight") continue;
      if (layer >= network_.layers.size()) {
        ++surplus_;
        continue;
      }
      if (skip > 0) {
        --skip;
        continue;
      }
      if (read_entry(layer, entry, *name)) {
        layer = next_layer(layer + 1);
        ++loaded;
      }
    }
    if (layer < network_.layers.size()) {
      report_missing(layer, loaded);
    } else if (surplus_ > 0) {
      findings_.note(ErrorCode::ai8x_surplus,
                     std::to_string(surplus_) + " further weights of the checkpoint are not used");
    }
  }

  void report_missing(size_t layer, size_t loaded) {
    size_t wanted = 0;
    for (const Layer& each : network_.layers) wanted += each.takes_weights() ? 1 : 0;
    Finding& error = findings_.error(ErrorCode::ai8x_count, layer, "",
                                     "the checkpoint has weights for " + std::to_string(loaded) +
                                         " layers, the description " + std::to_string(wanted) +
                                         " layers that need them");
    for (size_t i = 0; i < network_.layers.size(); ++i) {
      if (parameters_.layers[i].source.empty() && i != layer) continue;
      error.details.push_back(
          layer_name(network_, i) + ": " +
          (i == layer ? "nothing is left for it" : parameters_.layers[i].source));
    }
  }

  std::optional<torch::NodeId> find(const std::string& name) const {
    const auto found = by_name_.find(name);
    if (found == by_name_.end()) return std::nullopt;
    return found->second;
  }

  // One finite number, its fraction dropped; nothing if the entry does not exist.
  std::optional<int64_t> one(const std::string& name, size_t layer, bool& good) {
    const auto id = find(name);
    if (!id) return std::nullopt;
    const Tensor tensor = checkpoint_.tensor(*id);
    const double value = tensor.shape.elements() == 1 && byte_size(tensor.dtype) > 0
                             ? element_as_double(tensor.dtype, tensor.data, 0)
                             : std::nan("");
    if (!(std::abs(value) < 1e6)) {
      findings_.error(ErrorCode::ai8x_shift, layer, name,
                      "it is not one finite number, but " + to_string(tensor.shape));
      good = false;
      return std::nullopt;
    }
    return static_cast<int64_t>(value);
  }

  // False if the entry is passed over, so that the layer waits for the next one.
  bool read_entry(size_t index, const torch::Checkpoint::Entry& entry, const EntryName& name) {
    const Layer& layer = network_.layers[index];
    LayerParameters& out = parameters_.layers[index];
    if (checkpoint_.shape(entry.tensor).rank() == 1 && name.op == "bn") {
      const std::string message = "batch normalization is still a layer of its own";
      if (options_.ignore_batch_norm) {
        findings_.warning(ErrorCode::ai8x_batch_norm, index, entry.name, message);
      } else {
        findings_.error(ErrorCode::ai8x_batch_norm, index, entry.name, message);
      }
      return false;
    }
    out.source = entry.name;
    const Tensor tensor = checkpoint_.tensor(entry.tensor);
    const Whole weights = to_whole(tensor);
    if (weights.outside) {
      findings_.error(ErrorCode::ai8x_bits, index, entry.name,
                      "some weights are not finite or far beyond 8 bits");
      return true;
    }
    bool good = true;
    int64_t stored_bits = one(name.layer + ".weight_bits", index, good).value_or(8);
    if (stored_bits == 0) stored_bits = 8;
    if (!good || !set_quantization(index, weights, stored_bits, out)) return true;
    if (!check_bits(weights, out.quantization, index, entry.name, findings_)) return true;
    warn_values(index, entry.name, weights);
    const bool turn = layer.op == Operator::conv_transpose2d;
    if (!fill_weights(layer, index, tensor.shape, weights, turn, out, findings_)) return true;
    if (!without_bias(options_, index)) read_bias(index, name, stored_bits, out);
    const auto shift = layer.output_shift ? std::optional<int64_t>(*layer.output_shift)
                                          : one(name.layer + ".output_shift", index, good);
    out.output_shift = static_cast<int>(shift.value_or(0)) + 8 - out.bits();
    return true;
  }

  void warn_values(size_t index, const std::string& entry, const Whole& weights) {
    if (weights.low == 0 && weights.high == 0) {
      findings_.warning(ErrorCode::ai8x_zero, index, entry, "all weights are zero");
    }
    if (weights.fractions) {
      findings_.warning(ErrorCode::ai8x_not_integer, index, entry,
                        "some weights are not whole numbers");
    }
  }

  bool set_quantization(size_t index, const Whole& weights, int64_t stored, LayerParameters& out) {
    const Layer& layer = network_.layers[index];
    if (layer.quantization) {
      out.quantization = *layer.quantization;
      return true;
    }
    const bool binary = network_.device == Device::max78002 &&
                        std::all_of(weights.values.begin(), weights.values.end(),
                                    [](int32_t v) { return v == 1 || v == -1; });
    if (binary) {
      out.quantization = kBinary;
    } else if (weights.low == 0 && weights.high == 0) {
      out.quantization = 1;
    } else if (stored == 1 || stored == 2 || stored == 4 || stored == 8) {
      out.quantization = static_cast<int>(stored);
    } else {
      findings_.error(ErrorCode::ai8x_bits, index, out.source,
                      "weight_bits is " + std::to_string(stored) + "; it can be 1, 2, 4 or 8");
      return false;
    }
    return true;
  }

  // Stored as value * 2^(weight_bits - 1).
  void read_bias(size_t index, const EntryName& name, int64_t stored_bits, LayerParameters& out) {
    const std::string key = name.layer + (name.op.empty() ? "" : "." + name.op) + ".bias";
    const auto id = find(key);
    if (!id) return;
    const Tensor tensor = checkpoint_.tensor(*id);
    const int64_t count = tensor.shape.elements();
    if (count != out.out_channels || byte_size(tensor.dtype) == 0) {
      findings_.error(ErrorCode::ai8x_bias, index, key,
                      "the bias has " + std::to_string(count) + " values for " +
                          std::to_string(out.out_channels) + " output channels");
      return;
    }
    if (stored_bits < 1 || stored_bits > 8) stored_bits = 8;
    const double divisor = static_cast<double>(int64_t{1} << (stored_bits - 1));
    bool any = false;
    out.bias.resize(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i) {
      const double stored = element_as_double(tensor.dtype, tensor.data, i);
      const double value = std::floor(stored / divisor);
      if (!(value >= -128 && value <= 127)) {
        findings_
            .error(ErrorCode::ai8x_bias, index, key,
                   "the bias of channel " + std::to_string(i) + " does not fit into 8 bits")
            .details.push_back("floor(" + std::to_string(stored) + " / 2^" +
                               std::to_string(stored_bits - 1) + ") = " + std::to_string(value) +
                               ", allowed are -128 to 127");
        out.bias.clear();
        return;
      }
      out.bias[static_cast<size_t>(i)] = static_cast<int8_t>(value);
      any = any || value != 0;
    }
    out.bias_given = true;
    if (any) return;
    findings_.warning(ErrorCode::ai8x_zero, index, key, "all biases are zero; the layer has none");
    out.bias.clear();
  }

  const Network& network_;
  const torch::Checkpoint& checkpoint_;
  const ParameterOptions& options_;
  ParameterReading& out_;
  ParameterFindings findings_;
  std::vector<torch::Checkpoint::Entry> state_;
  std::unordered_map<std::string, torch::NodeId> by_name_;
  Parameters parameters_;
  size_t surplus_ = 0;
};

}  // namespace

ParameterReading read_checkpoint(const Network& network, const torch::Checkpoint& checkpoint,
                                 const ParameterOptions& options) {
  ParameterReading out;
  CheckpointReader(network, checkpoint, options, out).run();
  return out;
}

}  // namespace edgetwin::ai8x
