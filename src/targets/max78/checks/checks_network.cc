// Rules on options, FIFOs and streaming. Source: specification "network" 5.
#include <algorithm>

#include "targets/max78/checks/checks.h"
#include "targets/max78/registers/layer_regs.h"

namespace edgetwin::max78 {
namespace {

std::string hex(uint64_t map) {
  std::string text = "0x";
  for (int i = 15; i >= 0; --i) text += "0123456789abcdef"[(map >> (4 * i)) & 15U];
  return text;
}

void refuse_on_small(Findings& findings, const HardwarePlan& plan, bool asked, const char* option) {
  if (asked && plan.small()) {
    add_finding(findings, plan, Rule::device_feature, -1,
                std::string("the MAX78000 has no ") + option);
  }
}

void check_fast_fifo(Findings& findings, const HardwarePlan& plan, const HardwareLayer& first) {
  if (!plan.options.use_fast_fifo()) return;
  if (!plan.options.riscv) {
    add_finding(findings, plan, Rule::fifo_riscv, -1, "--fast-fifo is given without --riscv");
  }
  if (first.output_width != 8 || first.passthrough()) {
    add_finding(findings, plan, Rule::fifo_layer, first.index,
                "with the fast FIFO it needs an operator and 8-bit output");
  }
  if (!plan.options.fast_fifo_quad) return;
  const int block = 4 * (8 / first.bits());
  if (first.bits() < 8 && first.out_channels % block != 0) {
    add_finding(findings, plan, Rule::fifo_layer, first.index,
                "with --fast-fifo-quad and weights of " + std::to_string(first.bits()) +
                    " bits its output channels are a multiple of " + std::to_string(block) +
                    ", not " + std::to_string(first.out_channels));
  }
  if (first.processors > 0xf) {
    add_finding(findings, plan, Rule::fifo_processors, first.index,
                "--fast-fifo-quad feeds the processors 0 to 3 of each group; the description "
                "names those of group 0",
                {}, ai8x::Key::processors);
  }
}

// Options of older forms, which change nothing for most networks.
void check_legacy(Findings& findings, const HardwarePlan& plan) {
  const Options& o = plan.options;
  bool calcx4 = false, one = false, several = false;
  for (const int i : plan.order) {
    const HardwareLayer& l = plan.layer(i);
    calcx4 = calcx4 || l.yaml->calcx4;
    if (!l.eltwise() || l.prev < 0) continue;
    const bool parts = l.yaml->in_sequences && l.yaml->in_sequences->size() > 1;
    (parts ? several : one) = true;
  }
  const auto refuse = [&](const std::string& what, const std::string& hint) {
    add_finding(findings, plan, Rule::option_needs, -1, what).hint = hint;
  };
  if (o.legacy_kernels && calcx4) {
    refuse("--legacy-kernels changes nothing here: calcx4 needs the newer loader",
           "Leave --legacy-kernels out.");
  } else if (o.legacy_kernels && o.new_kernel_loader) {
    refuse("--legacy-kernels changes nothing without --old-kernel-loader",
           "Add --old-kernel-loader, or leave it out.");
  }
  if (!o.legacy_test) return;
  if (several) {
    refuse(
        "--legacy-test is known for operands that all come from one layer; here they come from "
        "several",
        "Leave --legacy-test out.");
  } else if (!one) {
    refuse(
        "--legacy-test changes nothing here: no layer after the first takes all its operands "
        "from one layer",
        "Leave --legacy-test out.");
  }
}

}  // namespace

void check_options(Findings& findings, const HardwarePlan& plan) {
  check_legacy(findings, plan);
  const Options& o = plan.options;
  refuse_on_small(findings, plan, o.start_layer > 0, "first layer other than 0 (--start-layer)");
  refuse_on_small(findings, plan, o.link_layer, "--link-layer");
  refuse_on_small(findings, plan, o.pipeline.value_or(false), "--pipeline");
  refuse_on_small(findings, plan, o.pll.value_or(false), "--pll");
  refuse_on_small(findings, plan, o.fifo_go, "--fifo-go");
  refuse_on_small(findings, plan, o.one_shot, "--one-shot");
  if (o.max_speed && !o.pll.value_or(plan.chip->has_pll)) {
    add_finding(findings, plan, Rule::option_needs, -1,
                "--max-speed needs the clock multiplier (--pll)");
  }
  if (o.synthesize_input && (!o.use_fifo() || plan.layer(plan.start).yaml->big_data)) {
    add_finding(findings, plan, Rule::option_needs, -1,
                "--synthesize-input needs --fifo, and pixels of all channels (HWC)");
  }
  const int last = plan.hw_layer(plan.last);
  if (last >= plan.chip->max_layers || o.start_layer > std::max(plan.chip->max_start_layer, 0)) {
    add_finding(findings, plan, Rule::layer_count, -1,
                "the last layer would be number " + std::to_string(last) + ", the chip has " +
                    std::to_string(plan.chip->max_layers) + " layers",
                {std::to_string(plan.last) + " + " + std::to_string(last - plan.last) +
                 " that reset average pooling"});
  }
  bool binary = false, one_bit = false;
  for (const int i : plan.order) {
    binary = binary || plan.layer(i).quantization == ai8x::kBinary;
    one_bit = one_bit || plan.layer(i).quantization == 1;
  }
  if (binary && one_bit)
    add_finding(findings, plan, Rule::binary_mix, -1, "both kinds of one-bit weights are in use");
  if (std::find(plan.groups.begin(), plan.groups.end(), 0) == plan.groups.end()) {
    add_finding(findings, plan, Rule::group_zero, -1, "no layer uses the processors 0 to 15");
  }
}

void check_fifo(Findings& findings, const HardwarePlan& plan) {
  if (!plan.options.use_fifo()) return;
  const HardwareLayer& first = plan.layer(plan.start);
  const bool chw = first.yaml->big_data, fast = plan.options.use_fast_fifo();
  if (plan.start != 0)
    add_finding(findings, plan, Rule::fifo_start, -1,
                "the first layer is " + std::to_string(plan.start));
  const int most = fast ? (chw ? 1 : 4) : (chw ? 4 : 16);
  if (first.in_channels > most || first.operands > 1) {
    add_finding(findings, plan, Rule::fifo_channels, first.index,
                std::to_string(first.in_channels) + " channels * " +
                    std::to_string(first.operands) + " operands; at most " + std::to_string(most) +
                    " channels of one operand");
  }
  const uint64_t reached = chw ? 0x0001000100010001U : 0x000f000f000f000fU;
  if ((first.processors & ~reached) != 0) {
    add_finding(findings, plan, Rule::fifo_processors, first.index,
                "its processors are " + hex(first.processors) + ", the FIFOs reach " + hex(reached),
                {}, ai8x::Key::processors);
  }
  check_fast_fifo(findings, plan, first);
}

namespace {

void check_stream_layer(Findings& findings, const HardwarePlan& plan, const HardwareLayer& l) {
  const bool first = l.index == plan.start;
  if (l.yaml->big_data && !first) {
    add_finding(findings, plan, Rule::chw_layer, l.index, "it is not the first layer", {},
                ai8x::Key::data_format);
  }
  if (!l.streaming) return;
  if (first && !plan.options.use_fifo() && !plan.options.allow_streaming) {
    add_finding(findings, plan, Rule::stream_fifo, l.index, "it streams without --fifo", {},
                ai8x::Key::streaming);
  }
  if (plan.start != 0) {
    add_finding(findings, plan, Rule::stream_order, l.index,
                "streaming needs layer 0 as the first one");
  }
  if (!first && !plan.layer(l.prev).streaming) {
    add_finding(findings, plan, Rule::stream_order, l.index, "the layer before it does not stream",
                {}, ai8x::Key::streaming);
  }
  if (l.next != ai8x::kStop && l.next != l.index + 1) {
    add_finding(findings, plan, Rule::stream_order, l.index,
                "it is not followed by the layer after it", {}, ai8x::Key::next_sequence);
  }
  const bool last = l.next == ai8x::kStop || !plan.layer(l.next).streaming;
  if (plan.small() && last && l.hw_pad.h == 0) {
    add_finding(findings, plan, Rule::stream_pad, l.index, "its padding is 0", {}, ai8x::Key::pad);
  }
  if (!plan.small() && l.passthrough()) {
    add_finding(findings, plan, Rule::stream_passthrough, l.index, "it passes its input through");
  }
}

struct Buffer {
  const HardwareLayer* layer;
  int64_t begin, end;  // bytes, both included as the vendor counts them
  uint64_t instances;
};

uint64_t instances_of(uint64_t map) {
  uint64_t instances = 0;
  for (int i = 0; i < kProcessors / kInstanceProcessors; ++i) {
    if (((map >> (4 * i)) & 0xfU) != 0) instances |= uint64_t{1} << i;
  }
  return instances;
}

void report_overlap(Findings& findings, const HardwarePlan& plan, const HardwareLayer& l,
                    const std::string& what) {
  Finding& f = add_finding(findings, plan, Rule::stream_overlap, l.index, what);
  if (plan.options.overlap_data) f.severity = Severity::warning;
}

std::string range(int64_t begin, int64_t end) {
  return std::to_string(begin) + " to " + std::to_string(end);
}

void check_own_output(Findings& findings, const HardwarePlan& plan, const HardwareLayer& l,
                      int64_t bytes) {
  if ((l.processors & l.out_processors) != 0) {
    const bool below = l.in_offset < l.out_offset;
    const int64_t low = below ? l.in_offset : l.out_offset;
    const int64_t high = below ? l.out_offset : l.in_offset;
    if (low + bytes >= high) {
      report_overlap(findings, plan, l,
                     "its output and its input are less than " + std::to_string(bytes) +
                         " bytes apart: offsets " + std::to_string(low) + " and " +
                         std::to_string(high));
    }
  }
  if (l.in_offset + bytes >= plan.chip->instance_bytes()) {
    Finding& f =
        add_finding(findings, plan, Rule::data_input, l.index, "its streaming buffer does not fit",
                    {std::to_string(l.in_offset) + " + " + std::to_string(bytes) +
                     " >= " + std::to_string(plan.chip->instance_bytes())});
    if (!plan.options.error_stop) f.severity = Severity::warning;
  }
}

void check_buffers(Findings& findings, const HardwarePlan& plan) {
  std::vector<Buffer> buffers;
  const HardwareLayer* last = nullptr;
  for (const int i : plan.order) {
    const HardwareLayer& l = plan.layer(i);
    if (!l.streaming) continue;
    const StreamValues v = stream_values(plan, l);
    if (!v.rolls) continue;
    last = &l;
    const Buffer b{&l, l.in_offset, l.in_offset + 4 * v.rollover, instances_of(l.hw_processors)};
    for (const Buffer& other : buffers) {
      if ((other.instances & b.instances) == 0 || other.begin > b.end || b.begin > other.end)
        continue;
      report_overlap(findings, plan, l,
                     "its buffer, bytes " + range(b.begin, b.end) + ", overlaps that of layer " +
                         std::to_string(other.layer->index) + ", bytes " +
                         range(other.begin, other.end));
    }
    buffers.push_back(b);
    check_own_output(findings, plan, l, 4 * v.rollover);
  }
  if (last == nullptr) return;
  const int64_t size =
      int64_t{last->out_dim.h} * last->out_dim.w * last->out_expand * last->output_width / 2;
  const int64_t end = last->out_offset + size - 1;
  for (const Buffer& b : buffers) {
    if ((b.instances & instances_of(last->out_processors)) == 0) continue;
    if (last->out_offset > b.end || b.begin > end) continue;
    report_overlap(findings, plan, *last,
                   "its output, bytes " + range(last->out_offset, end) +
                       ", overlaps the buffer of layer " + std::to_string(b.layer->index) +
                       ", bytes " + range(b.begin, b.end));
  }
}

}  // namespace

void check_streaming(Findings& findings, const HardwarePlan& plan) {
  int streaming = 0;
  for (const int i : plan.order) {
    check_stream_layer(findings, plan, plan.layer(i));
    streaming += plan.layer(i).streaming ? 1 : 0;
  }
  if (streaming > plan.chip->max_stream_layers) {
    add_finding(findings, plan, Rule::stream_count, -1,
                std::to_string(streaming) + " layers stream, at most " +
                    std::to_string(plan.chip->max_stream_layers));
  }
  check_buffers(findings, plan);
}

}  // namespace edgetwin::max78
