// A .tflite model in two arithmetics, layer by layer.
#pragma once

#include "cli/verify/arguments.h"
#include "cli/verify/check_sheet.h"
#include "twin/load.h"

namespace edgetwin::cli {

// In TensorFlow Lite's arithmetic and that of --numerics (the Edge TPU's without it): which tensors
// differ for these inputs. False where outputs of the model do. Errors: those of plan and inputs.
Result<bool> verify_numerics(const twin::LoadedModel& loaded, const VerifyArguments& a,
                             CheckSheet& sheet);

}  // namespace edgetwin::cli
