// What a network that is not compiled will be on the Edge TPU.
#pragma once

#include <string>
#include <vector>

#include "edgetwin/check.h"
#include "targets/edgetpu/compile/compile.h"
#include "twin/load.h"

namespace edgetwin::twin {

// A network of bytes that is not compiled yet. Errors: file_kind, those of load_model.
Result<LoadedModel> load_for_edgetpu(ByteSpan network, const std::string& name);

// Where the compiler puts each operator of `graph`.
std::vector<PlacedOperator> placed(const Graph& graph,
                                   const edgetpu::compiler::Partition& partition);

struct OutlookWithFindings {
  EdgetpuOutlook outlook;
  std::vector<Finding> findings;  // one for each operator on the host
  std::vector<PlacedOperator> operators;
};
// Of a float network, .onnx or .tflite, integers are made whose ranges are those of noise: where an
// operator goes depends on kinds and shapes alone. Errors: those of the readers and of quantizing.
Result<OutlookWithFindings> edgetpu_outlook(ByteSpan network, const std::string& name,
                                            const OpenOptions& options);

}  // namespace edgetwin::twin
