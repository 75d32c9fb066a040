// Tables and their expected outputs as C headers, for a check on the chip.
#pragma once

#include <string>
#include <string_view>

#include "lut/error_report.h"

namespace edgetwin::lut {

// Integers, nothing to convert on the device: the table, and the output of every input from the
// lowest on, under one rule. Arrays lut_<k>_table and lut_<k>_expected, with sizes and exponents.
std::string integer_header(int k, std::string_view layer, const Report& report,
                           const RuleReport& rule, const Tensor& table);

// The form that the seed library wrote: floats with six decimals, 128 in a line, input_<k> and
// output_<k> with _len. The inputs are two below the range, all of it, and two above. Six decimals
// do not give back integers whose exponent is below about -19. Specification 1.1 of validation.
std::string float_header(int k, std::string_view layer, const Report& report,
                         const RuleReport& rule);

}  // namespace edgetwin::lut
