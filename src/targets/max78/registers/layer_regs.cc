#include "targets/max78/registers/layer_regs.h"

#include <algorithm>

#include "targets/max78/chip/regs.h"

namespace edgetwin::max78 {
namespace {

// Words of a data memory that one of its four processors counts as its own.
int64_t instance_size(const Plan& plan) { return plan.small() ? 2048 : 8192; }

}  // namespace

LayerRegs::LayerRegs(const Plan& plan, const LayerPlan& layer) : plan_(plan), l_(layer) {}

bool LayerRegs::single_tap() const {
  return (l_.hw_op == Operator::conv2d || l_.hw_op == Operator::linear) && l_.taps() == 1;
}

int64_t LayerRegs::flatten_product() const {
  if (!l_.flatten) return 0;
  return int64_t{l_.in_expand} * l_.hw_pooled.h * l_.hw_pooled.w - 1;
}

// Gaps between output processors that are not all alike, or any where data passes through.
bool LayerRegs::local_source() const {
  for (const int g : plan_.groups) {
    uint32_t map = group_bits(l_.out_processors, g);
    int last = -1, gap = -1;
    for (int p = 0; p < kGroupProcessors; ++p) {
      if (((map >> p) & 1U) == 0) continue;
      if (last >= 0) {
        const int here = p - last - 1;
        if (gap >= 0 && here != gap) return true;
        if (l_.passthrough() && here != 0) return true;
        gap = here;
      }
      last = p;
    }
  }
  return false;
}

uint32_t LayerRegs::next() const {
  const int count = static_cast<int>(plan_.network->layers.size());
  if (plan_.options.link_layer) {
    return l_.index == plan_.last ? 1U << 8 : bit(7) | u(l_.index + 1);
  }
  if (l_.next == ai8x::kStop) {
    if (l_.index < count - 1) return 1U << 8;
  } else if (l_.next != l_.index + 1) {
    return bit(7) | u(plan_.hw_layer(l_.next));
  }
  const auto& snoop = l_.yaml->snoop_sequence;
  if (snoop && *snoop >= 0 && *snoop < static_cast<int>(plan_.layers.size())) {
    return bit(7) | u(plan_.hw_layer(*snoop));
  }
  return 0;
}

int64_t LayerRegs::row_count() const {
  if (l_.flatten) return l_.pool.h;
  if (l_.hw_op == Operator::conv_transpose2d) return 2 * int64_t{l_.hw_in.h};
  if (l_.emulated_eltwise && l_.passthrough()) return int64_t{l_.hw_in.h} * l_.in_expand;
  return l_.hw_in.h;
}

int64_t LayerRegs::column_count() const {
  if (l_.flatten) return l_.pool.w;
  if (l_.hw_op == Operator::conv_transpose2d) return 2 * int64_t{l_.hw_in.w};
  return l_.hw_in.w;
}

uint32_t LayerRegs::rows() const {
  const int64_t rows = row_count();
  if (small()) return u(rows - 1 + 2 * int64_t{l_.hw_pad.h}) | u(l_.hw_pad.h) << 16;
  const int64_t columns = column_count();
  const int64_t ps = l_.pool_stride.h;
  const int64_t rest = rows - (rows - l_.pool.h - l_.pool_dilation.h + 1) / ps * ps;
  const int64_t rest_c = columns - (columns - l_.pool.w - l_.pool_dilation.w + 1) / ps * ps;
  const int64_t words = ((l_.hw_op == Operator::conv1d ? 1 : rest_c) + (ps - 1) * columns) *
                        (l_.yaml->in_skip + 1) * l_.operands * l_.in_expand;
  const uint32_t pad = l_.hw_pad.h > 0 ? bit(15) | u(l_.hw_pad.h - 1) << 13 : 0;
  return u(rows - rest) | pad | u(words) << 16;
}

uint32_t LayerRegs::columns() const {
  const int64_t columns = column_count();
  if (small()) return u(columns - 1 + 2 * int64_t{l_.hw_pad.w}) | u(l_.hw_pad.w) << 16;
  const int64_t ps = l_.pool_stride.h;
  const int64_t rest = columns - (columns - l_.pool.w - l_.pool_dilation.w + 1) / ps * ps;
  const uint32_t pad = l_.hw_pad.w > 0 ? bit(15) | u(l_.hw_pad.w - 1) << 13 : 0;
  return u(columns - rest) | pad | u(rest) << 16;
}

uint32_t LayerRegs::pool_taps(int taps, int dilation) const {
  const uint32_t last = u((taps - 1) * dilation);
  return small() ? last : last | u(dilation - 1) << 4;
}

uint32_t LayerRegs::stride() const {
  const int64_t ps = l_.pool_stride.h;
  uint32_t v = 0;
  if (l_.hw_op != Operator::conv_transpose2d) v = u(ps > 1 ? ps - 1 : l_.yaml->stride.h - 1);
  if (small()) return v;
  return v | u(ps * l_.operands * l_.in_expand * (l_.yaml->in_skip + 1)) << 4;
}

uint32_t LayerRegs::write_base(int group) const {
  const int64_t offset = (l_.out_offset - l_.out_ignore) / 4;
  const int shift = plan_.chip->pointer_shift;
  const uint64_t omap = l_.out_processors;
  if (local_source()) {
    const int instance = lowest_bit(omap >> (group * 4)) & ~3;
    return u(offset) | u((instance + 4 * group) * instance_size(plan_));
  }
  if (l_.depthwise() && !l_.broadcast && !l_.passthrough()) {
    const int first = lowest_bit(l_.hw_processors) / kGroupProcessors;
    if (group < first) return 0;
    int at = (group - first) * kGroupProcessors + lowest_bit(omap);
    if (group != first) at -= lowest_bit(l_.hw_processors) % kGroupProcessors;
    return u(offset) | u(at / 4) << shift;
  }
  int instance = lowest_bit(omap) & ~3;
  if (l_.passthrough()) {
    const uint64_t own = omap & (uint64_t{0xffff} << (16 * group));
    instance = own == 0 ? 0 : lowest_bit(own) & ~3;
  }
  return u(offset) | u(instance / 4) << shift;
}

uint32_t LayerRegs::write_time_slot() const {
  const int64_t size = instance_size(plan_);
  if (l_.hw_op == Operator::conv2d || l_.hw_op == Operator::linear) {
    if (l_.taps() == 1 && !l_.depthwise()) return 1;
    return l_.depthwise() && !l_.broadcast ? u(4 * size) : 0;
  }
  if (!l_.passthrough()) return 0;
  const bool many = count_bits(l_.hw_processors) > 4 || (l_.operands > 1 && l_.in_expand > 1);
  return u(many ? 4 * size : size);
}

uint32_t LayerRegs::write_mask() const { return 1U << plan_.chip->pointer_shift; }

uint32_t LayerRegs::write_pass() const {
  return l_.out_expand > 1 ? u(l_.output_width / 8 * (l_.yaml->write_gap + 1)) : 0;
}

uint32_t LayerRegs::control(int group) const {
  uint32_t v = bit(5) | bit(6, l_.yaml->big_data) | bit(7, l_.pools()) | bit(8, !l_.average()) |
               bit(9, l_.activation == ai8x::Activation::relu) | bit(11, !local_source()) |
               bit(16, l_.output_width == 32);
  const int master = plan_.groups.front();
  if (group == master && !l_.passthrough() && !l_.depthwise() &&
      !(l_.index == plan_.start && plan_.options.fast_fifo_quad)) {
    for (int t = master + 1; t < kGroups; ++t)
      v |= bit(12 + t, group_bits(l_.hw_processors, t) != 0);
    if (l_.bias_home >= 0 && l_.bias_home != master) v |= bit(12 + l_.bias_home);
  }
  if (!small()) {
    if (!l_.passthrough()) v |= u(l_.hw_kernel.w - 1) << 18 | u(l_.hw_kernel.h - 1) << 22;
    if (l_.yaml->readahead)
      v |= bit(17) | u(l_.tcalc ? (l_.in_expand - 1) / 4 : l_.in_expand - 1) << 26;
    v |= bit(29, l_.depthwise() && l_.broadcast) | bit(30, l_.bypass);
  }
  return v;
}

uint32_t LayerRegs::control2() const {
  int64_t passes = l_.in_expand - 1;
  if (l_.flatten) passes = flatten_product() & 15;
  if (l_.emulated_eltwise && l_.passthrough()) passes = 0;
  const int64_t gap = l_.yaml->write_gap;
  const int64_t step = l_.passthrough() ? gap : l_.out_expand * (gap + 1) - 1;
  const int64_t bits =
      (highest_bit(l_.out_processors) - (lowest_bit(l_.out_processors) & ~3)) * int64_t{l_.bits()};
  return u(passes) | u(step) << 4 | u(bits) << (small() ? 8 : 12);
}

uint32_t LayerRegs::one_dimension() const {
  uint32_t v = u(time_slots());
  if (!l_.passthrough()) {
    int64_t first = 0, last = 0, start = 0;
    kernel_positions(first, last, start);
    v |= u(start) << 4;
  }
  if (l_.hw_op == Operator::conv1d) {
    v |= u(l_.hw_kernel.h) << 8 | bit(12);
  } else if (single_tap() || (l_.passthrough() && l_.operands == 1)) {
    v |= 1U << 8;
  }
  if (l_.operands == 1) return v;
  const auto function = [&]() -> uint32_t {
    switch (l_.yaml->eltwise) {
      case ai8x::Eltwise::add:
        return 1;
      case ai8x::Eltwise::bitwise_or:
        return 2;
      case ai8x::Eltwise::bitwise_xor:
        return 3;
      default:
        return 0;
    }
  }();
  return v | bit(13) | function << 14 | bit(16, l_.pools() && l_.yaml->pool_first) |
         bit(17, !l_.passthrough()) | u(l_.operands - 1) << 18;
}

uint32_t LayerRegs::row_memory() const {
  const bool flat =
      l_.hw_op == Operator::conv1d || (single_tap() && (l_.index == 0 || !l_.streaming));
  if (flat) {
    const int64_t f = flatten_product();
    return f >= 16 ? u(f) << 16 | u(2 * f + 1) : 0;
  }
  const int64_t last = l_.tram_max - 1;
  if (l_.index == 0 || !l_.streaming) return u(last);
  int64_t base = 0;
  for (const int i : plan_.order) {
    if (i < l_.index) base += int64_t{plan_.layer(i).tram_max} * plan_.layer(i).in_expand;
  }
  return u(base) << 16 | u(last + base);
}

uint32_t LayerRegs::post(int group) const {
  uint32_t v = 0;
  const int offset = l_.bias_offset[static_cast<size_t>(group)];
  const bool everywhere =
      l_.depthwise() || (plan_.options.fast_fifo_quad && l_.index == plan_.start);
  if (l_.bias_home >= 0 && (everywhere ? offset >= 0 : group == l_.bias_home)) {
    v |= bit(12) | u(l_.yaml->calcx4 || l_.broadcast ? offset / 4 : offset);
  }
  v |= u(std::abs(l_.shift)) << 13 | bit(17, l_.shift < 0);
  const int64_t f = flatten_product();
  if (f >= 16) v |= u(f >> 4) << 18 | bit(27);
  switch (l_.bypass || l_.passthrough() ? 8 : l_.bits()) {
    case 1:
      v |= 1U << 22;
      break;
    case 2:
      v |= 2U << 22;
      break;
    case 4:
      v |= 3U << 22;
      break;
    default:
      break;
  }
  v |= bit(24, l_.passthrough() || l_.depthwise()) | bit(25, l_.passthrough() && l_.operands == 1) |
       bit(26, l_.activation == ai8x::Activation::abs) |
       bit(28, l_.hw_op == Operator::conv_transpose2d);
  if (!small()) v |= bit(29, l_.yaml->calcx4) | bit(30, l_.depthwise()) | bit(31, l_.tcalc);
  return v;
}

uint32_t LayerRegs::enables(int group) const {
  const uint32_t processors = group_bits(l_.hw_processors, group);
  return l_.passthrough() || l_.bypass ? processors : processors | processors << 16;
}

}  // namespace edgetwin::max78
