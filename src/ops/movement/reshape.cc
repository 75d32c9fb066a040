// RESHAPE, SQUEEZE, EXPAND_DIMS, of ONNX Unsqueeze and Flatten: the same elements in the same order
// under another shape. Source: kernel specification 3.6.
#include "ops/core/checks.h"
#include "ops/movement/prepare.h"

namespace edgetwin::ops {
namespace {

using Dims = std::vector<int64_t>;

std::string text(const Dims& dims) {
  std::string s = "[";
  for (const int64_t d : dims) s += (s.size() > 1 ? ", " : "") + std::to_string(d);
  return s + "]";
}

Error does_not_fit(const OpContext& c, const Dims& wanted) {
  const Shape& in = c.input_shape(0);
  return c.error(ErrorCode::op_shape, to_string(in) + " cannot become " + text(wanted))
      .detail(to_string(in) + " has " + std::to_string(in.elements()) + " elements");
}

// The wanted sizes with their one -1, if there is one, worked out.
[[gnu::cold]] Result<Shape> resolve(const OpContext& c, Dims wanted) {
  const int64_t elements = c.input_shape(0).elements();
  int64_t known = 1;
  int64_t* open = nullptr;
  for (int64_t& d : wanted) {
    if (d == -1 && open == nullptr) {
      open = &d;
    } else if (d < 0 || d > kMaxTensorBytes || known * std::max<int64_t>(d, 1) > kMaxTensorBytes) {
      return does_not_fit(c, wanted);
    } else {
      known *= d;
    }
  }
  if (open != nullptr) {
    if (known == 0 || elements % known != 0) return does_not_fit(c, wanted);
    *open = elements / known;
    known *= *open;
  }
  if (known != elements) return does_not_fit(c, wanted);
  return checks::joined(c, wanted);
}

// The shape that the file declares for the output, where it is the only thing that says what is
// wanted.
[[gnu::cold]] Result<Shape> declared_shape(const OpContext& c) {
  const Value& out = c.output(0);
  if (out.has_shape && out.shape.is_static()) {
    return resolve(c, Dims(out.shape.dims().begin(), out.shape.dims().end()));
  }
  return c.error(ErrorCode::op_constant,
                 c.input_count() > 1 ? "the new shape is computed, and the output declares none"
                                     : "there is no new shape");
}

// ONNX: a 0 stands for the input's size of that axis.
Dims zeros_filled(const OpContext& c, Dims dims) {
  const Shape& in = c.input_shape(0);
  for (size_t i = 0; i < dims.size() && static_cast<int>(i) < in.rank(); ++i) {
    if (dims[i] == 0) dims[i] = in[static_cast<int>(i)];
  }
  return dims;
}

[[gnu::cold]] Result<Shape> reshaped(const OpContext& c) {
  if (c.has_input(1)) {
    if (c.constant(1) == nullptr) return declared_shape(c);
    EDGETWIN_TRY_ASSIGN(Dims dims, c.constant_integers(1, "the new shape"));
    return resolve(c, std::move(dims));
  }
  const auto& wanted = c.op().as<ReshapeAttrs>().new_shape;
  const Value& out = c.output(0);
  const bool declared = out.has_shape && out.shape.is_static();
  if (wanted.empty() && (declared || c.input_shape(0).elements() != 1)) return declared_shape(c);
  Dims dims(wanted.begin(), wanted.end());
  if (c.op().as<ReshapeAttrs>().zero_copies) return resolve(c, zeros_filled(c, std::move(dims)));
  // Old converters write a scalar as [0].
  if (wanted.size() == 1 && wanted[0] == 0 && c.input_shape(0).elements() == 1) return Shape();
  return resolve(c, std::move(dims));
}

[[gnu::cold]] Result<Shape> squeezed(const OpContext& c) {
  const Shape& in = c.input_shape(0);
  const auto& dims = c.op().as<SqueezeAttrs>().squeeze_dims;
  std::array<bool, Shape::kMaxRank> drop = {};
  for (int i = 0; i < in.rank(); ++i) drop[static_cast<size_t>(i)] = dims.empty() && in[i] == 1;
  for (const int32_t d : dims) {
    EDGETWIN_TRY_ASSIGN(const int axis, normal_axis(c, d, in.rank()));
    if (in[axis] != 1) {
      return c.error(ErrorCode::op_shape, "axis " + std::to_string(d) + " of " + to_string(in) +
                                              " has the size " + std::to_string(in[axis]) +
                                              ", only 1 can be squeezed");
    }
    drop[static_cast<size_t>(axis)] = true;
  }
  Shape out;
  for (int i = 0; i < in.rank(); ++i) {
    if (!drop[static_cast<size_t>(i)]) out.push_back(in[i]);
  }
  return out;
}

[[gnu::cold]] Result<Shape> expanded(const OpContext& c) {
  EDGETWIN_TRY(checks::operands(c, 2));
  const Shape& in = c.input_shape(0);
  EDGETWIN_TRY_ASSIGN(const int64_t wanted, checks::one_integer(c, 1, "the axis"));
  EDGETWIN_TRY_ASSIGN(const int axis, normal_axis(c, wanted, in.rank() + 1));
  Dims dims(in.dims().begin(), in.dims().end());
  dims.insert(dims.begin() + axis, 1);
  return checks::joined(c, dims);
}

[[gnu::cold]] Result<Shape> unsqueezed(const OpContext& c) {
  const Shape& in = c.input_shape(0);
  const auto& axes = c.op().as<SqueezeAttrs>().squeeze_dims;
  const int rank = in.rank() + static_cast<int>(axes.size());
  Dims dims(static_cast<size_t>(rank), 0);
  for (const int32_t a : axes) {
    EDGETWIN_TRY_ASSIGN(const int axis, normal_axis(c, a, rank));
    if (dims[static_cast<size_t>(axis)] == 1) {
      return c.error(ErrorCode::op_attribute, "axis " + std::to_string(a) + " is named twice");
    }
    dims[static_cast<size_t>(axis)] = 1;
  }
  int next = 0;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 0) dims[i] = in[next++];
  }
  return checks::joined(c, dims);
}

// Two dimensions: the sizes before the axis, and from it on.
[[gnu::cold]] Result<Shape> flattened(const OpContext& c) {
  const Shape& in = c.input_shape(0);
  const int axis = c.op().as<AxisAttrs>().axis;
  const int at = axis < 0 ? axis + in.rank() : axis;
  if (at < 0 || at > in.rank()) {
    return c.error(ErrorCode::op_attribute, "axis " + std::to_string(axis) + " of a tensor with " +
                                                std::to_string(in.rank()) + " dimensions");
  }
  return Shape{in.elements(0, at), in.elements(at, in.rank())};
}

[[gnu::cold]] Result<Shape> new_shape(const OpContext& c) {
  switch (c.op().kind) {
    case OpKind::squeeze:
      return squeezed(c);
    case OpKind::expand_dims:
      return expanded(c);
    case OpKind::unsqueeze:
      return unsqueezed(c);
    case OpKind::flatten:
      return flattened(c);
    default:
      return reshaped(c);
  }
}

}  // namespace

Result<Prepared> prepare_reshape(const OpContext& c) {
  EDGETWIN_TRY(checks::operands(c, 1));
  EDGETWIN_TRY_ASSIGN(const Shape out, new_shape(c));
  EDGETWIN_TRY_ASSIGN(Prepared prepared, checks::movement(c, 0, 1, {out}));
  if (bits(c.input(0).dtype) == 0) return c.unsupported_types();
  const int64_t size = storage_bytes(c.input(0).dtype, out.elements());
  prepared.run = [size](const Args& args) -> Status {
    copy_bytes(args.outputs[0], args.inputs[0], size);
    return Ok{};
  };
  return prepared;
}

}  // namespace edgetwin::ops
