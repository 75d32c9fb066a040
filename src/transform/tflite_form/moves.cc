// Operators that move elements.
#include <algorithm>

#include "transform/tflite_form/builder.h"

namespace edgetwin::transform {
namespace {

std::string name_of(TfliteFormBuilder& f) { return f.value(f.op().outputs[0]).name; }

// The order in which the data already are; all of it is of one rank.
Order order_of_input(TfliteFormBuilder& f) { return f.order(f.op().inputs[0]); }

// One entry per axis of the network as one per axis of an order.
std::vector<int64_t> listed(const std::vector<int64_t>& list, Order order, int64_t row) {
  const int rank = static_cast<int>(list.size());
  std::vector<int64_t> result(list.size() + (order == Order::last_row ? 1 : 0), row);
  for (int i = 0; i < rank; ++i) {
    result[static_cast<size_t>(TfliteFormBuilder::axis_in(i, rank, order))] =
        list[static_cast<size_t>(i)];
  }
  return result;
}

}  // namespace

void form_concat(TfliteFormBuilder& f) {
  const Op& op = f.op();
  const int rank = f.shape(op.outputs[0]).rank();
  Order order = Order::plain;
  for (const ValueId id : op.inputs) {
    if (!f.is_constant(id) && f.order(id) != Order::plain) order = f.order(id);
  }
  ConcatAttrs a;
  a.axis = TfliteFormBuilder::axis_in(op.as<ConcatAttrs>().axis, rank, order);
  std::vector<ValueId> inputs;
  for (const ValueId id : op.inputs) inputs.push_back(f.get(id, order));
  f.emit(OpKind::concatenation, a, inputs, {f.result(op.outputs[0], order)});
}

void form_split(TfliteFormBuilder& f) {
  const Op& op = f.op();
  const auto& a = op.as<SplitSizesAttrs>();
  const Order order = order_of_input(f);
  const int rank = f.shape(op.inputs[0]).rank();
  const int axis = TfliteFormBuilder::axis_in(a.axis, rank, order);
  const ValueId x = f.get(op.inputs[0], order);
  const bool equal =
      std::all_of(a.sizes.begin(), a.sizes.end(), [&](int64_t s) { return s == a.sizes.front(); });
  std::vector<ValueId> outputs;
  for (const ValueId id : op.outputs) outputs.push_back(f.result(id, order));
  if (equal) {
    const ValueId along = f.constant(name_of(f) + "_axis", {axis});
    f.reshape_constant(along, {});
    SplitAttrs s;
    s.num_splits = static_cast<int>(outputs.size());
    f.emit(OpKind::split, s, {along, x}, outputs);
    return;
  }
  std::vector<int64_t> begin(f.made().value(x).shape.dims().size(), 0);
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Shape out = f.made().value(outputs[i]).shape;
    const std::vector<int64_t> size(out.dims().begin(), out.dims().end());
    const ValueId from = f.constant(name_of(f) + "_begin", begin);
    const ValueId sizes = f.constant(name_of(f) + "_size", size);
    f.emit(OpKind::slice, NoAttrs{}, {x, from, sizes}, {outputs[i]});
    begin[static_cast<size_t>(axis)] += size[static_cast<size_t>(axis)];
  }
}

void form_slice(TfliteFormBuilder& f) {
  const Op& op = f.op();
  const auto& a = op.as<SliceStepsAttrs>();
  const Order order = order_of_input(f);
  const Shape& in = f.shape(op.inputs[0]);
  std::vector<int64_t> begin(in.dims().size(), 0);
  std::vector<int64_t> end(in.dims().begin(), in.dims().end());
  std::vector<int64_t> step(in.dims().size(), 1);
  for (size_t i = 0; i < a.axes.size(); ++i) {
    const auto axis = static_cast<size_t>(a.axes[i] < 0 ? a.axes[i] + in.rank() : a.axes[i]);
    if (a.steps[i] < 1) return f.refuse("steps must be forward");
    const int64_t size = in[static_cast<int>(axis)];
    const auto inside = [size](int64_t v) {
      return std::clamp<int64_t>(v < 0 ? v + size : v, 0, size);
    };
    begin[axis] = inside(a.starts[i]);
    end[axis] = inside(a.ends[i]);
    step[axis] = a.steps[i];
  }
  const std::string name = name_of(f);
  const ValueId x = f.get(op.inputs[0], order);
  const std::vector<ValueId> inputs = {x, f.constant(name + "_begin", listed(begin, order, 0)),
                                       f.constant(name + "_end", listed(end, order, 1)),
                                       f.constant(name + "_step", listed(step, order, 1))};
  f.emit(OpKind::strided_slice, StridedSliceAttrs{}, inputs, {f.result(op.outputs[0], order)});
}

void form_pad(TfliteFormBuilder& f) {
  const Op& op = f.op();
  const auto& a = op.as<BorderPadAttrs>();
  if (a.mode != BorderPadAttrs::Mode::constant) return f.refuse("int8 pads with zeros only");
  if (op.has_input(1) && (!f.is_constant(op.inputs[1]) || f.floats(op.inputs[1])[0] != 0.0F)) {
    return f.refuse("int8 pads with zeros only");
  }
  const auto negative = [](int64_t v) { return v < 0; };
  if (std::any_of(a.before.begin(), a.before.end(), negative) ||
      std::any_of(a.after.begin(), a.after.end(), negative)) {
    return f.refuse("padding below 0");
  }
  const Order order = order_of_input(f);
  const auto before = listed(a.before, order, 0);
  const auto after = listed(a.after, order, 0);
  std::vector<int64_t> pairs;
  for (size_t i = 0; i < before.size(); ++i) {
    pairs.push_back(before[i]);
    pairs.push_back(after[i]);
  }
  const ValueId x = f.get(op.inputs[0], order);
  const ValueId list = f.constant(name_of(f) + "_paddings", pairs);
  f.reshape_constant(list, {static_cast<int64_t>(before.size()), 2});
  f.emit(OpKind::pad, NoAttrs{}, {x, list}, {f.result(op.outputs[0], order)});
}

void form_transpose(TfliteFormBuilder& f) {
  const Op& op = f.op();
  std::vector<int64_t> perm = f.integers(op.inputs[1]);
  for (int64_t& p : perm) p = p < 0 ? p + static_cast<int64_t>(perm.size()) : p;
  // What is kept channels last may already be what is wanted.
  if (order_of_input(f) == Order::last && perm == std::vector<int64_t>{0, 2, 3, 1}) {
    return f.same_as(op.outputs[0], Order::plain, f.get(op.inputs[0], Order::last));
  }
  if (order_of_input(f) == Order::plain && perm == std::vector<int64_t>{0, 3, 1, 2}) {
    return f.same_as(op.outputs[0], Order::last, f.get(op.inputs[0], Order::plain));
  }
  const ValueId x = f.get(op.inputs[0], Order::plain);
  const ValueId list = f.constant(name_of(f) + "_perm", perm);
  f.emit(OpKind::transpose, NoAttrs{}, {x, list}, {f.result(op.outputs[0], Order::plain)});
}

void form_reshape(TfliteFormBuilder& f) {
  const Op& op = f.op();
  const ValueId x = f.get(op.inputs[0], Order::plain);
  const Shape& out = f.shape(op.outputs[0]);
  const std::vector<int64_t> sizes(out.dims().begin(), out.dims().end());
  ReshapeAttrs a;
  a.new_shape.assign(sizes.begin(), sizes.end());
  const ValueId wanted = f.constant(name_of(f) + "_shape", sizes);
  f.emit(OpKind::reshape, a, {x, wanted}, {f.result(op.outputs[0], Order::plain)});
}

void form_gather(TfliteFormBuilder& f) {
  const Op& op = f.op();
  if (f.is_constant(op.inputs[0]) || !f.is_constant(op.inputs[1])) {
    return f.refuse("constant indices into a computed tensor are possible");
  }
  const int rank = f.shape(op.inputs[0]).rank();
  const ValueId x = f.get(op.inputs[0], Order::plain);
  std::vector<int64_t> indices = f.integers(op.inputs[1]);
  GatherAttrs a = op.as<GatherAttrs>();
  a.axis = TfliteFormBuilder::axis_in(a.axis, rank, Order::plain);
  for (int64_t& i : indices) i = i < 0 ? i + f.shape(op.inputs[0])[a.axis] : i;
  const ValueId list = f.constant(name_of(f) + "_indices", indices);
  f.reshape_constant(list, Shape(f.shape(op.inputs[1])));
  f.emit(OpKind::gather, a, {x, list}, {f.result(op.outputs[0], Order::plain)});
}

void form_blocks(TfliteFormBuilder& f) {
  const Op& op = f.op();
  BlockAttrs a = op.as<BlockAttrs>();
  if (a.order != BlockAttrs::Order::position_first) {
    return f.refuse("TensorFlow Lite numbers the channels of a block by position first (DCR)");
  }
  const ValueId x = f.get(op.inputs[0], Order::last);
  f.emit(op.kind, a, {x}, {f.result(op.outputs[0], Order::last)});
}

}  // namespace edgetwin::transform
