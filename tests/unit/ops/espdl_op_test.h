// Operators of ESP-DL by themselves, in any of its arithmetics.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "ops/op_test.h"
#include "ops/registry/numerics.h"

namespace edgetwin::ops {

inline PrepareFn espdl(const std::string& arithmetic) {
  const NumericsInfo* row = find_numerics("espdl-" + arithmetic);
  EXPECT_NE(row, nullptr) << arithmetic;
  return row->prepare;
}

inline const std::vector<std::string> kArithmetics = {"c", "s3", "s3-wide", "p4", "p4-wide"};

inline bool rounds_to_even(const std::string& arithmetic) { return arithmetic.starts_with("p4"); }

// A tensor of integers at 2^exponent.
template <class T>
Tensor fixed(const Shape& shape, const std::vector<int>& values, int exponent) {
  return make<T>(shape, std::vector<T>(values.begin(), values.end()),
                 Quant::power_of_two(exponent));
}

template <class T>
std::vector<int> numbers(const Tensor& t) {
  const auto v = values<T>(t);
  return {v.begin(), v.end()};
}

template <class T>
OpTest& fixed_output(OpTest& test, int exponent) {
  return test.output(dtype_of<T>, Quant::power_of_two(exponent));
}

inline Tensor longs(const std::vector<int64_t>& v) {
  return make<int64_t>({static_cast<int64_t>(v.size())}, v);
}

// What section 4.1 says about float to integer, written once more.
inline int rounded(double x, bool even, int low, int high) {
  const double floor = std::floor(x);
  const double rest = x - floor;
  double r = rest > 0.5 ? floor + 1 : floor;
  if (rest == 0.5) r = even && std::fmod(floor, 2.0) == 0.0 ? floor : floor + 1;
  return static_cast<int>(std::min<double>(std::max<double>(r, low), high));
}

}  // namespace edgetwin::ops
