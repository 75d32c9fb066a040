// Operators whose output is a strided part of their first input.
#pragma once

#include <utility>

#include "ops/core/checks.h"
#include "ops/movement/prepare.h"
#include "ops/movement/strided.h"

namespace edgetwin::ops {

// `prepared` with a kernel that copies input 0 by `plan` into output 0.
[[gnu::cold]] inline Result<Prepared> gathered(const OpContext& c, Prepared prepared,
                                               const StridedPlan& plan) {
  return with_element_size(c, c.input(0).dtype, [&]<class T>(T) -> Result<Prepared> {
    prepared.run = [plan](const Args& args) -> Status {
      plan.gather(args.input<T>(0), args.output<T>(0));
      return Ok{};
    };
    return std::move(prepared);
  });
}

}  // namespace edgetwin::ops
