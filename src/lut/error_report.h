// What a table is worth: its entries against its function, and its outputs for all inputs against
// the function itself. docs/lut.md, chapter 3.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "lut/fencepost.h"
#include "lut/sweep.h"
#include "lut/table.h"

namespace edgetwin::lut {

// Outputs against the ideal: the function's value rounded and saturated directly.
struct Deviation {
  int64_t inputs = 0;
  int64_t differing = 0;
  int largest = 0;  // in LSB of the output
  int at = 0;       // the first input with it
  int got = 0, wanted = 0;
  double mean = 0.0;  // of the absolute errors, over all inputs, in LSB
  // Against the unrounded function, in real numbers; so it counts rounding and saturation too.
  double largest_real = 0.0;
  int largest_real_at = 0;
};

// Entries against a table built anew, and against the outputs at their own inputs.
struct Parity {
  int64_t entries = 0;
  int64_t differing = 0;  // from the table built anew
  int largest = 0;
  int64_t first = -1;            // index of the first that differs
  int64_t pivots_differing = 0;  // outputs at an entry's input that are not the entry
  bool equal() const { return differing == 0 && pivots_differing == 0; }
};

// An input beyond the range: it saturates before the look-up.
struct Stress {
  double real = 0.0;
  int input = 0;
  int output = 0;
};

// What one rule makes of a table.
struct RuleReport {
  LutRule rule = LutRule::interpolate;
  bool runs = true;              // false: the runtime stops at an assertion; the rest is empty
  std::vector<int16_t> outputs;  // of all inputs, lowest first
  Deviation deviation;
  std::vector<Stress> stress;
  Fencepost fencepost;
};

struct Report {
  TableSpec spec;  // step: the intended one, as far as it is known, else the derived one
  TableForm form;
  Parity parity;
  RuleReport interpolate, nearest;
  // Everything that a table of the right length and content fulfils.
  bool good() const { return parity.equal() && interpolate.fencepost.complete; }
};

// `outputs` of all inputs against rounded_value. Errors: lut_spec, lut_step; lut_table if there are
// not as many outputs as inputs.
Result<Deviation> deviation(const TableSpec& spec, std::span<const int16_t> outputs);

// -40000, one below the range, one above it and 40000, times the input's scale.
std::vector<double> stress_inputs(const TableSpec& spec);
// A real number as the input's integer: rounded as the target does, saturated.
int quantized_input(const TableSpec& spec, double real);

// Everything about a table that should hold spec.function; spec.step is not read, the table's
// length decides. Errors: lut_table, lut_spec.
Result<Report> examine(TableSpec spec, const Tensor& table, std::optional<int> declared_step = {});

}  // namespace edgetwin::lut
