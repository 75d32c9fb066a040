// 16-bit look-up tables in the forward pass, with the rule of the runtime; backward by the
// derivative of the ideal function. Specification: training, 16.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "lut/table.h"
#include "numerics/lut.h"
#include "tensor/tensor.h"

namespace edgetwin::train {

class TableFunction {
 public:
  // Errors: those of lut::build; lut_spec for a function without a derivative here.
  static Result<TableFunction> make(const lut::TableSpec& spec, numerics::LutRule rule);

  const Tensor& table() const { return table_; }
  // Inputs are rounded to the table's exponent and saturated; results are real numbers.
  std::vector<float> forward(std::span<const float> values) const;
  // `beyond`: gradients pass outside of the range too, as the vendor's package has it.
  std::vector<float> gradient(std::span<const float> values, std::span<const float> gradient,
                              bool beyond) const;

 private:
  TableFunction(lut::TableSpec spec, numerics::LutRule rule, Tensor table)
      : spec_(spec), rule_(rule), table_(std::move(table)) {}
  double input(float value) const;  // in units of the exponent, rounded

  lut::TableSpec spec_;
  numerics::LutRule rule_;
  Tensor table_;
};

// The derivative of an activation; nothing for functions that training does not know. `alpha` and
// `beta` where the function has them.
std::optional<double> derivative(lut::Function function, double x, double alpha, double beta);

}  // namespace edgetwin::train
