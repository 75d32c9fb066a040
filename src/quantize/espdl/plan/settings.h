// What can be chosen in quantizing for ESP-DL, and what the chips fix.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "formats/espdl/document/target.h"
#include "numerics/rounding.h"
#include "quantize/calibration/method.h"

namespace edgetwin::quantize {

// Whose exponent the others take where an operator needs operands of one exponent.
enum class Alignment : uint8_t { none, to_large, to_output };

struct Passes {
  bool fuse_activation =
      true;  // Conv, Gemm, MatMul and the Relu or Clip after them share an exponent
  bool share_passive = true;  // MaxPool, Reshape, ... keep the exponent of their input
  bool equalize = false;      // layer-wise equalization before everything else
  int equalize_rounds = 10;
  bool correct_bias = false;                     // the mean error of each layer goes into its bias
  Alignment elementwise = Alignment::to_output;  // Add, Sub
  Alignment concat = Alignment::to_output;
  Alignment resize = Alignment::to_output;
  // What upstream leaves undone; `like_upstream` leaves it undone too.
  bool align_prelu = true;   // one exponent for PRelu: with two of them the chips differ
  bool share_moves = true;   // DepthToSpace, InsertZeros, Neg, … keep the exponent of their input
  bool raise_shifts = true;  // an output takes a larger exponent where a shift would be negative
  bool requantize_inputs = true;  // also after graph inputs with several users
  bool exact_requantize = true;   // compare exponents; upstream takes scales below 1e-5 for equal
  bool fit_runtime = true;        // what the runtime computes wrongly takes a form that it computes
};

// The int16 activations that become look-ups.
struct LutSettings {
  int step = 256;                   // of every int16 table in the file; 0: none
  std::vector<std::string> to_lut;  // operator types (Swish, Sigmoid, …) that become LUT nodes
  // By operator name or type: LUT nodes whose table holds a formula (lut/formula/formula.h).
  std::map<std::string, std::string> formulas;
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
  int runtime = 0;  // whose rules noise is measured by: 30309 is 3.3.9; 0: the newest
  int threads = 1;
};

// The defaults of upstream's own quantizer, with its omissions: `--like upstream`.
Settings like_upstream(espdl::Target target, int bits);

// What the target's own tools and runtime do with ties.
numerics::Rounding rounding_of(espdl::Target target);
// Bits of a bias: 32 or 20 (ESP32-S3) at 8 bits, 40 or 64 (plain C) at 16.
int bias_bits(espdl::Target target, int bits);

}  // namespace edgetwin::quantize
