// What the chip computes, layer by layer, bit for bit as the vendor's simulation.
// Source: specification of the numerics 2 to 8.
#pragma once

#include <memory>
#include <vector>

#include "base/parallel.h"
#include "base/result.h"
#include "targets/max78/network/resolved.h"
#include "tensor/tensor.h"

namespace edgetwin::max78 {

struct LayerResult {
  int layer = 0;
  // (channels, rows, columns); one-dimensional data has 1 column. `pool` and `elt` are scalars
  // without data where the layer does not pool or combine; with several operands in front of the
  // element-wise operation `pool` has the operand as its first dimension.
  Tensor pool, elt, out;
  // With SimulationOptions::everything: what the layer reads, (operands, channels, rows, columns),
  // and what its operator sums with 128 times the bias, int32; no data where it has no operator.
  Tensor in = {}, sums = {};
};

struct SimulationResult {
  std::vector<LayerResult> layers;  // in the order of execution; without trace only the outputs
};

struct SimulationOptions {
  bool trace = true;        // every layer, and what it has after pooling and combining
  bool plain = false;       // without the fast kernels: the definition
  bool everything = false;  // with trace: inputs and sums too
  int threads = 1;
};

// A plan whose weights are arranged for the processor: run any number of times.
class Simulation {
 public:
  // `plan` outlives the simulation. Error: max78_rules where a layer reads what is not there.
  static Result<Simulation> make(const ResolvedNetwork& plan,
                                 const SimulationOptions& options = {});
  ~Simulation();
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;

  // `sample`: int8, (channels, rows, columns). Error: max78_sample.
  Result<SimulationResult> run(const Tensor& sample);

 private:
  struct Impl;
  explicit Simulation(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// resolve(), make() and run() in one. Errors: max78_rules, max78_sample.
Result<SimulationResult> simulate(const ai8x::Network& network, const ai8x::Parameters& parameters,
                                  const Tensor& sample, const Options& options,
                                  const SimulationOptions& simulation = {});

}  // namespace edgetwin::max78
