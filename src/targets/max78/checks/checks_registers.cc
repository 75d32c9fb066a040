// Numbers that must fit their register fields, once everything has its place.
// Source: specification "registers" 3 and 4.
#include "targets/max78/checks/checks.h"
#include "targets/max78/registers/layer_regs.h"

namespace edgetwin::max78 {
namespace {

class FieldChecker {
 public:
  FieldChecker(Findings& findings, const Plan& plan, const LayerPlan& l)
      : findings_(findings), plan_(plan), l_(l) {}

  void check(Rule rule, const char* what, int64_t value, int bits) {
    const int64_t most = (int64_t{1} << bits) - 1;
    if (value >= 0 && value <= most) return;
    add_finding(findings_, plan_, rule, l_.index,
                std::string(what) + " is " + std::to_string(value) + ", its register holds " +
                    std::to_string(most));
  }

 private:
  Findings& findings_;
  const Plan& plan_;
  const LayerPlan& l_;
};

}  // namespace

void check_registers(Findings& findings, const Plan& plan) {
  int64_t rows_used = 0;
  for (const int i : plan.order) {
    const LayerPlan& l = plan.layer(i);
    FieldChecker f(findings, plan, l);
    const LayerRegs r(plan, l);
    const Limits& chip = *plan.chip;
    const int count_bits_of = plan.small() ? 10 : 11;
    const uint32_t mask = plan.small() ? 0xffffU : 0x7ffU;
    if (plan.small()) {
      f.check(Rule::register_field, "the number of its last row", r.rows() & mask, count_bits_of);
      f.check(Rule::register_field, "the number of its last column", r.columns() & mask,
              count_bits_of);
    }
    f.check(Rule::register_field, "the height of its pooling window",
            (l.pool.h - 1) * l.pool_dilation.h, 4);
    f.check(Rule::register_field, "the width of its pooling window",
            (l.pool.w - 1) * l.pool_dilation.w, 4);
    const int64_t gap = l.yaml->write_gap;
    f.check(Rule::register_field, "the increment of its write pointer",
            l.passthrough() ? gap : l.out_expand * (gap + 1) - 1, chip.write_step_bits);
    if (!l.passthrough()) {
      const int64_t last =
          (l.bypass ? 0 : 9 * l.kern_offs / l.taps() * 8 + (l.kern_count - 1) * l.bits());
      f.check(Rule::register_field, "the end of its kernels", last, chip.mask_bits);
    }
    const StreamValues v = stream_values(plan, l);
    f.check(Rule::stream_field, "the start of the layer", v.start,
            l.streaming || l.index == plan.start ? chip.stream_start_bits : 30);
    f.check(Rule::stream_field, "the step along a row", v.delta1, 5);
    f.check(Rule::stream_field, "the step to the next row", v.delta2, chip.delta2_bits);
    f.check(Rule::stream_field, "the passes of the layers before", v.invol, 4);
    f.check(Rule::stream_field, "the length of its buffer", v.rollover, chip.rollover_bits);
    if (l.streaming) {
      f.check(Rule::tram_limit, "its place in row memory", rows_used, chip.tram_pointer_bits);
      rows_used += int64_t{l.tram_max} * l.in_expand;
    }
  }
}

}  // namespace edgetwin::max78
