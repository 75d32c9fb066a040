// How often the float network and its int8 twin are right.
#pragma once

#include <string>

#include "net.h"
#include "picture.h"
#include "quantize.h"

namespace edgetwin::digits {

struct Accuracy {
  int pictures = 0;
  int float_right = 0;
  int int8_right = 0;
};

Accuracy evaluate(const Net& net, const QuantizedNet& quantized, const PictureSet& set);

// One line: name, number of pictures, right answers and percentages, separated by tabs.
std::string accuracy_line(const std::string& name, const Accuracy& accuracy);

}  // namespace edgetwin::digits
