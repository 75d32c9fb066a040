#include "ops/registry/registry.h"

#include <array>

#include "ops/registry/numerics.h"

namespace edgetwin::ops {
namespace {

constexpr std::array kOperators = {
#define OPERATOR(kind, tflite, chip, espdl, onnx) \
  OperatorRow{OpKind::kind, tflite, chip, espdl, onnx},
#define TFLITE(function, types, limits) \
  TfliteSupport { types, limits }
#define CHIP(function, rule) true
#define CHIP_NOTED(function) true
#define HOST false
#define ESPDL(function, names, types, limits) \
  EspdlSupport { names, types, limits }
#define ONNX(function) true
#define REFUSED \
  {}
#include "ops/registry/registry.def"
#undef REFUSED
#undef ONNX
#undef ESPDL
#undef HOST
#undef CHIP_NOTED
#undef CHIP
#undef TFLITE
#undef OPERATOR
};

constexpr bool in_order() {
  for (size_t i = 0; i < kOperators.size(); ++i) {
    if (kOperators[i].kind != static_cast<OpKind>(i)) return false;
  }
  return true;
}

static_assert(kOperators.size() == kOpKindCount && in_order(),
              "registry.def must have one row for each row of graph/op.def, in its order");

std::string row_text(std::initializer_list<std::string_view> cells) {
  std::string text = "|";
  for (const std::string_view cell : cells) text += " " + std::string(cell) + " |";
  return text + "\n";
}

// "`add`, `sub`": the rows that `wanted` accepts, as the graph names them.
template <class Wanted>
std::string listed(const Wanted& wanted) {
  std::string text;
  for (const OperatorRow& row : kOperators) {
    if (wanted(row)) text += (text.empty() ? "`" : ", `") + std::string(info(row.kind).name) + "`";
  }
  return text;
}

std::string tflite_section() {
  std::string text =
      "\n## TensorFlow Lite: operators\n\n\"int16x8\" is int16 activations with int8 weights. "
      "Operators that only move elements take any type of whole bytes.\n\n"
      "| operator | types | limits |\n|---|---|---|\n";
  for (const OperatorRow& row : kOperators) {
    if (!row.tflite) continue;
    Op op;
    op.kind = row.kind;
    op.attrs = default_attrs(row.kind);
    text += row_text({op_type_name(op), row.tflite->types, row.tflite->limits});
  }
  text +=
      "\nThe Edge TPU itself computes these on int8 and uint8 (`edgetpu` numerics; a run notes "
      "where "
      "their arithmetic is not known): ";
  text += listed([](const OperatorRow& row) { return row.on_chip; });
  text += ". Other types and other operators are TensorFlow Lite's.\n";
  return text +
         "\nEvery other operator is read, named, kept and written back, but not run "
         "(`OPS-OP-01`); one with an options table of its own cannot be written.\n";
}

std::string espdl_section() {
  std::string text =
      "\n## ESP-DL: operators\n\nTypes are those of the data operand; weights have the same. "
      "float32 "
      "is what the runtime computes between integer operators.\n\n"
      "| operator | types | limits |\n|---|---|---|\n";
  for (const OperatorRow& row : kOperators) {
    if (!row.espdl) continue;
    std::string names(row.espdl->names);
    for (size_t at = names.find(' '); at != std::string::npos; at = names.find(' ', at + 2)) {
      names.replace(at, 1, ", ");
    }
    text += row_text({names, row.espdl->types, row.espdl->limits});
  }
  return text +
         "\nThe runtime has no other operators: a file with one is read, but not run "
         "(`OPS-OP-01`).\n";
}

std::string onnx_section() {
  return "\n## ONNX: operators\n\nIn float32, by the names of `src/graph/op.def`: " +
         listed([](const OperatorRow& row) { return row.onnx; }) + ".\n";
}

}  // namespace

std::span<const OperatorRow> operator_table() { return kOperators; }

std::string supported_ops_markdown() {
  std::string text =
      "# Supported operators\n\n"
      "Made by `cmake --build build/release --target update_docs` from "
      "`src/ops/registry/registry.def`; a test compares both.\n\n"
      "## Arithmetics\n\n| `--numerics` | what it is |\n|---|---|\n";
  for (const NumericsInfo& row : all_numerics()) {
    text += row_text({"`" + std::string(row.name) + "`", row.summary});
  }
  return text + tflite_section() + espdl_section() + onnx_section();
}

}  // namespace edgetwin::ops
