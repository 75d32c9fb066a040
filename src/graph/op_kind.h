// The closed set of operators; the table is op.def.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "graph/attrs.h"

namespace edgetwin {

enum class OpKind : uint8_t {
#define RANGE(min, max)
#define OP(kind, Attrs, inputs, outputs, builtin, options) kind,
#include "graph/op.def"
#undef OP
#undef RANGE
};

inline constexpr int kOpKindCount = 0
#define RANGE(min, max)
#define OP(kind, Attrs, inputs, outputs, builtin, options) +1
#include "graph/op.def"
#undef OP
#undef RANGE
    ;

struct Arity {
  int min;
  int max;
};

struct OpInfo {
  OpKind kind;
  std::string_view name;     // "conv_2d"
  std::string_view builtin;  // "CONV_2D", as users of TensorFlow Lite know it
  Arity inputs;
  Arity outputs;
};

const OpInfo& info(OpKind kind);
// Whether a .tflite file can hold it: by a builtin or a custom name, or as it came.
bool in_tflite(OpKind kind);
std::optional<OpKind> op_kind_from_builtin(std::string_view builtin);

// The attribute struct of a kind with its default values.
Attrs default_attrs(OpKind kind);

}  // namespace edgetwin
