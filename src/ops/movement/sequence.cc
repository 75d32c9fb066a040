// ScatterND, ReverseSequence, StreamingCache of ESP-DL.
// Source: specification of the runtime, operators 7.
#include "numerics/saturate.h"
#include "ops/core/checks.h"
#include "ops/movement/prepare.h"

namespace edgetwin::ops {
namespace {

using Reduction = ScatterAttrs::Reduction;

template <class T>
T merged(Reduction reduction, T old, T update) {
  switch (reduction) {
    case Reduction::none:
      return update;
    case Reduction::max:
      return std::max(old, update);
    case Reduction::min:
      return std::min(old, update);
    default:
      break;
  }
  // Raw integers, saturated; a product is not rescaled.
  const bool add = reduction == Reduction::add;
  if constexpr (std::is_same_v<T, float>) {
    return add ? old + update : old * update;
  } else {
    const int64_t wide = add ? int64_t{old} + update : int64_t{old} * update;
    return numerics::saturate<T>(wide);
  }
}

struct ScatterPlan {
  std::string label;
  Shape data;
  int64_t depth = 0;    // coordinates per index
  int64_t updates = 0;  // slices
  int64_t slice = 1;    // elements of one
  Reduction reduction{};
};

[[gnu::cold]] Result<ScatterPlan> plan_scatter(const OpContext& c) {
  EDGETWIN_TRY(checks::operands(c, 3));
  const Shape& data = c.input_shape(0);
  const Shape& indices = c.input_shape(1);
  if (c.input(1).dtype != DType::int64) return c.unsupported_types();
  if (indices.rank() < 1 || indices.back(0) < 1 || indices.back(0) > data.rank()) {
    return c.error(ErrorCode::op_shape,
                   "indices " + to_string(indices) + " into a tensor of " + to_string(data));
  }
  ScatterPlan p{c.label(), data, indices.back(0), 0, 1, c.op().as<ScatterAttrs>().reduction};
  p.updates = indices.elements() / p.depth;
  p.slice = data.elements(static_cast<int>(p.depth), data.rank());
  if (c.input_shape(2).elements() == p.updates * p.slice) return p;
  return c.error(ErrorCode::op_shape, "updates " + to_string(c.input_shape(2)) + ", " +
                                          std::to_string(p.updates) + " slices of " +
                                          std::to_string(p.slice) + " elements expected");
}

// The offset of the slice that an index names, or nothing outside the tensor.
std::optional<int64_t> slice_offset(const ScatterPlan& p, const int64_t* index) {
  int64_t offset = 0;
  for (int64_t k = 0; k < p.depth; ++k) {
    const int64_t size = p.data[static_cast<int>(k)];
    const int64_t at = index[k] < 0 ? index[k] + size : index[k];
    if (at < 0 || at >= size) return std::nullopt;
    offset = offset * size + at;
  }
  return offset * p.slice;
}

template <class T>
Kernel scatter_kernel(const ScatterPlan& p) {
  return [p](const Args& args) -> Status {
    T* y = args.output<T>(0);
    copy_bytes(y, args.inputs[0], p.data.elements() * static_cast<int64_t>(sizeof(T)));
    for (int64_t u = 0; u < p.updates; ++u) {
      const auto offset = slice_offset(p, args.input<int64_t>(1) + u * p.depth);
      if (!offset) {
        return Error(ErrorCode::op_data,
                     "index " + std::to_string(u) + " lies outside " + to_string(p.data))
            .in_layer(p.label);
      }
      const T* from = args.input<T>(2) + u * p.slice;
      for (int64_t i = 0; i < p.slice; ++i) {
        y[*offset + i] = merged(p.reduction, y[*offset + i], from[i]);
      }
    }
    return Ok{};
  };
}

}  // namespace

Result<Prepared> prepare_scatter_nd(const OpContext& c) {
  EDGETWIN_TRY_ASSIGN(const ScatterPlan plan, plan_scatter(c));
  const DType type = c.input(0).dtype;
  if (c.input(2).dtype != type || c.output(0).dtype != type) return c.unsupported_types();
  Prepared prepared;
  prepared.output_shapes = {plan.data};
  EDGETWIN_TRY(checks::output_shape(c, 0, plan.data));
  checks::note_quantization(c, c.input(2), c.output(0), prepared, Severity::warning);
  switch (type) {
    case DType::int8:
      prepared.run = scatter_kernel<int8_t>(plan);
      return prepared;
    case DType::int16:
      prepared.run = scatter_kernel<int16_t>(plan);
      return prepared;
    case DType::float32:
      prepared.run = scatter_kernel<float>(plan);
      return prepared;
    default:
      return c.unsupported_types();
  }
}

Result<Prepared> prepare_reverse_sequence(const OpContext& c) {
  const auto& a = c.op().as<ReverseSequenceAttrs>();
  const Shape& in = c.input_shape(0);
  EDGETWIN_TRY_ASSIGN(const std::vector<int64_t> lengths,
                      c.constant_integers(1, "the sequence lengths"));
  const bool axes =
      (a.batch_axis == 0 && a.time_axis == 1) || (a.batch_axis == 1 && a.time_axis == 0);
  if (!axes || in.rank() < 2 || lengths.size() != static_cast<size_t>(in[a.batch_axis])) {
    return c.error(ErrorCode::op_attribute, "batch axis " + std::to_string(a.batch_axis) +
                                                ", time axis " + std::to_string(a.time_axis) +
                                                ", input " + to_string(in) + ", " +
                                                std::to_string(lengths.size()) + " lengths");
  }
  for (const int64_t l : lengths) {
    if (l < 0 || l > in[a.time_axis]) {
      return c.error(ErrorCode::op_attribute, "a sequence length of " + std::to_string(l));
    }
  }
  EDGETWIN_TRY_ASSIGN(Prepared prepared, checks::movement(c, 0, 1, {in}));
  const auto bytes = in.elements(2, in.rank()) * static_cast<int64_t>(byte_size(c.input(0).dtype));
  prepared.run = [in, lengths, bytes, batch_first = a.batch_axis == 0](const Args& args) -> Status {
    for (int64_t i = 0; i < in[0] * in[1]; ++i) {
      const int64_t batch = batch_first ? i / in[1] : i % in[1];
      const int64_t time = batch_first ? i % in[1] : i / in[1];
      const int64_t length = lengths[static_cast<size_t>(batch)];
      const int64_t from_time = time < length ? length - 1 - time : time;
      const int64_t from = batch_first ? batch * in[1] + from_time : from_time * in[1] + batch;
      copy_bytes(args.outputs[0] + i * bytes, args.inputs[0] + from * bytes, bytes);
    }
    return Ok{};
  };
  return prepared;
}

Result<Prepared> prepare_streaming_cache(const OpContext& c) {
  EDGETWIN_TRY(checks::operands(c, 2));
  const auto& a = c.op().as<StreamingCacheAttrs>();
  Shape out = c.input_shape(0);
  EDGETWIN_TRY_ASSIGN(const int axis, normal_axis(c, a.frame_axis, out.rank()));
  const int64_t frame = out.elements(axis + 1, out.rank());
  if (out.elements(0, axis) != 1 || a.window_size < 1 ||
      c.input_shape(1).elements() != (a.window_size - 1) * frame || !c.input(1).is_variable) {
    return c.error(ErrorCode::op_shape, "the sizes before the frame axis must be 1, the input is " +
                                            to_string(out) + ", frame axis " +
                                            std::to_string(axis) + ", window " +
                                            std::to_string(a.window_size));
  }
  out[axis] += a.window_size - 1;
  EDGETWIN_TRY_ASSIGN(Prepared prepared, checks::movement(c, 0, 2, {out}));
  const auto element = static_cast<int64_t>(byte_size(c.input(0).dtype));
  const int64_t kept = (a.window_size - 1) * frame * element;
  const int64_t fresh = c.input_shape(0).elements() * element;
  prepared.run = [kept, fresh](const Args& args) -> Status {
    copy_bytes(args.outputs[0], args.inputs[1], kept);
    copy_bytes(args.outputs[0] + kept, args.inputs[0], fresh);
    copy_bytes(args.state<std::byte>(1), args.outputs[0] + fresh, kept);
    return Ok{};
  };
  return prepared;
}

}  // namespace edgetwin::ops
