// What a layer must have before anything computes with it. Source: specification "network" 2.2, 5.
#include "targets/max78/network/resolve_parts.h"

namespace edgetwin::max78 {
namespace {

using ai8x::Key;

// 2^21 words of four channels, and room for an enlarging layer.
constexpr int64_t kMostElements = int64_t{1} << 27;

void check_elements(Findings& findings, const ResolvedNetwork& plan, const ResolvedLayer& l) {
  const int64_t in = int64_t{l.operands} * l.in_channels * l.in_dim.h * l.in_dim.w;
  const int64_t out = int64_t{l.out_channels} * l.out_dim.h * l.out_dim.w;
  if (in <= kMostElements && out <= kMostElements) return;
  add_finding(findings, plan, Rule::picture_limit, l.index,
              std::to_string(in) + " elements in, " + std::to_string(out) + " out; at most " +
                  std::to_string(kMostElements));
}

void check_groups(Findings& findings, const ResolvedNetwork& plan, const ResolvedLayer& l) {
  if (l.groups == 1) return;
  if (!plan.chip->has_depthwise) {
    add_finding(findings, plan, Rule::device_feature, l.index,
                "it has " + std::to_string(l.groups) + " groups", {}, Key::groups);
    return;
  }
  if (l.groups != l.in_channels || l.groups != l.out_channels) {
    add_finding(findings, plan, Rule::groups, l.index,
                std::to_string(l.groups) + " groups of " + std::to_string(l.in_channels) +
                    " input and " + std::to_string(l.out_channels) + " output channels",
                {}, Key::groups);
  }
  if (l.flatten)
    add_finding(findings, plan, Rule::groups, l.index, "it is flattened", {}, Key::flatten);
}

void check_weights(Findings& findings, const ResolvedNetwork& plan, const ResolvedLayer& l) {
  if (l.passthrough() || l.bypass) return;
  const int64_t pixels = l.flatten ? int64_t{l.pooled_dim.h} * l.pooled_dim.w : 1;
  const int64_t in = l.groups > 1 ? 1 : l.in_channels * pixels;
  const int64_t wanted = int64_t{l.out_channels} * in * l.kernel.h * l.kernel.w;
  const auto have = static_cast<int64_t>(l.parameters->weights.size());
  if (have == wanted &&
      int64_t{l.parameters->out} * l.parameters->in * l.kernel.h * l.kernel.w == have)
    return;
  add_finding(findings, plan, Rule::weight_count, l.index,
              "it has " + std::to_string(have) + " weights and needs " + std::to_string(wanted),
              {std::to_string(l.out_channels) + " output channels * " + std::to_string(in) +
               " inputs * " + std::to_string(l.kernel.h) + "x" + std::to_string(l.kernel.w) +
               " taps = " + std::to_string(wanted)});
}

}  // namespace

void check_contents(Findings& findings, const ResolvedNetwork& plan, const ResolvedLayer& l) {
  const int most = plan.chip->max_channels;
  if (l.in_channels > most || l.out_channels > most) {
    add_finding(findings, plan, Rule::channel_limit, l.index,
                std::to_string(l.in_channels) + " input and " + std::to_string(l.out_channels) +
                    " output channels, the limit is " + std::to_string(most));
  }
  check_elements(findings, plan, l);
  check_groups(findings, plan, l);
  check_weights(findings, plan, l);
  if (l.has_bias() && static_cast<int>(l.parameters->bias.size()) != l.out_channels) {
    add_finding(findings, plan, Rule::bias_count, l.index,
                std::to_string(static_cast<int64_t>(l.parameters->bias.size())) + " biases for " +
                    std::to_string(l.out_channels) + " channels");
  }
  if (l.shift < -15 || l.shift > 15) {
    add_finding(findings, plan, Rule::shift_limit, l.index,
                "its shift is " + std::to_string(l.shift), {}, Key::output_shift);
  }
}

}  // namespace edgetwin::max78
