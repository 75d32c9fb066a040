// The description with what was planned written into it.
#include <algorithm>

#include "targets/max78/planner/planner.h"

namespace edgetwin::max78 {
namespace {

std::string hex(uint64_t value, int digits) {
  std::string text = "0x";
  for (int i = digits - 1; i >= 0; --i) text += "0123456789abcdef"[(value >> (4 * i)) & 15U];
  return text;
}

std::string keys_of(const PlannedLayer& p, const std::string& indent) {
  std::string text;
  const auto key = [&](const char* name, const std::string& value) {
    text += std::string(name) + ": " + value + "\n" + indent;
  };
  if (p.processors) key("processors", hex(*p.processors, 16));
  if (p.output_processors) key("output_processors", hex(*p.output_processors, 16));
  if (p.in_offset) key("in_offset", hex(static_cast<uint64_t>(*p.in_offset), 4));
  if (p.out_offset) key("out_offset", hex(static_cast<uint64_t>(*p.out_offset), 4));
  if (p.write_gap) key("write_gap", std::to_string(*p.write_gap));
  if (p.streaming) key("streaming", "true");
  if (p.bias_group) key("bias_group", std::to_string(*p.bias_group));
  return text;
}

std::string keys_of_buffer(const Planned& p, const std::string& indent) {
  std::string text;
  if (p.buffer_processors) text += "processors: " + hex(*p.buffer_processors, 16) + "\n" + indent;
  if (!p.buffer_offset) return text;
  return text + "offset: " + hex(static_cast<uint64_t>(*p.buffer_offset), 4) + "\n" + indent;
}

}  // namespace

// New keys stand before the first one of their layer.
std::string complete_description(std::string_view yaml, const ai8x::Network& network,
                                 const Planned& planned) {
  std::string text;
  int line = 1;
  size_t begin = 0;
  while (begin < yaml.size()) {
    const size_t end = std::min(yaml.find('\n', begin), yaml.size());
    std::string row(yaml.substr(begin, end - begin));
    const auto insert = [&](const ai8x::Mark& m, const auto& keys) {
      if (m.line != line || m.column < 1) return;
      const auto at = static_cast<size_t>(m.column - 1);
      if (at <= row.size()) row.insert(at, keys(std::string(at, ' ')));
    };
    if (const auto& b = network.data_buffer) {
      insert(b->mark, [&](const std::string& indent) { return keys_of_buffer(planned, indent); });
    }
    for (size_t i = 0; i < network.layers.size() && i < planned.layers.size(); ++i) {
      insert(network.layers[i].mark,
             [&](const std::string& indent) { return keys_of(planned.layers[i], indent); });
    }
    text += row + "\n";
    begin = end + 1;
    ++line;
  }
  return text;
}

}  // namespace edgetwin::max78
