// Where names of classes stand in their file, for messages.
#pragma once

#include <string>
#include <vector>

#include "edgetwin/decode.h"

namespace edgetwin::twin {

// Lines from 1, one per class; 0: not found. The file has a name per line, or lines "7  bird".
std::vector<int> lines_of_labels(const std::string& file, const Labels& labels);

}  // namespace edgetwin::twin
