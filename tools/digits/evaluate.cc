#include "evaluate.h"

#include <cstdio>

#include "reference.h"

namespace edgetwin::digits {

Accuracy evaluate(const Net& net, const QuantizedNet& quantized, const PictureSet& set) {
  Accuracy accuracy;
  Tensors tensors = make_tensors(net);
  for (const Picture& picture : set) {
    forward(net, picture, tensors);
    ++accuracy.pictures;
    accuracy.float_right += top1(tensors.back()) == picture.label ? 1 : 0;
    accuracy.int8_right += top1(run_reference(quantized, picture).back()) == picture.label ? 1 : 0;
  }
  return accuracy;
}

std::string accuracy_line(const std::string& name, const Accuracy& accuracy) {
  const auto percent = [&](int right) { return 100.0 * right / accuracy.pictures; };
  char numbers[96];
  std::snprintf(numbers, sizeof numbers, "\t%d\t%d\t%.2f\t%d\t%.2f\n", accuracy.pictures,
                accuracy.float_right, percent(accuracy.float_right), accuracy.int8_right,
                percent(accuracy.int8_right));
  return name + numbers;
}

}  // namespace edgetwin::digits
