// What computes in the virtual device: the instructions are executed, but a model that was learned
// with its source graph is computed by that graph.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "targets/edgetpu/virtual_device/machine_compute.h"
#include "targets/edgetpu/virtual_device/reference/reference.h"

namespace edgetwin::edgetpu {

class ChipCompute : public Compute {
 public:
  explicit ChipCompute(std::shared_ptr<const Library> library, int threads = 1)
      : reference_(std::move(library), threads) {}

  std::string_view name() const override { return "chip"; }
  std::optional<std::string> check_chunk(const Request& request) override;
  // Errors too: those of StreamMachine::run.
  Result<Bytes> output(const Request& request, const Descriptor& wanted) override;
  void finished(const Request& request) override;
  void reset() override;
  std::optional<int64_t> macs(const Request& request) override;
  std::vector<std::string> take_remarks() override { return reference_.take_remarks(); }

 private:
  Compute& of(const Request& request);

  ReferenceCompute reference_;  // also knows which parameters are on the chip
  MachineCompute machine_;
};

}  // namespace edgetwin::edgetpu
