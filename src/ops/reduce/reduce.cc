// MEAN and SUM over any set of axes, and the reductions of ESP-DL.
// Source: kernel specification 3.4; specification of ESP-DL's runtime, operators 8.
#include <array>

#include "kernels/elements/pool.h"
#include "ops/core/common.h"
#include "ops/core/instantiate.h"
#include "ops/edgetpu/open.h"
#include "ops/fast/wanted_isa.h"
#include "ops/reduce/prepare.h"

namespace edgetwin::ops {
namespace {

struct ReducePlan {
  Shape in;
  std::array<bool, Shape::kMaxRank> reduced = {};
  Shape out;
  int64_t count = 1;  // elements that go into one result
};

// Without axes all are reduced, or none where the operator says so.
[[gnu::cold]] Result<std::vector<int64_t>> reduced_axes(const OpContext& c) {
  std::vector<int64_t> axes;
  if (c.has_input(1)) {
    EDGETWIN_TRY_ASSIGN(axes, c.constant_integers(1, "the axes"));
  }
  const bool tflite = c.op().kind == OpKind::mean || c.op().kind == OpKind::sum;
  if (!axes.empty() || tflite || c.op().as<ReduceAttrs>().noop_without_axes) return axes;
  for (int i = 0; i < c.input_shape(0).rank(); ++i) axes.push_back(i);
  return axes;
}

numerics::ReduceKind reduce_kind(OpKind kind) {
  using numerics::ReduceKind;
  switch (kind) {
    case OpKind::sum:
    case OpKind::reduce_sum:
      return ReduceKind::sum;
    case OpKind::reduce_max:
      return ReduceKind::max;
    case OpKind::reduce_min:
      return ReduceKind::min;
    case OpKind::reduce_prod:
      return ReduceKind::prod;
    case OpKind::reduce_l1:
      return ReduceKind::l1;
    case OpKind::reduce_l2:
      return ReduceKind::l2;
    case OpKind::reduce_log_sum:
      return ReduceKind::log_sum;
    case OpKind::reduce_log_sum_exp:
      return ReduceKind::log_sum_exp;
    case OpKind::reduce_sum_square:
      return ReduceKind::sum_square;
    default:
      return ReduceKind::mean;
  }
}

[[gnu::cold]] Result<ReducePlan> plan_reduce(const OpContext& c) {
  EDGETWIN_TRY_ASSIGN(const auto axes, reduced_axes(c));
  ReducePlan p;
  p.in = c.input_shape(0);
  for (const int64_t axis : axes) {
    EDGETWIN_TRY_ASSIGN(const int normal, normal_axis(c, axis, p.in.rank()));
    p.reduced[static_cast<size_t>(normal)] = true;
  }
  const bool keep = c.op().as<ReduceAttrs>().keep_dims;
  for (int i = 0; i < p.in.rank(); ++i) {
    if (!p.reduced[static_cast<size_t>(i)]) {
      p.out.push_back(p.in[i]);
    } else {
      p.count *= p.in[i];
      if (keep) p.out.push_back(1);
    }
  }
  // ESP-DL has no scalars: reducing everything leaves one element.
  if (p.out.rank() == 0 && c.output(0).has_shape && c.output(0).shape.rank() == 1) p.out = {1};
  if (p.count == 0) return c.error(ErrorCode::op_shape, "a reduction over no elements");
  return p;
}

// Strides of the output along the input's axes (0 along reduced ones), and likewise the strides of
// the input, so that two nested odometers give each result its elements.
struct ReduceWalk {
  std::vector<int64_t> kept_sizes, kept_strides, reduced_sizes, reduced_strides;
};

ReduceWalk make_walk(const ReducePlan& p) {
  ReduceWalk w;
  int64_t stride = p.in.elements();
  for (int i = 0; i < p.in.rank(); ++i) {
    stride /= std::max<int64_t>(1, p.in[i]);
    const bool reduced = p.reduced[static_cast<size_t>(i)];
    (reduced ? w.reduced_sizes : w.kept_sizes).push_back(p.in[i]);
    (reduced ? w.reduced_strides : w.kept_strides).push_back(stride);
  }
  return w;
}

// The offset of the index-th element of an odometer with these sizes and strides.
int64_t offset_of(int64_t index, const std::vector<int64_t>& sizes,
                  const std::vector<int64_t>& strides) {
  int64_t offset = 0;
  for (size_t i = sizes.size(); i-- > 0;) {
    offset += index % sizes[i] * strides[i];
    index /= sizes[i];
  }
  return offset;
}

// Above this many elements per result their offsets are computed again each time: a table would be
// larger than the tensor.
constexpr int64_t kMaxTaps = 1 << 20;

template <class Rule>
Kernel reduce_kernel(const ReducePlan& p, Rule rule) {
  using T = typename Rule::Element;
  const ReduceWalk walk = make_walk(p);
  auto taps = std::make_shared<std::vector<int64_t>>();
  for (int64_t i = 0; i < p.count && p.count <= kMaxTaps; ++i) {
    taps->push_back(offset_of(i, walk.reduced_sizes, walk.reduced_strides));
  }
  return [rule, walk, taps, results = p.out.elements(),
          count = p.count](const Args& args) -> Status {
    const T* x = args.input<T>(0);
    T* y = args.output<T>(0);
    args.pool.parallel_for(results, grain_for(count), [&](int64_t begin, int64_t end, int) {
      for (int64_t i = begin; i < end; ++i) {
        const T* base = x + offset_of(i, walk.kept_sizes, walk.kept_strides);
        auto acc = rule.start();
        for (int64_t k = 0; k < count; ++k) {
          const int64_t tap = taps->empty() ? offset_of(k, walk.reduced_sizes, walk.reduced_strides)
                                            : (*taps)[static_cast<size_t>(k)];
          acc = rule.take(acc, base[tap]);
        }
        y[i] = rule.finish(acc);
      }
    });
    return Ok{};
  };
}

// Sums of bytes over pixels whose kept axes are the last ones: a block of channels at a time.
// `taps` are the offsets of the elements that go into a result.
template <class Rule>
Kernel byte_sum_kernel(const ReducePlan& p, const Rule& rule, const kernels::PoolTable& table) {
  using T = typename Rule::Element;
  const ReduceWalk walk = make_walk(p);
  std::vector<int64_t> taps;
  for (int64_t i = 0; i < p.count; ++i) {
    taps.push_back(offset_of(i, walk.reduced_sizes, walk.reduced_strides));
  }
  return [rule, walk, taps = std::move(taps), results = p.out.elements(), inner = p.in.back(0),
          &table](const Args& args) -> Status {
    const auto count = static_cast<int64_t>(taps.size());
    const auto part = [&](int64_t begin, int64_t end, int) {
      std::vector<const uint8_t*> pixels(taps.size());
      std::vector<int32_t> sums(static_cast<size_t>(inner));
      for (int64_t i = begin; i < end;) {
        const int64_t channels = std::min(end - i, inner - i % inner);
        const uint8_t* base =
            args.input<uint8_t>(0) + offset_of(i, walk.kept_sizes, walk.kept_strides);
        for (size_t k = 0; k < taps.size(); ++k) pixels[k] = base + taps[k];
        table.sums({.pixels = pixels.data(),
                    .count = static_cast<std::ptrdiff_t>(count),
                    .channels = channels,
                    .is_signed = std::is_signed_v<T>},
                   sums.data());
        const int64_t of_each = rule.take(0, T{0}) * count;
        for (int64_t c = 0; c < channels; ++c) {
          args.output<T>(0)[i + c] = rule.finish(sums[static_cast<size_t>(c)] + of_each);
        }
        i += channels;
      }
    };
    args.pool.parallel_for(results, grain_for(count / 8), part);
    return Ok{};
  };
}

// Rules that add up integers, of one constant for each element besides the element.
template <class Rule>
bool make_fast_reduce(const OpContext& c, const ReducePlan& p, const Rule& rule,
                      Prepared& prepared) {
  if constexpr (sizeof(typename Rule::Element) == 1 &&
                std::is_same_v<typename Rule::Acc, int64_t>) {
    constexpr int64_t kMostTaps = 1 << 16;
    const kernels::Isa isa = wanted_isa(c.options());
    const kernels::PoolTable* table = kernels::pool_table(isa);
    const int last = p.in.rank() - 1;
    const bool kept = last >= 0 && !p.reduced[static_cast<size_t>(last)];
    if (table == nullptr || !kept || p.count < 2 || p.count > kMostTaps) return false;
    prepared.path = std::string(kernels::name(isa));
    prepared.run = byte_sum_kernel(p, rule, *table);
    return true;
  }
  return false;
}

}  // namespace

template <class F>
Result<Prepared> prepare_reduce(const OpContext& c) {
  EDGETWIN_TRY_ASSIGN(const ReducePlan plan, plan_reduce(c));
  const numerics::ReduceSpec spec{reduce_kind(c.op().kind),    c.input(0).quant,
                                  c.output(0).quant,           plan.count,
                                  c.options().allow_undefined, c.options().edgetpu};
  const auto matches = [&]<class Rule>() {
    constexpr DType type = dtype_of<typename Rule::Element>;
    return c.input(0).dtype == type && c.output(0).dtype == type;
  };
  return with_rule(c, typename F::Reduce{}, matches, [&]<class Rule>() -> Result<Prepared> {
    EDGETWIN_TRY_ASSIGN(Rule rule, make_rule<Rule>(c, spec));
    Prepared prepared;
    prepared.output_shapes = {plan.out};
    if (!make_fast_reduce(c, plan, rule, prepared)) prepared.run = reduce_kernel(plan, rule);
    count_open(c, rule, prepared);
    if (!is_edgetpu<F> && c.input(0).dtype == DType::uint8) {
      prepared.findings.push_back(
          {Severity::note, "", c.label(),
           "uint8 MEAN and SUM of the released runtime were seen to differ by at most 1 from the "
           "integer kernel used here",
           ""});
    }
    return prepared;
  });
}

EDGETWIN_FOR_EACH_NUMERICS(prepare_reduce)

}  // namespace edgetwin::ops
