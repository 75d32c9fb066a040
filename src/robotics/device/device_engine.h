// An Edge TPU as an engine, attached by USB or made of software: the compiled model on the device,
// operators that are not compiled on the twin.
#pragma once

#include <memory>
#include <string>

#include "base/bytes.h"
#include "exec/session.h"
#include "graph/graph.h"
#include "robotics/engine/engine.h"
#include "targets/edgetpu/driver/device.h"

namespace edgetwin::robotics {

class DeviceEngine final : public Engine {
 public:
  // `data` is a compiled .tflite file with one input and outputs of uint8 or int8, called `name` in
  // errors. Weights can be exchanged where the model keeps them on the chip and `reference`, the
  // model that was compiled, tells where they stand (null: they cannot); `host` is how operators
  // that are not compiled are computed. Errors: module_model, device_request, those of the readers.
  static Result<std::unique_ptr<DeviceEngine>> create(
      Bytes data, const std::string& name, std::shared_ptr<edgetpu::EdgeTpuDevice> device,
      std::shared_ptr<const Graph> reference = nullptr, const exec::Options& host = {});
  ~DeviceEngine() override;

  Status open() override;
  void close() override;
  bool is_open() const override;
  const Port& input() const override;
  const std::vector<Port>& outputs() const override;
  Result<std::vector<Bytes>> run(ByteSpan input) override;
  bool exchangeable() const override;
  size_t weight_count() const override;
  // The device gets them before the next run. Errors: params_* too.
  Status set_weights(std::span<const int8_t> weights) override;
  Status reset_weights() override;

 private:
  struct Impl;
  explicit DeviceEngine(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace edgetwin::robotics
