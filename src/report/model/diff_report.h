// A comparison as text and JSON: the verdict in the last line, the first difference before it.
#pragma once

#include <string>

#include "graph/graph.h"
#include "report/json.h"
#include "verify/compare.h"

namespace edgetwin::report {

// `noun` is what the set is made of, for the verdict: "tensor", "array".
std::string diff_text(const verify::SetDiff& diff, const std::string& noun);
Json diff_json(const verify::SetDiff& diff);
Json to_json(const verify::TensorDiff& diff);

// "different: 2 of 14 tensors, first 'conv1' at (0, 3, 1, 2): 12 and 13"
std::string verdict(const verify::SetDiff& diff, const std::string& noun);

// "(0, 3, 1, 2): 12 and 13"; with the bits where the numbers look the same.
std::string first_difference_text(const verify::TensorDiff& diff);

// "31.4 dB", "equal"
std::string ratio_text(const verify::TensorDiff& diff);

struct ModelDiff {
  bool equal = true;
  std::string first;               // in the words of equal()
  std::vector<std::string> lines;  // one per operator that differs, and per other part
};

ModelDiff compare_models(const Model& a, const Model& b);

}  // namespace edgetwin::report
