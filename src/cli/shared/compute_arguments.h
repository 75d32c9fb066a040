// How a network is computed; shared by the verbs that compute.
#pragma once

#include <string>
#include <vector>

#include "cli/shared/option_set.h"
#include "twin/compute.h"

namespace edgetwin::cli {

using ComputeArguments = twin::ComputeOptions;

// --numerics, --threads, --plain, --isa, --shape and those of ESP-DL models.
void declare(OptionSet& options, ComputeArguments& a);

// -i, --input
void declare_inputs(OptionSet& options, std::vector<std::string>& inputs);
// --shape of .onnx files
void declare_shapes(OptionSet& options, std::vector<std::string>& shapes);
// --key of encrypted .espdl files
void declare_key(OptionSet& options, std::string& key);

}  // namespace edgetwin::cli
