// A compiled .tflite file that runs whole: its compiled operators in the machine, the others on the
// twin.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/rule.h"

#include "targets/edgetpu/machine/machine.h"
#include "targets/edgetpu/runtime/split_network.h"

namespace edgetwin::edgetpu {

class MachineNetwork {
 public:
  // Executes the parameter-caching programs. `file` must outlive the network. Errors:
  // device_request, darwinn_layout, those of Session::create and Machine::make; of a compiled
  // operator with its number and name.
  static Result<MachineNetwork> make(const std::shared_ptr<const edgetwin::Model>& model,
                                     const darwinn::File& file, const exec::Options& host = {});

  const Graph& graph() const { return network_.graph(); }
  // Variables of compiled operators, which are kept between runs, as before the first one.
  void reset_states() { network_.reset_states(); }
  const std::vector<GraphPart>& parts() const { return network_.parts(); }

  // From now on each program runs a second time with its engines side by side, in the order of this
  // number: outputs are those of that order, and findings() what it shows beside the program's.
  void interleave(uint64_t seed) { seed_ = seed; }
  const std::vector<Finding>& findings() const { return findings_; }  // of the last run

  // As SplitNetwork::run. An operator that stops is named in the error, with the instruction.
  Result<std::vector<Tensor>> run(const std::vector<Tensor>& inputs,
                                  std::vector<DeviceOutput>* recorded = nullptr);

  // Of all compiled operators together.
  const machine::MachineReport& report() const { return report_; }

 private:
  Result<std::vector<Bytes>> run_operator(size_t index, const std::vector<ByteSpan>& from);

  SplitNetwork network_;
  std::vector<machine::Machine> machines_;  // by compiled operator
  machine::MachineReport report_;
  std::optional<uint64_t> seed_;
  std::vector<Finding> findings_;
};

}  // namespace edgetwin::edgetpu
