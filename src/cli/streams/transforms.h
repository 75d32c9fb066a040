// A network that is a Fourier transform, ready to take frames of a stream.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "edgetwin/runner.h"
#include "signals/stream/spectrum_stream.h"

namespace edgetwin::cli {

struct StreamTransform {
  signals::Transform compute;
  Tensor input;  // of the network's type, shape and quantization
  signals::InputOrder order{};
};

// Whether the network's input and output have the form of a transform.
bool is_transform(const Runner& runner);

// The order of a model's samples: `word`, or as its side-car file NAME.json says. Error: usage
// where neither does.
Result<signals::InputOrder> order_of(const std::string& model, const std::string& word);

// Errors: template_argument for a network that is not a transform.
Result<StreamTransform> transform_of(std::shared_ptr<Runner> runner, signals::InputOrder order);

// An empty tensor like an input. Error: out_of_memory.
Result<Tensor> empty_input(const std::string& name, DType type, const Shape& shape,
                           const Quant& quant);

}  // namespace edgetwin::cli
