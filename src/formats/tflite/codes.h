// The numbers by which a TensorFlow Lite file names types and operators.
#pragma once

#include <optional>
#include <string_view>

#include "graph/op_kind.h"
#include "tensor/dtype.h"

namespace edgetwin::tflite {

inline constexpr int kBuiltinCustom = 32;
// An operator code stands in one byte where it fits, and as this number where it does not.
inline constexpr int kBuiltinInLongField = 127;

inline constexpr std::string_view kDetectionPostprocess = "TFLite_Detection_PostProcess";
inline constexpr std::string_view kPosenetDecoder = "PosenetDecoderOp";

std::optional<DType> dtype_from_code(int code);
int code_of(DType type);

std::optional<int> builtin_code(std::string_view name);

}  // namespace edgetwin::tflite
