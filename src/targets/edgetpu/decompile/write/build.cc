#include "targets/edgetpu/decompile/write/build.h"

#include <utility>

#include "targets/edgetpu/decompile/write/graph_edges.h"
#include "targets/edgetpu/decompile/write/graph_operands.h"
#include "targets/edgetpu/decompile/write/write_layer.h"

namespace edgetwin::edgetpu {
namespace {

bool is_int8(const GraphRewrite& r, ValueId v) {
  return v != kAbsent && r.graph.value(v).dtype == DType::int8;
}

// int8 where the network's weights have zero points of 0 there and somebody needs it.
DType element_type(const GraphRewrite& r, const Op& old) {
  bool wanted = false;
  for (const ValueId v : old.inputs) wanted = wanted || is_int8(r, v);
  for (const ValueId v : old.outputs) wanted = wanted || is_int8(r, v);
  for (const DecompiledLayer& l : r.layers()) {
    if (!l.numbers.weighted() || l.content.weights.empty()) continue;
    if (l.content.zero_points.size() > 1) wanted = true;
    for (const uint8_t z : l.content.zero_points) {
      if (z != kFlip) return DType::uint8;
    }
  }
  return wanted ? DType::int8 : DType::uint8;
}

// What was made last and is no change of form, if the layer is none.
size_t place_of(const GraphRewrite& r, LayerType type) {
  size_t at = r.made.size() - 1;
  while (type == LayerType::lstm && at > 0 && r.made[at].kind == OpKind::reshape) --at;
  return r.first_op + at;
}

void add_layer(GraphRewrite& r, size_t l) {
  const DecompiledLayer& layer = r.layers()[l];
  if (!layer.problem.empty() || layer.followed) return;
  std::vector<ValueId> inputs;
  for (const Operand& o : layer.inputs) {
    const ValueId v = operand_value(r, o);
    if (v == kAbsent) return;
    inputs.push_back(v);
  }
  const TensorScale& s = r.op.scales.layers[l];
  if (!(s.scale > 0.0F)) return;
  if (layer.type == LayerType::concat) {
    r.values[l] = inputs.front();  // what operand_value() made of the channels
    for (size_t k = r.made.size(); k-- > 0;) {
      if (r.made[k].outputs[0] != inputs.front()) continue;
      r.op.written[l] = static_cast<int>(r.first_op + k);
    }
    return;
  }
  const ValueId out = write_layer(r, l, layer, inputs, r.quant(s.scale, s.zero_point));
  if (out == kAbsent) return;
  r.values[l] = out;
  r.op.written[l] = static_cast<int>(place_of(r, layer.type));
}

// Fills what the rewrite makes, but for the outputs.
void write_layers(GraphRewrite& r, const Op& old) {
  r.type = element_type(r, old);
  r.op.written.assign(r.layers().size(), -1);
  r.values.assign(r.layers().size(), kAbsent);
  r.first_op = r.op.op;
  make_inputs(r, old);
  for (size_t l = 0; l < r.layers().size(); ++l) add_layer(r, l);
}

}  // namespace

Status replace_op(Graph& graph, DecompiledOp& op, const darwinn::Executable& inference) {
  const Op old = graph.ops[op.op];
  GraphRewrite r{graph, op, inference};
  write_layers(r, old);
  EDGETWIN_TRY(make_outputs(r, old));
  auto& ops = graph.ops;
  ops.erase(ops.begin() + static_cast<long>(op.op));
  ops.insert(ops.begin() + static_cast<long>(op.op), r.made.begin(), r.made.end());
  return Ok{};
}

void insert_op(Graph& graph, DecompiledOp& op, const darwinn::Executable& inference) {
  const Op old = graph.ops[op.op];
  GraphRewrite r{graph, op, inference};
  write_layers(r, old);
  graph.ops.insert(graph.ops.begin() + static_cast<long>(op.op), r.made.begin(), r.made.end());
}

}  // namespace edgetwin::edgetpu
