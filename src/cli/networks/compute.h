// From command-line arguments to a planned session with its inputs set.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/networks/load.h"
#include "cli/shared/compute_arguments.h"
#include "exec/session.h"
#include "image/resize.h"

namespace edgetwin::cli {

// Errors: numerics_unknown, and those of Session::create, placed in the model's file.
Result<exec::Session> plan(const LoadedModel& loaded, const ComputeArguments& compute,
                           bool keep_all);

// What was given as an input, for manifests and reports.
struct GivenInput {
  std::string text;    // as on the command line
  std::string sha256;  // of the file; empty for a generator
};

struct LoadedInputs {
  std::vector<Tensor> tensors;  // one per graph input
  std::vector<GivenInput> given;
  std::optional<Tensor> picture;  // the first picture that was given, before resizing
};

// Pictures of another size than the input's are resized as named. Errors: input_missing,
// input_surplus, usage, file_*, input_*, npy_*, image_decode.
Result<LoadedInputs> load_inputs(const std::vector<std::string>& words, const LoadedModel& loaded,
                                 const exec::Session& session, const ComputeArguments& compute,
                                 Resize resize = Resize::nearest);

// The instruction set that fast operators use: the forced one, the best of this machine, or
// "plain".
std::string used_isa(const ComputeArguments& compute);

Status set_inputs(exec::Session& session, const std::vector<Tensor>& tensors);

}  // namespace edgetwin::cli
