// What a network costs on its chip, and where its data is, as text and JSON.
#pragma once

#include <string>

#include "report/json.h"
#include "targets/max78/plan/make_plan.h"

namespace edgetwin::max78 {

// Operations, kernel and bias memory, a line each; the time of every layer where it can be
// estimated (MAX78000), else that it is not known.
std::string statistics_text(const Plan& plan);
// Where every layer is, and what is written over while it is needed.
report::Json memory_json(const Planning& planning);
// The same numbers as statistics_text, and those of every layer.
report::Json statistics_json(const Plan& plan);
// Of an inference, without loading; 0 where it is not known.
double estimated_ms(const Plan& plan);
// A line for each layer: operator, channels and size of input and output. Of a plan with sizes.
std::string sizes_text(const Planning& planning);
// Bytes of a data memory as descriptions have them: "0x0800".
std::string offset_text(int64_t bytes);
// "3x3 conv2d after a max pool of 2x2", for tables.
std::string operator_text(const HardwareLayer& layer);

}  // namespace edgetwin::max78
