#include "targets/max78/memory_map.h"

#include <algorithm>

#include "targets/max78/layer_regs.h"
#include "targets/max78/region.h"

namespace edgetwin::max78 {
namespace {

std::string padded(std::string text, size_t width) {
  if (text.size() < width) text.insert(0, width - text.size(), ' ');
  return text;
}

std::string hex(uint64_t value, int digits) {
  std::string text;
  for (int i = digits - 1; i >= 0; --i) text += "0123456789abcdef"[(value >> (4 * i)) & 15U];
  return text;
}

std::string range(int64_t begin, int64_t end) {
  return hex(static_cast<uint64_t>(begin), 5) + "-" +
         hex(static_cast<uint64_t>(std::max(end, begin + 1) - 1), 5);
}

int64_t input_bytes(const Plan& plan, const LayerPlan& l) {
  const StreamValues v = stream_values(plan, l);
  if (v.rolls) return 4 * v.rollover;
  const int64_t pixels = int64_t{l.in_dim.h} * l.in_dim.w;
  if (l.yaml->big_data) return (pixels + 3) / 4 * 4;
  return 4 * pixels * l.in_expand * l.operands * (l.yaml->in_skip + 1);
}

int64_t output_bytes(const LayerPlan& l) {
  const Region r = region_of(l);
  return 4 * (word_index(r, r.pixels - 1, r.expand - 1, r.width == 32 ? 3 : 0) + 1);
}

std::string usage(const Plan& plan) {
  std::string text = "kernel memory, columns in use:\n";
  for (int p = 0; p < kProcessors && !plan.kernels.empty(); ++p) {
    const auto& used = plan.kernels[static_cast<size_t>(p)].used;
    const auto n = std::count(used.begin(), used.end(), true);
    if (n == 0) continue;
    text += "  processor " + padded(std::to_string(p), 2) + ": " + padded(std::to_string(n), 4) +
            " of " + std::to_string(used.size()) + "\n";
  }
  text += "bias memory, bytes in use:\n";
  for (size_t g = 0; g < plan.biases.size(); ++g) {
    text += "  group " + std::to_string(g) + ": " +
            padded(std::to_string(plan.biases[g].size()), 4) + " of " +
            std::to_string(plan.chip->bias_bytes) + "\n";
  }
  return text;
}

}  // namespace

std::vector<LayerPlace> layer_places(const Plan& plan) {
  std::vector<LayerPlace> places;
  for (const int i : plan.order) {
    const LayerPlan& l = plan.layer(i);
    LayerPlace p;
    p.layer = i;
    p.in_map = l.hw_processors;
    p.out_map = l.out_processors;
    p.in_begin = l.in_offset;
    p.in_end = l.in_offset + input_bytes(plan, l);
    p.out_begin = l.out_offset;
    p.out_end = l.out_offset + output_bytes(l);
    if (!l.passthrough() && !l.bypass) {
      p.kernel_begin = l.kern_offs;
      p.kernel_end = l.kern_offs + l.kern_len;
      p.kernels_of = l.kernels_of;
    }
    for (int g = 0; g < kGroups; ++g) {
      const int offset = l.bias_offset[static_cast<size_t>(g)];
      if (offset >= 0) p.biases.emplace_back(g, offset);
    }
    places.push_back(std::move(p));
  }
  return places;
}

std::string memory_map(const Plan& plan) {
  std::string text =
      "layer  input processors  bytes        output processors bytes        columns    biases\n";
  for (const LayerPlace& p : layer_places(plan)) {
    text += padded(std::to_string(p.layer), 5) + "  " + hex(p.in_map, 16) + "  " +
            range(p.in_begin, p.in_end) + "  " + hex(p.out_map, 16) + "  " +
            range(p.out_begin, p.out_end) + "  ";
    const bool kernels = p.kernel_end > p.kernel_begin;
    text += padded(
        kernels ? std::to_string(p.kernel_begin) + "-" + std::to_string(p.kernel_end - 1) : "-", 9);
    if (p.kernels_of >= 0) text += " (layer " + std::to_string(p.kernels_of) + ")";
    for (const auto& [group, offset] : p.biases) {
      text += "  " + std::to_string(group) + ":" + std::to_string(offset);
    }
    text += "\n";
  }
  return text + usage(plan);
}

}  // namespace edgetwin::max78
