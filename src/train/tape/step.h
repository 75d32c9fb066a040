// One operator of a network as it is trained, for one item: forward, and the gradients of its
// operands. Values are binary64, so that sums of quantized numbers are exact whatever their order:
// what the chip sums in integers is the same number here. Specification: training, 16.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/result.h"
#include "graph/graph.h"

namespace edgetwin::train {

using Numbers = std::vector<double>;

class Step {
 public:
  Step() = default;
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;
  virtual ~Step() = default;

  using Operands = std::span<const Numbers* const>;
  // `out` has its size.
  virtual void forward(Operands in, Numbers& out) const = 0;
  // Adds to the gradients `to`, which are null where nobody asks for them.
  virtual void backward(Operands in, const Numbers& out, const Numbers& gradient,
                        std::span<Numbers* const> to) const = 0;
};

// Places in Op::inputs that a step reads: data and parameters in float32, not sizes or limits.
std::vector<size_t> data_operands(const Graph& graph, const Op& op);

// The step that makes output `output` of an operator of a float network in ONNX's order of axes.
// Error: train_operator where the operator has no gradient here; op_* where it does not fit.
Result<std::unique_ptr<Step>> make_step(const Graph& graph, size_t op, size_t output);

}  // namespace edgetwin::train
