// PACK and UNPACK: tensors of one shape become the slices of one tensor along a new axis, and the
// other way round. Source: kernel specification 3.6.
#include "ops/core/checks.h"
#include "ops/movement/prepare.h"

namespace edgetwin::ops {
namespace {

// The packed tensor as outer x count x inner; a slice is outer x inner.
struct PackPlan {
  int64_t outer;
  int64_t count;
  int64_t inner_bytes;
};

PackPlan plan_for(const Shape& slice, int axis, int64_t count, DType type) {
  const auto size = static_cast<int64_t>(byte_size(type));
  return {slice.elements(0, axis), count, slice.elements(axis, slice.rank()) * size};
}

// copy(packed offset, slice number, offset in slice, bytes) for every contiguous piece.
template <class Fn>
void for_each_piece(const PackPlan& p, const Fn& copy) {
  for (int64_t o = 0; o < p.outer; ++o) {
    for (int64_t k = 0; k < p.count; ++k) {
      copy((o * p.count + k) * p.inner_bytes, static_cast<size_t>(k), o * p.inner_bytes,
           p.inner_bytes);
    }
  }
}

Status check_slices(const OpContext& c) {
  EDGETWIN_TRY(checks::operands(c, c.input_count()));
  const auto wanted = static_cast<int64_t>(c.input_count());
  if (c.op().as<PackAttrs>().values_count != wanted) {
    return c.error(ErrorCode::op_attribute,
                   "values_count is " + std::to_string(c.op().as<PackAttrs>().values_count) +
                       ", there are " + std::to_string(wanted) + " inputs");
  }
  for (size_t i = 1; i < c.input_count(); ++i) {
    if (c.input_shape(i) == c.input_shape(0)) continue;
    return c.error(ErrorCode::op_shape, "input " + std::to_string(i) + " is " +
                                            to_string(c.input_shape(i)) + ", input 0 is " +
                                            to_string(c.input_shape(0)));
  }
  return Ok{};
}

}  // namespace

Result<Prepared> prepare_pack(const OpContext& c) {
  EDGETWIN_TRY(check_slices(c));
  const Shape& in = c.input_shape(0);
  EDGETWIN_TRY_ASSIGN(const int axis, normal_axis(c, c.op().as<PackAttrs>().axis, in.rank() + 1));
  std::vector<int64_t> dims(in.dims().begin(), in.dims().end());
  dims.insert(dims.begin() + axis, static_cast<int64_t>(c.input_count()));
  EDGETWIN_TRY_ASSIGN(const Shape out, checks::joined(c, dims));
  EDGETWIN_TRY_ASSIGN(Prepared prepared, checks::movement(c, 0, c.input_count(), {out}));
  const DType type = c.input(0).dtype;
  if (byte_size(type) == 0) return c.unsupported_types();
  const PackPlan plan = plan_for(in, axis, out[axis], type);
  prepared.run = [plan](const Args& args) -> Status {
    for_each_piece(plan, [&args](int64_t packed, size_t k, int64_t slice, int64_t size) {
      if (size > 0) copy_bytes(args.outputs[0] + packed, args.inputs[k] + slice, size);
    });
    return Ok{};
  };
  return prepared;
}

Result<Prepared> prepare_unpack(const OpContext& c) {
  EDGETWIN_TRY(checks::operands(c, 1));
  const Shape& in = c.input_shape(0);
  const auto& a = c.op().as<UnpackAttrs>();
  EDGETWIN_TRY_ASSIGN(const int axis, normal_axis(c, a.axis, in.rank()));
  const auto outputs = static_cast<int64_t>(c.output_count());
  if (a.num != outputs || in[axis] != outputs) {
    return c.error(ErrorCode::op_attribute, "num is " + std::to_string(a.num) + ", there are " +
                                                std::to_string(outputs) + " outputs and axis " +
                                                std::to_string(axis) + " has the size " +
                                                std::to_string(in[axis]));
  }
  Shape slice;
  for (int i = 0; i < in.rank(); ++i) {
    if (i != axis) slice.push_back(in[i]);
  }
  EDGETWIN_TRY_ASSIGN(Prepared prepared,
                      checks::movement(c, 0, 1, std::vector<Shape>(c.output_count(), slice)));
  const DType type = c.input(0).dtype;
  if (byte_size(type) == 0) return c.unsupported_types();
  const PackPlan plan = plan_for(slice, axis, outputs, type);
  prepared.run = [plan](const Args& args) -> Status {
    for_each_piece(plan, [&args](int64_t packed, size_t k, int64_t piece, int64_t size) {
      if (size > 0) copy_bytes(args.outputs[k] + piece, args.inputs[0] + packed, size);
    });
    return Ok{};
  };
  return prepared;
}

}  // namespace edgetwin::ops
