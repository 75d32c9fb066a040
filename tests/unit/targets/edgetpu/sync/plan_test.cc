#include "targets/edgetpu/sync/plan.h"

#include <gtest/gtest.h>

#include "unit/targets/edgetpu/machine/instructions.h"

namespace edgetwin::edgetpu::sync {
namespace {

// An addition takes two bytes at a time: its last operand may end where narrow memory does.
TEST(EdgetpuSyncPlan, OperandsOfTwoBytesMayEndNarrowMemory) {
  const auto planned = [](int64_t first) {
    machine::Core core;
    machine::Writer w;
    w.begin(Opcode::tensor, 1)
        .tensor(0xB0, 1.0F, 4)
        .path(GeneratorKind::tensor_in, first, {{2, 2}})
        .path(GeneratorKind::tensor_out, 64, {})
        .path(GeneratorKind::tensor_weight, 0, {{4, 2}})
        .path(GeneratorKind::tensor_acc, 0, {{0, 2}});
    auto steps = machine::make_steps({ByteSpan(w.data())}, "test");
    EXPECT_TRUE(steps.ok()) << to_text(steps.error());
    core.steps = std::move(*steps);
    return make_plan(core, 0).ok();
  };
  EXPECT_TRUE(planned(kNarrowBytes - 4));
  EXPECT_FALSE(planned(kNarrowBytes - 2));
}

}  // namespace
}  // namespace edgetwin::edgetpu::sync
