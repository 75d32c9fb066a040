// A model as a function from numbers to numbers.
#pragma once

#include <filesystem>
#include <vector>

#include "robotics/module.h"

namespace edgetwin::robotics {

class SimpleInvoker final : public Module {
 public:
  static SimpleInvoker create(std::shared_ptr<Engine> engine, Sidecar sidecar = {}) {
    return {std::move(engine), std::move(sidecar)};
  }
  static Result<SimpleInvoker> load(const std::filesystem::path& model,
                                    const TwinOptions& options = {});

  const std::vector<Port>& output_layers() const { return engine_->outputs(); }
  Result<Bytes> invoke_raw(ByteSpan input) { return execute_raw(input); }
  Result<std::vector<Bytes>> invoke_raw_outputs(ByteSpan input);
  // Real numbers in, real numbers of the first output out.
  Result<std::vector<float>> invoke(std::span<const float> input);

 private:
  SimpleInvoker(std::shared_ptr<Engine> engine, Sidecar sidecar)
      : Module(std::move(engine), std::move(sidecar)) {}
};

}  // namespace edgetwin::robotics
