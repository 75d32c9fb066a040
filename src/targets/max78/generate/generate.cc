#include "targets/max78/generate/generate.h"

#include <algorithm>

#include "targets/max78/chip/regs.h"

namespace edgetwin::max78 {
namespace {

bool tables_begin_at_zero(const Plan& plan) {
  return std::ranges::none_of(plan.kernels, [](const Plan::KernelMemory& m) {
    return !m.used.empty() && !m.used[0] && std::ranges::find(m.used, true) != m.used.end();
  });
}

}  // namespace

Function interrupt(const Plan& plan) {
  Function f{plan.options.riscv ? "CNN_IRQHandler" : "CNN_ISR", {}};
  uint32_t bits = 1U << 12;
  if (plan.small() || !plan.options.one_shot) bits |= 1U;
  if (plan.streams()) bits |= 1U << 14;
  for (const int g : plan.groups) {
    f.accesses.push_back({.kind = Access::Kind::keep_bits,
                          .address = address(*plan.chip, GlobalReg::ctl, g),
                          .value = ~bits});
  }
  return f;
}

Result<Program> make_program(const Plan& plan, const Tensor& sample) {
  if (sample.dtype != DType::int8 ||
      sample.shape.elements() != int64_t{plan.sample.c} * plan.sample.h * plan.sample.w) {
    return Error(ErrorCode::max78_sample, "the sample is not the one that the plan was made for");
  }
  if (plan.options.legacy_kernels && tables_begin_at_zero(plan)) {
    return Error(ErrorCode::max78_option,
                 "--legacy-kernels changes nothing here: all tables of kernels begin at column 0")
        .with_hint("Leave --legacy-kernels out.");
  }
  Program p;
  p.functions.push_back(cnn_init(plan));
  p.functions.push_back(cnn_load_weights(plan));
  p.functions.push_back(cnn_load_bias(plan));
  p.functions.push_back(cnn_configure(plan));
  // A FIFO is fed while the machine runs; memory is filled before.
  if (!plan.options.use_fifo()) p.functions.push_back(load_input(plan, sample));
  p.functions.push_back(cnn_start(plan));
  if (plan.options.use_fifo()) p.functions.push_back(load_input(plan, sample));
  p.functions.push_back(interrupt(plan));
  return p;
}

Result<CompiledNetwork> compile(const Plan& plan, const Tensor& sample,
                                const std::vector<Tensor>& outputs) {
  CompiledNetwork c;
  EDGETWIN_TRY_ASSIGN(c.program, make_program(plan, sample));
  c.expected = expected_words(plan, outputs);
  c.unload = unload_accesses(plan);
  return c;
}

}  // namespace edgetwin::max78
