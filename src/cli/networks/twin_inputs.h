// Networks and their inputs on the command line, for verbs that compute on the twin: `run`,
// `bench`, `report`.
#pragma once

#include <string>
#include <vector>

#include "cli/shared/compute_arguments.h"
#include "cli/shared/console.h"
#include "cli/shared/max78_arguments.h"
#include "edgetwin/inputs.h"
#include "edgetwin/network.h"

namespace edgetwin::cli {

// Network::open with the options of the command line. Of a network of the MAX7800x one .npy among
// `inputs` is the sample, as is a picture where nothing states the input's size, and options of
// other files are refused. Errors: usage, those of Network::open.
Result<Network> open_for_twin(const std::string& model, const ComputeArguments& compute,
                              const Max78Arguments& max78, const std::vector<std::string>& inputs);
// The same of a file that was read already: its bytes are not read, or kept, twice.
Result<Network> open_for_twin(Bytes data, const std::string& model, const ComputeArguments& compute,
                              const Max78Arguments& max78, const std::vector<std::string>& inputs);

// The sample of a network of the MAX7800x that has one, else read_inputs(). Error: usage where both
// are given.
Result<Inputs> inputs_for_twin(const Network& network, const Runner& runner,
                               const std::vector<std::string>& words,
                               const PictureOptions& pictures = {});

// The outputs of a run with the classes in the last axis: of the MAX7800x they are planes.
std::vector<Tensor> classes_last(const Run& run);

}  // namespace edgetwin::cli
