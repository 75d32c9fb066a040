// From a float network and some of its inputs to integers for ESP-DL: one exponent per tensor (or
// per output channel of weights), weights and biases as the chip stores them, look-up tables, and
// the conversions between tensors that do not agree. docs/quantize.md.
//
// The graph that comes out has the form that formats/espdl/import makes of an exported file:
// channels last, filters OHWI, Transpose where the layout changes, `quantize` and `dequantize`
// operators (types RequantizeLinear, QuantizeLinear, DequantizeLinear) where exponents or widths
// do, activations fused as the runtime fuses them, Op::type as the file writes it, Op::table for
// look-up tables named "<Type>_lut_<k>". exec::Session runs it in the target's arithmetic, and an
// exporter writes it down as it stands.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/finding.h"
#include "base/progress.h"
#include "base/result.h"
#include "formats/espdl/document/table_origin.h"
#include "graph/graph.h"
#include "quantize/calibration/sample.h"
#include "quantize/espdl/plan/plan.h"
#include "quantize/espdl/plan/settings.h"

namespace edgetwin::quantize {

// What became of one tensor.
struct TensorReport {
  std::string tensor;  // its name
  std::string op;      // of the written graph that makes it, by label; "input"
  int bits = 8;
  int exponent = 0;
  float low = 0.0F, high = 0.0F;  // as observed
};

struct Report {
  std::vector<TensorReport> tensors;
  std::vector<Finding> findings;
};

struct Quantized {
  Graph graph;
  Report report;
  // Value of the float graph that a value of `graph` stands for, by id of `graph`; kAbsent: none.
  std::vector<ValueId> origin;
  // By value: stored axis i is axis perms[id][i] of the float network.
  std::vector<std::vector<int>> perms;
  // What the tables of LUT nodes hold, by the name of the value that the node makes.
  std::map<std::string, espdl::TableOrigin, std::less<>> tables;
  // The float network that it should equal: as it was given, with ranges equalized.
  Graph reference;
};

// The exponents of a network before it takes the form of the chip. The parameters of `graph` may
// change in between, as training changes them; their exponents stay.
struct Planned {
  std::unique_ptr<const Settings> settings;
  std::unique_ptr<Graph> graph;  // in float, that of the plan
  std::unique_ptr<const Plan> plan;
  Graph reference;  // as Quantized has it
  std::vector<Finding> findings;
};

// The two halves of quantize_espdl(), with its errors.
Result<Planned> plan_espdl(const Graph& network, const std::vector<Sample>& samples,
                           const Settings& settings, const ProgressSink& progress = nullptr);
Result<Quantized> lower_espdl(const Planned& planned);
// Other exponents for operands that decide (Plan::root); shifts and biases follow.
// Errors: those of the passes that follow.
Status set_exponents(Planned& planned, const std::map<QuantId, std::vector<int>>& exponents);

// The network is in ONNX's order of axes (Layout::nchw), the result in the chip's (nhwc).
// Errors: graph_layout, quant_setting, quant_calibration, quant_not_finite, quant_operator,
// quant_exponent, op_*, graph_*.
Result<Quantized> quantize_espdl(const Graph& network, const std::vector<Sample>& samples,
                                 const Settings& settings, const ProgressSink& progress = nullptr);

}  // namespace edgetwin::quantize
