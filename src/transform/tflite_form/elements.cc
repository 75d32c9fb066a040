// Element-wise operators, softmax, reductions.
#include <algorithm>
#include <cmath>
#include <limits>

#include "transform/tflite_form/builder.h"

namespace edgetwin::transform {
namespace {

// Order in which an operator on several tensors of one rank works: channels last as soon as one
// comes so.
Order common_order(TfliteFormBuilder& f, const std::vector<ValueId>& ids, int rank) {
  for (const ValueId id : ids) {
    if (!f.is_constant(id) && f.shape(id).rank() == rank && f.order(id) != Order::plain) {
      return f.order(id);
    }
  }
  return Order::plain;
}

// A constant with ones in front, in the order of the others.
ValueId broadcast_constant(TfliteFormBuilder& f, ValueId id, int rank, Order order) {
  const Value& v = f.value(id);
  const auto values = f.floats(id);
  if (v.shape.elements() == 1) return f.constant(v.name, {}, {values[0]});
  Shape whole;
  for (int i = v.shape.rank(); i < rank; ++i) whole.push_back(1);
  for (const int64_t d : v.shape.dims()) whole.push_back(d);
  return f.reordered(v.name, whole, values, order);
}

// Operand i of an element-wise operator whose result has `rank` axes.
ValueId operand(TfliteFormBuilder& f, ValueId id, int rank, Order order) {
  if (f.is_constant(id)) return broadcast_constant(f, id, rank, order);
  return f.get(id, order);
}

ValueId scalar(TfliteFormBuilder& f, const std::string& name, float number) {
  return f.constant(name, {}, {number});
}

Attrs plain_binary() { return BinaryAttrs{}; }

bool near(float a, float b) { return std::fabs(a - b) < 1e-4F; }

}  // namespace

void form_binary(TfliteFormBuilder& f) {
  const Op& op = f.op();
  const ValueId out = op.outputs[0];
  const int rank = f.shape(out).rank();
  const Order order = common_order(f, op.inputs, rank);
  for (const ValueId id : op.inputs) {
    if (!f.is_constant(id) && f.shape(id).rank() != rank && order != Order::plain) {
      return f.refuse("tensors of different numbers of axes");
    }
  }
  OpKind kind = op.kind;
  std::vector<ValueId> inputs;
  for (const ValueId id : op.inputs) inputs.push_back(operand(f, id, rank, order));
  if (kind == OpKind::div) {
    if (!f.is_constant(op.inputs[1])) return f.refuse("int8 has no division by a computed tensor");
    const Value& by = f.made().value(inputs[1]);
    std::vector<float> inverse(static_cast<size_t>(by.shape.elements()));
    for (size_t i = 0; i < inverse.size(); ++i) {
      inverse[i] = static_cast<float>(
          1.0 / element_as_double(DType::float32, *by.constant, static_cast<int64_t>(i)));
    }
    inputs[1] = f.constant(by.name + "_inverse", Shape(by.shape), inverse);
    kind = OpKind::mul;
  }
  const bool extreme = kind == OpKind::maximum || kind == OpKind::minimum;
  Attrs attrs = default_attrs(kind);
  if (!extreme) std::get<BinaryAttrs>(attrs).activation = Activation::none;
  f.emit(kind, attrs, inputs, {f.result(out, order)});
}

namespace {

void form_swish(TfliteFormBuilder& f, ValueId x, ValueId y) {
  const ValueId gate = f.between(y, "_gate");
  f.emit(OpKind::logistic, NoAttrs{}, {x}, {gate});
  f.emit(OpKind::mul, plain_binary(), {x, gate}, {y});
}

// clip(x / 6 + 1/2, 0, 1) = relu6(x + 3) / 6
void form_hard_sigmoid(TfliteFormBuilder& f, ValueId x, ValueId y) {
  const auto& a = f.op().as<AlphaAttrs>();
  if (!near(a.alpha, 1.0F / 6.0F)) return f.refuse("alpha other than 1/6");
  const ValueId shifted = f.between(y, "_shifted");
  BinaryAttrs relu6;
  relu6.activation = Activation::relu6;
  f.emit(OpKind::add, relu6, {x, scalar(f, "shift", a.beta / a.alpha)}, {shifted});
  f.emit(OpKind::mul, plain_binary(), {shifted, scalar(f, "sixth", a.alpha)}, {y});
}

void form_leaky_relu(TfliteFormBuilder& f, ValueId x, ValueId y) {
  const float alpha = f.op().as<AlphaAttrs>().alpha;
  if (alpha < 0.0F || alpha > 1.0F) return f.refuse("alpha outside 0 to 1");
  const ValueId scaled = f.between(y, "_scaled");
  f.emit(OpKind::mul, plain_binary(), {x, scalar(f, "alpha", alpha)}, {scaled});
  f.emit(OpKind::maximum, NoAttrs{}, {x, scaled}, {y});
}

}  // namespace

void form_unary(TfliteFormBuilder& f) {
  const Op& op = f.op();
  const Order order = f.is_constant(op.inputs[0]) ? Order::plain : f.order(op.inputs[0]);
  const ValueId x = f.get(op.inputs[0], order);
  if (op.kind == OpKind::identity) return f.same_as(op.outputs[0], order, x);
  const ValueId y = f.result(op.outputs[0], order);
  switch (op.kind) {
    case OpKind::swish:
      return form_swish(f, x, y);
    case OpKind::hard_sigmoid:
      return form_hard_sigmoid(f, x, y);
    case OpKind::leaky_relu:
      return form_leaky_relu(f, x, y);
    case OpKind::neg:
      f.emit(OpKind::mul, plain_binary(), {x, scalar(f, "minus_one", -1.0F)}, {y});
      return;
    default:
      f.emit(op.kind, NoAttrs{}, {x}, {y});
  }
}

void form_clip(TfliteFormBuilder& f) {
  const Op& op = f.op();
  constexpr float kUnlimited = std::numeric_limits<float>::infinity();
  float limits[2] = {-kUnlimited, kUnlimited};
  for (const size_t i : {1U, 2U}) {
    if (!op.has_input(i)) continue;
    if (!f.is_constant(op.inputs[i])) return f.refuse("the limits must be constants");
    limits[i - 1] = f.floats(op.inputs[i])[0];
  }
  const auto [low, high] = limits;
  const Order order = f.order(op.inputs[0]);
  const ValueId x = f.get(op.inputs[0], order);
  const ValueId y = f.result(op.outputs[0], order);
  const bool no_top = high > 3e38F;
  if (low == 0.0F && no_top) return f.emit(OpKind::relu, NoAttrs{}, {x}, {y});
  if (low == 0.0F && high == 6.0F) return f.emit(OpKind::relu6, NoAttrs{}, {x}, {y});
  if (low == -1.0F && high == 1.0F) return f.emit(OpKind::relu_n1_to_1, NoAttrs{}, {x}, {y});
  const bool no_bottom = low < -3e38F;
  const ValueId middle = no_top || no_bottom ? y : f.between(y, "_above");
  if (!no_bottom) f.emit(OpKind::maximum, NoAttrs{}, {x, scalar(f, "low", low)}, {middle});
  if (!no_top) {
    f.emit(OpKind::minimum, NoAttrs{}, {no_bottom ? x : middle, scalar(f, "high", high)}, {y});
  }
  if (no_top && no_bottom) f.same_as(op.outputs[0], order, x);
}

// relu(x) - slope * relu(-x)
void form_prelu(TfliteFormBuilder& f) {
  const Op& op = f.op();
  if (!f.is_constant(op.inputs[1])) return f.refuse("the slopes must be constants");
  const Order order = f.order(op.inputs[0]);
  const ValueId x = f.get(op.inputs[0], order);
  const ValueId y = f.result(op.outputs[0], order);
  const ValueId slope = operand(f, op.inputs[1], f.shape(op.inputs[0]).rank(), order);
  const ValueId above = f.between(y, "_above");
  const ValueId turned = f.between(y, "_turned");
  const ValueId below = f.between(y, "_below");
  const ValueId scaled = f.between(y, "_scaled");
  f.emit(OpKind::relu, NoAttrs{}, {x}, {above});
  f.emit(OpKind::mul, plain_binary(), {x, scalar(f, "minus_one", -1.0F)}, {turned});
  f.emit(OpKind::relu, NoAttrs{}, {turned}, {below});
  f.emit(OpKind::mul, plain_binary(), {below, slope}, {scaled});
  f.emit(OpKind::sub, plain_binary(), {above, scaled}, {y});
}

void form_softmax(TfliteFormBuilder& f) {
  const Op& op = f.op();
  const auto& a = op.as<SoftmaxAttrs>();
  const int rank = f.shape(op.inputs[0]).rank();
  Order order = f.order(op.inputs[0]);
  const auto is_last = [&](Order o) {
    return TfliteFormBuilder::axis_in(a.axis, rank, o) ==
           TfliteFormBuilder::shape_in(f.shape(op.inputs[0]), o).rank() - 1;
  };
  if (!is_last(order))
    order = order == Order::plain ? TfliteFormBuilder::channels_last(rank) : Order::plain;
  if (!is_last(order))
    return f.refuse("it is along an axis that is neither the last nor the channels'");
  SoftmaxAttrs s;
  s.beta = 1.0F;
  const ValueId x = f.get(op.inputs[0], order);
  f.emit(OpKind::softmax, s, {x}, {f.result(op.outputs[0], order)});
}

void form_reduce(TfliteFormBuilder& f) {
  const Op& op = f.op();
  const auto& a = op.as<ReduceAttrs>();
  const int rank = f.shape(op.inputs[0]).rank();
  std::vector<int64_t> axes;
  if (op.has_input(1)) axes = f.integers(op.inputs[1]);
  if (axes.empty() && a.noop_without_axes) {
    return f.same_as(op.outputs[0], f.order(op.inputs[0]),
                     f.get(op.inputs[0], f.order(op.inputs[0])));
  }
  for (int i = 0; axes.empty() && i < rank; ++i) axes.push_back(i);
  if (axes.size() > static_cast<size_t>(rank)) axes.resize(static_cast<size_t>(rank));
  // Without the reduced axes the order of the others must be the network's.
  const Order kept = f.order(op.inputs[0]);
  const bool rows_go = std::count_if(axes.begin(), axes.end(), [&](int64_t axis) {
                         return (axis < 0 ? axis + rank : axis) >= 2;
                       }) == rank - 2;
  const Order from = kept == Order::last && (a.keep_dims || rows_go) ? kept : Order::plain;
  for (int64_t& axis : axes) axis = TfliteFormBuilder::axis_in(static_cast<int>(axis), rank, from);
  std::sort(axes.begin(), axes.end());
  const ValueId x = f.get(op.inputs[0], from);
  const ValueId list = f.constant(f.value(op.outputs[0]).name + "_axes", axes);
  const OpKind kind = op.kind == OpKind::reduce_mean ? OpKind::mean : OpKind::sum;
  ReduceAttrs r;
  r.keep_dims = a.keep_dims;
  f.emit(kind, r, {x, list}, {f.result(op.outputs[0], a.keep_dims ? from : Order::plain)});
}

// Along neighbouring axes: the largest of a window that is as high as they are long, over a picture
// of one column that has what is before them in rows of the batch, what is after in channels.
void form_reduce_max(TfliteFormBuilder& f) {
  const Op& op = f.op();
  const Shape& in = f.shape(op.inputs[0]);
  const Shape& out = f.shape(op.outputs[0]);
  std::vector<int64_t> axes;
  if (op.has_input(1)) axes = f.integers(op.inputs[1]);
  if (axes.empty() && op.as<ReduceAttrs>().noop_without_axes) {
    return f.same_as(op.outputs[0], Order::plain, f.get(op.inputs[0], Order::plain));
  }
  for (int i = 0; axes.empty() && i < in.rank(); ++i) axes.push_back(i);
  for (int64_t& axis : axes) axis += axis < 0 ? in.rank() : 0;
  std::sort(axes.begin(), axes.end());
  axes.erase(std::unique(axes.begin(), axes.end()), axes.end());
  const auto first = static_cast<int>(axes.front());
  const auto last = static_cast<int>(axes.back());
  if (last - first + 1 != static_cast<int>(axes.size())) {
    return f.refuse("the largest along axes that are not neighbours");
  }
  const int64_t high = in.elements(first, last + 1);
  const Shape picture = {in.elements(0, first), high, 1, in.elements(last + 1, in.rank())};
  Shape row = picture;
  row[1] = 1;
  const std::string& name = f.value(op.outputs[0]).name;
  const auto reshape = [&](ValueId from, const Shape& shape, ValueId to, const char* what) {
    const std::vector<int64_t> sizes(shape.dims().begin(), shape.dims().end());
    ReshapeAttrs a;
    a.new_shape.assign(sizes.begin(), sizes.end());
    f.emit(OpKind::reshape, a, {from, f.constant(name + what, sizes)}, {to});
  };
  const ValueId rows = f.between(name + "_rows", picture);
  reshape(f.get(op.inputs[0], Order::plain), picture, rows, "_rows_shape");
  PoolAttrs pool;
  pool.padding.kind = Padding::Kind::valid;
  pool.stride_h = pool.stride_w = 1;
  pool.filter_h = static_cast<int>(high);
  pool.filter_w = 1;
  const ValueId largest = f.between(name + "_largest", row);
  f.emit(OpKind::max_pool_2d, pool, {rows}, {largest});
  reshape(largest, out, f.result(op.outputs[0], Order::plain), "_shape");
}

}  // namespace edgetwin::transform
