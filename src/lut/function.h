// The functions that tables hold: functions.def.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace edgetwin::lut {

enum class Function : uint8_t {
#define LUT_FUNCTION(name, op, alpha, beta, formula, what, edges) name,
#include "lut/functions.def"
#undef LUT_FUNCTION
};

struct FunctionInfo {
  Function function;
  std::string_view name;             // "leaky_relu"
  std::string_view op_type;          // "LeakyRelu": type of an ESP-DL node
  std::optional<float> alpha, beta;  // defaults; nothing where there is no such parameter
  std::string_view what;             // formula in words
  std::string_view edges;            // what is defined at the edges; may be empty
};

const FunctionInfo& info(Function function);
// All rows, in the order of functions.def.
const std::vector<FunctionInfo>& all_functions();
// By name or by operator type, upper and lower case alike: "swish", "HardSwish".
std::optional<Function> function_from_name(std::string_view name);

// f(x) in float32, in the order of functions.def. `alpha` and `beta` where the function has them.
float evaluate(Function function, float x, float alpha, float beta);

}  // namespace edgetwin::lut
