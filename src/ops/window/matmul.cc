// MatMul of two computed operands, or of a constant one with more than one matrix. ESP-DL keeps the
// elements of the second operand in the order of its vector unit; nodes in front of it put them
// there. Source: specification of the runtime 3.3 and operators 2.5.
#include <algorithm>

#include "ops/core/broadcast.h"
#include "ops/core/checks.h"
#include "ops/window/accumulate.h"
#include "ops/window/fully_connected.h"

namespace edgetwin::ops {
namespace {

struct MatMulPlan {
  int64_t m = 1, k = 1, n = 1;
  BroadcastPlan batches;  // of whole matrices
  MatMulAttrs attrs;
  Shape out;
};

// The operand without its last two dimensions.
Shape batch_of(const Shape& s) {
  return Shape(s.dims().first(static_cast<size_t>(std::max(0, s.rank() - 2))));
}

Error does_not_fit(const OpContext& c) {
  return c.error(ErrorCode::op_shape, to_string(c.input_shape(0)) + " cannot be multiplied by " +
                                          to_string(c.input_shape(1)));
}

[[gnu::cold]] Result<MatMulPlan> plan_matmul(const OpContext& c) {
  EDGETWIN_TRY(checks::operands(c, 2));
  MatMulPlan p;
  p.attrs = c.op().as<MatMulAttrs>();
  EDGETWIN_TRY(check_activation(c, p.attrs.activation));
  const Shape& a = c.input_shape(0);
  const Shape& b = c.input_shape(1);
  if (a.rank() < 1 || b.rank() < 1 || a.elements() < 1 || b.elements() < 1) return does_not_fit(c);
  // One-dimensional operands become a row and a column.
  p.m = a.rank() == 1 ? 1 : a.back(1);
  p.k = a.back(0);
  p.n = b.rank() == 1 ? 1 : b.back(0);
  if ((b.rank() == 1 ? b.back(0) : b.back(1)) != p.k) return does_not_fit(c);
  const auto batch = broadcast(batch_of(a), batch_of(b));
  if (!batch) return does_not_fit(c);
  p.batches = BroadcastPlan::make(batch_of(a), batch_of(b), *batch);
  std::vector<int64_t> dims(batch->dims().begin(), batch->dims().end());
  if (a.rank() > 1) dims.push_back(p.m);
  if (b.rank() > 1) dims.push_back(p.n);
  if (dims.empty()) dims.push_back(1);
  EDGETWIN_TRY_ASSIGN(p.out, checks::joined(c, dims));
  EDGETWIN_TRY(checks::output_shape(c, 0, p.out));
  const bool blocked = p.attrs.rhs_order == MatMulAttrs::Order::blocks;
  if (blocked && (p.attrs.block < 1 || p.attrs.block > 64)) {
    return c.error(ErrorCode::op_attribute, "a block of " + std::to_string(p.attrs.block));
  }
  return p;
}

// The columns of one matrix of the second operand one after the other, as the walk wants them.
template <class T>
void copy_columns(const MatMulPlan& p, const T* rhs, T* columns) {
  if (p.attrs.rhs_order == MatMulAttrs::Order::columns) {
    std::copy_n(rhs, p.k * p.n, columns);
    return;
  }
  // Rows are one block; what is left of the columns after the last whole block is in order.
  const int64_t block = p.attrs.rhs_order == MatMulAttrs::Order::rows ? p.n : p.attrs.block;
  const int64_t full = p.n / block * block;
  for (int64_t first = 0; first < full; first += block) {
    for (int64_t j = 0; j < block; ++j) {
      const T* from = rhs + first * p.k + j;
      T* to = columns + (first + j) * p.k;
      for (int64_t k = 0; k < p.k; ++k) to[k] = from[k * block];
    }
  }
  std::copy_n(rhs + full * p.k, (p.n - full) * p.k, columns + full * p.k);
}

// Below this many products preparing kernels costs more than it brings.
constexpr int64_t kLeastFast = 4096;

template <class Rule>
bool run_fast(const MatMulPlan& p, const KernelOptions& options, const Rule& rule,
              const typename Rule::In* a, const typename Rule::Weight* columns,
              typename Rule::Out* out, ThreadPool& pool) {
  if (!options.fast || p.m * p.k * p.n < kLeastFast) return false;
  const MatrixProduct<typename Rule::In> product{
      a, columns, out, static_cast<int>(p.m), static_cast<int>(p.k), static_cast<int>(p.n)};
  return run_fast_shift(shift_sums(rule), options.isa, product, pool);
}

template <class Rule>
Kernel matmul_kernel(const MatMulPlan& plan, const KernelOptions& options, Rule rule) {
  using In = typename Rule::In;
  using Weight = typename Rule::Weight;
  using Out = typename Rule::Out;
  auto shared = std::make_shared<const Rule>(std::move(rule));
  return [plan, options, shared](const Args& args) -> Status {
    auto* columns = reinterpret_cast<Weight*>(args.scratch);
    const auto one = [&](int64_t a, int64_t b, int64_t y) {
      copy_columns(plan, args.input<Weight>(1) + b * plan.k * plan.n, columns);
      const In* lhs = args.input<In>(0) + a * plan.m * plan.k;
      Out* out = args.output<Out>(0) + y * plan.m * plan.n;
      if (run_fast(plan, options, *shared, lhs, columns, out, args.pool)) return;
      args.pool.parallel_for(plan.m, grain_for(plan.k * plan.n),
                             [&](int64_t begin, int64_t end, int) {
                               fully_connected(lhs, columns, plan.k, static_cast<int>(plan.n),
                                               *shared, out, begin, end);
                             });
    };
    plan.batches.for_each_run(
        [&](int64_t a, int64_t b, int64_t y, int64_t count, int64_t step_a, int64_t step_b) {
          for (int64_t i = 0; i < count; ++i) one(a + i * step_a, b + i * step_b, y + i);
        });
    return Ok{};
  };
}

}  // namespace

template <class F>
Result<Prepared> prepare_matmul(const OpContext& c) {
  EDGETWIN_TRY_ASSIGN(const MatMulPlan plan, plan_matmul(c));
  constexpr int64_t kMostElements = int64_t{1} << 24;  // of one matrix
  if (plan.k > kMostElements || plan.n > kMostElements || plan.k * plan.n > kMostElements) {
    return c.error(ErrorCode::op_shape, "a matrix of more than 16 million elements");
  }
  const auto spec = accumulate_spec(c, {}, plan.n, plan.attrs.activation);
  return with_accumulate_rule<F>(c, {}, [&]<class Rule>() -> Result<Prepared> {
    EDGETWIN_TRY_ASSIGN(Rule rule, make_rule<Rule>(c, spec));
    Prepared prepared;
    prepared.output_shapes = {plan.out};
    prepared.macs = plan.out.elements() * plan.k;
    prepared.scratch_bytes = static_cast<size_t>(plan.k * plan.n) * sizeof(typename Rule::Weight);
    count_differing(c, rule, prepared);
    prepared.run = matmul_kernel(plan, c.options(), std::move(rule));
    return prepared;
  });
}

EDGETWIN_FOR_EACH_ESPDL(prepare_matmul)

}  // namespace edgetwin::ops
