#include "ops/support.h"

#include <array>

#include "ops/flavours.h"

namespace edgetwin::ops {
namespace {

constexpr std::array<SupportRow, kOpKindCount> kRows = {{
#define SUPPORT(kind, types, limits) {OpKind::kind, types, limits},
#include "ops/support.def"
#undef SUPPORT
}};

}  // namespace

std::span<const SupportRow> support_table() { return kRows; }

std::string supported_ops_markdown() {
  std::string text =
      "# Supported operators\n\n"
      "Made by `cmake --build build/release --target update_docs` from `src/ops/support.def`; a "
      "test "
      "holds the two together.\n\n"
      "\"int16x8\" is int16 activations with int8 weights. Operators that only move elements take "
      "any "
      "type of whole bytes.\n\n"
      "## Arithmetics\n\n| `--numerics` | what it is |\n|---|---|\n";
  for (const FlavourInfo& row : flavours()) {
    text += "| `" + std::string(row.name) + "` | " + std::string(row.summary) + " |\n";
  }
  text += "\n## Operators\n\n| operator | types | limits |\n|---|---|---|\n";
  for (const SupportRow& row : kRows) {
    if (row.kind == OpKind::opaque) continue;
    Op op;
    op.kind = row.kind;
    op.attrs = default_attrs(row.kind);
    text += "| " + op_type_name(op) + " | " + std::string(row.types) + " | " +
            std::string(row.limits) + " |\n";
  }
  text +=
      "\nEvery other operator is read, named, kept and written back, but not run "
      "(`OPS-OP-01`); one with an options table of its own cannot be written.\n";
  return text;
}

}  // namespace edgetwin::ops
