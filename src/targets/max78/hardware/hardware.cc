// What the chip computes instead of what the description says: passes, emulated kernels.
// Source: specification "network" 5, "memory" 2, 7 and 9.
#include "targets/max78/hardware/hardware.h"

#include <algorithm>
#include <set>

namespace edgetwin::max78 {
namespace {

struct Passes {
  int expand = 1, thresh = 1;
};

Passes passes(int channels) {
  Passes p;
  p.expand = (channels + kProcessors - 1) / kProcessors;
  p.thresh = (channels + p.expand - 1) / p.expand;
  if (channels > kProcessors) p.thresh = std::min((p.thresh + 3) & ~3, kProcessors);
  return p;
}

// Puts `rows` x `columns` taps for each kernel; place(t) says where tap t of the old kernel goes.
template <class Place>
void rebuild(HardwareLayer& l, Size2 size, const Place& place) {
  const int old_taps = l.kernel.h * l.kernel.w;
  const int new_taps = size.h * size.w;
  const auto& from = l.parameters->weights;
  const size_t kernels = from.size() / static_cast<size_t>(old_taps);
  l.hw_kernel = size;
  std::vector<int8_t> emulated(kernels * static_cast<size_t>(new_taps), 0);
  for (size_t k = 0; k < kernels; ++k) {
    for (int t = 0; t < old_taps; ++t) {
      emulated[k * static_cast<size_t>(new_taps) + static_cast<size_t>(place(t))] =
          from[k * static_cast<size_t>(old_taps) + static_cast<size_t>(t)];
    }
  }
  l.emulated = std::make_shared<const std::vector<int8_t>>(std::move(emulated));
  l.weights = *l.emulated;
}

// A 1x1 kernel that streams, or follows a streaming layer, becomes the centre of a 3x3 kernel.
void emulate_single_tap(Findings& findings, const ResolvedNetwork& plan, HardwareLayer& l) {
  const bool follows = l.prev >= 0 && plan.layer(l.prev).streaming;
  if (l.op != Operator::conv2d || l.kernel.h != 1 || l.kernel.w != 1 || l.bypass) return;
  if (!l.streaming && !follows) return;
  if (l.pad.h != 0 || l.pad.w != 0) {
    add_finding(findings, plan, Rule::pad_limit, l.index, "a 1x1 kernel that streams has padding",
                {}, ai8x::Key::pad);
  }
  rebuild(l, {3, 3}, [](int) { return 4; });
  l.hw_pad = {1, 1};
}

// Taps that lie apart: a longer kernel with zeros, or a picture of one dimension folded into two.
void emulate_dilation(Findings& findings, const ResolvedNetwork& plan, HardwareLayer& l) {
  const int d = l.dilation.h, taps = l.kernel.h;
  if (d <= 1) return;
  const auto refuse = [&](const std::string& why) {
    add_finding(findings, plan, Rule::dilation, l.index, why,
                {"dilation " + std::to_string(d) + ", kernel " + std::to_string(taps)},
                ai8x::Key::dilation);
  };
  if (l.op != Operator::conv1d) return refuse("only one-dimensional convolutions have a dilation");
  if (taps == 1) return refuse("a kernel of one tap has a dilation");
  if ((taps - 1) * d < 9) {
    rebuild(l, {(taps - 1) * d + 1, 1}, [&](int t) { return t * d; });
    return;
  }
  if (taps > 3) return refuse("more than three taps lie too far apart");
  if (l.pools() || l.pad.h != 0 || l.operands > 1 || l.bypass || l.flatten || l.yaml->readahead ||
      l.streaming || l.pool_stride.h > 1) {
    return refuse("taps this far apart go with neither padding nor pooling, operands or streaming");
  }
  if (d > plan.chip->max_conv1d_dilation) return refuse("the dilation exceeds the chip's limit");
  rebuild(l, {3, 3}, [&](int t) { return (t + 3 - taps) * 3 + 1; });
  l.hw_op = Operator::conv2d;
  l.hw_in = l.hw_pooled = {(l.in_dim.h + d - 1) / d, d};
  l.hw_pad = {1, 1};
  l.hw_out_pixels = int64_t{l.hw_in.h} * d;
  l.out_pad = static_cast<int>(l.hw_out_pixels - l.out_dim.h);
  l.out_ignore = taps == 3 ? int64_t{4} * d * l.out_expand : 0;
  if (l.out_offset < l.out_ignore) {
    refuse("out_offset " + std::to_string(l.out_offset) + " leaves no room for the " +
           std::to_string(l.out_ignore) + " bytes that the chip writes before the output");
  }
}

int tram_entries(const HardwareLayer& l) {
  if (l.passthrough()) return 1;
  const int pooled = l.hw_pooled.w;
  if (l.hw_op == Operator::conv_transpose2d) {
    const int columns = (pooled - 1) * 2 + 1 + l.yaml->output_pad + 2 * l.hw_pad.w;
    return std::max(0, columns - l.hw_kernel.w) + 1;
  }
  return std::max(0, pooled + 2 * l.hw_pad.w - l.hw_kernel.w) + 1;
}

void plan_layer(Findings& findings, const ResolvedNetwork& plan, HardwareLayer& l) {
  const Passes in = passes(l.in_channels), out = passes(l.out_channels);
  l.in_expand = in.expand;
  l.in_thresh = in.thresh;
  l.out_expand = out.expand;
  l.out_thresh = out.thresh;
  l.hw_op = l.op;
  l.hw_in = l.in_dim;
  l.hw_pooled = l.pooled_dim;
  l.hw_kernel = l.kernel;
  l.hw_pad = l.pad;
  l.hw_out_pixels = int64_t{l.out_dim.h} * l.out_dim.w;
  l.hw_processors = l.processors;
  l.weights = l.parameters->weights;
  if (plan.options.fast_fifo_quad && l.index == plan.start) {
    // All four groups read the same words, and compute every fourth channel each.
    for (const int g : {1, 2, 3}) l.hw_processors |= l.processors << (kGroupProcessors * g);
  }
  if (l.op == Operator::conv_transpose2d) {
    l.hw_pad = {l.dilation.h * (l.kernel.h - 1) - l.pad.h,
                l.dilation.w * (l.kernel.w - 1) - l.pad.w};
  }
  if (l.parameters->has_weights()) {
    emulate_single_tap(findings, plan, l);
    emulate_dilation(findings, plan, l);
  }
  l.broadcast = l.depthwise() && l.processors == l.out_processors;
  l.emulated_eltwise = plan.small() && l.operands > 1 && l.in_expand > 1 &&
                       l.operands * l.in_expand != l.operands + l.in_expand;
  l.tcalc = l.yaml->tcalc.value_or(l.yaml->readahead && l.in_expand > 1);
  l.tram_max = tram_entries(l);
}

}  // namespace

HardwarePlan plan_hardware(const ResolvedNetwork& network, Findings& findings) {
  HardwarePlan plan{network, {}, {}, {}};
  for (const ResolvedLayer& l : network.resolved_layers) plan.hardware_layers.emplace_back(l);
  std::set<int> used;
  for (const int i : plan.order) {
    HardwareLayer& l = plan.hardware_layers[static_cast<size_t>(i)];
    plan_layer(findings, network, l);
    const uint64_t map = l.hw_processors | (i == plan.last ? l.out_processors : 0);
    for (int g = 0; g < kGroups; ++g) {
      if (group_bits(map, g) != 0) used.insert(g);
    }
  }
  plan.groups.assign(used.begin(), used.end());
  int inserted = 0;
  for (const HardwareLayer& l : plan.hardware_layers) {
    const bool resets =
        !plan.small() && l.prev >= 0 && l.pools() && l.average() && plan.layer(l.prev).operands > 1;
    if (resets) ++inserted;
    plan.reset_before.push_back(inserted);
  }
  return plan;
}

}  // namespace edgetwin::max78
