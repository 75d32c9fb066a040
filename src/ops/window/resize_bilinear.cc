// RESIZE_BILINEAR: the walk; positions and mixing are those of the numerics. Source: kernel
// spec. 3.10.
#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/elements/resize.h"
#include "ops/core/common.h"
#include "ops/core/instantiate.h"
#include "ops/edgetpu/open.h"
#include "ops/fast/wanted_isa.h"
#include "ops/window/prepare.h"
#include "tensor/tensor.h"

namespace edgetwin::ops {
namespace {

template <class Rule>
using BetweenAxis = std::vector<numerics::tflite::Between<typename Rule::Weight>>;

template <class Rule>
std::shared_ptr<const BetweenAxis<Rule>> make_axis(const numerics::tflite::ResizeAxis& a) {
  auto axis = std::make_shared<BetweenAxis<Rule>>();
  for (int64_t i = 0; i < a.out; ++i) axis->push_back(Rule::between(a, i));
  return axis;
}

template <class T, class Rule>
void resize_rows(const Window2D& g, View4<const T> x, const BetweenAxis<Rule>& rows,
                 const BetweenAxis<Rule>& columns, View4<T> y, int64_t begin, int64_t end) {
  for (int64_t row = begin; row < end; ++row) {
    const int n = static_cast<int>(row / g.out_h);
    const int oy = static_cast<int>(row % g.out_h);
    const auto& by = rows[static_cast<size_t>(oy)];
    const int top = static_cast<int>(by.low);
    const int bottom = static_cast<int>(by.high);
    for (int ox = 0; ox < g.out_w; ++ox) {
      const auto& bx = columns[static_cast<size_t>(ox)];
      const int left = static_cast<int>(bx.low);
      const int right = static_cast<int>(bx.high);
      for (int c = 0; c < g.in_c; ++c) {
        y(n, oy, ox, c) = Rule::mix(x(n, top, left, c), x(n, bottom, left, c), x(n, top, right, c),
                                    x(n, bottom, right, c), by, bx);
      }
    }
  }
}

// The rules that kernels/core/resize_loops.h computes, with what they are made of there.
template <class Rule>
struct FastResize {
  static constexpr bool kExists = false;
};
template <numerics::Requantization R>
struct FastResize<numerics::tflite::ResizeBilinear<int8_t, R>> {
  static constexpr bool kExists = true;
  static constexpr bool kHalfUp = R == numerics::Requantization::single_rounding;
  static constexpr int kOneBits = 10;
  using Weight = int32_t;
  static auto rows(const kernels::ResizeTable& table) { return table.bytes; }
  static auto narrow_rows(const kernels::ResizeTable& table) { return table.narrow_bytes; }
};
template <numerics::Requantization R>
struct FastResize<numerics::tflite::ResizeBilinear<uint8_t, R>> {
  static constexpr bool kExists = true;
  static constexpr bool kHalfUp = false;
  using Weight = float;
  static auto rows(const kernels::ResizeTable& table) { return table.unsigned_bytes; }
  static auto narrow_rows(const kernels::ResizeTable& table) { return table.narrow_unsigned_bytes; }
};
template <class T>
struct FastResize<numerics::edgetpu::ResizeBilinear<T>> {
  static constexpr bool kExists = true;
  static constexpr bool kHalfUp = false;  // to even
  static constexpr int kOneBits = 7;
  using Weight = int32_t;
  static auto rows(const kernels::ResizeTable& table) {
    if constexpr (std::is_same_v<T, int8_t>) {
      return table.edgetpu_bytes;
    } else {
      return table.edgetpu_unsigned_bytes;
    }
  }
  static auto narrow_rows(const kernels::ResizeTable& table) {
    if constexpr (std::is_same_v<T, int8_t>) {
      return table.narrow_edgetpu_bytes;
    } else {
      return table.narrow_edgetpu_unsigned_bytes;
    }
  }
};

// Where both pixels are the same one, it has all of the weight: the same in integers, and in floats
// that are exact. half_pixel_centers have weights below zero and above one there.
template <class Rule>
BetweenAxis<Rule> with_plain_edges(BetweenAxis<Rule> axis) {
  for (auto& b : axis) {
    if (b.low != b.high) continue;
    b.low_weight += b.high_weight;
    b.high_weight = 0;
  }
  return axis;
}

template <class Rule>
bool is_between(const BetweenAxis<Rule>& axis) {
  return std::ranges::all_of(axis,
                             [](const auto& b) { return b.low_weight >= 0 && b.high_weight >= 0; });
}

// The least b of 1 ... 7 for which all weights are multiples of 2^-b from -1 to two; 8: none is.
template <class Rule>
int bits_of(const BetweenAxis<Rule>& axis) {
  const auto is_narrow = [&axis](int bits) {
    return std::ranges::all_of(axis, [bits](const auto& b) {
      const double one = static_cast<double>(b.low_weight) + static_cast<double>(b.high_weight);
      const double high = static_cast<double>(b.high_weight) / one;
      return std::abs(high) <= 1 &&
             std::nearbyint(std::ldexp(high, bits)) == std::ldexp(high, bits);
    });
  };
  int bits = 1;
  while (bits < 8 && !is_narrow(bits)) ++bits;
  return bits;
}

// `Weight` of `one`, as the kernels count: in words one is 2^bits.
template <class Weight, class From>
Weight weight_of(From from, From one, int bits) {
  if constexpr (std::is_same_v<Weight, int16_t>) {
    return static_cast<int16_t>(
        std::ldexp(static_cast<double>(from) / static_cast<double>(one), bits));
  } else {
    return static_cast<Weight>(from);
  }
}

template <class Weight, class Rule>
auto make_columns(const BetweenAxis<Rule>& axis, int channels, int bits) {
  auto columns = std::make_shared<std::vector<kernels::ResizeColumn<Weight>>>();
  for (const auto& b : axis) {
    const auto one = b.low_weight + b.high_weight;
    columns->push_back({.low = b.low * channels,
                        .high = b.high * channels,
                        .low_weight = weight_of<Weight>(b.low_weight, one, bits),
                        .high_weight = weight_of<Weight>(b.high_weight, one, bits)});
  }
  return columns;
}

struct ResizeBits {
  int rows = 0, columns = 0;
};

// Output rows [begin, end) of a picture that lie between the same two input rows follow each other.
struct RowSpan {
  int64_t low = 0, high = 0, begin = 0, end = 0;
};

template <class Rule>
std::vector<RowSpan> spans_of(const BetweenAxis<Rule>& rows) {
  std::vector<RowSpan> spans;
  for (size_t y = 0; y < rows.size(); ++y) {
    const auto at = static_cast<int64_t>(y);
    const bool same = y > 0 && spans.back().low == rows[y].low && spans.back().high == rows[y].high;
    if (!same) spans.push_back({rows[y].low, rows[y].high, at, at});
    spans.back().end = at + 1;
  }
  return spans;
}

// Calls run(picture, span) for the output rows [begin, end) of all pictures, of `rows` each.
template <class Run>
void each_span(const std::vector<RowSpan>& spans, int64_t rows, int64_t begin, int64_t end,
               const Run& run) {
  while (begin < end) {
    const int64_t picture = begin / rows, first = begin % rows;
    auto span =
        *std::ranges::partition_point(spans, [first](const RowSpan& s) { return s.end <= first; });
    span.begin = first;
    span.end = std::min(span.end, first + end - begin);
    run(picture, span);
    begin += span.end - span.begin;
  }
}

// `run` takes rows whose sums are of the type Sum.
template <class T, class Rule, class Sum>
Kernel integer_kernel(void (*run)(const kernels::ResizeRows<T, Sum>&), const Window2D& g,
                      const BetweenAxis<Rule>& rows, const BetweenAxis<Rule>& columns,
                      ResizeBits bits) {
  std::vector<Sum> weights;
  for (const auto& b : rows) {
    weights.push_back(weight_of<Sum>(b.high_weight, b.low_weight + b.high_weight, bits.rows));
  }
  return [g, run, bits, weights = std::move(weights), spans = spans_of<Rule>(rows),
          between =
              make_columns<Sum, Rule>(columns, g.in_c, bits.columns)](const Args& args) -> Status {
    const int64_t in_row = int64_t{g.in_w} * g.in_c, out_row = int64_t{g.out_w} * g.out_c;
    const auto part = [&](int64_t begin, int64_t end, int) {
      constexpr int64_t kBlock = kernels::kResizeBlock;
      std::vector<Sum> sums(static_cast<size_t>(2 * (out_row + kBlock)));
      std::vector<Sum> wide(static_cast<size_t>(in_row + kBlock));
      std::array<const T*, 2> held{};
      each_span(spans, g.out_h, begin, end, [&](int64_t n, const RowSpan& span) {
        const T* picture = args.input<T>(0) + n * g.in_h * in_row;
        run({.top = picture + span.low * in_row,
             .bottom = picture + span.high * in_row,
             .weights = weights.data() + span.begin,
             .rows = span.end - span.begin,
             .one_bits = bits.rows,
             .in_elements = in_row,
             .columns = between->data(),
             .out_width = g.out_w,
             .channels = g.out_c,
             .sums = sums.data(),
             .held = held.data(),
             .wide = wide.data(),
             .out = args.output<T>(0) + (n * g.out_h + span.begin) * out_row,
             .shift = bits.rows + bits.columns,
             .half_up = FastResize<Rule>::kHalfUp});
      });
    };
    args.pool.parallel_for(int64_t{g.batch} * g.out_h, grain_for(out_row), part);
    return Ok{};
  };
}

template <class Rule>
Kernel float_kernel(void (*run)(const kernels::ResizeFloats&), const Window2D& g,
                    const BetweenAxis<Rule>& rows, const BetweenAxis<Rule>& columns) {
  return [g, run, down = rows,
          between = make_columns<float, Rule>(columns, g.in_c, 0)](const Args& args) -> Status {
    const int64_t in_row = int64_t{g.in_w} * g.in_c, out_row = int64_t{g.out_w} * g.out_c;
    const auto part = [&](int64_t begin, int64_t end, int) {
      constexpr int64_t kBlock = kernels::kResizeBlock;
      std::vector<float> sums(static_cast<size_t>(2 * (in_row + kBlock)));
      std::vector<float> wide(static_cast<size_t>(out_row + kBlock));
      for (int64_t row = begin; row < end; ++row) {
        const uint8_t* picture = args.input<uint8_t>(0) + row / g.out_h * g.in_h * in_row;
        const auto& y = down[static_cast<size_t>(row % g.out_h)];
        run({.top = picture + y.low * in_row,
             .bottom = picture + y.high * in_row,
             .top_weight = y.low_weight,
             .bottom_weight = y.high_weight,
             .in_elements = in_row,
             .columns = between->data(),
             .out_width = g.out_w,
             .channels = g.out_c,
             .sums = sums.data(),
             .wide = wide.data(),
             .out = args.output<uint8_t>(0) + row * out_row});
      }
    };
    args.pool.parallel_for(int64_t{g.batch} * g.out_h, grain_for(out_row), part);
    return Ok{};
  };
}

// Null: these weights are for the plain walk.
template <class T, class Rule>
Kernel fast_resize(const kernels::ResizeTable& table, const Window2D& g,
                   const BetweenAxis<Rule>& rows, const BetweenAxis<Rule>& columns) {
  using Fast = FastResize<Rule>;
  const BetweenAxis<Rule> down = with_plain_edges<Rule>(rows),
                          across = with_plain_edges<Rule>(columns);
  const bool proper = is_between<Rule>(down) && is_between<Rule>(across);
  constexpr bool is_float = std::is_same_v<typename Fast::Weight, float>;
  const ResizeBits bits{bits_of<Rule>(is_float ? rows : down),
                        bits_of<Rule>(is_float ? columns : across)};
  if (proper && bits.rows + bits.columns <= 8) {
    return integer_kernel<T, Rule>(Fast::narrow_rows(table), g, down, across, bits);
  }
  if constexpr (is_float) {
    return float_kernel<Rule>(Fast::rows(table), g, rows, columns);
  } else {
    if (!proper) return {};
    const ResizeBits one{Fast::kOneBits, Fast::kOneBits};
    return integer_kernel<T, Rule>(Fast::rows(table), g, down, across, one);
  }
}

template <class T, class Rule>
Prepared prepare_resize(const OpContext& c, const Window2D& g, const ResizeAttrs& a) {
  const auto rows = make_axis<Rule>({g.in_h, g.out_h, a.align_corners, a.half_pixel_centers});
  const auto columns = make_axis<Rule>({g.in_w, g.out_w, a.align_corners, a.half_pixel_centers});
  Prepared prepared;
  prepared.output_shapes = {window_shape(g)};
  if constexpr (FastResize<Rule>::kExists) {
    const kernels::Isa isa = wanted_isa(c.options());
    const kernels::ResizeTable* table = kernels::resize_table(isa);
    if (table != nullptr) prepared.run = fast_resize<T, Rule>(*table, g, *rows, *columns);
    if (prepared.run) {
      prepared.path = std::string(kernels::name(isa));
      return prepared;
    }
  }
  prepared.run = [g, rows, columns](const Args& args) -> Status {
    const View4<const T> x{args.input<T>(0), g.batch, g.in_h, g.in_w, g.in_c};
    const View4<T> y{args.output<T>(0), g.batch, g.out_h, g.out_w, g.out_c};
    args.pool.parallel_for(int64_t{g.batch} * g.out_h, grain_for(int64_t{g.out_w} * g.out_c * 8),
                           [&](int64_t begin, int64_t end, int) {
                             resize_rows<T, Rule>(g, x, *rows, *columns, y, begin, end);
                           });
    return Ok{};
  };
  return prepared;
}

[[gnu::cold]] Result<Window2D> plan_bilinear(const OpContext& c) {
  const auto& a = c.op().as<ResizeAttrs>();
  if (a.align_corners && a.half_pixel_centers) {
    return c.error(ErrorCode::op_attribute,
                   "align_corners and half_pixel_centers exclude each other");
  }
  EDGETWIN_TRY_ASSIGN(const auto size, c.constant_integers(1, "the size"));
  constexpr int64_t kMax = 1 << 20;
  if (size.size() != 2 || size[0] < 1 || size[1] < 1 || size[0] > kMax || size[1] > kMax) {
    return c.error(ErrorCode::op_shape, "the size must be two numbers of at least 1");
  }
  const WindowAttrs one{.padding = {},
                        .stride_h = 1,
                        .stride_w = 1,
                        .dilation_h = 1,
                        .dilation_w = 1,
                        .kernel_h = 1,
                        .kernel_w = 1};
  EDGETWIN_TRY_ASSIGN(Window2D g, window_geometry(c, c.input_shape(0), one));
  g.out_h = static_cast<int>(size[0]);
  g.out_w = static_cast<int>(size[1]);
  g.out_c = g.in_c;
  if (!checked_elements(window_shape(g).dims(), kMaxTensorBytes)) {
    return c.error(ErrorCode::op_shape,
                   "the result " + to_string(window_shape(g)) + " is too large");
  }
  return g;
}

}  // namespace

template <class F>
Result<Prepared> prepare_resize_bilinear(const OpContext& c) {
  EDGETWIN_TRY_ASSIGN(const Window2D g, plan_bilinear(c));
  EDGETWIN_TRY(need_same_type(c, {c.input(0).dtype, c.output(0).dtype}));
  const auto& a = c.op().as<ResizeAttrs>();
  switch (c.input(0).dtype) {
    case DType::int8:
      return prepare_resize<int8_t, typename F::template ResizeBilinear<int8_t>>(c, g, a);
    case DType::uint8:
      return prepare_resize<uint8_t, typename F::template ResizeBilinear<uint8_t>>(c, g, a);
    default:
      break;
  }
  if constexpr (!is_edgetpu<F>) {
    if (c.input(0).dtype == DType::int16) {
      return prepare_resize<int16_t, typename F::template ResizeBilinear<int16_t>>(c, g, a);
    }
    if (c.input(0).dtype == DType::float32) {
      return prepare_resize<float, typename F::template ResizeBilinear<float>>(c, g, a);
    }
  }
  return c.unsupported_types();
}

EDGETWIN_FOR_EACH_TFLITE(prepare_resize_bilinear)
EDGETWIN_FOR_EACH_EDGETPU(prepare_resize_bilinear)

}  // namespace edgetwin::ops
