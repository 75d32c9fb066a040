// Why an array does not fit an input, where its shape shows it.
#pragma once

#include <string>

#include "tensor/shape.h"

namespace edgetwin {

// What to do with an array of `have` for an input of `want`: the axes are in another order, samples
// lie one after the other, or both. Empty where the shapes say neither.
std::string shape_advice(const Shape& have, const Shape& want);

}  // namespace edgetwin
