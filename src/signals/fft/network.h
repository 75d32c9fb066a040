// The Fourier transform as a network of TensorFlow Lite's operators. docs/signals.md.
//
// Input [batch, N, 2], output [batch, N, 2] ([batch, 2N] where flat): real and imaginary part of
// each number. The butterfly
// form takes its samples in bit-reversed order (InputOrder), the matrix form as they came; both
// give frequency k at place k.
#pragma once

#include "graph/graph.h"
#include "signals/fft/options.h"
#include "signals/fft/scales.h"

namespace edgetwin::signals {

// The model, with one graph. `reach` is used for integers only. Error: those of check.
Result<Model> fft_network(const FftOptions& options, const FftReach& reach);

// What a run costs, counted in the network's own operators.
struct FftCost {
  int64_t multiplications = 0, additions = 0;
  int64_t parameters = 0;  // numbers that are stored: twiddles or the matrix
  int64_t operators = 0;
};
FftCost fft_cost(const FftOptions& options);

}  // namespace edgetwin::signals
