// Outputs of the test items in two dimensions: along the two directions in which they vary most.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace edgetwin::train {

struct ProjectedItem {
  double x = 0, y = 0;
  int64_t label = 0;
};

// `outputs`: `each` of every item. Empty where they do not vary.
std::vector<ProjectedItem> projection_of(std::span<const float> outputs, size_t each,
                                         std::span<const int64_t> labels);

// A picture of the first 2,000 items with a legend of the classes; "" without items.
std::string projection_svg(const std::vector<ProjectedItem>& items,
                           const std::vector<std::string>& classes);

}  // namespace edgetwin::train
