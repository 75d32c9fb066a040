// Resize of ESP-DL: its own float formulas, whatever the attributes ask for.
// Source: specification of the runtime, operators 6.
#include "kernels/i8/lookup.h"
#include "ops/core/byte_table.h"
#include "ops/core/checks.h"
#include "ops/core/instantiate.h"
#include "ops/fast/wanted_isa.h"
#include "ops/window/nearest_rows.h"
#include "ops/window/prepare.h"

namespace edgetwin::ops {
namespace {

using numerics::espdl::exponent;
using numerics::espdl::scale;

// One source position and, of linear modes, how far it is to the next.
struct Tap {
  int64_t at = 0;
  float t = 0.0F;
};

struct ResizePlan {
  int64_t height = 1, width = 1, channels = 1;  // of the input
  Shape out;
  std::vector<Tap> rows, columns;
};

std::vector<Tap> nearest_taps(int64_t in, int64_t out, float inverse) {
  std::vector<Tap> taps;
  for (int64_t o = 0; o < out; ++o) {
    const auto source = static_cast<int64_t>(static_cast<float>(o) * inverse);
    taps.push_back({std::min(source, in - 1), 0.0F});
  }
  return taps;
}

std::vector<Tap> linear_taps(int64_t in, int64_t out, float inverse, bool align_corners) {
  std::vector<Tap> taps;
  if (align_corners && out > 1) {
    inverse = 1.0F / (static_cast<float>(out - 1) / static_cast<float>(in - 1));
  }
  for (int64_t o = 0; o < out; ++o) {
    const auto position = static_cast<float>(o);
    const float f = align_corners ? position * inverse : (position + 0.5F) * inverse - 0.5F;
    Tap tap{static_cast<int64_t>(std::floor(f)), f - std::floor(f)};
    if (tap.at < 0) tap = {0, 0.0F};
    if (tap.at >= in - 1) tap = {in - 2, 1.0F};
    taps.push_back(tap);
  }
  return taps;
}

// Size and inverse scale of one axis.
struct Axis {
  int64_t out = 0;
  float inverse = 1.0F;
};

[[gnu::cold]] Result<Axis> axis_of(const OpContext& c, size_t axis, int64_t in) {
  const auto& a = c.op().as<ScaleAttrs>();
  const int64_t most = kMaxTensorBytes;
  float factor = 1.0F;
  int64_t out = in;
  if (!a.scales.empty()) {
    factor = a.scales[axis];
    if (!(factor > 0.0F) || !(factor * static_cast<float>(in) < static_cast<float>(most))) {
      return c.error(ErrorCode::op_attribute, "a scale of " + std::to_string(factor));
    }
    out = static_cast<int64_t>(static_cast<float>(in) * factor);
  } else {
    out = a.sizes[axis];
    if (out < 1 || out > most) {
      return c.error(ErrorCode::op_attribute, "a size of " + std::to_string(out));
    }
    factor = static_cast<float>(out) / static_cast<float>(in);
  }
  return Axis{out, 1.0F / factor};
}

[[gnu::cold]] Result<ResizePlan> plan_resize(const OpContext& c) {
  EDGETWIN_TRY(checks::operands(c, 1));
  const auto& a = c.op().as<ScaleAttrs>();
  const Shape& given = c.input_shape(0);
  const Shape in = with_height(given);
  const size_t rank = static_cast<size_t>(given.rank());
  if (in.rank() != 4 || in.elements() < 1 || in[0] != 1) {
    return c.error(ErrorCode::op_shape, "the input must be 1xHxWxC, it is " + to_string(given));
  }
  if ((a.scales.empty() ? a.sizes.size() : a.scales.size()) != rank) {
    return c.error(ErrorCode::op_attribute, "neither scales nor sizes for all axes");
  }
  if (a.mode == ScaleAttrs::Mode::cubic) {
    return c.error(ErrorCode::op_unsupported, "cubic resizing: the runtime has none");
  }
  Axis y{1, 1.0F};
  if (rank == 4) {
    EDGETWIN_TRY_ASSIGN(y, axis_of(c, 1, in[1]));
  }
  EDGETWIN_TRY_ASSIGN(const Axis x, axis_of(c, rank - 2, in[2]));
  ResizePlan p{in[1], in[2], in[3], like_input({1, y.out, x.out, in[3]}, given), {}, {}};
  EDGETWIN_TRY(checks::output_shape(c, 0, p.out));
  if (p.out.elements() < 1) return c.error(ErrorCode::op_shape, "the output would be empty");
  const bool nearest = a.mode == ScaleAttrs::Mode::nearest;
  const bool thin = !nearest && (in[2] < 2 || (rank == 4 && in[1] < 2));
  if (thin) {
    return c.error(ErrorCode::op_undefined,
                   "linear resizing of one row or column: the runtime reads outside it");
  }
  p.rows = nearest || rank == 3 ? nearest_taps(in[1], y.out, y.inverse)
                                : linear_taps(in[1], y.out, y.inverse, a.align_corners);
  p.columns = nearest ? nearest_taps(in[2], x.out, x.inverse)
                      : linear_taps(in[2], x.out, x.inverse, a.align_corners);
  return p;
}

template <class Fn>
void each_output(const ResizePlan& p, int8_t* y, const Fn& fn) {
  for (const Tap& row : p.rows) {
    for (const Tap& column : p.columns) {
      for (int64_t ch = 0; ch < p.channels; ++ch) *y++ = fn(row, column, ch);
    }
  }
}

// An element from one exponent to another.
template <class F>
int8_t moved_exponent(int8_t v, int shift) {
  if (shift == 0) return v;
  const float real = static_cast<float>(v) * scale(std::max(0, -shift)) / scale(std::max(0, shift));
  // The portable code does not saturate here: it wraps.
  if constexpr (F::Unit::kVector == numerics::espdl::VectorUnit::none) {
    return static_cast<int8_t>(numerics::espdl::round_to<int32_t, typename F::Unit>(real));
  }
  return numerics::espdl::round_to<int8_t, typename F::Unit>(real);
}

template <class F>
Kernel nearest_kernel(const ResizePlan& p, int shift) {
  return [p, shift](const Args& args) -> Status {
    const auto* x = args.input<int8_t>(0);
    each_output(p, args.output<int8_t>(0), [&](const Tap& row, const Tap& column, int64_t ch) {
      return moved_exponent<F>(x[(row.at * p.width + column.at) * p.channels + ch], shift);
    });
    return Ok{};
  };
}

// The same with whole pixels: a row of the input changes its exponent by a table of all bytes, and
// its pixels are copied.
template <class F>
Kernel nearest_rows_kernel(const ResizePlan& p, int shift, kernels::Isa isa) {
  ByteTable table;
  for (int v = -128; v < 128; ++v) {
    table[static_cast<uint8_t>(v)] =
        static_cast<uint8_t>(moved_exponent<F>(static_cast<int8_t>(v), shift));
  }
  const auto places = [](const std::vector<Tap>& taps) {
    std::vector<int64_t> at;
    for (const Tap& tap : taps) at.push_back(tap.at);
    return at;
  };
  const int64_t in_row = p.width * p.channels;
  const auto rows = std::make_shared<const NearestRows>(places(p.rows), places(p.columns), p.width,
                                                        p.channels, kernels::resize_table(isa));
  return [rows, in_row, shift, isa, table](const Args& args) -> Status {
    const auto part = [&](int64_t begin, int64_t end, int) {
      std::vector<std::byte> changed(shift == 0 ? 0 : static_cast<size_t>(in_row));
      const auto source = [&](int64_t y) -> const std::byte* {
        const std::byte* row = args.inputs[0] + y * in_row;
        if (shift == 0) return row;
        kernels::lookup8(table.data(), reinterpret_cast<const uint8_t*>(row),
                         reinterpret_cast<uint8_t*>(changed.data()), changed.size(), isa);
        return changed.data();
      };
      rows->copy(begin, end, args.outputs[0] + begin * rows->row_bytes(), source);
    };
    args.pool.parallel_for(rows->height(), grain_for(rows->row_bytes() / 8), part);
    return Ok{};
  };
}

template <class F>
Kernel linear_kernel(const ResizePlan& p, bool one_axis, float si, float so) {
  return [p, one_axis, si, so](const Args& args) -> Status {
    const auto* x = args.input<int8_t>(0);
    const auto between = [&](int64_t row, const Tap& column, int64_t ch) {
      const int8_t* at = x + (row * p.width + column.at) * p.channels + ch;
      const float a = static_cast<float>(at[0]) * si;
      const float b = static_cast<float>(at[p.channels]) * si;
      return a * (1.0F - column.t) + b * column.t;
    };
    each_output(p, args.output<int8_t>(0), [&](const Tap& row, const Tap& column, int64_t ch) {
      float v = between(row.at, column, ch);
      if (!one_axis) v = v * (1.0F - row.t) + between(row.at + 1, column, ch) * row.t;
      return numerics::espdl::round_to<int8_t, typename F::Unit>(v * so);
    });
    return Ok{};
  };
}

}  // namespace

template <class F>
Result<Prepared> prepare_resize(const OpContext& c) {
  EDGETWIN_TRY_ASSIGN(const ResizePlan plan, plan_resize(c));
  Prepared prepared;
  prepared.output_shapes = {plan.out};
  if (c.input(0).dtype == DType::int16 && c.output(0).dtype == DType::int16) {
    if (!c.options().allow_undefined) {
      return c
          .error(ErrorCode::op_undefined,
                 "the runtime has no 16-bit Resize: the output keeps what its memory held")
          .with_hint("Quantize this operator to 8 bits; `--allow-undefined` gives zeros.");
    }
    prepared.run = [bytes = plan.out.elements() * 2](const Args& args) -> Status {
      std::memset(args.outputs[0], 0, static_cast<size_t>(bytes));
      return Ok{};
    };
    return prepared;
  }
  if (c.input(0).dtype != DType::int8 || c.output(0).dtype != DType::int8) {
    return c.unsupported_types();
  }
  EDGETWIN_TRY(numerics::espdl::check_exponent(c.input(0).quant, "the input"));
  EDGETWIN_TRY(numerics::espdl::check_exponent(c.output(0).quant, "the output"));
  const int e_in = exponent(c.input(0).quant);
  const int e_out = exponent(c.output(0).quant);
  const bool nearest = c.op().as<ScaleAttrs>().mode == ScaleAttrs::Mode::nearest;
  const kernels::Isa isa = wanted_isa(c.options());
  if (nearest && isa != kernels::Isa::plain) {
    prepared.path = std::string(kernels::name(isa));
    prepared.run = nearest_rows_kernel<F>(plan, e_out - e_in, isa);
    return prepared;
  }
  prepared.run =
      nearest ? nearest_kernel<F>(plan, e_out - e_in)
              : linear_kernel<F>(plan, c.input_shape(0).rank() == 3, scale(e_in), scale(-e_out));
  return prepared;
}

EDGETWIN_FOR_EACH_ESPDL(prepare_resize)

}  // namespace edgetwin::ops
