#include "serve/modes/recompiled.h"

#include "twin/weights/graph_weights.h"

namespace edgetwin::serve {
namespace {

class RecompiledRunner final : public twin::PortedRunner {
 public:
  explicit RecompiledRunner(MakeRunner make) : make_(std::move(make)) {}

  Status open(std::shared_ptr<const Model> model) {
    EDGETWIN_TRY(replace(*model));
    inputs_.assign(device_->inputs().begin(), device_->inputs().end());
    outputs_.assign(device_->outputs().begin(), device_->outputs().end());
    weights_ = twin::graph_weights(std::move(model), [this](std::shared_ptr<const Model> changed) {
      return replace(*changed);
    });
    return Ok{};
  }
  Where where() const override { return device_->where(); }
  std::string description() const override { return device_->description(); }
  std::string numerics() const override { return device_->numerics(); }
  Weights* weights() override { return weights_.get(); }
  Status reset() override { return device_->reset(); }
  Result<Run> run(std::span<const Tensor> inputs) override {
    if (device_ == nullptr) {
      return Error(ErrorCode::module_weights, "the last exchange of weights failed");
    }
    return device_->run(inputs);
  }

 private:
  // A device belongs to one runner at a time.
  Status replace(const Model& model) {
    device_.reset();
    EDGETWIN_TRY_ASSIGN(device_, make_(model));
    return Ok{};
  }

  MakeRunner make_;
  std::unique_ptr<Runner> device_;
  std::unique_ptr<Weights> weights_;
};

}  // namespace

Result<std::unique_ptr<Runner>> recompiled_runner(std::shared_ptr<const Model> model,
                                                  MakeRunner make) {
  auto runner = std::make_unique<RecompiledRunner>(std::move(make));
  EDGETWIN_TRY(runner->open(std::move(model)));
  return std::unique_ptr<Runner>(std::move(runner));
}

}  // namespace edgetwin::serve
