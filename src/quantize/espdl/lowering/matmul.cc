// The second operand of MatMul lies in memory as the chip's inner loop reads it: column by column
// on plain C, in blocks of as many columns as a vector has lanes on the others. A computed operand
// is brought into that order by operators in front; its shape says nothing about it.
#include <algorithm>
#include <cstring>

#include "formats/espdl/document/layout.h"
#include "quantize/espdl/lowering/state.h"

namespace edgetwin::quantize {
namespace {

class Reorder {
 public:
  Reorder(LoweringState& state, size_t matmul)
      : state_(state),
        matmul_(matmul),
        value_(state.nodes[matmul].op.inputs[1]),
        config_(state.nodes[matmul].inputs[1]),
        shape_(state.graph.value(value_).shape),
        rank_(shape_.rank()) {}

  void run() {
    const int64_t columns = shape_[rank_ - 1];
    const int64_t block = state_.settings().target == espdl::Target::c
                              ? 0
                              : static_cast<int64_t>(espdl::vector_block(
                                    static_cast<size_t>(state_.plan().quant(config_).bits) / 8));
    if (block == 0) {
      transpose(swap_last());
      reshape(shape_);
    } else if (columns % block == 0) {
      whole_blocks(block);
    } else {
      blocks_and_rest(columns, block);
    }
    state_.nodes[matmul_].op.inputs[1] = value_;
  }

 private:
  Perm swap_last() const {
    Perm p = identity_perm(rank_);
    std::swap(p[static_cast<size_t>(rank_) - 2], p[static_cast<size_t>(rank_) - 1]);
    return p;
  }
  // The shape without its last two axes, and others after.
  Shape with_tail(std::initializer_list<int64_t> tail) const {
    Shape s = shape_;
    Shape result;
    for (int i = 0; i < rank_ - 2; ++i) result.push_back(s[i]);
    for (const int64_t d : tail) result.push_back(d);
    return result;
  }
  // Axes a, b, c after the leading ones as b, a, c.
  Perm swap_first_of_three() const {
    Perm p = identity_perm(rank_ + 1);
    std::swap(p[static_cast<size_t>(rank_) - 2], p[static_cast<size_t>(rank_) - 1]);
    return p;
  }

  Node node(OpKind kind, const char* type) {
    Node p;
    p.op.kind = kind;
    p.op.type = type;
    p.op.name = state_.next_operator();
    p.op.attrs = default_attrs(kind);
    p.bits = state_.nodes[matmul_].bits;
    p.inputs = p.outputs = {config_};
    return p;
  }
  ValueId append(Node p, ValueId in, const Shape& out) {
    const ValueId made = state_.add_between(in, out);
    state_.origin.back() = kAbsent;
    p.op.inputs = {in};
    p.op.outputs = {made};
    state_.nodes.push_back(std::move(p));
    return made;
  }
  void transpose(const Perm& perm) {
    Node p = node(OpKind::transpose, "Transpose");
    p.perm = perm;
    value_ = append(std::move(p), value_, permuted(state_.graph.value(value_).shape, perm));
  }
  ValueId reshaped(ValueId in, const Shape& shape) {
    Node p = node(OpKind::reshape, "Reshape");
    ReshapeAttrs a;
    for (const int64_t d : shape.dims()) a.new_shape.push_back(static_cast<int32_t>(d));
    a.zero_copies = true;
    p.op.attrs = a;
    const ValueId made = append(std::move(p), in, shape);
    state_.skip_variables(1);  // the shape is a variable in the file
    return made;
  }
  void reshape(const Shape& shape) { value_ = reshaped(value_, shape); }
  ValueId slice(ValueId in, int64_t from, int64_t to) {
    Node p = node(OpKind::slice_steps, "Slice");
    Shape shape = state_.graph.value(in).shape;
    SliceStepsAttrs a;
    for (int axis = 0; axis < rank_; ++axis) {
      const bool cut = axis == rank_ - 2;
      a.starts.push_back(cut ? from : 0);
      a.ends.push_back(cut ? to : shape[axis]);
      a.axes.push_back(axis);
      a.steps.push_back(1);
    }
    p.op.attrs = std::move(a);
    shape[rank_ - 2] = to - from;
    const ValueId made = append(std::move(p), in, shape);
    state_.skip_variables(4);
    return made;
  }

  void whole_blocks(int64_t block) {
    const int64_t rows = shape_[rank_ - 2];
    reshape(with_tail({rows, shape_[rank_ - 1] / block, block}));
    transpose(swap_first_of_three());
    reshape(shape_);
  }

  void blocks_and_rest(int64_t columns, int64_t block) {
    const int64_t rows = shape_[rank_ - 2];
    const int64_t whole = columns / block * block;
    transpose(swap_last());
    if (whole > 0) {
      const ValueId all = value_;
      value_ = slice(all, 0, whole);
      reshape(with_tail({whole / block, block, rows}));
      Perm last = identity_perm(rank_ + 1);
      std::swap(last[static_cast<size_t>(rank_)], last[static_cast<size_t>(rank_) - 1]);
      transpose(last);
      reshape(with_tail({whole, rows}));
      concatenate(all, whole, columns);
    }
    reshape(shape_);
  }

  void concatenate(ValueId all, int64_t whole, int64_t columns) {
    Node p = node(OpKind::concatenation, "Concat");
    p.layout = AxisRule::concat;
    p.op.attrs = ConcatAttrs{rank_ - 2, Activation::none};
    p.inputs = {config_, config_};
    const ValueId first = value_;
    value_ = append(std::move(p), first, state_.graph.value(all).shape);
    const size_t at = state_.nodes.size() - 1;
    const ValueId rest = slice(all, whole, columns);
    state_.nodes[at].op.inputs = {first, rest};
  }

  LoweringState& state_;
  size_t matmul_;
  ValueId value_;
  QuantId config_;
  Shape shape_;
  int rank_;
};

}  // namespace

void order_matrices(LoweringState& state) {
  const size_t count = state.nodes.size();
  for (size_t i = 0; i < count; ++i) {
    const Node& p = state.nodes[i];
    if (p.erased || p.op.kind != OpKind::matmul || p.bits == 0) continue;
    const Value& b = state.graph.value(p.op.inputs[1]);
    if (!b.is_constant() && b.shape.rank() >= 2) Reorder(state, i).run();
  }
}

}  // namespace edgetwin::quantize
