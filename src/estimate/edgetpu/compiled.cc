#include "estimate/edgetpu/edgetpu.h"
#include "estimate/edgetpu/parts.h"
#include "formats/darwinn/darwinn.h"

namespace edgetwin::estimates {

Result<Estimate> estimate_compiled(const darwinn::File& file, const Graph* graph,
                                   const TpuWishes& wishes) {
  EDGETWIN_TRY_ASSIGN(tpuparts::Work w, tpuparts::begin(wishes));
  w.compiled = true;
  EDGETWIN_TRY_ASSIGN(w.counts, count_inference(file));
  if (graph != nullptr) {
    for (size_t i = 0; i < graph->ops.size(); ++i) {
      const std::string label = op_label(*graph, i);
      if (label.find(darwinn::kCustomCode) == std::string::npos) w.host_operators.push_back(label);
    }
  }
  Estimate e;
  for (size_t i = 0; i < w.counts.layers.size(); ++i) {
    const TpuLayer& l = w.counts.layers[i];
    EstimateLayer row;
    row.index = static_cast<int>(i);
    row.name = "step " + std::to_string(i);
    row.op = "tensor";
    row.cycles = static_cast<int64_t>(constant(Constant::edgetpu_iteration) *
                                      static_cast<double>(l.iterations));
    row.bound = "compute";
    row.features = {{"iterations", static_cast<double>(l.iterations)},
                    {"instructions", static_cast<double>(l.instructions)}};
    e.layers.push_back(std::move(row));
  }
  tpuparts::finish(w, wishes, e);
  return e;
}

}  // namespace edgetwin::estimates
