// A compiled .tflite file that runs whole: its compiled operators on a device, the others on the
// twin.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "exec/session.h"
#include "targets/edgetpu/driver/device.h"
#include "targets/edgetpu/invoke/split.h"
#include "tensor/tensor.h"

namespace edgetwin::edgetpu {

// One output of a device part, as the host sees it.
struct DeviceOutput {
  Tensor tensor;
};

class CompiledNetwork {
 public:
  // `model` and `file` are of the same .tflite file; `host` is how the host's operators compute.
  // Errors: device_request, those of Session::create and DeviceModel::make.
  static Result<CompiledNetwork> make(std::shared_ptr<const edgetwin::Model> model,
                                      const darwinn::File& file, const exec::Options& host = {});

  const Graph& graph() const { return model_->main(); }
  const std::vector<GraphPart>& parts() const { return parts_; }
  // The compiled operators' models, in order.
  const std::vector<std::shared_ptr<const DeviceModel>>& device_models() const { return devices_; }
  // The same network with other weights in a compiled operator.
  void replace(size_t device, std::shared_ptr<const DeviceModel> model) {
    devices_[device] = std::move(model);
  }

  // One tensor per graph input, of its type and size; one per graph output. What the device parts
  // gave is appended to `recorded`, if that is not null. Errors: device_*, input_*, op_data.
  Result<std::vector<Tensor>> run(EdgeTpuDevice& device, const std::vector<Tensor>& inputs,
                                  std::vector<DeviceOutput>* recorded = nullptr);

 private:
  struct Binding {  // of a device part: value of the graph by input or output of the device
    std::vector<ValueId> inputs, outputs;
  };
  static Result<Binding> bind(const Graph& graph, const Op& op, const DeviceModel& model);
  Status run_host(size_t part, std::vector<Bytes>& values);
  Status run_device(EdgeTpuDevice& device, size_t index, std::vector<Bytes>& values,
                    std::vector<DeviceOutput>* recorded);

  std::shared_ptr<const edgetwin::Model> model_;
  std::vector<GraphPart> parts_;
  std::vector<std::shared_ptr<const DeviceModel>> devices_;  // by device part
  std::vector<Binding> bindings_;
  std::vector<std::unique_ptr<exec::Session>> sessions_;  // by part; null for device parts
};

}  // namespace edgetwin::edgetpu
