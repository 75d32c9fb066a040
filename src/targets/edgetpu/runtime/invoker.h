// Real numbers in, real numbers out: one compiled network on one device, or several in a row.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "targets/edgetpu/runtime/network.h"

namespace edgetwin::edgetpu {

// clamp(round half to even(v / max(scale, 1e-9) + zero point)); scale must not be negative.
Tensor quantize(const Value& value, std::span<const float> reals);
// (q - zero point) * scale in single precision; a float tensor as it is.
std::vector<float> dequantize(const Tensor& tensor);

class Invoker {
 public:
  Invoker(CompiledNetwork network, std::shared_ptr<EdgeTpuDevice> device)
      : network_(std::move(network)), device_(std::move(device)) {}

  const CompiledNetwork& network() const { return network_; }
  CompiledNetwork& network() { return network_; }
  EdgeTpuDevice& device() { return *device_; }

  // Errors: input_shape, and those of CompiledNetwork::run.
  Result<std::vector<std::vector<float>>> invoke(std::span<const std::vector<float>> inputs);
  // Bytes of the model's own types.
  Result<std::vector<Bytes>> invoke_raw(std::span<const ByteSpan> inputs);
  Result<std::vector<Tensor>> invoke(const std::vector<Tensor>& inputs) {
    return network_.run(*device_, inputs);
  }

 private:
  Result<std::vector<Tensor>> tensors_of(std::span<const ByteSpan> inputs) const;

  CompiledNetwork network_;
  std::shared_ptr<EdgeTpuDevice> device_;
};

// Segments of a model, each on a device of its own or on a shared one: outputs of one are the
// inputs of the next by name, by place where names differ.
class Pipeline {
 public:
  // Error: device_request, where a segment misses an input.
  static Result<Pipeline> make(std::vector<std::unique_ptr<Invoker>> segments);

  Result<std::vector<Tensor>> run(const std::vector<Tensor>& inputs);
  // Many inputs; while one is in a segment, the next is in the one before.
  Result<std::vector<std::vector<Tensor>>> run_all(const std::vector<std::vector<Tensor>>& inputs);

 private:
  Result<std::vector<Tensor>> run_segment(size_t segment, const std::vector<Tensor>& from);

  std::vector<std::unique_ptr<Invoker>> segments_;
  std::vector<std::vector<size_t>> sources_;  // by segment and input: output of the one before
};

}  // namespace edgetwin::edgetpu
