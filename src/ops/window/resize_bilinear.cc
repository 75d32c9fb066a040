// RESIZE_BILINEAR: the walk; positions and mixing are those of the numerics. Source: kernel
// spec. 3.10.
#include "kernels/elements/resize.h"
#include "ops/core/common.h"
#include "ops/core/instantiate.h"
#include "ops/edgetpu/open.h"
#include "ops/fast/wanted_isa.h"
#include "ops/window/prepare.h"
#include "ops/window/resize_fast.h"
#include "tensor/tensor.h"

namespace edgetwin::ops {
namespace {

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
