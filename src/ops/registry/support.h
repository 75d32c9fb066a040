// What can be run, as a table for people and tests.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "graph/op_kind.h"

namespace edgetwin::ops {

struct SupportRow {
  OpKind kind;
  std::string_view types;
  std::string_view limits;
};

// TensorFlow Lite: one row per OpKind that its files can hold, in the order of op.def.
std::span<const SupportRow> support_table();

struct EspdlSupportRow {
  OpKind kind;
  std::string_view names;  // as files write it, separated by spaces
  std::string_view types;
  std::string_view limits;
};

// ESP-DL: one row per OpKind that its flavours run, in the order of op.def.
std::span<const EspdlSupportRow> espdl_support_table();

// The content of docs/supported-ops.md.
std::string supported_ops_markdown();

}  // namespace edgetwin::ops
