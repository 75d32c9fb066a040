// A compiled .tflite file that runs whole: its compiled operators on a device, the others on the
// twin.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "targets/edgetpu/driver/device.h"
#include "targets/edgetpu/runtime/split_network.h"
#include "tensor/tensor.h"

namespace edgetwin::edgetpu {

class CompiledNetwork {
 public:
  // `model` and `file` are of the same .tflite file; `host` is how the host's operators compute.
  // Errors: device_request, those of Session::create and DeviceModel::make.
  static Result<CompiledNetwork> make(std::shared_ptr<const edgetwin::Model> model,
                                      const darwinn::File& file, const exec::Options& host = {});

  const Graph& graph() const { return network_.graph(); }
  // Variables of compiled operators, which are kept between runs, as before the first one.
  void reset_states() { network_.reset_states(); }
  const std::vector<GraphPart>& parts() const { return network_.parts(); }
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
  SplitNetwork network_;
  std::vector<std::shared_ptr<const DeviceModel>> devices_;  // by compiled operator
};

}  // namespace edgetwin::edgetpu
