// What both forms of the transform are put together from.
#pragma once

#include <string>
#include <vector>

#include "graph/graph.h"
#include "signals/fft/options.h"

namespace edgetwin::signals {

// Adds values and operators in the order of the calls; every operator gets the version from which
// on TensorFlow Lite takes these numbers.
class FftMaker {
 public:
  explicit FftMaker(FftNumber number) : number_(number) { graph_.name = "main"; }

  FftNumber number() const { return number_; }
  // An activation that reaches as far as 2^(bits - 1) steps.
  ValueId activation(const std::string& name, const Shape& shape, double reach);
  // Real numbers of at most 1, with a scale of 1 / 127 or 1 / 32767; `wide` allows 16 bits.
  ValueId constant(const std::string& name, const Shape& shape, const std::vector<float>& numbers,
                   bool wide);

  ValueId binary(OpKind kind, const std::string& name, ValueId a, ValueId b, double reach);
  ValueId reshape(const std::string& name, ValueId from, const Shape& shape);
  // Two halves of an axis.
  std::pair<ValueId, ValueId> halves(const std::string& first, const std::string& second,
                                     ValueId from, int axis);
  ValueId joined(const std::string& name, ValueId a, ValueId b, int axis);
  ValueId product(const std::string& name, ValueId x, ValueId matrix, double reach);

  const Value& value(ValueId id) const { return graph_.value(id); }
  Model finish(ValueId input, ValueId output, std::string description) &&;

 private:
  int version(OpKind kind) const;
  void op(OpKind kind, Attrs attrs, std::vector<ValueId> inputs, std::vector<ValueId> outputs);
  ValueId like(const std::string& name, ValueId from, const Shape& shape);
  ValueId integers(const std::string& name, const std::vector<int32_t>& numbers, bool scalar);

  FftNumber number_;
  Graph graph_;
};

// butterfly.cc and matrix.cc. `reach` has a number per stage.
struct FftReach;
Model butterfly_network(const FftOptions& options, const FftReach& reach);
Model matrix_network(const FftOptions& options, const FftReach& reach);

}  // namespace edgetwin::signals
