// Which table is good enough. docs/lut.md, chapter 5.
#pragma once

#include <optional>
#include <vector>

#include "base/result.h"
#include "lut/error_report.h"
#include "lut/table.h"

namespace edgetwin::lut {

// One way to hold a function. Errors are against the function over all 65,536 inputs of 16 bits, in
// LSB of the 16-bit output; a table of 8 bits gets its input rounded to 8 bits first.
struct Candidate {
  int bits = 16;
  int step = 1;
  int64_t entries = 0;
  int64_t bytes = 0;
  Deviation interpolate, nearest;  // the same where the step is 1
  bool interpolate_suffices = false, nearest_suffices = false;
};

struct Wanted {
  std::optional<double> lsb;   // largest error in LSB of the 16-bit output
  std::optional<double> real;  // largest error in real numbers, rounding included
};

struct Advice {
  TableSpec spec;  // of 16 bits; step unused
  // The finest output exponent at which no value of the function saturates; nothing if there is
  // none up to 30.
  std::optional<int> exponent_without_saturation;
  bool exponent_was_chosen = false;                      // the spec's output exponent is that one
  int64_t saturated_inputs = 0;                          // under the spec's output exponent
  std::vector<Candidate> candidates;                     // smallest first
  std::optional<size_t> best_interpolate, best_nearest;  // the smallest that suffices
};

// The finest output exponent at which `function` does not saturate over the inputs of `bits` bits.
std::optional<int> output_exponent(TableSpec spec);

// `spec` without step and width; its out_exponent is replaced where `choose_exponent`.
// Errors: lut_spec; also if neither limit is wanted, or an exponent should be chosen and none fits.
Result<Advice> advise(TableSpec spec, const Wanted& wanted, bool choose_exponent);

}  // namespace edgetwin::lut
