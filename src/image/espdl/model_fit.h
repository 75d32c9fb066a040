// Does a pipeline suit the input of a network? What the numbers can tell.
#pragma once

#include <string>
#include <vector>

#include "base/finding.h"
#include "image/espdl/params.h"
#include "tensor/quant.h"
#include "tensor/shape.h"

namespace edgetwin::espdl_image {

struct ModelInput {
  std::string name;
  Shape shape;
  DType type = DType::int8;
  Quant quant;
};

// Warnings IMG-MODEL-01 where size, type or exponent are not the input's; IMG-MODEL-02 where the
// table of a channel is limited at more than one level in eight, or uses less than an eighth of the
// integers. `given`: as the user wrote it, before anything is taken from the model.
std::vector<Finding> model_fit(const Params& given, const ModelInput& input);

}  // namespace edgetwin::espdl_image
