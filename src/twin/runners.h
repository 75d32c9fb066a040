// The runners of this project: one adapter per way to compute. Each keeps what it computes with.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "edgetwin/network.h"
#include "edgetwin/weights.h"
#include "exec/session.h"
#include "twin/compute.h"
#include "twin/device.h"
#include "twin/load.h"

namespace edgetwin::twin {

// What decoders want to know of a network.
struct DecoderView {
  const Graph* graph = nullptr;              // null: there is none
  std::optional<PosenetAttrs> pose_options;  // of its pose decoder
};

// What all runners of this project have.
class PortedRunner : public Runner {
 public:
  std::span<const Port> inputs() const override { return inputs_; }
  std::span<const Port> outputs() const override { return outputs_; }
  std::span<const Finding> findings() const override { return findings_; }
  virtual DecoderView decoder_view() const { return {}; }
  // Null: none. Made when they are asked for: looking for a layer in a compiled file takes time.
  virtual Weights* weights() { return nullptr; }
  // As run() for each; some overlap.
  virtual Result<std::vector<Run>> run_batch(std::span<const std::vector<Tensor>> inputs);

 protected:
  // One tensor per input, of its type and size. Errors: input_missing, input_shape.
  Status check_inputs(std::span<const Tensor> inputs) const;

  std::vector<Port> inputs_, outputs_;
  std::vector<Finding> findings_;
};

// The model with the outputs that a decoder takes: maps instead of an operator which the twin does
// not compute. `pose_options` are those of its pose decoder.
LoadedModel for_decoder(const LoadedModel& loaded, const std::string& decoder,
                        std::optional<PosenetAttrs>& pose_options);

// A graph on the twin. Errors: those of plan().
Result<std::unique_ptr<Runner>> graph_runner(const LoadedModel& loaded,
                                             const ComputeOptions& compute,
                                             const RunnerOptions& options);

// A compiled Edge TPU model, its programs executed. `data` are the file's bytes. Errors:
// device_request, darwinn_*, chip_*.
Result<std::unique_ptr<Runner>> machine_runner(const LoadedModel& loaded, Bytes data,
                                               const ComputeOptions& compute,
                                               const RunnerOptions& options);

// The same on a real or a virtual device, as `options.where` says. Errors: device_*.
Result<std::unique_ptr<Runner>> device_runner(const LoadedModel& loaded, ByteSpan data,
                                              const ComputeOptions& compute,
                                              const RunnerOptions& options);
// On a device that is open; run.file and run.network are set, `data` are the file's bytes.
std::unique_ptr<Runner> device_runner(DeviceRun run, Where where, Bytes data);

// The tensors of a folder, whatever the inputs.
Result<std::unique_ptr<Runner>> folder_runner(const std::string& folder);

// What a run of a session left, in order: inputs, what each step made, variables.
std::vector<LayerResult> layers_of(const exec::Session& session);

// The options of a host that computes the parts a chip does not.
exec::Options host_options(const ComputeOptions& compute);

}  // namespace edgetwin::twin
