// Only the order decides which weights belong to which layer. Names and shapes often tell when the
// order is wrong, the most common mistake of all.
#include <map>

#include "formats/ai8x/parameter_parts.h"
#include "formats/ai8x/yaml_scalar.h"

namespace edgetwin::ai8x {
namespace {

// "module.conv1.op.weight" -> "conv1".
std::string layer_of(const std::string& source) {
  std::string out = lower(source);
  for (const std::string_view tail : {".weight", ".op", ".conv2d"}) {
    if (out.ends_with(tail)) out.resize(out.size() - tail.size());
  }
  if (out.starts_with("module.")) out.erase(0, 7);
  return out;
}

void check_names(const Network& network, const Parameters& parameters,
                 ParameterFindings& findings) {
  std::map<std::string, size_t> owner;
  for (size_t i = 0; i < network.layers.size(); ++i) {
    if (network.layers[i].takes_weights()) owner.emplace(layer_of(parameters.layers[i].source), i);
  }
  for (size_t i = 0; i < network.layers.size(); ++i) {
    const Layer& layer = network.layers[i];
    if (layer.name.empty() || !layer.takes_weights()) continue;
    const auto found = owner.find(lower(layer.name));
    if (found == owner.end() || found->second == i) continue;
    findings.warning(ErrorCode::ai8x_order, i, parameters.layers[i].source,
                     "by order it gets '" + parameters.layers[i].source +
                         "', but weights of its own name go to " +
                         layer_name(network, found->second));
  }
}

// Whether weights for `wanted` input channels can follow `given` channels; a flattening layer takes
// a whole picture of them.
bool follows(const Layer& layer, int given, int wanted) {
  return layer.flatten ? wanted % given == 0 : wanted == given;
}

void check_shapes(const Network& network, const Parameters& parameters,
                  ParameterFindings& findings) {
  int channels = 0;  // of the previous layer; 0: not known
  for (size_t i = 0; i < network.layers.size(); ++i) {
    const Layer& layer = network.layers[i];
    const LayerParameters& own = parameters.layers[i];
    const bool plain = !layer.in_sequences && !layer.in_channels && layer.operands == 1;
    const bool jumped = i > 0 && network.layers[i - 1].next_sequence != static_cast<int>(i);
    if (!plain || jumped) channels = 0;
    if (own.has_weights()) {
      if (channels > 0 && !follows(layer, channels, own.in_channels)) {
        findings.warning(ErrorCode::ai8x_order, i, own.source,
                         "'" + own.source + "' takes " + std::to_string(own.in_channels) +
                             " channels, the layer before gives " + std::to_string(channels));
      }
      channels = own.out_channels;
    }
    if (layer.out_channels) channels = *layer.out_channels;
    if (layer.op != Operator::none && !own.has_weights()) channels = 0;
    if (layer.output_width != 8) channels = 0;
  }
}

}  // namespace

void check_order(const Network& network, const Parameters& parameters,
                 ParameterFindings& findings) {
  check_names(network, parameters, findings);
  check_shapes(network, parameters, findings);
}

std::string match_text(const Network& network, const Parameters& parameters) {
  std::string out;
  for (size_t i = 0; i < network.layers.size(); ++i) {
    const Layer& layer = network.layers[i];
    const LayerParameters& own = parameters.layers[i];
    out += layer_name(network, i) + ": " + std::string(name(layer.op));
    if (!own.has_weights()) {
      out += layer.bypass ? ", bypass\n" : "\n";
      continue;
    }
    out += " " + std::to_string(own.kernel.h);
    if (layer.op != Operator::conv1d) out += "x" + std::to_string(own.kernel.w);
    out += ", " + std::to_string(own.in_channels) + " -> " + std::to_string(own.out_channels) +
           " channels, ";
    out += own.quantization == kBinary ? "binary" : std::to_string(own.quantization) + " bits";
    out += ", shift " + std::to_string(own.output_shift.value_or(0));
    out += own.bias.empty() ? "; from " : ", bias; from ";
    out += own.source + (layer.weight_source ? " (weight_source)\n" : "\n");
  }
  return out;
}

}  // namespace edgetwin::ai8x
