// What `run` writes and prints of the outputs of a model, wherever they were computed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "cli/shared/compute_arguments.h"
#include "cli/shared/console.h"
#include "edgetwin/decode.h"
#include "report/json.h"

namespace edgetwin::cli {

// Every output with its place in the folder; also what --json prints.
report::Json outputs_json(const std::vector<Tensor>& outputs);

// What was computed with what. `numerics`: of the run.
report::Json origin_json(const Network& network, const Inputs& inputs, const std::string& numerics);
// Of a model that no Network was made of.
report::Json origin_json(const twin::LoadedModel& loaded, const Inputs& inputs,
                         const exec::Options& options);

// output_0.npy, … and outputs.json.
Status write_outputs(const std::vector<Tensor>& outputs, const report::Json& origin,
                     const std::optional<Decoded>& decoded, AtomicFolder& folder);

void print_summary(const std::vector<Tensor>& outputs, Console& console);

// Where the labels and the outputs do not belong together.
void check_labels(const std::vector<Tensor>& outputs, const Labels& labels, Console& console);
// The best five classes.
report::Json print_best(const std::vector<Tensor>& outputs, const Labels& labels, Console& console);

}  // namespace edgetwin::cli
