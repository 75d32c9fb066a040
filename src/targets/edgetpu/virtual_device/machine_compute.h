// Outputs of the virtual device by execution of the instructions that it was sent.
#pragma once

#include <string>
#include <vector>

#include "targets/edgetpu/machine/stream_machine.h"
#include "targets/edgetpu/virtual_device/stick/compute.h"

namespace edgetwin::edgetpu {

class MachineCompute : public Compute {
 public:
  explicit MachineCompute(machine::MachineLimits limits = {}) : machine_(limits) {}

  std::string_view name() const override { return "machine"; }
  // Any chunk may follow any other: the instructions themselves decide.
  std::optional<std::string> check_chunk(const Request& request) override;
  Result<Bytes> output(const Request& request, const Descriptor& wanted) override;
  // A program without outputs is kept and executed when the next output is wanted.
  void finished(const Request& request) override;
  void reset() override;
  std::optional<int64_t> macs(const Request& request) override;
  std::vector<std::string> take_remarks() override { return {}; }

 private:
  Status run_waiting();

  machine::StreamMachine machine_;
  std::vector<Request> waiting_;  // finished programs that were not executed yet, oldest first
  Status executed_ = Ok{};        // what came of those that were executed without being wanted
  bool ran_ = false;              // `last_` belongs to the request that is being answered
  machine::StreamRun last_;
};

}  // namespace edgetwin::edgetpu
