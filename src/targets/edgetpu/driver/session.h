// One stick, used by one thread: opened, brought up, executing, and started anew after a fault.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/finding.h"
#include "targets/edgetpu/device/bring_up.h"
#include "targets/edgetpu/device/connect.h"
#include "targets/edgetpu/driver/device_model.h"
#include "targets/edgetpu/driver/parameter_cache.h"
#include "targets/edgetpu/driver/streams.h"

namespace edgetwin::edgetpu {

struct DeviceOptions {
  FirmwareOptions firmware;
  ConnectTimes times;
  Performance performance = Performance::max;
  int transfer_timeout_ms = 6000;
  int open_tries = 3;
  // How often an inference is repeated on a device that was started anew after a fault.
  int restarts = 1;
  int restart_tries = 5;   // looks at the bus then
  Clock* clock = nullptr;  // null: the machine's
};

// The buffers of one inference.
struct DeviceJob {
  std::shared_ptr<const DeviceModel> model;
  std::vector<Bytes> inputs;   // DeviceModel::to_device
  std::vector<Bytes> outputs;  // tiles; DeviceModel::to_host
  bool load_only = false;      // send the weights, compute nothing
};

class DeviceSession {
 public:
  // Errors: device_*.
  static Result<std::unique_ptr<DeviceSession>> open(Transport& transport, std::string_view path,
                                                     const DeviceOptions& options);
  ~DeviceSession() { close(); }
  DeviceSession(const DeviceSession&) = delete;
  DeviceSession& operator=(const DeviceSession&) = delete;

  // After an error the session is closed; the next run opens it again.
  Status run(DeviceJob& job);
  Result<Temperature> temperature();
  void forget_parameters() { cache_.forget(); }
  // Halts and releases. Faults on this way are no one's concern any more.
  void close();

  const UsbDevice& device() const { return device_; }
  // What happened that did not fail: restarts, thermal warnings.
  std::vector<Finding> take_findings() { return std::exchange(findings_, {}); }

 private:
  DeviceSession(Transport& transport, UsbDevice device, const DeviceOptions& options);
  Status start(int tries);
  Status start_once(int tries);
  void abandon();
  static Status check(const DeviceJob& job);
  Status attempt(DeviceJob& job);
  Status execute(const DeviceProgram& program, DeviceJob& job);
  Status step(const DeviceProgram& program, const TransferStep& s, DeviceJob& job);
  Status look_at_interrupts();
  Error explain(Error error);
  void note(std::string id, std::string message);

  Transport& transport_;
  DeviceOptions options_;
  Clock& clock_;
  UsbDevice device_;
  std::unique_ptr<UsbConnection> connection_;
  std::unique_ptr<RegisterPort> port_;
  std::unique_ptr<DeviceStreams> streams_;
  ParameterCache cache_;
  Bytes scratch_;
  std::vector<Finding> findings_;
};

}  // namespace edgetwin::edgetpu
