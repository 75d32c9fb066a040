// Implementations of a layer that can be timed beside each other.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "mobilenet.h"
#include "operands.h"

namespace edgetwin::bench {

class Runner {
 public:
  virtual ~Runner() = default;
  virtual void run() = 0;
  virtual const std::vector<uint8_t>& result() const = 0;
};

std::unique_ptr<Runner> our_runner(const ConvLayer& layer, const Operands& operands,
                                   kernels::Isa isa, ThreadPool& pool);

// The fastest of XNNPACK's operators for the type; null if this build has no XNNPACK.
bool have_xnnpack();
std::vector<std::unique_ptr<Runner>> xnnpack_runners(const ConvLayer& layer,
                                                     const Operands& operands);

// Multiply-accumulates per second of the dot-product instruction alone, from registers.
double dot_product_peak(kernels::Isa isa);

}  // namespace edgetwin::bench
