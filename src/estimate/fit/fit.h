// Fits of times: factors on plausible numbers, relative errors, none negative, like networks of one
// family weighted to one. Source: specification of estimates 2.2.
#pragma once

#include <string>
#include <vector>

namespace edgetwin::estimates {

struct FitRow {
  std::string name, family;
  std::vector<double> features;  // as many as there are unknowns
  double fixed = 0;              // what is not fitted
  double published = 0;
};

struct FitResult {
  std::vector<double> numbers;  // fitted
  std::vector<double> residual,
      left_out;  // model / published - 1, by row; left_out: without its family
};

// `plausible`: a number for each feature; `ridge`: pulls the factors towards 1.
FitResult fit(const std::vector<FitRow>& rows, const std::vector<double>& plausible, double ridge);

double median_of_absolutes(const std::vector<double>& values);
double largest_absolute(const std::vector<double>& values);

}  // namespace edgetwin::estimates
