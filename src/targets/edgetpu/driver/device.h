// A stick for many threads: one thread owns it and works through one queue. What costs time on the
// host (signs, padding, layout of outputs) is done by the threads that ask.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "targets/edgetpu/driver/session.h"

namespace edgetwin::edgetpu {

class EdgeTpuDevice {
 public:
  // `path` as of UsbDevice::path, or empty: the first stick. `transport` lives as long as the
  // device.
  static Result<std::unique_ptr<EdgeTpuDevice>> open(std::shared_ptr<Transport> transport,
                                                     std::string_view path,
                                                     const DeviceOptions& options = {});
  ~EdgeTpuDevice();
  EdgeTpuDevice(const EdgeTpuDevice&) = delete;
  EdgeTpuDevice& operator=(const EdgeTpuDevice&) = delete;

  // An inference on its way. Dropping it does not stop it.
  class Pending {
   public:
    // Waits; dense outputs of the host, in the model's order. Once.
    Result<std::vector<Bytes>> get();

   private:
    friend class EdgeTpuDevice;
    struct State;
    std::shared_ptr<State> state_;
  };
  // Puts an inference at the end of the queue. Error: device_request, if the inputs do not fit.
  Result<Pending> start(std::shared_ptr<const DeviceModel> model, std::span<const ByteSpan> inputs);
  // start and get.
  Result<std::vector<Bytes>> run(const std::shared_ptr<const DeviceModel>& model,
                                 std::span<const ByteSpan> inputs);
  // Sends the model's weights now, if they are not on the chip.
  Status load(const std::shared_ptr<const DeviceModel>& model);

  Result<Temperature> temperature();
  std::vector<Finding> take_findings();
  UsbDevice where() const;
  // Finishes the queue, puts the chip to sleep, releases it. Later calls fail with device_lost.
  void close();

 private:
  EdgeTpuDevice();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace edgetwin::edgetpu
