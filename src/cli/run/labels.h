// Class names, and the best classes of an output.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "report/json.h"
#include "tensor/tensor.h"

namespace edgetwin::cli {

using Labels = std::vector<std::string>;

// One label per line. Where every line that is not empty starts with a number and a blank, the
// number is the index. Errors: file_*, bad_value.
Result<Labels> read_labels(const std::string& file);

struct Ranked {
  int64_t index = 0;
  double score = 0.0;  // in real numbers, where the tensor is quantized
  std::string label;   // empty where the file has none
};

// The best `count`, ties by lower index.
std::vector<Ranked> best_classes(const Tensor& tensor, const Labels& labels, size_t count);

}  // namespace edgetwin::cli
