#include "quantize/espdl/lowering/state.h"

#include <algorithm>
#include <cstring>
#include <deque>

namespace edgetwin::quantize {

Perm identity_perm(int rank) {
  Perm p;
  for (int i = 0; i < rank; ++i) p.push_back(i);
  return p;
}

Perm channels_last_perm(int rank) {
  Perm p = identity_perm(rank);
  if (rank >= 3) std::rotate(p.begin() + 1, p.begin() + 2, p.end());
  return p;
}

bool is_identity(const Perm& perm) {
  for (size_t i = 0; i < perm.size(); ++i) {
    if (perm[i] != static_cast<int>(i)) return false;
  }
  return true;
}

Shape permuted(const Shape& shape, const Perm& perm) {
  Shape result;
  for (const int axis : perm) result.push_back(shape[axis]);
  return result;
}

LoweringState::LoweringState(const Plan& plan) : graph(plan.graph()), plan_(plan) {
  for (size_t i = 0; i < graph.ops.size(); ++i) {
    const OpQuants& c = plan.ops()[i];
    Node p;
    p.op = std::move(graph.ops[i]);
    p.layout = c.info->layout;
    p.bits = c.bits;
    p.inputs = c.inputs;
    p.outputs = c.outputs;
    if (p.op.kind == OpKind::transpose) {
      const Bytes& data = *graph.value(p.op.inputs[1]).constant;
      std::vector<int32_t> axes(data.size() / sizeof(int32_t));
      std::memcpy(axes.data(), data.data(), data.size());
      p.perm.assign(axes.begin(), axes.end());
    }
    nodes.push_back(std::move(p));
  }
  graph.ops.clear();
  name_decompositions();
  perms.resize(graph.values.size());
  for (size_t i = 0; i < graph.values.size(); ++i) origin.push_back(static_cast<ValueId>(i));
}

// The zeros of a transposed convolution are the first operators that the exporter makes itself.
void LoweringState::name_decompositions() {
  for (Node& p : nodes) {
    if (p.op.kind != OpKind::insert_zeros || !p.op.name.ends_with("/InsertZeros")) continue;
    p.op.name = next_operator();
    graph.value(p.op.outputs[0]).name = next_variable();
  }
}

ValueId LoweringState::add_value(Value v, Perm perm, ValueId from) {
  graph.values.push_back(std::move(v));
  perms.emplace_back(std::move(perm));
  origin.push_back(from);
  return static_cast<ValueId>(graph.values.size() - 1);
}

ValueId LoweringState::add_between(ValueId like, const Shape& shape) {
  Value v;
  v.name = next_variable();
  v.dtype = graph.value(like).dtype;
  v.shape = shape;
  return add_value(std::move(v), identity_perm(shape.rank()),
                   shape == graph.value(like).shape ? origin[static_cast<size_t>(like)] : kAbsent);
}

ValueId LoweringState::add_constant(std::string name, DType dtype, Shape shape, Bytes data) {
  Value v;
  v.name = std::move(name);
  v.dtype = dtype;
  v.shape = shape;
  v.constant = std::make_shared<const Bytes>(std::move(data));
  return add_value(std::move(v), identity_perm(shape.rank()), kAbsent);
}

std::vector<size_t> LoweringState::consumers(ValueId id) const {
  std::vector<size_t> all;
  for (size_t i = 0; i < nodes.size(); ++i) {
    const auto& in = nodes[i].op.inputs;
    if (!nodes[i].erased && std::find(in.begin(), in.end(), id) != in.end()) all.push_back(i);
  }
  return all;
}

std::optional<size_t> LoweringState::producer(ValueId id) const {
  for (size_t i = 0; i < nodes.size(); ++i) {
    const auto& out = nodes[i].op.outputs;
    if (!nodes[i].erased && std::find(out.begin(), out.end(), id) != out.end()) return i;
  }
  return std::nullopt;
}

bool LoweringState::is_input(ValueId id) const {
  return std::find(graph.inputs.begin(), graph.inputs.end(), id) != graph.inputs.end();
}

bool LoweringState::is_output(ValueId id) const {
  return std::find(graph.outputs.begin(), graph.outputs.end(), id) != graph.outputs.end();
}

const Perm& LoweringState::perm_of(ValueId id) {
  auto& perm = perms[static_cast<size_t>(id)];
  if (!perm) perm = identity_perm(graph.value(id).shape.rank());
  return *perm;
}

void LoweringState::set_perm(ValueId id, const Perm& perm) {
  graph.value(id).shape = permuted(graph.value(id).shape, perm);
  perms[static_cast<size_t>(id)] = perm;
}

void LoweringState::insert_transpose(size_t node, size_t operand, const Perm& wanted) {
  const ValueId in = nodes[node].op.inputs[operand];
  const Perm now = perm_of(in);
  Node t;
  for (const int axis : wanted) {
    t.perm.push_back(static_cast<int>(std::find(now.begin(), now.end(), axis) - now.begin()));
  }
  t.op.kind = OpKind::transpose;
  t.op.type = "Transpose";
  t.op.name = next_operator();
  const ValueId out = add_between(in, permuted(graph.value(in).shape, t.perm));
  origin.back() = origin[static_cast<size_t>(in)];
  perms.back() = wanted;
  t.op.inputs = {in};
  t.op.outputs = {out};
  t.bits = nodes[node].bits;
  t.inputs = t.outputs = {nodes[node].inputs[operand]};
  nodes[node].op.inputs[operand] = out;
  nodes.push_back(std::move(t));
}

std::vector<size_t> LoweringState::order() const {
  std::vector<std::vector<size_t>> behind(nodes.size());
  std::vector<size_t> waits(nodes.size());
  // Per operator those after it, output by output.
  std::vector<std::vector<size_t>> users(graph.values.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].erased) continue;
    for (const ValueId id : nodes[i].op.inputs) {
      if (id != kAbsent) users[static_cast<size_t>(id)].push_back(i);
    }
  }
  const auto once = [](std::vector<size_t>& list, size_t x) {
    if (std::find(list.begin(), list.end(), x) == list.end()) list.push_back(x);
  };
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].erased) continue;
    for (const ValueId id : nodes[i].op.outputs) {
      for (const size_t u : users[static_cast<size_t>(id)]) once(behind[i], u);
    }
  }
  for (const auto& list : behind) {
    for (const size_t u : list) ++waits[u];
  }
  std::deque<size_t> ready;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (!nodes[i].erased && waits[i] == 0) ready.push_back(i);
  }
  std::vector<size_t> sorted;
  while (!ready.empty()) {
    const size_t i = ready.front();
    ready.pop_front();
    sorted.push_back(i);
    for (const size_t u : behind[i]) {
      if (--waits[u] == 0) ready.push_back(u);
    }
  }
  return sorted;
}

}  // namespace edgetwin::quantize
