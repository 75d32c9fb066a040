// Values in the orders of axes that TensorFlow Lite's operators want.
#include <algorithm>
#include <cstring>

#include "transform/tflite_form/builder.h"

namespace edgetwin::transform {
namespace {

// Axes of the network in the order in which they are kept, without the row in front.
std::vector<int> axes_in(int rank, Order order) {
  if (order == Order::plain) {
    std::vector<int> axes(static_cast<size_t>(rank));
    for (int i = 0; i < rank; ++i) axes[static_cast<size_t>(i)] = i;
    return axes;
  }
  return order == Order::last ? std::vector<int>{0, 2, 3, 1} : std::vector<int>{0, 2, 1};
}

// Elements of `size` bytes, `axes[i]` of the old shape becoming axis i.
template <size_t size>
Bytes permuted(ByteSpan from, const Shape& shape, const std::vector<int>& axes) {
  std::vector<int64_t> step(axes.size(), 1);
  for (size_t i = axes.size(); i-- > 1;) {
    step[i - 1] = step[i] * shape[static_cast<int>(i)];
  }
  Bytes to(from.size());
  if (from.empty() || axes.empty()) return Bytes(from.begin(), from.end());
  // The last axis is a loop of its own, the others count.
  const int64_t length = shape[axes.back()], stride = step[static_cast<size_t>(axes.back())];
  std::vector<int64_t> at(axes.size() - 1, 0);
  std::byte* out = to.data();
  while (out != to.data() + to.size()) {
    int64_t source = 0;
    for (size_t i = 0; i < at.size(); ++i) source += at[i] * step[static_cast<size_t>(axes[i])];
    for (int64_t k = 0; k < length; ++k, source += stride, out += size) {
      std::memcpy(out, from.data() + static_cast<size_t>(source) * size, size);
    }
    for (size_t i = at.size(); i-- > 0;) {
      if (++at[i] < shape[axes[i]]) break;
      at[i] = 0;
    }
  }
  return to;
}

Bytes permuted(ByteSpan from, const Shape& shape, const std::vector<int>& axes, size_t size) {
  switch (size) {
    case 1:
      return permuted<1>(from, shape, axes);
    case 2:
      return permuted<2>(from, shape, axes);
    case 4:
      return permuted<4>(from, shape, axes);
    default:
      return permuted<8>(from, shape, axes);
  }
}

// True if only axes of one element move, so that the bytes stay where they are.
bool stays(const Shape& shape, const std::vector<int>& axes) {
  int before = -1;
  for (const int axis : axes) {
    if (shape[axis] == 1) continue;
    if (axis < before) return false;
    before = axis;
  }
  return true;
}

}  // namespace

std::span<const float> TfliteFormBuilder::floats(ValueId id) const {
  const Bytes& data = *value(id).constant;
  return {reinterpret_cast<const float*>(data.data()), data.size() / sizeof(float)};
}

std::vector<int64_t> TfliteFormBuilder::integers(ValueId id) const {
  const Value& v = value(id);
  std::vector<int64_t> numbers;
  for (int64_t i = 0; i < v.shape.elements(); ++i) {
    numbers.push_back(static_cast<int64_t>(element_as_double(v.dtype, *v.constant, i)));
  }
  return numbers;
}

Order TfliteFormBuilder::channels_last(int rank) {
  return rank == 4 ? Order::last : rank == 3 ? Order::last_row : Order::plain;
}

Shape TfliteFormBuilder::shape_in(const Shape& shape, Order order) {
  Shape result;
  for (const int axis : axes_in(shape.rank(), order)) {
    if (order == Order::last_row && result.rank() == 1) result.push_back(1);
    result.push_back(shape[axis]);
  }
  return result;
}

int TfliteFormBuilder::axis_in(int axis, int rank, Order order) {
  if (axis < 0) axis += rank;
  const std::vector<int> axes = axes_in(rank, order);
  const auto at = static_cast<int>(std::find(axes.begin(), axes.end(), axis) - axes.begin());
  return order == Order::last_row && at > 0 ? at + 1 : at;
}

ValueId TfliteFormBuilder::between(const std::string& name, const Shape& shape) {
  Value v;
  v.name = name;
  v.dtype = DType::float32;
  v.shape = shape;
  out_.values.push_back(std::move(v));
  return static_cast<ValueId>(out_.values.size() - 1);
}

ValueId TfliteFormBuilder::between(ValueId like, const std::string& suffix) {
  const Value& v = out_.value(like);
  return between(v.name + suffix, Shape(v.shape));
}

ValueId TfliteFormBuilder::constant(const std::string& name, const Shape& shape,
                                    const std::vector<float>& numbers) {
  const ValueId id = between(name, shape);
  Bytes data(numbers.size() * sizeof(float));
  if (!numbers.empty()) std::memcpy(data.data(), numbers.data(), data.size());
  out_.value(id).constant = std::make_shared<const Bytes>(std::move(data));
  return id;
}

ValueId TfliteFormBuilder::constant(const std::string& name, const std::vector<int64_t>& numbers) {
  const ValueId id = between(name, {static_cast<int64_t>(numbers.size())});
  Bytes data(numbers.size() * sizeof(int32_t));
  for (size_t i = 0; i < numbers.size(); ++i) {
    const auto narrow = static_cast<int32_t>(numbers[i]);
    std::memcpy(data.data() + i * sizeof narrow, &narrow, sizeof narrow);
  }
  out_.value(id).dtype = DType::int32;
  out_.value(id).constant = std::make_shared<const Bytes>(std::move(data));
  return id;
}

ValueId TfliteFormBuilder::result(ValueId id, Order order) {
  const ValueId made = between(value(id).name, shape_in(shape(id), order));
  same_as(id, order, made);
  return made;
}

void TfliteFormBuilder::same_as(ValueId id, Order order, ValueId made) {
  Kept& kept = kept_[static_cast<size_t>(id)];
  kept.order = order;
  kept.in[order] = made;
}

ValueId TfliteFormBuilder::reordered_constant(ValueId id, Order order) {
  const Value& v = value(id);
  Value copy = v;
  if (order != Order::plain && v.dtype == DType::float32) {
    copy.shape = shape_in(v.shape, order);
    copy.constant = std::make_shared<const Bytes>(
        permuted(*v.constant, v.shape, axes_in(v.shape.rank(), order), sizeof(float)));
  }
  out_.values.push_back(std::move(copy));
  return static_cast<ValueId>(out_.values.size() - 1);
}

ValueId TfliteFormBuilder::reordered(const std::string& name, const Shape& shape,
                                     std::span<const float> numbers, Order order) {
  const ByteSpan bytes{reinterpret_cast<const std::byte*>(numbers.data()), numbers.size_bytes()};
  Bytes data = permuted(bytes, shape, axes_in(shape.rank(), order), sizeof(float));
  const ValueId id = between(name, shape_in(shape, order));
  out_.value(id).constant = std::make_shared<const Bytes>(std::move(data));
  return id;
}

// By way of the plain order where rows are added or taken away.
ValueId TfliteFormBuilder::convert(ValueId id, Order from, Order to) {
  const Value& v = value(id);
  const ValueId start = kept_[static_cast<size_t>(id)].in[from];
  const Order moved = to == Order::plain ? from : to;
  std::vector<int> axes = axes_in(v.shape.rank(), moved);
  const ValueId end =
      between(v.name + (to == Order::plain ? "_plain" : "_last"), shape_in(v.shape, to));
  if (stays(v.shape, axes)) {
    ReshapeAttrs a;
    for (const int64_t d : out_.value(end).shape.dims()) {
      a.new_shape.push_back(static_cast<int32_t>(d));
    }
    std::vector<int64_t> sizes(a.new_shape.begin(), a.new_shape.end());
    const ValueId wanted = constant(v.name + "_shape", sizes);
    emit(OpKind::reshape, a, {start, wanted}, {end});
    return end;
  }
  std::vector<int64_t> perm(axes.begin(), axes.end());
  if (moved == Order::last_row) perm = {0, 1, 3, 2};
  if (moved == Order::last && to == Order::plain) perm = {0, 3, 1, 2};
  const ValueId by = constant(v.name + "_perm", perm);
  if (moved == Order::last) {
    emit(OpKind::transpose, NoAttrs{}, {start, by}, {end});
    return end;
  }
  // [N, C, W] is [N, 1, C, W] to TensorFlow Lite while it is turned.
  const Shape turned{v.shape[0], 1, v.shape[1], v.shape[2]};
  const ValueId middle = between(v.name + "_row", turned);
  const Shape& plain = v.shape;
  const bool back = to == Order::plain;
  const Shape& reshaped = back ? plain : turned;
  std::vector<int64_t> sizes(reshaped.dims().begin(), reshaped.dims().end());
  const ValueId wanted = constant(v.name + "_shape", sizes);
  ReshapeAttrs a;
  a.new_shape.assign(sizes.begin(), sizes.end());
  if (back) {
    emit(OpKind::transpose, NoAttrs{}, {start, by}, {middle});
    emit(OpKind::reshape, a, {middle, wanted}, {end});
  } else {
    emit(OpKind::reshape, a, {start, wanted}, {middle});
    emit(OpKind::transpose, NoAttrs{}, {middle, by}, {end});
  }
  return end;
}

ValueId TfliteFormBuilder::get(ValueId id, Order order) {
  Kept& kept = kept_[static_cast<size_t>(id)];
  if (const auto known = kept.in.find(order); known != kept.in.end()) return known->second;
  const ValueId made =
      is_constant(id) ? reordered_constant(id, order) : convert(id, kept.order, order);
  return kept.in[order] = made;
}

Tensor to_channels_last(const Tensor& tensor) {
  Tensor t = tensor;
  if (t.shape.rank() != 4) return t;
  t.data = permuted(t.data, t.shape, axes_in(4, Order::last), byte_size(t.dtype));
  t.shape = TfliteFormBuilder::shape_in(t.shape, Order::last);
  return t;
}

}  // namespace edgetwin::transform
