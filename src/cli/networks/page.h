// The HTML page of `report` and `run --report`.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/shared/compute_arguments.h"
#include "cli/shared/console.h"
#include "cli/shared/output.h"
#include "twin/compute.h"

namespace edgetwin::cli {

struct PageArguments {
  Output output;
  std::string reference;  // folder of expected tensors, or empty
  double tolerance = 0.0;
};

// Whether the page can be written, asked before the work. A folder that appears before the page
// does may be missing yet. Errors: output_exists, file_write.
Status check_page(const Output& page, const std::vector<std::string>& coming_folders);

// Computes the model again with every tensor kept, measures it, and writes the page. True unless a
// reference was given and differs.
Result<bool> write_page(const PageArguments& arguments, const twin::LoadedModel& loaded,
                        const ComputeArguments& compute, const twin::LoadedInputs& inputs,
                        Console& console);

}  // namespace edgetwin::cli
