#include "formats/ai8x/compare.h"

#include <algorithm>
#include <cstdio>
#include <type_traits>
#include <utility>

namespace edgetwin::ai8x {
namespace {

using Fields = std::vector<std::pair<const char*, std::string>>;

template <class T>
std::string text_of(T v) requires std::is_integral_v<T> {
  return std::to_string(v);
}
[[maybe_unused]] std::string text_of(bool v) { return v ? "true" : "false"; }
std::string text_of(Size2 s) { return std::to_string(s.h) + "x" + std::to_string(s.w); }

std::string map_text(uint64_t map) {
  char text[24] = {};
  std::snprintf(text, sizeof text, "0x%016llx", static_cast<unsigned long long>(map));
  return text;
}

template <class T>
std::string list_text(const T& values) {
  std::string text = "[";
  for (const auto v : values) text += (text.size() > 1 ? ", " : "") + std::to_string(v);
  return text + "]";
}

template <class T>
std::string optional_text(const std::optional<T>& v) {
  return v ? text_of(*v) : "automatic";
}

Fields fields_of(const Layer& l) {
  return {
      {"sequence", std::to_string(l.sequence)},
      {"name", l.name.empty() ? "none" : l.name},
      {"processors", map_text(l.processors)},
      {"output_processors", l.output_processors ? map_text(*l.output_processors) : "automatic"},
      {"in_channels", optional_text(l.in_channels)},
      {"in_dim", optional_text(l.in_dim)},
      {"in_crop", list_text(l.in_crop)},
      {"in_offset", optional_text(l.in_offset)},
      {"in_skip", std::to_string(l.in_skip)},
      {"in_channel_skip", std::to_string(l.in_channel_skip)},
      {"in_sequences", l.in_sequences ? list_text(*l.in_sequences) : "automatic"},
      {"data_format", l.big_data ? "CHW" : "HWC"},
      {"streaming", text_of(l.streaming)},
      {"flatten", text_of(l.flatten)},
      {"eltwise", std::string(ai8x::name(l.eltwise))},
      {"operands", std::to_string(l.operands)},
      {"pool_first", text_of(l.pool_first)},
      {"pooling", std::string(ai8x::name(l.pooling))},
      {"pool", text_of(l.pool)},
      {"pool_stride", text_of(l.pool_stride)},
      {"pool_dilation", text_of(l.pool_dilation)},
      {"op", std::string(ai8x::name(l.op))},
      {"kernel_size", text_of(l.kernel)},
      {"stride", text_of(l.stride)},
      {"dilation", text_of(l.dilation)},
      {"pad", text_of(l.pad)},
      {"output_pad", std::to_string(l.output_pad)},
      {"groups", std::to_string(l.groups)},
      {"activate", std::string(ai8x::name(l.activation))},
      {"bypass", text_of(l.bypass)},
      {"quantization", optional_text(l.quantization)},
      {"output_shift", optional_text(l.output_shift)},
      {"bias_group", list_text(l.bias_group)},
      {"weight_source", optional_text(l.weight_source)},
      {"out_channels", optional_text(l.out_channels)},
      {"out_offset", std::to_string(l.out_offset)},
      {"output_width", std::to_string(l.output_width)},
      {"write_gap", std::to_string(l.write_gap)},
      {"output", text_of(l.output)},
      {"next_sequence", std::to_string(l.next_sequence)},
      {"simulated_sequence", std::to_string(l.simulated_sequence)},
      {"snoop_sequence", optional_text(l.snoop_sequence)},
      {"calcx4", text_of(l.calcx4)},
      {"readahead", text_of(l.readahead)},
      {"tcalc", optional_text(l.tcalc)},
      {"buffer_shift", optional_text(l.buffer_shift)},
      {"buffer_insert", optional_text(l.buffer_insert)},
  };
}

std::string unload_text(const std::vector<Unload>& all) {
  std::string text = "[";
  for (const Unload& u : all) {
    text += (text.size() > 1 ? ", " : "") + map_text(u.processors) + " " +
            std::to_string(u.channels) + "x" + text_of(u.dim) + " at " + std::to_string(u.offset) +
            " gap " + std::to_string(u.write_gap);
  }
  return text + "]";
}

Fields fields_of(const Network& n) {
  std::string buffer = "none";
  if (const auto& b = n.data_buffer) {
    buffer = b->name + " " + map_text(b->processors) + " " + std::to_string(b->channels) + "x" +
             text_of(b->dim) + " at " + std::to_string(b->offset);
  }
  return {{"arch", n.arch},
          {"dataset", n.dataset},
          {"bias", n.bias.value_or("none")},
          {"weights", n.weights.value_or("none")},
          {"output_map", n.output_map ? map_text(*n.output_map) : "automatic"},
          {"snoop", list_text(n.snoop)},
          {"unload", unload_text(n.unload)},
          {"data_buffer", buffer}};
}

void add_lines(const std::string& place, const Fields& a, const Fields& b,
               std::vector<std::string>& lines) {
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].second == b[i].second) continue;
    lines.push_back(place + a[i].first + " " + a[i].second + " and " + b[i].second);
  }
}

}  // namespace

std::vector<std::string> compare_networks(const Network& a, const Network& b) {
  std::vector<std::string> lines;
  add_lines("", fields_of(a), fields_of(b), lines);
  const size_t both = std::min(a.layers.size(), b.layers.size());
  for (size_t i = 0; i < both; ++i) {
    add_lines(layer_name(a, i) + ": ", fields_of(a.layers[i]), fields_of(b.layers[i]), lines);
  }
  for (size_t i = both; i < a.layers.size(); ++i) lines.push_back(layer_name(a, i) + ": only in A");
  for (size_t i = both; i < b.layers.size(); ++i) lines.push_back(layer_name(b, i) + ": only in B");
  return lines;
}

}  // namespace edgetwin::ai8x
