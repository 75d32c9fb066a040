// What a run says about a sample, as the row of its task.
#pragma once

#include <vector>

#include "edgetwin/decode.h"
#include "evaluate/metrics/row.h"
#include "twin/evaluate/prepare.h"

namespace edgetwin::twin {

struct Judging {
  evaluation::Task task{};
  std::string decoder;
  std::optional<double> threshold;
};

// A row, and what other networks are compared with.
struct Judged {
  evaluation::Row row;
  std::vector<evaluation::FoundObject> objects;
  std::vector<uint8_t> classes;  // of pixels
};

// Errors: those of decode_outputs; usage where the outputs are not those of the task; set_truth,
// set_label.
Result<Judged> judge(const evaluation::Sample& sample, const Prepared& prepared, const Run& run,
                     const Runner& runner, const Judging& how);
// Of the same sample.
evaluation::Agreed agreed(const Judged& a, const Judged& b);

// Numbers of an output, dequantized.
std::vector<double> reals(const Tensor& tensor);

}  // namespace edgetwin::twin
