// Pictures of a table: PNG of 1200 x 800.
#pragma once

#include <string_view>

#include "base/result.h"
#include "lut/error_report.h"

namespace edgetwin::lut {

// Entries over the function, and below how far each is from the entry that belongs there.
// Errors: those of encode_png.
Result<Bytes> parity_picture(std::string_view layer, const Report& report, const Tensor& table);

// The function and what both rules make of the table, and below the errors in LSB.
Result<Bytes> sweep_picture(std::string_view layer, const Report& report);

}  // namespace edgetwin::lut
