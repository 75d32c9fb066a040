// Integers for every tensor: weights in the order that the graph keeps them in, biases, tables.
#include <algorithm>
#include <cstring>
#include <map>

#include "quantize/espdl/lowering/state.h"
#include "quantize/espdl/lowering/tables.h"
#include "quantize/espdl/plan/parameters.h"
#include "tensor/tensor.h"

namespace edgetwin::quantize {
namespace {

// Elements of `size` bytes: [a][b] as [b][a], `count` times one after the other.
Bytes turned(const Bytes& data, int64_t count, int64_t a, int64_t b, size_t size) {
  if (a == 1 || b == 1) return data;
  Bytes result(data.size());
  for (int64_t m = 0; m < count; ++m) {
    for (int64_t i = 0; i < a; ++i) {
      for (int64_t k = 0; k < b; ++k) {
        const auto from = static_cast<size_t>((m * a + i) * b + k) * size;
        const auto to = static_cast<size_t>((m * b + k) * a + i) * size;
        std::memcpy(result.data() + to, data.data() + from, size);
      }
    }
  }
  return result;
}

class Finisher {
 public:
  explicit Finisher(LoweringState& state) : state_(state) {}

  Result<Graph> run() {
    result_.name = state_.graph.name;
    for (const ValueId id : state_.graph.inputs)
      result_.inputs.push_back(take(id, user_config(id)));
    for (const size_t i : state_.order()) EDGETWIN_TRY(finish(state_.nodes[i]));
    for (const ValueId id : state_.graph.outputs) {
      const auto found = ids_.find(id);
      result_.outputs.push_back(found != ids_.end() ? found->second : take(id, kNone));
    }
    EDGETWIN_TRY(verify_graph(result_));
    state_.origin = std::move(origin_);
    state_.perms = std::move(perms_);
    return std::move(result_);
  }

 private:
  const Plan& plan() const { return state_.plan(); }

  QuantId user_config(ValueId id) const {
    for (const size_t user : state_.order()) {
      const Node& p = state_.nodes[user];
      for (size_t k = 0; k < p.inputs.size(); ++k) {
        if (p.op.inputs[k] == id && p.inputs[k] != kNone) return p.inputs[k];
      }
    }
    return kNone;
  }

  ValueId add(Value v, ValueId origin, std::optional<Perm> perm = std::nullopt) {
    result_.values.push_back(std::move(v));
    origin_.push_back(origin);
    perms_.push_back(std::move(perm));
    return static_cast<ValueId>(result_.values.size() - 1);
  }

  // A tensor of the network in its final type; the first operand decides.
  ValueId take(ValueId id, QuantId quant) {
    if (const auto known = ids_.find(id); known != ids_.end()) return known->second;
    Value v = state_.graph.value(id);
    if (quant != kNone && !v.is_constant()) {
      const OperandQuant& c = plan().deciding(quant);
      v.dtype = storage_type(c.bits);
      v.quant = Quant::power_of_two(c.exponent.at(0));
    }
    const auto at = static_cast<size_t>(id);
    const ValueId made = add(std::move(v), state_.origin[at], state_.perms[at]);
    ids_[id] = made;
    return made;
  }

  ValueId parameter(ValueId id, QuantId quant) {
    const OperandQuant& own = plan().quant(quant);
    const OperandQuant& c = plan().deciding(quant);
    Value v = state_.graph.value(id);
    IntegerSpec spec = integer_spec(own, state_.settings());
    const int axis = own.axis;
    const auto values = floats_of(v);
    v.constant = std::make_shared<const Bytes>(
        to_integers(values, c.exponent, inner_elements(v, axis), spec));
    v.dtype = storage_type(own.bits);
    v.quant = {Quant::Scheme::power_of_two, {}, {}, c.exponent, std::max(axis, 0)};
    if (const int uses = ++parameter_uses_[v.name]; uses > 1) v.name += "_" + std::to_string(uses);
    return add(std::move(v), state_.origin[static_cast<size_t>(id)]);
  }

  // Filters O C H W as O H W C, or 1 H W O of depthwise ones.
  void order_filter(Op& op) {
    Value& v = result_.value(op.inputs[1]);
    const bool one_dim = v.shape.rank() == 3;
    const int64_t o = v.shape[0];
    const int64_t c = v.shape[1];
    const int64_t h = one_dim ? 1 : v.shape[2];
    const int64_t w = v.shape.back(0);
    const size_t size = byte_size(v.dtype);
    const bool depthwise = op.kind == OpKind::depthwise_conv_2d;
    v.constant = std::make_shared<const Bytes>(depthwise ? turned(*v.constant, 1, o, h * w, size)
                                                         : turned(*v.constant, o, c, h * w, size));
    v.shape = depthwise ? Shape{1, h, w, o} : Shape{o, h, w, c};
    v.quant.axis = depthwise ? 3 : 0;
    auto& a = *std::get_if<Conv2DAttrs>(&op.attrs);
    a.depth_multiplier = depthwise ? 1 : 0;
    if (op.has_input(2)) result_.value(op.inputs[2]).quant.axis = 0;
  }

  void order_matrix(Op& op) {
    auto& a = *std::get_if<MatMulAttrs>(&op.attrs);
    Value& v = result_.value(op.inputs[1]);
    const int block = state_.settings().target == espdl::Target::c ? 0 : espdl_block(v.dtype);
    if (!v.is_constant()) {
      a.rhs_order = block == 0 ? MatMulAttrs::Order::columns : MatMulAttrs::Order::blocks;
      a.block = block;
      return;
    }
    const int64_t rows = v.shape.back(1);
    const int64_t columns = v.shape.back(0);
    const int64_t count = v.shape.elements() / (rows * columns);
    v.constant = std::make_shared<const Bytes>(
        turned(*v.constant, count, rows, columns, byte_size(v.dtype)));
    a.rhs_order = MatMulAttrs::Order::columns;
    if (v.shape.rank() > 2) return;
    v.shape = {columns, rows};
    FullyConnectedAttrs fc;
    fc.keep_num_dims = true;
    fc.activation = a.activation;
    op.kind = OpKind::fully_connected;
    op.attrs = fc;
  }

  // The chip knows ONNX's CRD, and of DCR a form of its own.
  static void order_blocks(Op& op) {
    auto& a = *std::get_if<BlockAttrs>(&op.attrs);
    if (a.order == BlockAttrs::Order::position_first) a.order = BlockAttrs::Order::block_wide;
  }

  static int espdl_block(DType type) { return type == DType::int8 ? 16 : 8; }

  void add_perm(const Node& p, Op& op) {
    Value v;
    v.name = (op.name.empty() ? op.type : op.name) + ".perm";
    v.dtype = DType::int32;
    v.shape = {static_cast<int64_t>(p.perm.size())};
    Bytes data(p.perm.size() * sizeof(int32_t));
    for (size_t i = 0; i < p.perm.size(); ++i) {
      const auto axis = static_cast<int32_t>(p.perm[i]);
      std::memcpy(data.data() + i * sizeof axis, &axis, sizeof axis);
    }
    v.constant = std::make_shared<const Bytes>(std::move(data));
    op.inputs.resize(1);
    op.inputs.push_back(add(std::move(v), kAbsent));
  }

  Status add_table(const Node& p, Op& op) {
    EDGETWIN_TRY_ASSIGN(auto table, table_of(p, op, result_, state_.settings()));
    if (!table) return Ok{};
    Value v;
    v.name = op.type + "_lut_" + std::to_string(tables_++);
    v.dtype = table->table.dtype;
    v.shape = table->table.shape;
    v.quant = table->table.quant;
    v.constant = std::make_shared<const Bytes>(std::move(table->table.data));
    op.table = add(std::move(v), kAbsent);
    if (op.kind == OpKind::lut) {
      state_.tables[result_.value(op.outputs[0]).name] = std::move(table->origin);
    }
    return Ok{};
  }

  Status finish(const Node& p) {
    Op op = p.op;
    for (size_t k = 0; k < op.inputs.size(); ++k) {
      const ValueId id = p.op.inputs[k];
      if (id == kAbsent) continue;
      const QuantId c = k < p.inputs.size() ? p.inputs[k] : kNone;
      const bool number = c != kNone && state_.graph.value(id).is_constant();
      op.inputs[k] = number ? parameter(id, c) : take(id, c);
    }
    for (size_t k = 0; k < op.outputs.size(); ++k) {
      op.outputs[k] = take(p.op.outputs[k], k < p.outputs.size() ? p.outputs[k] : kNone);
    }
    if (p.bits != 0) {
      if (std::holds_alternative<Conv2DAttrs>(op.attrs)) order_filter(op);
      if (op.kind == OpKind::matmul) order_matrix(op);
      EDGETWIN_TRY(add_table(p, op));
    }
    if (op.kind == OpKind::transpose) add_perm(p, op);
    if (std::holds_alternative<ReduceAttrs>(op.attrs) && op.has_input(1)) {
      result_.value(op.inputs[1]).name = op.name + ".axes";
    }
    if (op.kind == OpKind::depth_to_space) order_blocks(op);
    result_.ops.push_back(std::move(op));
    return Ok{};
  }

  LoweringState& state_;
  Graph result_;
  std::map<ValueId, ValueId> ids_;
  std::map<std::string, int> parameter_uses_;
  std::vector<ValueId> origin_;
  std::vector<std::optional<Perm>> perms_;
  int tables_ = 0;
};

}  // namespace

Result<Graph> finish(LoweringState& state) { return Finisher(state).run(); }

}  // namespace edgetwin::quantize
