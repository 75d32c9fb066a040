// The columns of registry.def: for each family an array of prepare functions by OpKind, for the
// numerics of type F. Null where the operator is refused.
#pragma once

#include <array>
#include <optional>

#include "ops/decoders/prepare.h"
#include "ops/edgetpu/evidence.h"
#include "ops/elementwise/prepare.h"
#include "ops/movement/prepare.h"
#include "ops/onnx/prepare.h"
#include "ops/recurrent/prepare.h"
#include "ops/reduce/prepare.h"
#include "ops/window/prepare.h"

namespace edgetwin::ops {

template <class Cell>
using Column = std::array<Cell, kOpKindCount>;

template <class F>
inline constexpr Column<PrepareFn> kTfliteColumn = {
#define OPERATOR(kind, tflite, chip, espdl, onnx) tflite
#define TFLITE(function, types, limits) function,
#define REFUSED nullptr,
#include "ops/registry/registry.def"
#undef TFLITE
#undef OPERATOR
};

template <class F>
inline constexpr Column<PrepareFn> kEspdlColumn = {
#define OPERATOR(kind, tflite, chip, espdl, onnx) espdl
#define ESPDL(function, names, types, limits) function,
#include "ops/registry/registry.def"
#undef ESPDL
#undef OPERATOR
};

template <class F>
inline constexpr Column<PrepareFn> kOnnxColumn = {
#define OPERATOR(kind, tflite, chip, espdl, onnx) onnx
#define ONNX(function) function,
#include "ops/registry/registry.def"
#undef REFUSED
#undef ONNX
#undef OPERATOR
};

struct ChipCell {
  PrepareFn prepare = nullptr;      // null: as TensorFlow Lite
  std::optional<EdgetpuRule> rule;  // noted beside what `prepare` notes
};

template <class F>
inline constexpr Column<ChipCell> kChipColumn = {{
#define OPERATOR(kind, tflite, chip, espdl, onnx) chip
#define CHIP(function, rule) {function, EdgetpuRule::rule},
#define CHIP_NOTED(function) {function, std::nullopt},
#define HOST {},
#include "ops/registry/registry.def"
#undef HOST
#undef CHIP_NOTED
#undef CHIP
#undef OPERATOR
}};

}  // namespace edgetwin::ops
