// A compiled .tflite file that runs whole: the host's operators on the twin, the compiled ones
// wherever the caller says.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "exec/session.h"
#include "formats/darwinn/darwinn.h"
#include "targets/edgetpu/runtime/split.h"
#include "tensor/tensor.h"

namespace edgetwin::edgetpu {

// An input or output of a compiled operator.
struct OperatorPort {
  std::string name;
  size_t bytes = 0;  // dense
};
struct OperatorPorts {
  std::vector<OperatorPort> inputs, outputs;
};

// One output of a compiled operator, as the host sees it.
struct DeviceOutput {
  Tensor tensor;
};

class SplitNetwork {
 public:
  // From dense tensors of the host to dense tensors of the host, for the compiled operator of that
  // number.
  using Engine =
      std::function<Result<std::vector<Bytes>>(size_t index, const std::vector<ByteSpan>& inputs)>;

  // `model` and `file` are of the same .tflite file; `host` is how the host's operators compute.
  // Errors: device_request, those of Session::create.
  static Result<SplitNetwork> make(std::shared_ptr<const edgetwin::Model> model,
                                   const darwinn::File& file, const exec::Options& host,
                                   States states = States::refused);
  // What the compiled operator of that number takes and gives, by name, or by place where the names
  // of file and compiled operator differ. To be called for each before a run. Error:
  // device_request. An output NAME_variable_output is the variable NAME of the next run.
  Status bind(size_t index, const OperatorPorts& ports);

  // Variables of compiled operators as before the first run.
  void reset_states();

  const Graph& graph() const { return model_->main(); }
  const std::vector<GraphPart>& parts() const { return parts_; }
  // The compiled operators: their packages, which `file` owns, and what messages call them.
  const std::vector<const darwinn::Package*>& packages() const { return packages_; }
  std::string label(size_t index) const { return op_label(graph(), operators_[index]); }

  // One tensor per graph input, of its type and size; one per graph output. What the compiled
  // operators gave is appended to `recorded`, if that is not null. Errors: input_missing, those of
  // the engine and of Session.
  Result<std::vector<Tensor>> run(const Engine& engine, const std::vector<Tensor>& inputs,
                                  std::vector<DeviceOutput>* recorded = nullptr);

 private:
  struct Binding {  // values of the graph by input or output of the compiled operator
    std::vector<ValueId> inputs, outputs;
  };
  Status run_host(size_t part, std::vector<Bytes>& values);
  Status run_compiled(const Engine& engine, size_t index, std::vector<Bytes>& values,
                      std::vector<DeviceOutput>* recorded);
  std::vector<Tensor> outputs(const std::vector<Bytes>& values) const;

  std::shared_ptr<const edgetwin::Model> model_;
  std::vector<GraphPart> parts_;
  std::vector<const darwinn::Package*> packages_;  // by compiled operator
  std::vector<size_t> operators_;                  // their numbers in the graph
  std::vector<Binding> bindings_;
  std::vector<std::unique_ptr<exec::Session>> sessions_;  // by part; null for compiled ones
  std::map<ValueId, Bytes> states_;                       // variables of compiled operators
};

}  // namespace edgetwin::edgetpu
