// What is done to the graph when all of it is there.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "formats/onnx/import/importer.h"

namespace edgetwin::onnx {

// Only weights: infinities have a place in masks and limits.
void Importer::check_finite() {
  for (const Op& op : graph_.ops) {
    const bool weighs = op.kind == OpKind::conv_2d || op.kind == OpKind::depthwise_conv_2d ||
                        op.kind == OpKind::fully_connected || op.kind == OpKind::matmul;
    for (const ValueId id : op.inputs) {
      if (id == kAbsent || !value(id).is_constant() || value(id).dtype != DType::float32) continue;
      const Value& v = value(id);
      int64_t infinite = 0;
      int64_t not_numbers = 0;
      for (int64_t i = 0; i < v.shape.elements(); ++i) {
        float x = 0.0F;
        std::memcpy(&x, v.constant->data() + i * 4, 4);
        if (std::isnan(x)) ++not_numbers;
        if (std::isinf(x)) ++infinite;
      }
      if (not_numbers == 0 && (infinite == 0 || !weighs)) continue;
      findings_.push_back(
          {Severity::error, std::string(info(ErrorCode::onnx_not_finite).id),
           op.type + " '" + (op.name.empty() ? value(op.outputs[0]).name : op.name) + "'",
           "'" + v.name + "' has " + std::to_string(not_numbers) + " NaN and " +
               std::to_string(infinite) + " infinite of " + std::to_string(v.shape.elements()) +
               " elements",
           std::string(info(ErrorCode::onnx_not_finite).remedy)});
    }
  }
}

// Operators whose results nobody needs, and values that nobody uses.
void Importer::drop_unused() {
  std::vector<char> needed(graph_.values.size(), 0);
  for (const ValueId id : graph_.outputs) needed[static_cast<size_t>(id)] = 1;
  for (const ValueId id : graph_.inputs) needed[static_cast<size_t>(id)] = 1;
  std::vector<Op> kept;
  for (size_t i = graph_.ops.size(); i-- > 0;) {
    Op& op = graph_.ops[i];
    const bool wanted = std::any_of(op.outputs.begin(), op.outputs.end(), [&](ValueId id) {
      return needed[static_cast<size_t>(id)] != 0;
    });
    if (!wanted) continue;
    for (const ValueId id : op.inputs) {
      if (id != kAbsent) needed[static_cast<size_t>(id)] = 1;
    }
    for (const ValueId id : op.outputs) needed[static_cast<size_t>(id)] = 1;
    kept.push_back(std::move(op));
  }
  std::reverse(kept.begin(), kept.end());
  graph_.ops = std::move(kept);
  std::vector<ValueId> place(graph_.values.size(), kAbsent);
  std::vector<Value> values;
  for (size_t i = 0; i < place.size(); ++i) {
    if (needed[i] == 0) continue;
    place[i] = static_cast<ValueId>(values.size());
    values.push_back(std::move(graph_.values[i]));
  }
  graph_.values = std::move(values);
  const auto move_all = [&](std::vector<ValueId>& list) {
    for (ValueId& id : list) id = id == kAbsent ? id : place[static_cast<size_t>(id)];
  };
  move_all(graph_.inputs);
  move_all(graph_.outputs);
  for (Op& op : graph_.ops) {
    move_all(op.inputs);
    move_all(op.outputs);
  }
}

}  // namespace edgetwin::onnx
