// The Edge TPU, as far as it is known: executes the programs of a compiled model and gives what
// the chip would send back. docs/edgetpu-machine.md.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "formats/darwinn/darwinn.h"
#include "targets/edgetpu/machine/engines/core.h"
#include "targets/edgetpu/machine/engines/host.h"

namespace edgetwin::edgetpu::machine {

// What a run did.
struct MachineReport {
  size_t instructions = 0;  // of the program
  uint64_t places = 0;      // visited by address generators
  // Powers and reciprocals that the scalar core computed for the outputs: softmax of older
  // compilers. Their precision on the chip is not known; single precision stands in
  // (EDGETPU-NUM-13).
  uint64_t real_functions = 0;
  // Instructions whose sums passed the table of an odd function, as recurrent layers have them: no
  // result of a device with one was recorded (EDGETPU-NUM-20).
  uint64_t odd_functions = 0;
};

// A program before any of it has run.
struct Prepared {
  Steps steps;
  std::vector<Descriptor> transfers;  // that the scalar core asks for
  HostPlan host;
};

class Machine {
 public:
  // Executes the parameter-caching program, if there is one. The package must outlive the machine.
  // `plain`: one iteration after the other, which defines the results.
  // Errors: edgetpu_instruction, edgetpu_endless, those named chip_.
  static Result<Machine> make(const darwinn::Package& package, MachineLimits limits = {},
                              bool plain = false);

  // One inference: for each input layer the bytes as they go over the wire, without padding or
  // with it. Gives for each output layer the bytes as they leave the chip, before relayout.
  Result<std::vector<Bytes>> run(const std::vector<ByteSpan>& inputs);

  // From dense tensors of the host to dense tensors of the host: signs flipped, relaid.
  Result<std::vector<Bytes>> run_dense(const std::vector<ByteSpan>& inputs);

  const darwinn::Executable& executable() const { return *inference_; }
  const MachineReport& report() const { return report_; }

 private:
  Machine() = default;
  const darwinn::Executable* inference_ = nullptr;
  Prepared prepared_;  // of the program for inferences; its steps until the first run
  bool ran_ = false;
  std::unique_ptr<Core> core_;
  MachineReport report_;
};

// Between dense tensors of the host and the bytes that go over the wire.
std::vector<Bytes> to_wire(const darwinn::Executable& executable,
                           const std::vector<ByteSpan>& dense);
// Errors: darwinn_layout.
Result<std::vector<Bytes>> to_dense(const darwinn::Executable& executable, std::vector<Bytes> wire);

}  // namespace edgetwin::edgetpu::machine
