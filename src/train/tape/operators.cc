#include "train/rules/rules.h"
#include "train/tape/makers.h"

namespace edgetwin::train {
namespace {

Error no_gradient(const Graph& graph, size_t op) {
  return broken(Rule::operators, op_label(graph, op) + " has no gradient here");
}

}  // namespace

std::vector<size_t> data_operands(const Graph& graph, const Op& op) {
  const bool first_only = op.kind == OpKind::border_pad || op.kind == OpKind::clip ||
                          op.kind == OpKind::pow || op.kind == OpKind::gather;
  std::vector<size_t> places;
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    if (!op.has_input(i) || (first_only && i > 0)) continue;
    if (graph.value(op.inputs[i]).dtype == DType::float32) places.push_back(i);
  }
  return places;
}

Result<std::unique_ptr<Step>> make_step(const Graph& graph, size_t index, size_t output) {
  const Op& op = graph.ops[index];
  MadeStep made;
  if (is_movement(op)) {
    EDGETWIN_TRY_ASSIGN(made, make_movement(graph, op, output));
  } else if (output == 0) {
    for (const auto& maker :
         {make_unary, make_binary, make_sum, make_pool, make_rows, make_resize}) {
      made = maker(graph, op);
      if (made != nullptr) break;
    }
  }
  if (made == nullptr) return no_gradient(graph, index);
  return made;
}

}  // namespace edgetwin::train
