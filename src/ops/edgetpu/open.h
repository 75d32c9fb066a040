// What a run in the Edge TPU's arithmetic tells about what is open in it.
#pragma once

#include <atomic>

#include "ops/core/kernel.h"
#include "ops/edgetpu/evidence.h"

namespace edgetwin::ops {

template <class F>
inline constexpr bool is_edgetpu = requires {
  F::kEdgetpu;
};

// The findings of one operator; `open` is set back.
void report_open(const std::string& label, int32_t zero_point, int64_t elements,
                 numerics::EdgetpuOpen& open, std::vector<Finding>& findings);

// The operator with a note about how its arithmetic is known; without one where it is verified.
[[gnu::cold]] Result<Prepared> with_evidence(const OpContext& c, EdgetpuRule rule,
                                             Result<Prepared> prepared);

// Rules whose tail counts report after each run.
template <class Rule>
void count_open(const OpContext& c, const Rule& rule, Prepared& prepared) {
  if constexpr (requires { rule.tail.open; }) {
    prepared.after_run =
        [open = rule.tail.open, label = c.label(), zero = rule.tail.zero,
         elements = prepared.output_shapes[0].elements()](std::vector<Finding>& findings) {
          report_open(label, zero, elements, *open, findings);
        };
  }
}

}  // namespace edgetwin::ops
