// Weights that are exchanged while a network stays where it computes: matrices of real numbers,
// patterns to look for. On the twin the constant of the graph is replaced, on an Edge TPU the
// parameters in the chip's memory.
#pragma once

#include <cstdint>
#include <span>

#include "edgetwin/export.h"
#include "edgetwin/result.h"
#include "edgetwin/runner.h"
#include "edgetwin/tensor.h"

namespace edgetwin {

// int8 weights of the network's first dense layer or convolution.
class EDGETWIN_API Weights {
 public:
  virtual ~Weights();

  // As the source network has them: rows x columns of a dense layer, filters x height x width x
  // channels of a convolution, 1 x height x width x channels of a depthwise one.
  virtual const Shape& shape() const = 0;
  // Real value of one step of the weights of each row (output channel), as set now.
  virtual std::span<const float> scales() const = 0;

  // shape().elements() weights in the order of shape(); scales stay. They hold until the next call.
  // Variables of the network begin anew. Errors: module_weights, params_*, those of planning.
  virtual Status set(std::span<const int8_t> weights) = 0;
  // Also one scale per row, above 0. Error: module_weights too, where the layer has one scale for
  // all rows on the chip, or a bias, whose steps are products of these scales.
  virtual Status set(std::span<const int8_t> weights, std::span<const float> scales) = 0;
  // Bytes of the layer's parameters as the chip keeps them (docs/edgetpu-params.md); 0: set_raw()
  // is not possible here.
  virtual size_t raw_bytes() const = 0;
  // scales() then tells the scales that were set before. Error: module_weights.
  virtual Status set_raw(ByteSpan parameters) = 0;
  // The network's own weights and scales again.
  virtual Status reset() = 0;
  // Sends them to the chip now instead of before the next run; nothing on the twin. Errors:
  // device_*.
  virtual Status upload() = 0;
};

// The exchangeable weights of a runner; null: it has none. Twins of networks with int8 weights have
// them, and devices whose model keeps its parameters on the chip (compiled with caching) and is one
// dense layer, or whose source network is known (RunnerOptions::reference). Lives as long as the
// runner.
EDGETWIN_API Weights* weights_of(Runner& runner);

}  // namespace edgetwin
