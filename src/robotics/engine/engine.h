// What a module runs on: a runner, the twin's or a device's, seen as the chip sees it. Bytes are
// those of the chip, which computes unsigned: the top bit of signed elements is flipped on the way
// in and out.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "edgetwin/runner.h"
#include "edgetwin/weights.h"

namespace edgetwin::robotics {

// An input or output of the network, dense: [y][x][channel].
struct BytePort {
  std::string name;
  Shape shape;
  DType dtype = DType::uint8;  // uint8 or int8, as the model says
  float scale = 1.0F;
  int zero_point = 0;  // of `dtype`
  size_t bytes = 0;

  // Of the chip's bytes.
  int byte_zero_point() const { return zero_point + (dtype == DType::int8 ? 128 : 0); }
  // A byte of the chip as a real number.
  float real(std::byte b) const {
    return static_cast<float>(static_cast<int>(b) - byte_zero_point()) * scale;
  }
};

struct EngineOptions {
  bool exchangeable = true;       // false: as a model that was compiled without cached parameters
  std::function<Status()> start;  // what open() does; null: nothing
};

class Engine {
 public:
  // The runner has one input and at least one output, all of uint8 or int8. Error: module_model.
  static Result<std::unique_ptr<Engine>> over(std::unique_ptr<Runner> runner,
                                              const EngineOptions& options = {});

  Status open();
  void close() { is_open_ = false; }
  bool is_open() const { return is_open_; }

  Runner& runner() const { return *runner_; }
  const BytePort& input() const { return input_; }
  const std::vector<BytePort>& outputs() const { return outputs_; }

  // One array per output. Errors: module_closed, module_input for another number of bytes, and
  // those of the runner.
  Result<std::vector<Bytes>> run(ByteSpan input);
  // Several inputs; on a device the next is on its way while one is computed.
  Result<std::vector<std::vector<Bytes>>> run_batch(std::span<const Bytes> inputs);

  // Weights of the first layer that has some; null: they cannot be replaced.
  Weights* weights() const { return weights_; }
  bool exchangeable() const { return weights_ != nullptr; }
  // How many weights that layer has; 0: they cannot be replaced.
  size_t weight_count() const;
  // In the order of the uncompiled model. They hold until the next call, over close() and open().
  // Errors: module_model where not exchangeable, module_weights for another number.
  Status set_weights(std::span<const int8_t> weights);
  // The model's own again. Error: module_model.
  Status reset_weights();

 private:
  Engine() = default;
  Status check_exchangeable() const;
  Result<Tensor> tensor_of(ByteSpan input) const;

  std::unique_ptr<Runner> runner_;
  BytePort input_;
  std::vector<BytePort> outputs_;
  Weights* weights_ = nullptr;
  std::function<Status()> start_;
  bool is_open_ = false;
};

}  // namespace edgetwin::robotics
