#include "ops/support.h"

#include <array>

#include "ops/flavours.h"

namespace edgetwin::ops {
namespace {

constexpr std::array kSupportRows = {
#define SUPPORT(kind, types, limits) SupportRow{OpKind::kind, types, limits},
#include "ops/support.def"
#undef SUPPORT
};

constexpr std::array kEspdlRows = {
#define SUPPORT_ESPDL(kind, names, types, limits) \
  EspdlSupportRow{OpKind::kind, names, types, limits},
#include "ops/support_espdl.def"
#undef SUPPORT_ESPDL
};

std::string row_text(std::initializer_list<std::string_view> cells) {
  std::string text = "|";
  for (const std::string_view cell : cells) text += " " + std::string(cell) + " |";
  return text + "\n";
}

std::string tflite_section() {
  std::string text =
      "\n## TensorFlow Lite: operators\n\n\"int16x8\" is int16 activations with int8 weights. "
      "Operators that only move elements take any type of whole bytes.\n\n"
      "| operator | types | limits |\n|---|---|---|\n";
  for (const SupportRow& row : kSupportRows) {
    if (row.kind == OpKind::opaque) continue;
    Op op;
    op.kind = row.kind;
    op.attrs = default_attrs(row.kind);
    text += row_text({op_type_name(op), row.types, row.limits});
  }
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
  for (const EspdlSupportRow& row : kEspdlRows) {
    std::string names(row.names);
    for (size_t at = names.find(' '); at != std::string::npos; at = names.find(' ', at + 2)) {
      names.replace(at, 1, ", ");
    }
    text += row_text({names, row.types, row.limits});
  }
  return text +
         "\nThe runtime has no other operators: a file with one is read, but not run "
         "(`OPS-OP-01`).\n";
}

}  // namespace

std::span<const SupportRow> support_table() { return kSupportRows; }
std::span<const EspdlSupportRow> espdl_support_table() { return kEspdlRows; }

std::string supported_ops_markdown() {
  std::string text =
      "# Supported operators\n\n"
      "Made by `cmake --build build/release --target update_docs` from `src/ops/support.def` and "
      "`src/ops/support_espdl.def`; a test holds them together.\n\n"
      "## Arithmetics\n\n| `--numerics` | what it is |\n|---|---|\n";
  for (const FlavourInfo& row : flavours()) {
    text += row_text({"`" + std::string(row.name) + "`", row.summary});
  }
  return text + tflite_section() + espdl_section();
}

}  // namespace edgetwin::ops
