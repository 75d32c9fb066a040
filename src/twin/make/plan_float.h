// A float network (.onnx) on its way to a plan: integers first, then what a description leaves out.
#pragma once

#include "targets/max78/pipeline/load.h"
#include "twin/make/quantize_parts.h"

namespace edgetwin::twin {

struct FloatPlan {
  std::vector<Error> misfits;  // of the network; with any of them there is nothing else
  std::string name;            // of the files
  Bytes yaml;                  // without processors, offsets and gaps
  Bytes checkpoint, sample;
};

// By content: what plan() and `plan` quantize first.
bool is_float_network(ByteSpan data);
// The input is folded into channels only where the network does not fit otherwise. `sources`: the
// chip and its options.
Result<FloatPlan> float_plan(const QuantizeRun& run, const max78::NetworkSources& sources);
// Description, parameters and sample of `plan`.
void use_float_plan(const FloatPlan& plan, max78::NetworkSources& sources);
// NAME.yaml complete, NAME.pth.tar, sample_NAME.npy.
std::vector<MadeFile> planned_files(const FloatPlan& plan, const std::string& description);

}  // namespace edgetwin::twin
