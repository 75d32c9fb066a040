// Which operators run under which numerics, as a table for people and tests: registry.def without
// its functions.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "graph/op_kind.h"

namespace edgetwin::ops {

struct TfliteSupport {
  std::string_view types;   // of the data operand: names of DType, or "any …"
  std::string_view limits;  // what is refused, in words; empty if nothing
};

struct EspdlSupport {
  std::string_view names;  // as files write the operator, separated by spaces
  std::string_view types, limits;
};

struct OperatorRow {
  OpKind kind;
  std::optional<TfliteSupport> tflite;  // none: refused
  bool on_chip;                         // whether the Edge TPU computes it, on bytes
  std::optional<EspdlSupport> espdl;    // none: refused
  bool onnx;
};

// One row per OpKind, in the order of op.def.
std::span<const OperatorRow> operator_table();

// The content of docs/supported-ops.md.
std::string supported_ops_markdown();

}  // namespace edgetwin::ops
