// Rules on processor maps and sources. Source: specification "network" 5.
#include <algorithm>

#include "targets/max78/checks/checks.h"

namespace edgetwin::max78 {
namespace {

using ai8x::Key;

std::string map_hex(uint64_t map) {
  std::string text = "0x";
  for (int i = 15; i >= 0; --i) text += "0123456789abcdef"[(map >> (4 * i)) & 15U];
  return text;
}

void check_count(Findings& findings, const HardwarePlan& plan, const HardwareLayer& l, Rule rule,
                 uint64_t map, int channels, int expand, int thresh, Key key) {
  const int bits = count_bits(map);
  if (bits == thresh) return;
  add_finding(findings, plan, rule, l.index,
              std::to_string(channels) + " channels need " + std::to_string(thresh) +
                  " processors, " + map_hex(map) + " has " + std::to_string(bits),
              {std::to_string(channels) + " channels / " + std::to_string(expand) + " passes" +
               (channels > kProcessors ? ", rounded up to a multiple of 4, = " : " = ") +
               std::to_string(thresh)},
              key);
}

void check_passthrough_map(Findings& findings, const HardwarePlan& plan, const HardwareLayer& l) {
  for (int g = 0; g < kGroups; ++g) {
    const uint32_t in = group_bits(l.hw_processors, g), out = group_bits(l.out_processors, g);
    const uint32_t wanted = (1U << count_bits(in)) - 1;
    const uint32_t packed = out == 0 ? 0 : out >> lowest_bit(out);
    if (packed == wanted) continue;
    add_finding(
        findings, plan, Rule::passthrough_map, l.index,
        "in group " + std::to_string(g) + " " + std::to_string(count_bits(in)) +
            " processors read and " + std::to_string(count_bits(out)) +
            " write, or not side by side",
        {"processors " + map_hex(l.hw_processors) + ", output " + map_hex(l.out_processors)},
        Key::output_processors);
    return;
  }
}

void check_depthwise_map(Findings& findings, const HardwarePlan& plan, const HardwareLayer& l) {
  const int first_out = lowest_bit(l.out_processors), first_in = lowest_bit(l.hw_processors);
  if (first_out % 4 != 0) {
    add_finding(
        findings, plan, Rule::depthwise_map, l.index,
        "its first output processor, " + std::to_string(first_out) + ", is not a multiple of 4", {},
        Key::output_processors);
  }
  if (highest_bit(l.hw_processors) - first_in >= kGroupProcessors && first_in % 4 != 0) {
    add_finding(findings, plan, Rule::depthwise_map, l.index,
                "its processors span more than 16, and the first, " + std::to_string(first_in) +
                    ", is not a multiple of 4",
                {}, Key::processors);
  }
  if (!l.broadcast) {
    add_finding(findings, plan, Rule::depthwise_moves, l.index,
                "input " + map_hex(l.hw_processors) + ", output " + map_hex(l.out_processors));
  }
}

}  // namespace

void check_processors(Findings& findings, const HardwarePlan& plan, const HardwareLayer& l) {
  check_count(findings, plan, l, Rule::processor_count, l.processors, l.in_channels, l.in_expand,
              l.in_thresh, Key::processors);
  check_count(findings, plan, l, Rule::output_count, l.out_processors, l.out_channels, l.out_expand,
              l.out_thresh, Key::output_processors);
  if (l.yaml->big_data) {
    for (int p = 0; p < kProcessors; p += kInstanceProcessors) {
      if (count_bits((l.processors >> p) & 0xfU) < 2) continue;
      add_finding(findings, plan, Rule::chw_instance, l.index,
                  "processors " + std::to_string(p) + " to " + std::to_string(p + 3) + " share one",
                  {}, Key::processors);
      break;
    }
  }
  if (l.passthrough()) check_passthrough_map(findings, plan, l);
  if (l.depthwise()) check_depthwise_map(findings, plan, l);
  if (l.index != plan.start && l.in_channels % 4 != 0) {
    add_finding(findings, plan, Rule::channel_multiple, l.index,
                "it has " + std::to_string(l.in_channels) + " input channels");
  }
}

void check_sources(Findings& findings, const HardwarePlan& plan, const HardwareLayer& l) {
  const auto& y = *l.yaml;
  std::vector<int> sources = y.in_sequences.value_or(std::vector<int>{});
  if (sources.empty() && l.prev >= 0) {
    if (y.in_skip != plan.layer(l.prev).yaml->write_gap) {
      add_finding(findings, plan, Rule::gap_mismatch, l.index,
                  "it skips " + std::to_string(y.in_skip) +
                      " words, the layer before leaves a gap of " +
                      std::to_string(plan.layer(l.prev).yaml->write_gap));
    }
    return;
  }
  uint64_t all = 0;
  bool equal = true;
  for (const int s : sources) {
    const uint64_t map = s == ai8x::kInput        ? plan.layer(plan.start).processors
                         : s == ai8x::kDataBuffer ? plan.network->data_buffer->processors
                                                  : plan.layer(s).out_processors;
    if (s == ai8x::kInput && l.index == plan.start) return;
    equal = equal && (all == 0 || all == map);
    all |= map;
    if (s < 0) continue;
    const int gap = plan.layer(s).yaml->write_gap;
    if (l.operands > 1 && gap != l.operands - 1) {
      add_finding(findings, plan, Rule::gap_mismatch, l.index,
                  "layer " + std::to_string(s) + " leaves a gap of " + std::to_string(gap) + ", " +
                      std::to_string(l.operands) + " operands need " +
                      std::to_string(l.operands - 1),
                  {}, Key::in_sequences);
    }
  }
  if (sources.empty()) return;
  if (all != l.processors) {
    add_finding(
        findings, plan, Rule::source_map, l.index,
        "it reads with " + map_hex(l.processors) + ", its sources write with " + map_hex(all), {},
        Key::processors);
  }
  if (l.operands > 1 && !equal) {
    add_finding(findings, plan, Rule::source_map, l.index,
                "its operands lie on different processors", {}, Key::in_sequences)
        .severity = Severity::error;
  }
}

}  // namespace edgetwin::max78
