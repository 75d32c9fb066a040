// Building a table as the exporter of ESP-DL does. docs/lut.md, chapter 1; specification 5.2.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "lut/formula/formula.h"
#include "lut/function.h"
#include "numerics/lut.h"
#include "numerics/rounding.h"
#include "tensor/tensor.h"

namespace edgetwin::lut {

// The runtime makes its scales by shifting a 32-bit 1.
inline constexpr int kMaxExponent = 30;
// Products inside a segment stay below 2^31 up to here; a table of it has three entries.
inline constexpr int kMaxStep = 32768;

struct TableSpec {
  Function function = Function::sigmoid;
  int in_exponent = 0;   // real input = integer * 2^in_exponent
  int out_exponent = 0;  // real output = entry * 2^out_exponent
  int bits = 16;         // 8 or 16, of input and output alike
  int step = 1;          // distance of the entries' inputs; 1 for 8 bits
  // half_even: ESP32-P4; half_up: ESP32-S3 and plain C.
  numerics::Rounding rounding = numerics::Rounding::half_even;
  std::optional<float> alpha, beta;  // else the function's defaults
  // Takes the place of `function`, alpha and beta: in double, the result rounded to float32.
  std::shared_ptr<const Formula> formula = nullptr;
};

// "swish"; of a formula its text.
std::string function_name(const TableSpec& spec);
// "x / (1 + exp(-x))": what it is, in words.
std::string function_text(const TableSpec& spec);
// "Swish": type of an ESP-DL node; of a formula its text, as no node has it.
std::string function_type(const TableSpec& spec);
// Reads a formula into a spec. Error: lut_spec, also where it does not contain x.
Status set_formula(TableSpec& spec, std::string_view text);

int lowest_input(int bits);  // -128 or -32768
int inputs(int bits);        // 256 or 65536
int64_t entries(const TableSpec& spec);
// What the exporter writes for a step of 16 bits, also one that does not divide 65536: an entry for
// every i with -32768 + i * step < 32767 + step.
int64_t exporter_entries(int step);

// "swish s16 in 2^-12 out 2^-12 step 32"
std::string to_string(const TableSpec& spec);

// Errors: lut_spec (width, exponents, parameters, rounding), lut_step with the calculation of what
// the runtime would derive; lut_spec too where a formula is not a number at some input.
Status check(const TableSpec& spec);
// Of a 16-bit table alone. Error: lut_step.
Status check_step(int step);

// f at input q, unrounded, in real numbers; q may lie one step beyond the range.
float real_value(const TableSpec& spec, int q);
// The same as an integer of the output: divided by 2^out_exponent and rounded in float32, then
// saturated.
int rounded_value(const TableSpec& spec, int q);

// int8 of 256, or int16 of 65536 (step 1) or 65536 / step + 1, with the output's exponent.
// Errors: those of check.
Result<Tensor> build(const TableSpec& spec);

// rounded_value of every input, lowest first: what a table without error would give.
// Errors: those of check.
Result<std::vector<int16_t>> ideal(const TableSpec& spec);

}  // namespace edgetwin::lut
