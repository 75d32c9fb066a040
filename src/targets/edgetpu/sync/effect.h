// What a change of an instruction's waits and producers does to the order of the engines, by its
// places: whether it can only make something come later.
#pragma once

#include <memory>

#include "formats/darwinn/darwinn.h"
#include "targets/edgetpu/sync/plan.h"

namespace edgetwin::edgetpu::sync {

enum class Effect : uint8_t {
  none,   // counts as much and asks for as much as before at every place
  later,  // counts as much or less, and asks for as much or more: nothing begins before it did
  other
};
Effect effect_of(const StepPlan& before, const StepPlan& after);

// The instruction as it is executed for the first time. Errors: those of the engines; chip_stream
// where the program does not come to it.
Result<std::shared_ptr<StepPlan>> plan_at(const darwinn::Executable& program, size_t chunk,
                                          size_t word);

}  // namespace edgetwin::edgetpu::sync
