#include <cstring>

#include "formats/onnx/import/fold.h"

namespace edgetwin::onnx {
namespace {

bool has_weights(const Op& op) {
  return op.kind == OpKind::conv_2d || op.kind == OpKind::depthwise_conv_2d ||
         op.kind == OpKind::fully_connected;
}

// Whether the constant holds one element per channel of `out`, along its axis of channels.
bool per_channel(const Shape& constant, const Shape& out, int axis) {
  if (constant.elements() != out[axis] || constant.rank() > out.rank()) return false;
  for (int i = 0; i < constant.rank(); ++i) {
    const int at = i + out.rank() - constant.rank();
    if (constant[i] != (at == axis ? out[axis] : 1)) return false;
  }
  return true;
}

}  // namespace

Result<bool> fold_bias(Importer& m, const Node& n) {
  for (size_t side = 0; side < 2; ++side) {
    const Value* addend = m.constant(n, 1 - side);
    Op* op = m.sole_producer(n, side);
    if (addend == nullptr || op == nullptr || !has_weights(*op)) continue;
    const Shape out = m.shape(op->outputs[0]);
    const int axis = op->kind == OpKind::fully_connected ? out.rank() - 1 : 1;
    if (addend->dtype != DType::float32 || !per_channel(addend->shape, out, axis)) continue;
    std::vector<float> bias(static_cast<size_t>(out[axis]));
    std::memcpy(bias.data(), addend->constant->data(), bias.size() * sizeof(float));
    std::string name = addend->name;
    if (op->has_input(2)) {
      const Value& before = m.value(op->inputs[2]);
      const auto* numbers = reinterpret_cast<const float*>(before.constant->data());
      for (size_t i = 0; i < bias.size(); ++i) bias[i] += numbers[i];
      name = before.name;
    }
    const ValueId id = m.add_floats(name, {out[axis]}, bias);
    op->inputs.resize(2);
    op->inputs.push_back(id);
    EDGETWIN_TRY(m.rename_output(n, *op));
    return true;
  }
  return false;
}

}  // namespace edgetwin::onnx
