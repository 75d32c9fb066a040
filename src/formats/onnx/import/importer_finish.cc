// What is done to the graph when all of it is there.
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

}  // namespace edgetwin::onnx
