// A network that is a Fourier transform, ready to take frames of a stream.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "cli/shared/console.h"
#include "edgetwin/runner.h"
#include "signals/stream/spectrum_stream.h"

namespace edgetwin::cli {

struct StreamTransform {
  signals::Transform compute;
  Tensor input;  // of the network's type, shape and quantization
  signals::InputOrder order{};
  bool order_is_found = false;  // by a tone: nothing said it
};

// Whether the network's input and output have the form of a transform.
bool is_transform(const Runner& runner);

// The order of the model's samples is `word`, or as its side-car file NAME.json says, else that in
// which a tone becomes a line. Errors: template_argument for a network that is not a transform,
// usage where neither order is one.
Result<StreamTransform> transform_of(std::shared_ptr<Runner> runner, const std::string& model,
                                     const std::string& word);
// A note where the order was found.
void say_order(const StreamTransform& transform, Console& console);

// An empty tensor like an input. Error: out_of_memory.
Result<Tensor> empty_input(const std::string& name, DType type, const Shape& shape,
                           const Quant& quant);

}  // namespace edgetwin::cli
