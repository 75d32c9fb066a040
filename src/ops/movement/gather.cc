// GATHER: slices along an axis, chosen by a tensor of indices. GATHER_ND: slices chosen by the
// coordinates along the last axis of the index tensor. Source: kernel specification 3.6 and 7.
#include "ops/core/checks.h"
#include "ops/movement/prepare.h"

namespace edgetwin::ops {
namespace {

Error out_of_range(const std::string& label, const Shape& indices, int64_t position, int64_t index,
                   int64_t size) {
  return Error(ErrorCode::op_data, "index " + index_text(indices, position) + " is " +
                                       std::to_string(index) + ", outside 0.." +
                                       std::to_string(size - 1))
      .in_layer(label);
}

// Calls fn(Index{}) with the integer type of input 1.
template <class Fn>
[[gnu::cold]] Result<Prepared> with_index_type(const OpContext& c, const Fn& fn) {
  switch (c.input(1).dtype) {
    case DType::int32:
      return fn(int32_t{});
    case DType::int64:
      return fn(int64_t{});
    default:
      return c.unsupported_types();
  }
}

// The data as batch x outer x axis x inner, the indices as batch x chosen.
struct GatherPlan {
  std::string label;
  Shape indices;
  int64_t batch = 1, outer = 1, axis = 1, inner_bytes = 1, chosen = 1;
  Shape out;
};

[[gnu::cold]] Result<GatherPlan> plan_gather(const OpContext& c) {
  const Shape& data = c.input_shape(0);
  const Shape& indices = c.input_shape(1);
  const auto& a = c.op().as<GatherAttrs>();
  EDGETWIN_TRY_ASSIGN(const int axis, normal_axis(c, a.axis, data.rank()));
  const int64_t wanted = a.batch_dims < 0 ? int64_t{a.batch_dims} + indices.rank() : a.batch_dims;
  if (wanted < 0 || wanted > axis || wanted > indices.rank()) {
    return c.error(ErrorCode::op_attribute, "batch_dims " + std::to_string(a.batch_dims) +
                                                " with axis " + std::to_string(axis) +
                                                " and indices " + to_string(indices));
  }
  const auto batch_dims = static_cast<int>(wanted);
  std::vector<int64_t> dims(data.dims().begin(), data.dims().begin() + axis);
  dims.insert(dims.end(), indices.dims().begin() + batch_dims, indices.dims().end());
  dims.insert(dims.end(), data.dims().begin() + axis + 1, data.dims().end());
  for (int i = 0; i < batch_dims; ++i) {
    if (data[i] == indices[i]) continue;
    return c.error(ErrorCode::op_shape, "the batch dimensions of " + to_string(data) + " and " +
                                            to_string(indices) + " differ");
  }
  GatherPlan p;
  p.label = c.label();
  p.indices = indices;
  EDGETWIN_TRY_ASSIGN(p.out, checks::joined(c, dims));
  EDGETWIN_TRY(checks::output_shape(c, 0, p.out));
  p.batch = data.elements(0, batch_dims);
  p.outer = data.elements(batch_dims, axis);
  p.axis = data[axis];
  p.inner_bytes =
      data.elements(axis + 1, data.rank()) * static_cast<int64_t>(byte_size(c.input(0).dtype));
  p.chosen = indices.elements(batch_dims, indices.rank());
  return p;
}

template <class Index>
Status gather(const GatherPlan& p, const Args& args) {
  const Index* indices = args.input<Index>(1);
  for (int64_t i = 0; i < p.batch * p.chosen; ++i) {
    if (indices[i] < 0 || indices[i] >= p.axis) {
      return out_of_range(p.label, p.indices, i, indices[i], p.axis);
    }
  }
  if (p.inner_bytes == 0) return Ok{};
  std::byte* to = args.outputs[0];
  for (int64_t b = 0; b < p.batch; ++b) {
    for (int64_t o = 0; o < p.outer; ++o) {
      const std::byte* from = args.inputs[0] + (b * p.outer + o) * p.axis * p.inner_bytes;
      for (int64_t k = 0; k < p.chosen; ++k) {
        copy_bytes(to, from + indices[b * p.chosen + k] * p.inner_bytes, p.inner_bytes);
        to += p.inner_bytes;
      }
    }
  }
  return Ok{};
}

// The data as sizes[0] x … x sizes[depth-1] x slice.
struct GatherNdPlan {
  std::string label;
  Shape indices;
  Shape data;
  int depth = 0;
  int64_t count = 0;  // of slices
  int64_t slice_bytes = 0;
};

template <class Index>
Status gather_nd(const GatherNdPlan& p, const Args& args) {
  const Index* index = args.input<Index>(1);
  for (int64_t i = 0; i < p.count; ++i) {
    int64_t slice = 0;
    for (int d = 0; d < p.depth; ++d, ++index) {
      if (*index < 0 || *index >= p.data[d]) {
        return out_of_range(p.label, p.indices, i * p.depth + d, *index, p.data[d]);
      }
      slice = slice * p.data[d] + *index;
    }
    if (p.slice_bytes == 0) continue;
    copy_bytes(args.outputs[0] + i * p.slice_bytes, args.inputs[0] + slice * p.slice_bytes,
               p.slice_bytes);
  }
  return Ok{};
}

}  // namespace

Result<Prepared> prepare_gather(const OpContext& c) {
  EDGETWIN_TRY(checks::operands(c, 2));
  if (byte_size(c.input(0).dtype) == 0) return c.unsupported_types();
  EDGETWIN_TRY_ASSIGN(GatherPlan plan, plan_gather(c));
  EDGETWIN_TRY_ASSIGN(Prepared prepared, checks::movement(c, 0, 1, {plan.out}));
  return with_index_type(c, [&]<class Index>(Index) -> Result<Prepared> {
    prepared.run = [plan](const Args& args) { return gather<Index>(plan, args); };
    return std::move(prepared);
  });
}

Result<Prepared> prepare_gather_nd(const OpContext& c) {
  EDGETWIN_TRY(checks::operands(c, 2));
  const DType type = c.input(0).dtype;
  if (byte_size(type) == 0) return c.unsupported_types();
  const Shape& data = c.input_shape(0);
  const Shape& indices = c.input_shape(1);
  const int64_t depth = indices.rank() > 0 ? indices.back(0) : -1;
  if (depth < 0 || depth > data.rank()) {
    return c.error(ErrorCode::op_shape, "the last axis of the indices " + to_string(indices) +
                                            " does not fit the data " + to_string(data));
  }
  GatherNdPlan p;
  p.label = c.label();
  p.indices = indices;
  p.data = data;
  p.depth = static_cast<int>(depth);
  p.count = indices.elements(0, indices.rank() - 1);
  p.slice_bytes = data.elements(p.depth, data.rank()) * static_cast<int64_t>(byte_size(type));
  std::vector<int64_t> dims(indices.dims().begin(), indices.dims().end() - 1);
  dims.insert(dims.end(), data.dims().begin() + p.depth, data.dims().end());
  EDGETWIN_TRY_ASSIGN(const Shape out, checks::joined(c, dims));
  EDGETWIN_TRY_ASSIGN(Prepared prepared, checks::movement(c, 0, 1, {out}));
  return with_index_type(c, [&]<class Index>(Index) -> Result<Prepared> {
    prepared.run = [p](const Args& args) { return gather_nd<Index>(p, args); };
    return std::move(prepared);
  });
}

}  // namespace edgetwin::ops
