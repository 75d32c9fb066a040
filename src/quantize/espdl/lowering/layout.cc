// From the network's order of axes to the chip's: windows work on channels that lie side by side,
// everything else on what it gets or on the network's own order. A Transpose stands where the two
// meet.
#include <algorithm>
#include <cstring>

#include "quantize/espdl/lowering/state.h"

namespace edgetwin::quantize {
namespace {

int index_in(const Perm& perm, int axis) {
  return static_cast<int>(std::find(perm.begin(), perm.end(), axis) - perm.begin());
}

int from_start(int axis, int rank) { return axis < 0 ? axis + rank : axis; }

class Layouts {
 public:
  explicit Layouts(LoweringState& state) : state_(state) {}

  Status run() {
    for (const size_t i : state_.order()) {
      switch (state_.nodes[i].layout) {
        case AxisRule::channels_last:
          channels_last(i);
          break;
        case AxisRule::keep:
          set_outputs(i, perm_of(i, 0));
          break;
        case AxisRule::pair:
          pair(i);
          break;
        case AxisRule::axis:
          EDGETWIN_TRY(axis(i));
          break;
        case AxisRule::concat:
          concat(i);
          break;
        case AxisRule::restore:
          restore(i);
      }
    }
    return Ok{};
  }

 private:
  Op& op(size_t i) { return state_.nodes[i].op; }
  ValueId input(size_t i, size_t operand) { return op(i).inputs[operand]; }
  bool computed(size_t i, size_t operand) {
    const ValueId id = input(i, operand);
    return id != kAbsent && !state_.graph.value(id).is_constant();
  }
  Perm perm_of(size_t i, size_t operand) { return state_.perm_of(input(i, operand)); }
  int rank_of(ValueId id) { return state_.graph.value(id).shape.rank(); }

  void set_outputs(size_t i, const Perm& perm) {
    for (const ValueId id : op(i).outputs) {
      if (rank_of(id) == static_cast<int>(perm.size())) {
        state_.set_perm(id, perm);
      } else {
        state_.perm_of(id);
      }
    }
  }

  // A value that nobody has looked at yet simply gets the order that is wanted first.
  void want(size_t i, size_t operand, const Perm& perm) {
    const ValueId id = input(i, operand);
    if (!state_.perms[static_cast<size_t>(id)]) {
      state_.set_perm(id, perm);
    } else if (state_.perm_of(id) != perm) {
      state_.insert_transpose(i, operand, perm);
    }
  }

  void channels_last(size_t i) {
    const Perm perm = channels_last_perm(rank_of(input(i, 0)));
    want(i, 0, perm);
    if (auto* a = std::get_if<ScaleAttrs>(&op(i).attrs)) {
      reorder(a->scales, perm);
      reorder(a->sizes, perm);
    }
    set_outputs(i, perm);
  }

  template <class T>
  static void reorder(std::vector<T>& list, const Perm& perm) {
    if (list.size() != perm.size()) return;
    const std::vector<T> before = list;
    for (size_t k = 0; k < perm.size(); ++k) list[k] = before[static_cast<size_t>(perm[k])];
  }

  void pair(size_t i) {
    const bool first = computed(i, 0);
    const bool second = computed(i, 1);
    if (first && second) {
      if (rank_of(input(i, 0)) != rank_of(input(i, 1))) return restore(i);
      const Perm a = perm_of(i, 0);
      const Perm b = perm_of(i, 1);
      const Perm last = channels_last_perm(static_cast<int>(a.size()));
      const Perm chosen = a == b ? a : a == last || b == last ? last : is_identity(a) ? b : a;
      want(i, 0, chosen);
      want(i, 1, chosen);
      return set_outputs(i, chosen);
    }
    if (!first && !second) return restore(i);
    const size_t data = first ? 0 : 1;
    const Perm perm = perm_of(i, data);
    if (rank_of(op(i).outputs[0]) != static_cast<int>(perm.size())) return restore(i);
    reorder_constant(i, 1 - data, perm);
    set_outputs(i, perm);
  }

  // A constant of several elements moves its axes along, so that it meets the same channels.
  void reorder_constant(size_t i, size_t operand, const Perm& perm) {
    const Value old = state_.graph.value(input(i, operand));
    if (is_identity(perm) || old.shape.elements() <= 1) return;
    Shape shape;
    for (int k = old.shape.rank(); k < static_cast<int>(perm.size()); ++k) shape.push_back(1);
    for (const int64_t d : old.shape.dims()) shape.push_back(d);
    Value v = old;
    v.shape = permuted(shape, perm);
    v.constant = std::make_shared<const Bytes>(moved(*old.constant, shape, perm));
    op(i).inputs[operand] =
        state_.add_value(std::move(v), identity_perm(shape.rank()), input(i, operand));
  }

  static Bytes moved(const Bytes& data, const Shape& from, const Perm& perm) {
    const Shape to = permuted(from, perm);
    const int rank = from.rank();
    Bytes result(data.size());
    std::vector<int64_t> at(static_cast<size_t>(rank));
    for (int64_t k = 0; k < to.elements(); ++k) {
      int64_t left = k;
      for (int axis = rank; axis-- > 0; left /= to[axis]) {
        at[static_cast<size_t>(perm[static_cast<size_t>(axis)])] = left % to[axis];
      }
      int64_t source = 0;
      for (int axis = 0; axis < rank; ++axis)
        source = source * from[axis] + at[static_cast<size_t>(axis)];
      std::memcpy(result.data() + k * 4, data.data() + source * 4, 4);
    }
    return result;
  }

  void concat(size_t i) {
    bool equal = true;
    Perm perm;
    for (size_t k = 0; k < op(i).inputs.size(); ++k) {
      if (!computed(i, k)) continue;
      const Perm p = perm_of(i, k);
      equal = equal && (perm.empty() || perm == p);
      perm = p;
    }
    if (!equal || perm.empty()) return restore(i);
    auto& a = *std::get_if<ConcatAttrs>(&op(i).attrs);
    a.axis = index_in(perm, from_start(a.axis, static_cast<int>(perm.size())));
    for (size_t k = 0; k < op(i).inputs.size(); ++k) {
      if (!computed(i, k)) reorder_constant(i, k, perm);
    }
    set_outputs(i, perm);
  }

  Status axis(size_t i) {
    const Perm perm = perm_of(i, 0);
    const int rank = static_cast<int>(perm.size());
    const auto move = [&](int& a) { a = index_in(perm, from_start(a, rank)); };
    if (auto* softmax = std::get_if<SoftmaxAttrs>(&op(i).attrs)) move(softmax->axis);
    if (auto* norm = std::get_if<NormAttrs>(&op(i).attrs)) move(norm->axis);
    if (auto* split = std::get_if<SplitSizesAttrs>(&op(i).attrs)) move(split->axis);
    if (std::holds_alternative<ReduceAttrs>(op(i).attrs)) {
      reduce(i, perm);
    } else {
      set_outputs(i, perm);
    }
    return Ok{};
  }

  void reduce(size_t i, const Perm& perm) {
    const auto& a = *std::get_if<ReduceAttrs>(&op(i).attrs);
    const int rank = static_cast<int>(perm.size());
    std::vector<int64_t> axes;  // of the network
    if (op(i).inputs.size() > 1 && op(i).inputs[1] != kAbsent) {
      const Bytes& data = *state_.graph.value(op(i).inputs[1]).constant;
      axes.resize(data.size() / sizeof(int64_t));
      std::memcpy(axes.data(), data.data(), data.size());
    }
    std::vector<bool> reduced(perm.size(), axes.empty() && !a.noop_without_axes);
    std::vector<int64_t> stored;
    for (const int64_t axis : axes) {
      const int n = from_start(static_cast<int>(axis), rank);
      reduced[static_cast<size_t>(n)] = true;
      stored.push_back(index_in(perm, n));
    }
    if (!axes.empty() && !is_identity(perm)) {
      std::sort(stored.begin(), stored.end());
      Bytes data(stored.size() * sizeof(int64_t));
      std::memcpy(data.data(), stored.data(), data.size());
      const Value& old = state_.graph.value(op(i).inputs[1]);
      op(i).inputs[1] = state_.add_constant(old.name, DType::int64, old.shape, std::move(data));
    }
    if (a.keep_dims) return set_outputs(i, perm);
    Perm left;
    for (const int axis : perm) {
      if (reduced[static_cast<size_t>(axis)]) continue;
      const auto before = std::count(reduced.begin(), reduced.begin() + axis, true);
      left.push_back(axis - static_cast<int>(before));
    }
    set_outputs(i, left);
  }

  void restore(size_t i) {
    for (size_t k = 0; k < op(i).inputs.size(); ++k) {
      if (computed(i, k)) want(i, k, identity_perm(rank_of(input(i, k))));
    }
    for (const ValueId id : op(i).outputs) state_.perm_of(id);
  }

  LoweringState& state_;
};

}  // namespace

Status change_layout(LoweringState& state) { return Layouts(state).run(); }

}  // namespace edgetwin::quantize
