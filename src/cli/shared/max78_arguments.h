// What a network of the MAX78000 or MAX78002 is computed or compiled with.
#pragma once

#include <string>
#include <vector>

#include "cli/shared/option_set.h"

namespace edgetwin::cli {

struct Max78Arguments {
  std::string network, target, checkpoint, weights, bias, sample;
  std::vector<std::string> calibrate;  // of a float network that is planned
  std::string objective;               // of a plan: latency, energy or memory; empty: latency
  std::string shape;                   // of the input, where there is no sample
  Output report, image;                // the page, and the picture of its memories
  std::vector<std::string> options;    // in the spelling of the vendor's loader
};

constexpr const char* kMax78Group = "MAX78000, MAX78002";

// --checkpoint, --weights, --bias, --sample; the words that the verb does not know are kept as
// options of the vendor's loader.
void declare_max78_inputs(OptionSet& options, Max78Arguments& a);
// --calibrate of float networks.
OptionHandle declare_calibrate(OptionSet& options, Max78Arguments& a);
// --objective, of verbs that plan.
OptionHandle declare_objective(OptionSet& options, Max78Arguments& a);
// --report and --image.
void declare_max78_page(OptionSet& options, Max78Arguments& a);
// --input-shape
void declare_input_shape(OptionSet& options, Max78Arguments& a);

}  // namespace edgetwin::cli
