// Registers to a layer. The registers of the leading group count; of the others only those that
// may differ: enables, write pointer, bias.
#include "targets/max78/machine/layers/layer_config.h"

#include <algorithm>

namespace edgetwin::max78 {
namespace {

int bits_of(uint32_t code) {
  constexpr int kBits[] = {8, 1, 2, 4};
  return kBits[code & 3U];
}

}  // namespace

int LayerConfig::out_rows() const {
  if (passthrough) return pooled_rows;
  const int rows_in = transposed ? 2 * pooled_rows : pooled_rows;
  return rows_in + 2 * pad_h - kernel_h + 1;
}

int LayerConfig::out_columns() const {
  if (passthrough) return pooled_columns;
  const int columns_in = transposed ? 2 * pooled_columns : pooled_columns;
  return columns_in + 2 * pad_w - kernel_w + 1;
}

int LayerConfig::pixel_channels() const { return passes * __builtin_popcountll(processors); }

uint32_t LayerDecoder::get(Field f, LayerReg reg, int group) {
  seen_.set(static_cast<size_t>(f));
  return regs_.field(group, f, reg, c_.layer);
}

uint32_t LayerDecoder::global(Field f, GlobalReg reg) {
  seen_.set(static_cast<size_t>(f));
  return regs_.field(master_, f, reg);
}

void LayerDecoder::contradiction(const std::string& text) {
  findings_.add(MachineEvent::field_mismatch, c_.layer, kNobody, 0, 0,
                [&] { return "layer " + std::to_string(c_.layer) + ": " + text; });
}

void LayerDecoder::unknown(const std::string& text) {
  findings_.add(MachineEvent::unknown_silicon, c_.layer, kNobody, 0, 0,
                [&] { return "layer " + std::to_string(c_.layer) + ": " + text; });
}

void LayerDecoder::kind() {
  c_.depthwise = get(Field::post_depthwise, LayerReg::post) != 0;
  const bool slots = get(Field::post_time_slots, LayerReg::post) != 0;
  c_.passthrough = slots && !c_.depthwise;
  c_.broadcast = c_.depthwise && get(Field::lctl_broadcast, LayerReg::lctl) != 0;
  c_.bypass = get(Field::lctl_bypass, LayerReg::lctl) != 0;
  c_.transposed = get(Field::post_transposed, LayerReg::post) != 0;
  c_.calcx4 = get(Field::post_calcx4, LayerReg::post) != 0;
  c_.one_dimension = get(Field::oned_one_dimension, LayerReg::oned) != 0;
  c_.relu = get(Field::lctl_relu, LayerReg::lctl) != 0;
  c_.absolute = get(Field::post_absolute, LayerReg::post) != 0;
  c_.wide = get(Field::lctl_wide, LayerReg::lctl) != 0;
  const auto shift = static_cast<int>(get(Field::post_shift, LayerReg::post));
  c_.shift = get(Field::post_shift_right, LayerReg::post) != 0 ? -shift : shift;
  c_.binary = global(Field::ctl_binary, GlobalReg::ctl) != 0;
  const auto first = regs_.get(master_, GlobalReg::lcnt_max) >> 8 & 0xffU;
  c_.quad = global(Field::ctl_quad, GlobalReg::ctl) != 0 && c_.layer == static_cast<int>(first);
  const bool one_by_one = get(Field::post_one_by_one, LayerReg::post) != 0;
  const bool convolves = get(Field::oned_convolution, LayerReg::oned) != 0;
  if (c_.passthrough && convolves) contradiction("it passes through, and convolves");
  if (one_by_one && !c_.passthrough) contradiction("`one_by_one` without `time_slots`");
  if (get(Field::lctl_always, LayerReg::lctl) == 0) contradiction("LCTL bit 5 is not set");
  if (get(Field::lctl_shared_source, LayerReg::lctl) == 0) {
    unknown("`shared_source` is off; how groups with sources of their own write is not known");
  }
}

void LayerDecoder::input() {
  c_.chw = get(Field::lctl_chw, LayerReg::lctl) != 0;
  c_.read_base = get(Field::rptr_base_words, LayerReg::rptr_base);
  c_.passes = static_cast<int>(get(Field::lctl2_passes, LayerReg::lctl2)) + 1;
  c_.flatten = get(Field::post_flatten, LayerReg::post) != 0;
  const auto high = static_cast<int>(get(Field::post_flatten_high, LayerReg::post));
  if (c_.flatten) c_.passes += high << 4;
  c_.eltwise = get(Field::oned_eltwise, LayerReg::oned) != 0;
  const auto operands = static_cast<int>(get(Field::oned_operands, LayerReg::oned)) + 1;
  c_.function = static_cast<int>(get(Field::oned_function, LayerReg::oned));
  c_.pool_first = get(Field::oned_pool_first, LayerReg::oned) != 0;
  c_.operands = c_.eltwise ? operands : 1;
  if (!c_.eltwise && operands > 1) contradiction("operands without an element-wise operation");
}

void LayerDecoder::pooling() {
  c_.pools = get(Field::lctl_pool, LayerReg::lctl) != 0;
  c_.max_pool = get(Field::lctl_max_pool, LayerReg::lctl) != 0;
  c_.rounds = global(Field::ctl_round_average, GlobalReg::ctl) != 0;
  c_.pool_stride = static_cast<int>(get(Field::stride_stride, LayerReg::stride)) + 1;
  c_.dilation_h = static_cast<int>(get(Field::prcnt_dilation, LayerReg::prcnt)) + 1;
  c_.dilation_w = static_cast<int>(get(Field::pccnt_dilation, LayerReg::pccnt)) + 1;
  c_.pool_h = static_cast<int>(get(Field::prcnt_last, LayerReg::prcnt)) / c_.dilation_h + 1;
  c_.pool_w = static_cast<int>(get(Field::pccnt_last, LayerReg::pccnt)) / c_.dilation_w + 1;
  const auto words = get(Field::stride_words, LayerReg::stride);
  const auto one = static_cast<uint32_t>(c_.operands * c_.passes);
  if (c_.transposed && words > 0) {
    c_.pool_stride = static_cast<int>(std::min(std::max(words / one, 1U), 16U));
  }
  const uint32_t step = one * static_cast<uint32_t>(c_.pool_stride);
  if (words > 0 && words % step == 0) c_.read_step = static_cast<int>(words / step);
  if (!c_.pools && (c_.pool_h > 1 || c_.pool_w > 1)) contradiction("a window without pooling");
}

void LayerDecoder::sizes() {
  const auto last_row = static_cast<int>(get(Field::rcnt_last, LayerReg::rcnt));
  const auto last_column = static_cast<int>(get(Field::ccnt_last, LayerReg::ccnt));
  const int up = c_.transposed ? 2 : 1;
  const int ps = c_.pool_stride;
  if (chip_.device == Device::max78000) {
    c_.pad_h = static_cast<int>(get(Field::rcnt_pad, LayerReg::rcnt));
    c_.pad_w = static_cast<int>(get(Field::ccnt_pad, LayerReg::ccnt));
    c_.rows = (last_row + 1 - 2 * c_.pad_h) / up;
    c_.columns = (last_column + 1 - 2 * c_.pad_w) / up;
    c_.pooled_rows = std::max(c_.rows + ps - c_.pool_h, 0) / ps;
    c_.pooled_columns = std::max(c_.columns + ps - c_.pool_w, 0) / ps;
    return;
  }
  const auto pad = [&](Field enable, Field count, LayerReg reg) {
    const auto n = static_cast<int>(get(count, reg)) + 1;
    return get(enable, reg) != 0 ? n : 0;
  };
  c_.pad_h = pad(Field::rcnt_pad_enable, Field::rcnt_pad_count, LayerReg::rcnt);
  c_.pad_w = pad(Field::ccnt_pad_enable, Field::ccnt_pad_count, LayerReg::ccnt);
  const auto rest = static_cast<int>(get(Field::ccnt_rest, LayerReg::ccnt));
  get(Field::rcnt_rest, LayerReg::rcnt);
  c_.columns = (last_column + rest) / up;
  c_.pooled_columns = last_column / up / ps + 1;
  c_.pooled_rows = last_row / up / ps + 1;
  c_.rows = (c_.pooled_rows - 1) * ps + (c_.pool_h - 1) * c_.dilation_h + 1;
}

void LayerDecoder::kernels() {
  const auto length = static_cast<int>(get(Field::oned_length, LayerReg::oned));
  c_.kernel_start = static_cast<int>(get(Field::oned_start, LayerReg::oned));
  c_.bits = bits_of(get(Field::post_weight_bits, LayerReg::post));
  c_.binary = c_.binary && c_.bits == 1;
  c_.kernel_last = get(Field::mcnt_last, LayerReg::mcnt);
  c_.kernel_first = chip_.device == Device::max78000 ? get(Field::mcnt_first, LayerReg::mcnt)
                                                     : get(Field::mcnt2_first, LayerReg::mcnt2);
  if (c_.passthrough) {
    c_.pad_h = c_.pad_w = 0;
    return;
  }
  c_.kernel_h = c_.one_dimension ? length : length == 1 ? 1 : 3;
  c_.kernel_w = c_.one_dimension || length == 1 ? 1 : 3;
  if (chip_.device != Device::max78002) return;
  const auto rows = static_cast<int>(get(Field::lctl_kernel_rows, LayerReg::lctl)) + 1;
  const auto columns = static_cast<int>(get(Field::lctl_kernel_columns, LayerReg::lctl)) + 1;
  if (rows != c_.kernel_h || columns != c_.kernel_w) {
    if (!c_.depthwise && !c_.bypass) {
      contradiction("LCTL says a kernel of " + std::to_string(rows) + "x" +
                    std::to_string(columns) + ", ONED " + std::to_string(c_.kernel_h) + "x" +
                    std::to_string(c_.kernel_w));
    }
    c_.kernel_h = rows;
    c_.kernel_w = columns;
  }
}

void LayerDecoder::output() {
  const uint32_t step = get(Field::lctl2_write_step, LayerReg::lctl2) + 1;
  const uint32_t width = c_.wide ? 4 : 1;
  c_.slot_step = get(Field::wptr_toffs_words, LayerReg::wptr_toffs);
  c_.mask_step = get(Field::wptr_moffs_words, LayerReg::wptr_moffs);
  c_.pass_step = get(Field::wptr_choffs_words, LayerReg::wptr_choffs);
  c_.write_step = step * width;
  const auto slots = get(Field::oned_time_slots, LayerReg::oned);
  const auto ochan = get(Field::ochan_last, LayerReg::ochan);
  if (chip_.device == Device::max78002 && c_.passthrough && ochan != slots) {
    contradiction("OCHAN and the time slots of ONED differ");
  }
  if (c_.passthrough) {
    c_.out_passes = c_.passes;
    return;
  }
  const auto mask_bits = chip_.device == Device::max78000
                             ? get(Field::lctl2_mask_bits, LayerReg::lctl2)
                             : get(Field::lctl2_mask_bits_large, LayerReg::lctl2);
  c_.outputs = static_cast<int>(mask_bits) / c_.bits + 1;
  c_.out_passes =
      c_.pass_step == 0 ? 1 : static_cast<int>(std::max(c_.write_step / c_.pass_step, 1U));
  if (c_.depthwise) c_.out_passes = c_.passes;
  if (c_.mask_step == 0 && c_.outputs > 4 && !c_.depthwise) {
    contradiction("more than four outputs, and no step of a mask");
  }
}

void LayerDecoder::check_kernels() {
  if (c_.passthrough || c_.bypass) return;
  if (c_.kernel_last < c_.kernel_first) {
    if (!c_.calcx4) contradiction("the last kernel lies before the first");
    return;
  }
  const int64_t kernels = (c_.kernel_last - c_.kernel_first) / c_.bits + 1;
  if (c_.depthwise) {
    c_.outputs = static_cast<int>(std::min<int64_t>(kernels / c_.passes, kProcessors));
    return;
  }
  // Flattened layers end with their last output, in the middle of a pass.
  const int64_t wanted = int64_t{c_.total_outputs()} * c_.passes;
  if (kernels < wanted && !c_.calcx4 && !c_.quad) {
    const int64_t whole = kernels / c_.passes;
    if (whole >= wanted / c_.passes - c_.outputs) return;
    contradiction(std::to_string(kernels) + " kernels for " + std::to_string(c_.total_outputs()) +
                  " outputs of " + std::to_string(c_.passes) + " passes");
  }
}

void LayerDecoder::stream() {
  c_.start = get(Field::stream1_start, LayerReg::stream1);
  get(Field::stream1_fifo_go, LayerReg::stream1);
  get(Field::stream2_passes, LayerReg::stream2);
  c_.delta1 = get(Field::stream2_delta1, LayerReg::stream2);
  c_.delta2 = get(Field::stream2_delta2, LayerReg::stream2);
  c_.rollover = get(Field::fmax_rollover, LayerReg::fmax);
  c_.streams = c_.rollover != 0 || c_.delta1 != 0 || c_.delta2 != 0;
  if (c_.rollover == 0 || c_.chw || c_.start <= c_.rollover) return;
  findings_.add(MachineEvent::stream_registers, c_.layer, kNobody, 0, 0, [&] {
    return "layer " + std::to_string(c_.layer) + " starts after " + std::to_string(c_.start) +
           " words, but its buffer begins again after " + std::to_string(c_.rollover);
  });
}

void LayerDecoder::follow(int last_layer) {
  const bool stop = get(Field::nxtlyr_stop, LayerReg::nxtlyr) != 0;
  bool jump = get(Field::nxtlyr_jump, LayerReg::nxtlyr) != 0;
  const auto target = static_cast<int>(get(Field::nxtlyr_next, LayerReg::nxtlyr));
  if (stop || c_.layer == last_layer) return;
  const bool snoops = global(Field::ctl_snoop, GlobalReg::ctl) != 0;
  if (jump && snoops) {
    unknown("a jump while conditional execution (snoop) is on is " +
            std::string(snoop_jumps_ ? "always" : "never") + " taken");
    jump = snoop_jumps_;
  }
  c_.next = jump ? target : c_.layer + 1;
  if (c_.next >= regs_.layers()) c_.next = -1;
}

LayerConfig LayerDecoder::decode(int layer, int master, unsigned enabled, int last_layer) {
  c_ = LayerConfig();
  c_.layer = layer;
  master_ = master;
  kind();
  input();
  pooling();
  sizes();
  kernels();
  output();
  groups(enabled);
  check_kernels();
  compare_groups(enabled);
  stream();
  follow(last_layer);
  if (c_.pools && !c_.max_pool && c_.rounds && !c_.one_dimension) {
    unknown(
        "average pooling rounds; which way negative halves go is not known (option "
        "average_ties)");
  }
  if (c_.calcx4 && c_.taps() != 9) {
    unknown(
        "four outputs at a time with a kernel other than 3x3; where its columns lie is not "
        "known");
  }
  // Reading ahead changes when words are read, not which.
  get(Field::lctl_readahead, LayerReg::lctl);
  get(Field::lctl_readahead_passes, LayerReg::lctl);
  get(Field::post_tcalc, LayerReg::post);
  get(Field::tptr_first, LayerReg::tptr);
  get(Field::tptr_last, LayerReg::tptr);
  return c_;
}

}  // namespace edgetwin::max78
