// Rules on one layer's operator and options. Source: specification "network" 2.6 and 5.
#include <algorithm>

#include "targets/max78/checks/checks.h"
#include "targets/max78/place/kernel_stream.h"

namespace edgetwin::max78 {
namespace {

using ai8x::Key;

void check_padding(Findings& findings, const HardwarePlan& plan, const HardwareLayer& l) {
  const auto refuse = [&](const std::string& why) {
    add_finding(findings, plan, Rule::pad_limit, l.index, why, {}, Key::pad);
  };
  if (l.passthrough()) {
    if (l.pad.h != 0 || l.pad.w != 0) {
      add_finding(findings, plan, Rule::passthrough, l.index,
                  "it has a padding of " + std::to_string(l.pad.h), {}, Key::pad);
    }
    return;
  }
  const int most = std::max(l.pad.h, l.pad.w);
  if (most >= 3) return refuse("a padding of " + std::to_string(most) + " is more than 2");
  const bool wide = l.op != Operator::conv1d && l.pad.w >= l.kernel.w;
  if ((l.pad.h > 0 && l.pad.h >= l.kernel.h) || (l.pad.w > 0 && wide)) {
    refuse("a padding of " + std::to_string(most) + " is not less than the kernel, " +
           std::to_string(l.kernel.h) + "x" + std::to_string(l.kernel.w));
  }
}

void check_passthrough(Findings& findings, const HardwarePlan& plan, const HardwareLayer& l) {
  const auto refuse = [&](const std::string& what, Key key) {
    add_finding(findings, plan, Rule::passthrough, l.index, what, {}, key);
  };
  if (l.activation != ai8x::Activation::none) refuse("it has an activation", Key::activate);
  if (l.shift != 0)
    refuse("it has an output shift of " + std::to_string(l.shift), Key::output_shift);
  if (l.output_width != 8) refuse("its output has 32 bits", Key::output_width);
  const bool to_pixel = l.pooled_dim.h == 1 && l.pooled_dim.w == 1;
  if (l.pools() && l.in_expand > plan.chip->max_pool_passes && !to_pixel) {
    add_finding(findings, plan, Rule::pool_passes, l.index,
                std::to_string(l.in_channels) + " channels need " + std::to_string(l.in_expand) +
                    " passes, pooling without a convolution has " +
                    std::to_string(plan.chip->max_pool_passes));
  }
}

void check_transposed(Findings& findings, const HardwarePlan& plan, const HardwareLayer& l) {
  const int out_pad = l.yaml->output_pad;
  if (l.op != Operator::conv_transpose2d) {
    if (out_pad != 0) {
      add_finding(findings, plan, Rule::transposed, l.index,
                  "output_pad is " + std::to_string(out_pad) + " without a transposed convolution",
                  {}, Key::output_pad);
    }
    return;
  }
  if (l.hw_pad.h < 0 || l.hw_pad.h > 2 || l.hw_pad.w < 0 || l.hw_pad.w > 2) {
    add_finding(
        findings, plan, Rule::transposed, l.index,
        "the padding inside the chip would be " + std::to_string(l.hw_pad.h),
        {std::to_string(l.dilation.h) + " * (" + std::to_string(l.kernel.h) + " - 1) - " +
         std::to_string(l.pad.h) + " = " + std::to_string(l.hw_pad.h) + "; possible: 0 to 2"},
        Key::pad);
  }
  if (out_pad != 1) {
    add_finding(findings, plan, Rule::transposed, l.index,
                "output_pad is " + std::to_string(out_pad) + ", it must be 1", {}, Key::output_pad);
  }
}

void check_eltwise(Findings& findings, const HardwarePlan& plan, const HardwareLayer& l) {
  if (l.operands == 1) return;
  if (l.op == Operator::conv1d) {
    add_finding(findings, plan, Rule::conv1d_eltwise, l.index,
                "it has " + std::to_string(l.operands) + " operands", {}, Key::eltwise);
  }
  if (!l.yaml->pool_first && l.pools() && l.operands > 2) {
    add_finding(findings, plan, Rule::pool_after, l.index,
                "it has " + std::to_string(l.operands) + " operands", {}, Key::pool_first);
  }
  const bool pools = l.pools() || l.pool_stride.h > 1 || l.pool_stride.w > 1;
  if (l.emulated_eltwise && (!l.passthrough() || pools)) {
    add_finding(
        findings, plan, Rule::eltwise_passes, l.index,
        std::to_string(l.operands) + " operands in " + std::to_string(l.in_expand) + " passes", {},
        Key::eltwise);
  }
  if (!plan.chip->has_eltwise_conv_bias && !l.passthrough() && l.has_bias()) {
    add_finding(findings, plan, Rule::eltwise_bias, l.index,
                "it has " + std::to_string(l.operands) + " operands and a bias");
  }
}

void check_flatten(Findings& findings, const HardwarePlan& plan, const HardwareLayer& l) {
  if (!l.flatten) return;
  const auto refuse = [&](const std::string& why) {
    add_finding(findings, plan, Rule::flatten_use, l.index, why, {}, Key::flatten);
  };
  if (l.passthrough()) refuse("it has no operator");
  if (l.pools()) refuse("it pools");
  if (l.streaming) refuse("it streams");
}

// The vendor's loader leaves out whole bytes of a channel that the last pass does not have, but
// with narrow weights such a byte belongs to other channels and outputs too.
void check_narrow(Findings& findings, const HardwarePlan& plan, const HardwareLayer& l) {
  if (l.bits() == 8 || l.depthwise() || l.flatten) return;
  if (!last_pass_is_short(l.in_channels, l.in_expand, l.in_thresh)) return;
  const int last = l.in_channels - (l.in_expand - 1) * l.in_thresh;
  add_finding(findings, plan, Rule::narrow_pass, l.index,
              std::to_string(l.in_channels) + " channels of " + std::to_string(l.bits()) +
                  " bits are read as " + std::to_string(l.in_expand - 1) + " * " +
                  std::to_string(l.in_thresh) + " + " + std::to_string(last),
              {}, Key::quantization);
}

}  // namespace

void check_device(Findings& findings, const HardwarePlan& plan, const HardwareLayer& l) {
  const auto& y = *l.yaml;
  const auto refuse = [&](bool asked, bool possible, const char* what, Key key) {
    if (asked && !possible)
      add_finding(findings, plan, Rule::device_feature, l.index, what, {}, key);
  };
  // As the vendor's loader, readahead is refused only where it is used.
  refuse(y.calcx4, plan.chip->has_calcx4, "calcx4", Key::calcx4);
  refuse(y.bypass, plan.chip->has_bypass, "bypass", Key::bypass);
  refuse(y.readahead, plan.chip->has_readahead, "readahead", Key::readahead);
  refuse(l.quantization == ai8x::kBinary, plan.chip->has_binary, "binary weights",
         Key::quantization);
  if (y.in_skip != 0 && (!plan.chip->has_read_gap || l.in_expand > 1)) {
    add_finding(findings, plan, Rule::read_gap, l.index,
                "it skips " + std::to_string(y.in_skip) + " words in " +
                    std::to_string(l.in_expand) + " passes",
                {}, Key::in_skip);
  }
  for (const int d : {l.pool_dilation.h, l.pool_dilation.w}) {
    if (d >= 1 && d <= plan.chip->max_pool_dilation) continue;
    add_finding(findings, plan, Rule::pool_dilation, l.index,
                "pool_dilation is " + std::to_string(d) + ", the limit is " +
                    std::to_string(plan.chip->max_pool_dilation),
                {}, Key::pool_dilation);
    break;
  }
  const bool apart =
      (l.pool_dilation.h > 1 && l.pool.h > 2) || (l.pool_dilation.w > 1 && l.pool.w > 2);
  if (apart) {
    add_finding(findings, plan, Rule::pool_undefined, l.index,
                "its window reaches beyond what the vendor reads", {}, Key::pool_dilation);
  }
  if (plan.options.arithmetic == Arithmetic::loader && l.op == Operator::conv1d &&
      (l.pool_dilation.h > 1 || l.pool_dilation.w > 1)) {
    add_finding(findings, plan, Rule::pool_line, l.index,
                "a known answer of the loader takes neighbours, the registers keep a distance of " +
                    std::to_string(std::max(l.pool_dilation.h, l.pool_dilation.w)),
                {}, Key::pool_dilation);
  }
  if (y.calcx4 && l.out_channels % 4 != 0) {
    add_finding(findings, plan, Rule::calcx4_channels, l.index,
                std::to_string(l.out_channels) + " output channels", {}, Key::calcx4);
  }
}

void check_operator(Findings& findings, const HardwarePlan& plan, const HardwareLayer& l) {
  if (l.output_width != 8) {
    if (l.index == plan.last) {
      if (l.activation != ai8x::Activation::none) {
        add_finding(findings, plan, Rule::output_activation, l.index, "it has both", {},
                    Key::activate);
      }
    } else {
      add_finding(findings, plan, Rule::output_width, l.index, "its output has 32 bits", {},
                  Key::output_width);
    }
  }
  check_padding(findings, plan, l);
  check_transposed(findings, plan, l);
  if (l.depthwise() && !l.yaml->bias_group.empty()) {
    add_finding(findings, plan, Rule::groups, l.index, "it has a bias group", {}, Key::bias_group);
  }
  check_eltwise(findings, plan, l);
  check_flatten(findings, plan, l);
  if (l.passthrough()) {
    check_passthrough(findings, plan, l);
    return;
  }
  check_narrow(findings, plan, l);
  if (l.op == Operator::conv1d && !plan.small() && l.in_expand > 1 && l.pad.h > 0) {
    Finding& f =
        add_finding(findings, plan, Rule::conv1d_pad, l.index,
                    "padding " + std::to_string(l.pad.h) + ", " + std::to_string(l.in_channels) +
                        " channels in " + std::to_string(l.in_expand) + " passes",
                    {}, Key::pad);
    if (plan.options.ignore_hw_limits) f.severity = Severity::warning;
  }
}

void check_biases(Findings& findings, const HardwarePlan& plan, const HardwareLayer& l) {
  if (!l.has_bias()) return;
  for (const int g : l.yaml->bias_group) {
    if (std::find(plan.groups.begin(), plan.groups.end(), g) != plan.groups.end()) continue;
    Finding& f = add_finding(findings, plan, Rule::bias_group, l.index,
                             "group " + std::to_string(g), {}, Key::bias_group);
    if (plan.options.ignore_bias_groups) f.severity = Severity::warning;
  }
  if (plan.small() && l.streaming)
    add_finding(findings, plan, Rule::bias_streaming, l.index, "it streams and has a bias");
}

}  // namespace edgetwin::max78
