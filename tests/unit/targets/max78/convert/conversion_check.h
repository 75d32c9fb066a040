// A conversion held against itself: the files read again, simulated, and executed by the machine.
#pragma once

#include <gtest/gtest.h>

#include "targets/max78/convert/convert.h"
#include "targets/max78/generate/generate.h"
#include "targets/max78/machine/compare/side_by_side.h"
#include "targets/max78/plan/make_plan.h"

namespace edgetwin::max78 {

// Every word that the machine writes is what the simulation computes.
inline void expect_machine_agrees(const Conversion& c, const quantize::Sample& sample) {
  const DraftTensor& in = c.draft.tensor(0);
  const Planning planning =
      make_plan(c.network, c.parameters, {in.channels, in.h, in.w}, Options());
  ASSERT_FALSE(has_errors(planning.findings));
  const Plan& plan = *planning.placed;
  for (const Finding& f : planning.findings) EXPECT_FALSE(is(f, Rule::narrow_pass)) << f.message;
  const auto input = device_input(c.draft, sample[0]);
  ASSERT_TRUE(input.ok());
  auto simulation = Simulation::make(plan, {});
  ASSERT_TRUE(simulation.ok());
  const auto result = simulation->run(*input);
  ASSERT_TRUE(result.ok()) << to_text(result.error());
  const auto program = make_program(plan, *input);
  ASSERT_TRUE(program.ok()) << to_text(program.error());
  MachineOptions options;
  options.step_limit = 400'000'000;
  Machine machine(plan.chip->device, options);
  const auto both =
      run_side_by_side(as_text(*program, plan.chip->device), machine, plan, result->layers);
  ASSERT_TRUE(both.ok()) << to_text(both.error());
  EXPECT_EQ(both->layers.size(), c.draft.layers.size());
  for (const LayerAgreement& l : both->layers) {
    EXPECT_TRUE(l.equal()) << "layer " << l.layer << ": " << l.different << " of " << l.values;
  }
}

}  // namespace edgetwin::max78
