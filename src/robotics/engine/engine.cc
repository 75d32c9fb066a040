#include "robotics/engine/engine.h"

#include <algorithm>

#include "edgetwin/invoker.h"

namespace edgetwin::robotics {
namespace {

Error not_this_model(std::string message) {
  return Error(ErrorCode::module_model, std::move(message));
}

Result<BytePort> byte_port(const Port& p) {
  if ((p.dtype != DType::uint8 && p.dtype != DType::int8) || !p.shape.is_static()) {
    return not_this_model("'" + p.name + "' is " + std::string(name(p.dtype)) +
                          "; modules send and get bytes of a fixed number")
        .in_field(p.name);
  }
  return BytePort{p.name,
                  p.shape,
                  p.dtype,
                  p.quant.scale_of(0),
                  static_cast<int>(p.quant.zero_point_of(0)),
                  static_cast<size_t>(p.shape.elements())};
}

// Between the chip's bytes and those of int8.
void flip(Tensor& tensor) {
  if (tensor.dtype != DType::int8) return;
  for (std::byte& b : tensor.data) b ^= std::byte{0x80};
}

std::vector<Bytes> bytes_of(Run run) {
  std::vector<Bytes> all;
  for (Tensor& t : run.outputs) {
    flip(t);
    all.push_back(std::move(t.data));
  }
  return all;
}

}  // namespace

Result<std::unique_ptr<Engine>> Engine::over(std::unique_ptr<Runner> runner,
                                             const EngineOptions& options) {
  auto engine = std::unique_ptr<Engine>(new Engine());
  engine->runner_ = std::move(runner);
  const auto inputs = engine->runner_->inputs(), outputs = engine->runner_->outputs();
  if (inputs.size() != 1 || outputs.empty()) {
    return not_this_model("the model has " + std::to_string(inputs.size()) + " inputs and " +
                          std::to_string(outputs.size()) +
                          " outputs; one input and at least one output are needed");
  }
  EDGETWIN_TRY_ASSIGN(engine->input_, byte_port(inputs[0]));
  for (const Port& p : outputs) {
    EDGETWIN_TRY_ASSIGN(BytePort port, byte_port(p));
    engine->outputs_.push_back(std::move(port));
  }
  if (options.exchangeable) engine->weights_ = weights_of(*engine->runner_);
  engine->start_ = options.start;
  return engine;
}

Status Engine::open() {
  if (start_) EDGETWIN_TRY(start_());
  is_open_ = true;
  return Ok{};
}

Result<Tensor> Engine::tensor_of(ByteSpan input) const {
  if (!is_open_) return Error(ErrorCode::module_closed, "the module is not open");
  if (input.size() != input_.bytes) {
    return Error(ErrorCode::module_input, std::to_string(input.size()) +
                                              " bytes, the model takes " + to_string(input_.shape) +
                                              " = " + std::to_string(input_.bytes))
        .in_field(input_.name);
  }
  Tensor tensor{input_.name, input_.dtype, input_.shape, runner_->inputs()[0].quant,
                to_bytes(input)};
  flip(tensor);
  return tensor;
}

Result<std::vector<Bytes>> Engine::run(ByteSpan input) {
  EDGETWIN_TRY_ASSIGN(const Tensor tensor, tensor_of(input));
  EDGETWIN_TRY_ASSIGN(Run run, runner_->run(std::span(&tensor, 1)));
  return bytes_of(std::move(run));
}

Result<std::vector<std::vector<Bytes>>> Engine::run_batch(std::span<const Bytes> inputs) {
  std::vector<std::vector<Tensor>> tensors;
  for (const Bytes& input : inputs) {
    EDGETWIN_TRY_ASSIGN(Tensor tensor, tensor_of(input));
    tensors.push_back({std::move(tensor)});
  }
  EDGETWIN_TRY_ASSIGN(std::vector<Run> runs, edgetwin::run_batch(*runner_, tensors));
  std::vector<std::vector<Bytes>> all;
  for (Run& run : runs) all.push_back(bytes_of(std::move(run)));
  return all;
}

size_t Engine::weight_count() const {
  return exchangeable() ? static_cast<size_t>(weights_->shape().elements()) : 0;
}

Status Engine::check_exchangeable() const {
  if (exchangeable()) return Ok{};
  return not_this_model("the weights of this model cannot be replaced while it runs")
      .with_hint(
          "Compile it so that the chip keeps its weights, and name the model that was compiled.");
}

Status Engine::set_weights(std::span<const int8_t> weights) {
  EDGETWIN_TRY(check_exchangeable());
  return weights_->set(weights);
}

Status Engine::reset_weights() {
  EDGETWIN_TRY(check_exchangeable());
  return weights_->reset();
}

}  // namespace edgetwin::robotics
