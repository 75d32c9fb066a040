// Linear algebra that the reservoir needs.
#pragma once

#include "robotics/matmul/matmul_engine.h"

namespace edgetwin::robotics {

// W of [columns of y][columns of x] with the least |x W' - y|^2 + alpha |W|^2 over the rows from
// `first` on.
Matrix ridge_regression(const Matrix& x, const Matrix& y, size_t first, double alpha);

}  // namespace edgetwin::robotics
