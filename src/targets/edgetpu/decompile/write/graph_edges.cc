#include "targets/edgetpu/decompile/write/graph_edges.h"

#include <algorithm>

#include "targets/edgetpu/decompile/write/graph_operands.h"

namespace edgetwin::edgetpu {
namespace {

bool used_as_output(const GraphRewrite& r, ValueId v) {
  return std::find(r.reached.begin(), r.reached.end(), v) != r.reached.end();
}
bool is_input(const GraphRewrite& r, ValueId v) {
  return std::none_of(r.made.begin(), r.made.end(), [&](const Op& op) {
    return std::find(op.outputs.begin(), op.outputs.end(), v) != op.outputs.end();
  });
}

// The value itself takes the output's place.
void take_place(GraphRewrite& r, ValueId from, ValueId wanted) {
  for (Op& made : r.made) {
    std::replace(made.inputs.begin(), made.inputs.end(), from, wanted);
    std::replace(made.outputs.begin(), made.outputs.end(), from, wanted);
  }
  std::replace(r.values.begin(), r.values.end(), from, wanted);
  std::replace(r.inputs.begin(), r.inputs.end(), from, wanted);
  for (auto& [list, v] : r.joined) {
    if (v == from) v = wanted;
  }
  r.graph.value(wanted).quant = r.graph.value(from).quant;
}

Status lead_out(GraphRewrite& r, ValueId from, ValueId wanted) {
  const std::string name = r.graph.value(wanted).name;
  if (r.graph.value(from).shape.elements() != r.graph.value(wanted).shape.elements()) {
    return Error(ErrorCode::decompile_layer,
                 "output '" + name + "' has " + to_string(r.graph.value(wanted).shape) +
                     ", what was recovered " + to_string(r.graph.value(from).shape));
  }
  const bool type = r.graph.value(from).dtype != r.graph.value(wanted).dtype;
  const bool shape = r.graph.value(from).shape != r.graph.value(wanted).shape;
  if (type && shape) from = r.reshape(from, r.graph.value(wanted).shape, name + "/decompiled");
  if (type) {
    r.add_op(OpKind::quantize, NoAttrs{}, {from}, wanted);
    return Ok{};
  }
  if (shape || used_as_output(r, from) || is_input(r, from)) {
    r.reshape_into(from, wanted, name);
    return Ok{};
  }
  take_place(r, from, wanted);
  return Ok{};
}

}  // namespace

size_t layer_index(const std::vector<darwinn::Layer>& all, const std::string& name,
                   size_t fallback) {
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i].name == name) return i;
  }
  return fallback;
}

void make_inputs(GraphRewrite& r, const Op& old) {
  r.inputs.assign(r.inference.inputs.size(), kAbsent);
  r.states.assign(r.inference.inputs.size(), kAbsent);
  for (size_t i = 0; i < old.inputs.size(); ++i) {
    const ValueId v = old.inputs[i];
    const size_t index = layer_index(r.inference.inputs, r.graph.value(v).name, i);
    if (index >= r.inputs.size()) continue;
    const darwinn::Layer& layer = r.inference.inputs[index];
    const TensorScale& s = r.op.scales.inputs[index];
    const std::string name = "decompiled/input_" + std::to_string(index);
    r.states[index] = v;
    if (r.graph.value(v).is_variable) continue;
    ValueId now = v;
    if (r.graph.value(v).dtype != r.type) {
      now = r.convert(now, r.type, r.quant(s.scale, s.zero_point), name + "/type");
    }
    const Shape wanted{1, layer.y_dim, layer.x_dim, layer.z_dim};
    if (r.graph.value(now).shape != wanted) now = r.reshape(now, wanted, name);
    r.inputs[index] = now;
  }
}

Status make_outputs(GraphRewrite& r, const Op& old) {
  for (const DecompiledOutput& o : r.op.layers.outputs) {
    const std::string& name = r.inference.outputs[o.layer_index].name;
    ValueId wanted = kAbsent;
    for (size_t i = 0; i < old.outputs.size(); ++i) {
      if (r.graph.value(old.outputs[i]).name == name) wanted = old.outputs[i];
    }
    if (wanted == kAbsent && o.layer_index < old.outputs.size()) {
      wanted = old.outputs[o.layer_index];
    }
    const ValueId from = operand_value(r, o.from);
    if (wanted == kAbsent || from == kAbsent) continue;
    EDGETWIN_TRY(lead_out(r, from, wanted));
    r.reached.push_back(wanted);
  }
  for (const ValueId v : old.outputs) {
    if (std::find(r.reached.begin(), r.reached.end(), v) != r.reached.end()) continue;
    return Error(ErrorCode::decompile_layer,
                 "nothing that was recovered makes the output '" + r.graph.value(v).name + "'");
  }
  return Ok{};
}

}  // namespace edgetwin::edgetpu
