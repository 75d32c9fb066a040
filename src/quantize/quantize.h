// From a float network and some of its inputs to integers for ESP-DL: one exponent per tensor (or
// per output channel of weights), weights and biases as the chip stores them, look-up tables, and
// the conversions between tensors that do not agree. docs/quantize.md.
//
// The graph that comes out has the form that formats/espdl/lower.h makes of an exported file:
// channels last, filters OHWI, Transpose where the layout changes, `quantize` and `dequantize`
// operators (types RequantizeLinear, QuantizeLinear, DequantizeLinear) where exponents or widths
// do, activations fused as the runtime fuses them, Op::type as the file writes it, Op::table for
// look-up tables named "<Type>_lut_<k>". exec::Session runs it in the target's arithmetic, and an
// exporter writes it down as it stands.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "base/result.h"
#include "formats/espdl/lower.h"
#include "graph/graph.h"
#include "numerics/rounding.h"
#include "tensor/tensor.h"

namespace edgetwin::quantize {

// How a range is made of what calibration has seen: one row of observers.def each.
enum class Method : uint8_t {
#define OBSERVER(name, rounding, what) name,
#include "quantize/observers.def"
#undef OBSERVER
};
struct MethodInfo {
  Method method;
  std::string_view name;
  std::string_view what;
};
const std::vector<MethodInfo>& all_methods();
std::string_view name(Method method);
std::optional<Method> method_by_name(std::string_view text);

// Who gives way where an operator needs operands of one exponent.
enum class Alignment : uint8_t { none, to_large, to_output };

struct Passes {
  bool fuse_activation = true;  // Conv, Gemm, MatMul and the Relu or Clip behind share an exponent
  bool share_passive = true;    // MaxPool, Reshape, ... keep the exponent of their input
  bool equalize = false;        // layer-wise equalization before everything else
  int equalize_rounds = 10;
  bool correct_bias = false;                     // the mean error of each layer goes into its bias
  Alignment elementwise = Alignment::to_output;  // Add, Sub
  Alignment concat = Alignment::to_output;
  Alignment resize = Alignment::to_output;
  // What upstream leaves undone; `like_upstream` leaves it undone too.
  bool align_prelu = true;   // one exponent for PRelu: with two of them the chips differ
  bool share_moves = true;   // DepthToSpace, InsertZeros, Neg, … keep the exponent of their input
  bool raise_shifts = true;  // an output takes a larger exponent where a shift would be negative
  bool requantize_inputs = true;  // also behind graph inputs with several users
  bool exact_requantize = true;   // compare exponents; upstream takes scales below 1e-5 for equal
};

// The int16 activations that become look-ups.
struct LutSettings {
  int step = 256;                   // of every int16 table in the file; 0: none
  std::vector<std::string> to_lut;  // operator types (Swish, Sigmoid, …) that become LUT nodes
};

struct Settings {
  espdl::Target target = espdl::Target::esp32p4;
  int bits = 8;                        // 8 or 16
  std::map<std::string, int> bits_of;  // by operator name: the exceptions
  Method method = Method::percentile;
  int steps = 8;                // calibration runs; samples are repeated in their order
  bool per_channel = true;      // weights of the ESP32-P4
  bool high_precision = false;  // weights rounded in float64, as for upstream's H_PRE platforms
  Passes passes;
  LutSettings lut;
  int threads = 1;
};

// The defaults of upstream's own quantizer, with its omissions: `--like upstream`.
Settings like_upstream(espdl::Target target, int bits);

// One tensor per graph input, float32, in the order and layout of the graph.
using Sample = std::vector<Tensor>;

// What became of one tensor.
struct TensorReport {
  std::string tensor;  // its name
  std::string op;      // who makes it, by label; "input"
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
  // The float network that it should equal: as it was given, with ranges equalized.
  Graph reference;
};

// Errors: quant_setting, quant_calibration, quant_not_finite, quant_operator, quant_exponent,
// op_*, graph_*.
Result<Quantized> quantize_espdl(const Graph& network, const std::vector<Sample>& samples,
                                 const Settings& settings, const ProgressSink& progress = nullptr);

// What the target's own tools and runtime do with ties.
numerics::Rounding rounding_of(espdl::Target target);
// Bits of a bias: 32 or 20 (ESP32-S3) at 8 bits, 40 or 64 (plain C) at 16.
int bias_bits(espdl::Target target, int bits);

}  // namespace edgetwin::quantize
