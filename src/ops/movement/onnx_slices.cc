// Movement of ONNX that TensorFlow Lite words otherwise: Slice, Split, Pad, Concat of ESP-DL.
// Source: specification of the runtime, operators 7.
#include <numeric>

#include "ops/core/checks.h"
#include "ops/core/pieces.h"
#include "ops/movement/prepare.h"
#include "ops/movement/strided_kernel.h"

namespace edgetwin::ops {
namespace {

struct SlicePlan {
  Shape out;
  std::array<int64_t, Shape::kMaxRank> strides = {};
  int64_t base = 0;
};

[[gnu::cold]] Result<SlicePlan> plan_slice(const OpContext& c) {
  EDGETWIN_TRY(checks::operands(c, 1));
  const auto& a = c.op().as<SliceStepsAttrs>();
  const Shape& in = c.input_shape(0);
  SlicePlan p{in, memory_strides(in), 0};
  std::array<bool, Shape::kMaxRank> taken = {};
  for (size_t i = 0; i < a.axes.size(); ++i) {
    EDGETWIN_TRY_ASSIGN(const int axis, normal_axis(c, a.axes[i], in.rank()));
    if (std::exchange(taken[static_cast<size_t>(axis)], true)) {
      return c.error(ErrorCode::op_attribute, "axis " + std::to_string(axis) + " is named twice");
    }
    const int64_t size = in[axis];
    if (a.steps[i] < 1) {
      return c.error(ErrorCode::op_undefined, "a step of " + std::to_string(a.steps[i]) +
                                                  ": what the runtime does with it is not known");
    }
    const int64_t step = std::min(a.steps[i], std::max<int64_t>(size, 1));
    const auto position = [size](int64_t v) {
      return std::clamp<int64_t>(v < 0 ? v + size : v, 0, size);
    };
    const int64_t start = position(a.starts[i]);
    const int64_t end = position(a.ends[i]);
    p.out[axis] = end > start ? (end - start - 1) / step + 1 : 0;
    p.base += start * p.strides[static_cast<size_t>(axis)];
    p.strides[static_cast<size_t>(axis)] *= step;
  }
  return p;
}

}  // namespace

Result<Prepared> prepare_slice_steps(const OpContext& c) {
  EDGETWIN_TRY_ASSIGN(const SlicePlan p, plan_slice(c));
  EDGETWIN_TRY_ASSIGN(Prepared prepared, checks::movement(c, 0, 1, {p.out}));
  return gathered(c, std::move(prepared), StridedPlan::make(p.out, p.strides, p.base));
}

Result<Prepared> prepare_split_sizes(const OpContext& c) {
  EDGETWIN_TRY(checks::operands(c, 1));
  const auto& a = c.op().as<SplitSizesAttrs>();
  const Shape& in = c.input_shape(0);
  EDGETWIN_TRY_ASSIGN(const int axis, normal_axis(c, a.axis, in.rank()));
  int64_t sum = 0;
  std::vector<Shape> parts;
  for (const int64_t size : a.sizes) {
    if (size < 0 || size > in[axis])
      return c.error(ErrorCode::op_attribute, "a part of size " + std::to_string(size));
    sum += size;
    parts.push_back(in);
    parts.back()[axis] = size;
  }
  if (sum != in[axis] || parts.size() != c.output_count()) {
    return c.error(ErrorCode::op_shape, std::to_string(parts.size()) + " parts of together " +
                                            std::to_string(sum) + ", axis " + std::to_string(axis) +
                                            " of " + to_string(in) + ", " +
                                            std::to_string(c.output_count()) + " outputs");
  }
  EDGETWIN_TRY_ASSIGN(Prepared prepared, checks::movement(c, 0, 1, parts));
  const auto element = static_cast<int64_t>(byte_size(c.input(0).dtype));
  if (element == 0) return c.unsupported_types();
  std::vector<int64_t> bytes;
  for (const Shape& s : parts) bytes.push_back(s.elements(axis, s.rank()) * element);
  prepared.run = [outer = in.elements(0, axis), bytes](const Args& args) -> Status {
    const int64_t all = std::accumulate(bytes.begin(), bytes.end(), int64_t{0});
    each_few(outer, [&](int64_t first, int64_t count) {
      const std::byte* from = args.inputs[0] + first * all;
      for (size_t k = 0; k < bytes.size(); ++k) {
        if (args.outputs[k] != args.inputs[0]) {  // one part in place
          copy_pieces({args.outputs[k] + first * bytes[k], from, bytes[k], all, bytes[k], count});
        }
        from += bytes[k];
      }
    });
    return Ok{};
  };
  return prepared;
}

namespace {

struct BorderPlan {
  Shape out;
  // Of every axis: the input position of each output position; -1: the constant.
  std::vector<std::vector<int64_t>> sources;
};

int64_t source_of(BorderPadAttrs::Mode mode, int64_t at, int64_t size) {
  if (at >= 0 && at < size) return at;
  switch (mode) {
    case BorderPadAttrs::Mode::constant:
      return -1;
    case BorderPadAttrs::Mode::edge:
      return at < 0 ? 0 : size - 1;
    case BorderPadAttrs::Mode::reflect:
      return at < 0 ? -at : 2 * (size - 1) - at;
  }
  return -1;
}

[[gnu::cold]] Result<BorderPlan> plan_border(const OpContext& c) {
  EDGETWIN_TRY(checks::operands(c, 1));
  const auto& a = c.op().as<BorderPadAttrs>();
  const Shape& in = c.input_shape(0);
  const auto rank = static_cast<size_t>(in.rank());
  if (a.before.size() != rank || a.after.size() != rank || rank == 0) {
    return c.error(ErrorCode::op_attribute, "pads for " + std::to_string(a.before.size()) +
                                                " axes, the input is " + to_string(in));
  }
  BorderPlan p;
  constexpr int64_t most = 1 << 24;
  for (size_t i = 0; i < rank; ++i) {
    const int64_t size = in[static_cast<int>(i)];
    const auto small = [](int64_t v) { return v >= -most && v <= most; };
    const bool bounded = small(a.before[i]) && small(a.after[i]);
    const int64_t grown = bounded ? size + a.before[i] + a.after[i] : -1;
    const bool reflect = a.mode == BorderPadAttrs::Mode::reflect;
    const int64_t reach = std::max(a.before[i], a.after[i]);
    const bool sane = grown >= 0 && (!reflect || reach < size) && (size > 0 || reach <= 0);
    if (!sane) {
      return c.error(ErrorCode::op_attribute,
                     "axis " + std::to_string(i) + " of size " + std::to_string(size) + ": pads " +
                         std::to_string(a.before[i]) + " and " + std::to_string(a.after[i]));
    }
    p.out.push_back(grown);
  }
  EDGETWIN_TRY(checks::output_shape(c, 0, p.out));
  for (size_t i = 0; i < rank; ++i) {
    p.sources.emplace_back();
    for (int64_t o = 0; o < p.out[static_cast<int>(i)]; ++o) {
      p.sources[i].push_back(source_of(a.mode, o - a.before[i], in[static_cast<int>(i)]));
    }
  }
  return p;
}

// The linear input index of an output index, or -1 where the constant stands.
int64_t border_source(const BorderPlan& p, const Shape& in, int64_t index) {
  int64_t source = 0;
  int64_t stride = 1;
  for (int i = in.rank() - 1; i >= 0; --i) {
    const int64_t at = p.sources[static_cast<size_t>(i)][static_cast<size_t>(index % p.out[i])];
    if (at < 0) return -1;
    index /= p.out[i];
    source += at * stride;
    stride *= in[i];
  }
  return source;
}

}  // namespace

Result<Prepared> prepare_border_pad(const OpContext& c) {
  EDGETWIN_TRY_ASSIGN(const BorderPlan plan, plan_border(c));
  const bool has_value = c.has_input(1);
  if (has_value && (c.input(1).dtype != c.input(0).dtype || c.input_shape(1).elements() != 1)) {
    return c.error(ErrorCode::op_shape, "the value to pad with must be one element of the type");
  }
  EDGETWIN_TRY_ASSIGN(Prepared prepared, checks::movement(c, 0, 1, {plan.out}));
  return with_element_size(c, c.input(0).dtype, [&]<class T>(T) -> Result<Prepared> {
    prepared.run = [plan, has_value, in = c.input_shape(0)](const Args& args) -> Status {
      const T* x = args.input<T>(0);
      T* y = args.output<T>(0);
      const T value = has_value ? *args.input<T>(1) : T{0};
      for (int64_t i = 0; i < plan.out.elements(); ++i) {
        const int64_t from = border_source(plan, in, i);
        y[i] = from < 0 ? value : x[from];
      }
      return Ok{};
    };
    return std::move(prepared);
  });
}

Result<Prepared> prepare_raw_concatenation(const OpContext& c) {
  EDGETWIN_TRY(checks::operands(c, c.input_count()));
  Shape out = c.input_shape(0);
  EDGETWIN_TRY_ASSIGN(const int axis, normal_axis(c, c.op().as<ConcatAttrs>().axis, out.rank()));
  const auto element = static_cast<int64_t>(byte_size(c.input(0).dtype));
  std::vector<int64_t> bytes;
  out[axis] = 0;
  for (size_t i = 0; i < c.input_count(); ++i) {
    Shape part = c.input_shape(i);
    const int64_t size = part.rank() == out.rank() ? part[axis] : 0;
    if (part.rank() == out.rank()) part[axis] = out[axis];
    if (!(part == out)) {
      return c.error(ErrorCode::op_shape, "input " + std::to_string(i) + " is " +
                                              to_string(c.input_shape(i)) + ", input 0 is " +
                                              to_string(c.input_shape(0)) + ", axis " +
                                              std::to_string(axis));
    }
    out[axis] += size;
    bytes.push_back(c.input_shape(i).elements(axis, out.rank()) * element);
  }
  EDGETWIN_TRY_ASSIGN(Prepared prepared, checks::movement(c, 0, c.input_count(), {out}));
  if (element == 0) return c.unsupported_types();
  for (Finding& f : prepared.findings) f.severity = Severity::warning;
  prepared.run = [outer = out.elements(0, axis), bytes](const Args& args) -> Status {
    const int64_t all = std::accumulate(bytes.begin(), bytes.end(), int64_t{0});
    each_few(outer, [&](int64_t first, int64_t count) {
      std::byte* to = args.outputs[0] + first * all;
      for (size_t i = 0; i < bytes.size(); ++i) {
        if (args.inputs[i] != args.outputs[0]) {  // one part in place
          copy_pieces({to, args.inputs[i] + first * bytes[i], all, bytes[i], bytes[i], count});
        }
        to += bytes[i];
      }
    });
    return Ok{};
  };
  return prepared;
}

}  // namespace edgetwin::ops
