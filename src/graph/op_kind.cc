#include "graph/op_kind.h"

#include <array>

namespace edgetwin {
namespace {

constexpr std::array<OpInfo, kOpKindCount> kRows = {{
#define RANGE(min, max) \
  Arity { min, max }
#define OP(kind, Attrs, inputs, outputs, builtin, options) \
  {OpKind::kind, #kind, #builtin, inputs, outputs},
#include "graph/op.def"
#undef OP
#undef RANGE
}};

}  // namespace

const OpInfo& info(OpKind kind) { return kRows[static_cast<size_t>(kind)]; }

bool in_tflite(OpKind kind) {
  return info(kind).builtin != "CUSTOM" || kind == OpKind::detection_postprocess ||
         kind == OpKind::posenet_decoder || kind == OpKind::opaque;
}

std::optional<OpKind> op_kind_from_builtin(std::string_view builtin) {
  for (const OpInfo& row : kRows) {
    if (row.builtin == builtin && builtin != "CUSTOM") return row.kind;
  }
  return std::nullopt;
}

Attrs default_attrs(OpKind kind) {
  switch (kind) {
#define RANGE(min, max)
#define OP(kind, Attrs, inputs, outputs, builtin, options) \
  case OpKind::kind:                                       \
    return Attrs{};
#include "graph/op.def"
#undef OP
#undef RANGE
  }
  return NoAttrs{};
}

std::string_view name(Activation activation) {
  constexpr std::array<std::string_view, 6> kNames = {"none",  "relu", "relu_n1_to_1",
                                                      "relu6", "tanh", "sign_bit"};
  return kNames[static_cast<size_t>(activation)];
}

}  // namespace edgetwin
