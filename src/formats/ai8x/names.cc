#include "formats/ai8x/network.h"
#include "formats/ai8x/yaml_scalar.h"

namespace edgetwin::ai8x {

const DeviceLimits& limits(Device device) {
  static constexpr DeviceLimits kMax78000 = {"MAX78000", 32, 32768};
  static constexpr DeviceLimits kMax78002 = {"MAX78002", 128, 81920};
  return device == Device::max78000 ? kMax78000 : kMax78002;
}

std::string_view name(Key key) {
  static constexpr std::string_view kNames[] = {
#define LAYER_KEY(key, kind, low, high, default_text) #key,
#include "formats/ai8x/keys.def"
  };
  return kNames[static_cast<size_t>(key)];
}

std::string_view name(Operator op) {
  static constexpr std::string_view kNames[] = {"passthrough", "conv1d", "conv2d",
                                                "convtranspose2d", "linear"};
  return kNames[static_cast<size_t>(op)];
}

std::string_view name(Eltwise eltwise) {
  static constexpr std::string_view kNames[] = {"none", "add", "sub", "or", "xor"};
  return kNames[static_cast<size_t>(eltwise)];
}

std::string_view name(Activation activation) {
  static constexpr std::string_view kNames[] = {"none", "relu", "abs"};
  return kNames[static_cast<size_t>(activation)];
}

std::string_view name(Pooling pooling) {
  static constexpr std::string_view kNames[] = {"none", "max", "average"};
  return kNames[static_cast<size_t>(pooling)];
}

std::string layer_name(const Network& network, size_t index) {
  std::string out = "layer " + std::to_string(index);
  if (index < network.layers.size() && !network.layers[index].name.empty()) {
    out += " '" + shown(network.layers[index].name) + "'";
  }
  return out;
}

Place place(const Network& network, size_t index, std::optional<Key> key) {
  Place out;
  out.file = network.file;
  if (index >= network.layers.size()) return out;
  const Layer& layer = network.layers[index];
  const Mark mark = key && layer.has(*key) ? layer.at(*key) : layer.mark;
  if (mark) {
    out.line = mark.line;
    out.column = mark.column;
  }
  out.layer = layer_name(network, index);
  out.layer_number = static_cast<int>(index);
  if (key) out.field = name(*key);
  return out;
}

std::vector<Finding> Report::of(Severity severity) const {
  std::vector<Finding> found;
  for (const Finding& f : findings) {
    if (f.severity == severity) found.push_back(f);
  }
  return found;
}

}  // namespace edgetwin::ai8x
