// Conv, Gemm and MatMul of ONNX in float32: channels before the axes of the picture, operands in
// plain order. kernels/floats/sums.h does the sums.
#include "ops/core/broadcast.h"
#include "ops/core/checks.h"
#include "ops/onnx/common.h"
#include "ops/onnx/prepare.h"
#include "ops/window/window_attrs.h"

#include "kernels/floats/sums.h"

namespace edgetwin::ops::onnx {
namespace {

kernels::Isa isa_of(const KernelOptions& options) {
  if (!options.fast) return kernels::Isa::plain;
  if (options.isa.empty()) return kernels::best_isa();
  return kernels::isa_by_name(options.isa).value_or(kernels::Isa::plain);
}

Status need_floats(const OpContext& c, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (c.has_input(i) && c.input(i).dtype != DType::float32) return c.unsupported_types();
  }
  if (c.output(0).dtype != DType::float32) return c.unsupported_types();
  return Ok{};
}

Status check_bias(const OpContext& c, int64_t channels) {
  if (!c.has_input(2) || c.input_shape(2).elements() == channels) return Ok{};
  return c.error(ErrorCode::op_shape, "the bias has " + to_string(c.input_shape(2)) +
                                          " elements, the output has " + std::to_string(channels) +
                                          " channels");
}

// A filter OxCxHxW, or OxCxW of a one-dimensional convolution.
Shape filter_shape(const Shape& given) {
  return given.rank() == 3 ? Shape{given[0], given[1], 1, given[2]} : given;
}

Error does_not_fit(const OpContext& c) {
  return c.error(ErrorCode::op_shape, "the filter does not fit the input")
      .detail("input " + to_string(c.input_shape(0)) + ", filter " + to_string(c.input_shape(1)));
}

struct ConvPlan {
  Window2D window;
  int groups = 1;
};

[[gnu::cold]] Result<ConvPlan> plan_conv(const OpContext& c) {
  EDGETWIN_TRY(checks::operands(c, 2));
  EDGETWIN_TRY(need_floats(c, 3));
  const auto& a = c.op().as<Conv2DAttrs>();
  if (a.activation != Activation::none) {
    return c.error(ErrorCode::op_attribute, "a fused activation is not defined here");
  }
  const Shape& filter = c.input_shape(1);
  if (filter.rank() != c.input_shape(0).rank() || filter.rank() < 3 || filter.rank() > 4 ||
      filter.elements() < 1) {
    return does_not_fit(c);
  }
  const Shape f = filter_shape(filter);
  const Shape in = channels_last(c.input_shape(0));
  if (in[3] < 1 || in[3] % f[1] != 0 || f[0] % (in[3] / f[1]) != 0) return does_not_fit(c);
  EDGETWIN_TRY_ASSIGN(Window2D window, window_geometry(c, in, window_of(a, f[2], f[3])));
  window.out_c = static_cast<int>(f[0]);
  EDGETWIN_TRY(check_bias(c, f[0]));
  return ConvPlan{window, static_cast<int>(in[3] / f[1])};
}

}  // namespace

Result<Prepared> prepare_conv(const OpContext& c) {
  EDGETWIN_TRY_ASSIGN(const ConvPlan plan, plan_conv(c));
  const auto conv =
      std::make_shared<const kernels::FloatConv>(plan.window, plan.groups, isa_of(c.options()));
  Prepared prepared;
  prepared.output_shapes = {channels_first(window_shape(plan.window), c.input_shape(0))};
  EDGETWIN_TRY(checks::output_shape(c, 0, prepared.output_shapes[0]));
  prepared.path = conv->path();
  prepared.macs =
      prepared.output_shapes[0].elements() * c.input_shape(1).elements() / c.input_shape(1)[0];
  prepared.scratch_bytes = conv->scratch_bytes(c.options().threads);
  prepared.run = [conv, biased = c.has_input(2)](const Args& args) -> Status {
    conv->run(args.input<float>(0), args.input<float>(1), biased ? args.input<float>(2) : nullptr,
              args.output<float>(0), args.scratch, args.pool);
    return Ok{};
  };
  return prepared;
}

Result<Prepared> prepare_gemm(const OpContext& c) {
  EDGETWIN_TRY(checks::operands(c, 2));
  EDGETWIN_TRY(need_floats(c, 3));
  const Shape& in = c.input_shape(0);
  const Shape& filter = c.input_shape(1);
  if (filter.rank() != 2 || in.rank() < 1 || in.elements() < 1 || filter.elements() < 1 ||
      in.back(0) != filter[1]) {
    return does_not_fit(c);
  }
  EDGETWIN_TRY(check_bias(c, filter[0]));
  if (c.constant(1) == nullptr) {
    return c.error(ErrorCode::op_constant, "the weights must be a constant");
  }
  kernels::FloatProduct p;
  p.n = filter[0];
  p.k = filter[1];
  p.m = in.elements() / p.k;
  p.a_row = p.k;
  p.c_row = p.n;
  const kernels::FloatTable& table = kernels::float_table(isa_of(c.options()));
  const auto packed = std::make_shared<const std::vector<float>>(kernels::pack_transposed(
      table, reinterpret_cast<const float*>(c.constant(1)->data()), p.n, p.k));
  Prepared prepared;
  Shape out = in;
  out[out.rank() - 1] = p.n;
  prepared.output_shapes = {out};
  EDGETWIN_TRY(checks::output_shape(c, 0, out));
  prepared.path = table.path;
  prepared.macs = p.m * p.n * p.k;
  prepared.run = [p, packed, &table, biased = c.has_input(2)](const Args& args) -> Status {
    kernels::FloatProduct product = p;
    product.a = args.input<float>(0);
    product.c = args.output<float>(0);
    if (biased) product.column_start = args.input<float>(2);
    const int64_t panels = (p.n + table.width - 1) / table.width;
    args.pool.parallel_for(
        panels, grain_for(p.m * p.k * table.width / 16), [&](int64_t begin, int64_t end, int) {
          kernels::float_product_packed(table, product, packed->data(), begin * table.width,
                                        std::min(p.n, end * table.width));
        });
    return Ok{};
  };
  return prepared;
}

namespace {

struct MatMulPlan {
  kernels::FloatProduct product;
  BroadcastPlan batches;  // of whole matrices
  Shape out;
};

Shape batch_of(const Shape& s) {
  return Shape(s.dims().first(static_cast<size_t>(std::max(0, s.rank() - 2))));
}

[[gnu::cold]] Result<MatMulPlan> plan_matmul(const OpContext& c) {
  EDGETWIN_TRY(checks::operands(c, 2));
  EDGETWIN_TRY(need_floats(c, 2));
  const Shape& a = c.input_shape(0);
  const Shape& b = c.input_shape(1);
  const auto fail = [&] {
    return c.error(ErrorCode::op_shape, to_string(a) + " cannot be multiplied by " + to_string(b));
  };
  if (a.rank() < 1 || b.rank() < 1 || a.elements() < 1 || b.elements() < 1) return fail();
  if (c.op().as<MatMulAttrs>().rhs_order != MatMulAttrs::Order::rows) {
    return c.error(ErrorCode::op_attribute, "the second operand must be in plain order");
  }
  // One-dimensional operands become a row and a column.
  MatMulPlan p;
  p.product.m = a.rank() == 1 ? 1 : a.back(1);
  p.product.k = a.back(0);
  p.product.n = b.rank() == 1 ? 1 : b.back(0);
  if ((b.rank() == 1 ? b.back(0) : b.back(1)) != p.product.k) return fail();
  p.product.a_row = p.product.k;
  p.product.c_row = p.product.n;
  const auto batch = broadcast(batch_of(a), batch_of(b));
  if (!batch) return fail();
  p.batches = BroadcastPlan::make(batch_of(a), batch_of(b), *batch);
  std::vector<int64_t> dims(batch->dims().begin(), batch->dims().end());
  if (a.rank() > 1) dims.push_back(p.product.m);
  if (b.rank() > 1) dims.push_back(p.product.n);
  EDGETWIN_TRY_ASSIGN(p.out, checks::joined(c, dims));
  EDGETWIN_TRY(checks::output_shape(c, 0, p.out));
  return p;
}

void multiply(const kernels::FloatTable& table, const kernels::FloatProduct& p, const float* b,
              float* scratch, ThreadPool& pool) {
  const auto pack = [&](int64_t k_begin, int64_t k_end, int64_t column, float* to) {
    const int64_t valid = std::min<int64_t>(table.width, p.n - column);
    for (int64_t k = k_begin; k < k_end; ++k, to += table.width) {
      std::copy_n(b + k * p.n + column, valid, to);
      std::fill(to + valid, to + table.width, 0.0F);
    }
  };
  const int64_t step = kernels::kFloatPanels * table.width;
  const int64_t size = kernels::float_scratch(table);
  pool.parallel_for((p.n + step - 1) / step, grain_for(p.m * p.k * step / 16),
                    [&](int64_t begin, int64_t end, int worker) {
                      kernels::float_product(table, p, 0, p.m, begin * step,
                                             std::min(p.n, end * step), scratch + worker * size,
                                             pack);
                    });
}

}  // namespace

Result<Prepared> prepare_matmul(const OpContext& c) {
  EDGETWIN_TRY_ASSIGN(const MatMulPlan plan, plan_matmul(c));
  const kernels::FloatTable& table = kernels::float_table(isa_of(c.options()));
  Prepared prepared;
  prepared.output_shapes = {plan.out};
  prepared.path = table.path;
  prepared.macs = plan.out.elements() * plan.product.k;
  prepared.scratch_bytes = static_cast<size_t>(kernels::float_scratch(table)) * sizeof(float) *
                           static_cast<size_t>(c.options().threads);
  prepared.run = [plan, &table](const Args& args) -> Status {
    auto* scratch = reinterpret_cast<float*>(args.scratch);
    const kernels::FloatProduct& p = plan.product;
    plan.batches.for_each_run(
        [&](int64_t a, int64_t b, int64_t y, int64_t count, int64_t step_a, int64_t step_b) {
          for (int64_t i = 0; i < count; ++i) {
            kernels::FloatProduct one = p;
            one.a = args.input<float>(0) + (a + i * step_a) * p.m * p.k;
            one.c = args.output<float>(0) + (y + i) * p.m * p.n;
            multiply(table, one, args.input<float>(1) + (b + i * step_b) * p.k * p.n, scratch,
                     args.pool);
          }
        });
    return Ok{};
  };
  return prepared;
}

}  // namespace edgetwin::ops::onnx
