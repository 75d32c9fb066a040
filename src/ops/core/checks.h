// What the operators that treat every element alike check before they run.
#pragma once

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "ops/core/common.h"
#include "tensor/tensor.h"

namespace edgetwin::ops {

// std::memcpy that allows null pointers where there is nothing to copy.
inline void copy_bytes(void* to, const void* from, int64_t size) {
  if (size > 0 && to != from) std::memcpy(to, from, static_cast<size_t>(size));
}

namespace checks {

// Operands [0, count) are there and of usable size. Errors: graph_arity, op_shape.
inline Status operands(const OpContext& c, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (!c.has_input(i)) {
      return c.error(ErrorCode::graph_arity, "input " + std::to_string(i) + " is missing");
    }
    if (!within_limits(c.input(i).dtype, c.input_shape(i))) {
      return c.error(ErrorCode::op_shape, "input " + std::to_string(i) + " is " +
                                              to_string(c.input_shape(i)) +
                                              ", beyond the limit or not known");
    }
  }
  return Ok{};
}

inline Status output_shape(const OpContext& c, size_t i, const Shape& shape) {
  if (within_limits(c.output(i).dtype, shape)) return Ok{};
  return c.error(ErrorCode::op_shape, "output " + std::to_string(i) + " would be " +
                                          to_string(shape) + ", beyond the limit of " +
                                          std::to_string(kMaxTensorBytes) + " bytes");
}

// Dimensions joined to a shape; more than a tensor can have is an error (op_shape).
[[gnu::cold]] inline Result<Shape> joined(const OpContext& c, const std::vector<int64_t>& dims) {
  if (dims.size() > Shape::kMaxRank) {
    return c.error(ErrorCode::op_shape, "the output would have " + std::to_string(dims.size()) +
                                            " dimensions, at most 8 are possible");
  }
  return Shape(std::span<const int64_t>(dims));
}

// Where elements pass unchanged, operands of other scales change their meaning. The converter
// guarantees equal ones; a file that breaks this is run all the same, and the user is told.
inline void note_quantization(const OpContext& c, const Value& in, const Value& out,
                              Prepared& prepared, Severity severity = Severity::note) {
  const Quant& a = in.quant;
  const Quant& b = out.quant;
  if (!a.present() || !b.present()) return;
  if (a.scale == b.scale && a.zero_point == b.zero_point && a.exponent == b.exponent) return;
  prepared.findings.push_back({severity, "", c.label(),
                               "'" + in.name + "' has " + to_string(a) + ", '" + out.name +
                                   "' has " + to_string(b) + "; elements pass unchanged",
                               ""});
}

// The result of an operator that moves elements of inputs [first, last) into its outputs of the
// given shapes: types must be equal. Errors: op_type, op_shape.
[[gnu::cold]] inline Result<Prepared> movement(const OpContext& c, size_t first, size_t last,
                                               std::vector<Shape> shapes) {
  Prepared prepared;
  const DType type = c.input(first).dtype;
  if (shapes.size() != c.output_count()) {
    return c.error(ErrorCode::graph_arity, std::to_string(c.output_count()) + " outputs, " +
                                               std::to_string(shapes.size()) + " expected");
  }
  for (size_t o = 0; o < shapes.size(); ++o) {
    if (c.output(o).dtype != type) return c.unsupported_types();
    EDGETWIN_TRY(output_shape(c, o, shapes[o]));
  }
  for (size_t i = first; i < last; ++i) {
    if (c.input(i).dtype != type) return c.unsupported_types();
    note_quantization(c, c.input(i), c.output(0), prepared);
  }
  prepared.output_shapes = std::move(shapes);
  return prepared;
}

// All elements of input 0 in their order, under another shape of as many elements.
[[gnu::cold]] inline Result<Prepared> moved_whole(const OpContext& c, const Shape& shape) {
  EDGETWIN_TRY_ASSIGN(Prepared prepared, movement(c, 0, 1, {shape}));
  const int64_t bytes = storage_bytes(c.input(0).dtype, shape.elements());
  prepared.run = [bytes](const Args& args) -> Status {
    copy_bytes(args.outputs[0], args.inputs[0], bytes);
    return Ok{};
  };
  return prepared;
}

// The output shape of an element-wise operator with two operands. Error: op_shape.
[[gnu::cold]] inline Result<Shape> broadcast_shape(const OpContext& c) {
  EDGETWIN_TRY(operands(c, 2));
  const auto out = broadcast(c.input_shape(0), c.input_shape(1));
  if (!out) {
    return c.error(ErrorCode::op_shape, "the inputs " + to_string(c.input_shape(0)) + " and " +
                                            to_string(c.input_shape(1)) +
                                            " cannot be broadcast to each other");
  }
  EDGETWIN_TRY(output_shape(c, 0, *out));
  return *out;
}

// A constant with exactly one integer. Errors: op_constant, op_type, op_shape.
[[gnu::cold]] inline Result<int64_t> one_integer(const OpContext& c, size_t i,
                                                 const std::string& what) {
  EDGETWIN_TRY_ASSIGN(const std::vector<int64_t> values, c.constant_integers(i, what));
  if (values.size() == 1) return int64_t{values[0]};
  return c.error(ErrorCode::op_shape,
                 what + " must be one number, it has " + std::to_string(values.size()));
}

}  // namespace checks
}  // namespace edgetwin::ops
