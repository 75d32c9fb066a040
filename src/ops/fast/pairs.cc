#include "ops/fast/pairs.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "kernels/elements/pairs.h"
#include "kernels/elements/power.h"
#include "ops/fast/byte_pairs.h"
#include "ops/fast/wanted_isa.h"

namespace edgetwin::ops {
namespace {

// Elements below which a second thread costs more than it brings.
constexpr int64_t kPairGrain = 32768;

// Stretches below which setting up a kernel costs more than the plain loop.
constexpr int64_t kShortestRun = 32;

// Elements that short stretches are gathered to.
constexpr int64_t kGathered = 1024;

// Elements [begin, end) of the output: whole stretches and the ends of two. `constants` belong to
// `kernel`, which takes a Run.
template <class Run, class Kernel, class Constants>
void run_between(Kernel kernel, const Constants& constants, const BroadcastPlan& plan,
                 const Args& args, int64_t begin, int64_t end) {
  const int size = constants.element_bytes;
  const std::byte* a = args.inputs[0];
  const std::byte* b = args.inputs[1];
  std::byte* y = args.outputs[0];
  plan.for_each_run(
      [&](int64_t at_a, int64_t at_b, int64_t at_y, int64_t count, int64_t step_a, int64_t step_b) {
        const int64_t from = std::max(begin, at_y), to = std::min(end, at_y + count);
        if (from >= to) return;
        const int64_t skipped = from - at_y;
        kernel(constants, Run{.a = a + (at_a + skipped * step_a) * size,
                              .b = b + (at_b + skipped * step_b) * size,
                              .out = y + from * size,
                              .count = to - from,
                              .step_a = static_cast<int>(step_a),
                              .step_b = static_cast<int>(step_b)});
      });
}

// An operand of many short stretches, put one after the other.
class GatheredOperand {
 public:
  // `whole`: it lies like the output and needs no copy.
  GatheredOperand(const std::byte* from, int size, bool whole)
      : from_(from), size_(size), whole_(whole) {}

  void take(int64_t at, int64_t count, int64_t step) {
    if (whole_) return;
    std::byte* to = buffer_ + held_ * size_;
    const std::byte* from = from_ + at * size_;
    held_ += count;
    if (step != 0) {
      std::memcpy(to, from, static_cast<size_t>(count * size_));
    } else {
      for (int64_t i = 0; i < count; ++i)
        std::memcpy(to + i * size_, from, static_cast<size_t>(size_));
    }
  }
  // What was taken since the last time; `at` is where its results begin.
  const std::byte* taken(int64_t at) {
    held_ = 0;
    return whole_ ? from_ + at * size_ : buffer_;
  }

 private:
  static constexpr int64_t kBuffer = kGathered * 2;  // of at most two bytes
  const std::byte* from_;
  int size_;
  bool whole_;
  int64_t held_ = 0;
  alignas(64) std::byte buffer_[kBuffer];
};

// The same where stretches are too short for a kernel: several of them at a time.
template <class Run, class Kernel, class Constants>
void run_gathered(Kernel kernel, const Constants& constants, const BroadcastPlan& plan,
                  const Args& args, int64_t begin, int64_t end) {
  const int size = constants.element_bytes;
  GatheredOperand a(args.inputs[0], size, plan.a_is_whole());
  GatheredOperand b(args.inputs[1], size, plan.b_is_whole());
  int64_t first = begin, held = 0;
  const auto flush = [&] {
    if (held == 0) return;
    kernel(constants, Run{.a = a.taken(first),
                          .b = b.taken(first),
                          .out = args.outputs[0] + first * size,
                          .count = held,
                          .step_a = 1,
                          .step_b = 1});
    first += held;
    held = 0;
  };
  plan.for_each_run(
      [&](int64_t at_a, int64_t at_b, int64_t at_y, int64_t count, int64_t step_a, int64_t step_b) {
        const int64_t from = std::max(begin, at_y), to = std::min(end, at_y + count);
        if (from >= to) return;
        if (held + to - from > kGathered) flush();
        a.take(at_a + (from - at_y) * step_a, to - from, step_a);
        b.take(at_b + (from - at_y) * step_b, to - from, step_b);
        held += to - from;
      });
  flush();
}

// One operand lies like the output, the other is one short stretch for all of it: that is written
// often enough for a whole block once. `swapped`: the stretch is the first operand.
template <class Run, class Kernel, class Constants>
void run_repeated(Kernel kernel, const Constants& constants, int64_t inner, bool swapped,
                  const Args& args, int64_t begin, int64_t end) {
  const int size = constants.element_bytes;
  const int64_t block = kGathered / inner * inner, phase = begin % inner;
  GatheredOperand stretch(args.inputs[swapped ? 0 : 1], size, false);
  stretch.take(phase, inner - phase, 1);
  for (int64_t held = inner; held < block; held += inner) stretch.take(0, inner, 1);
  stretch.take(0, phase, 1);
  const std::byte* repeated = stretch.taken(0);
  const std::byte* whole = args.inputs[swapped ? 1 : 0];
  for (int64_t at = begin; at < end; at += block) {
    kernel(constants, Run{.a = swapped ? repeated : whole + at * size,
                          .b = swapped ? whole + at * size : repeated,
                          .out = args.outputs[0] + at * size,
                          .count = std::min(block, end - at),
                          .step_a = 1,
                          .step_b = 1});
  }
}

template <class Run, class Kernel, class Constants>
void run_part(Kernel kernel, const Constants& constants, const BroadcastPlan& plan,
              const Args& args, int64_t begin, int64_t end) {
  const bool is_short = plan.inner_size() < kShortestRun;
  if (is_short && plan.a_is_whole() && plan.b_is_one_run()) {
    run_repeated<Run>(kernel, constants, plan.inner_size(), false, args, begin, end);
  } else if (is_short && plan.b_is_whole() && plan.a_is_one_run()) {
    run_repeated<Run>(kernel, constants, plan.inner_size(), true, args, begin, end);
  } else if (is_short) {
    run_gathered<Run>(kernel, constants, plan, args, begin, end);
  } else {
    run_between<Run>(kernel, constants, plan, args, begin, end);
  }
}

bool make_fast(const OpContext& c, const kernels::PairConstants& constants,
               std::shared_ptr<numerics::EdgetpuOpen> open, const BroadcastPlan& plan,
               Prepared& prepared) {
  const kernels::Isa isa = wanted_isa(c.options());
  const kernels::PairKernel kernel = kernels::pair_kernel(isa);
  if (kernel == nullptr || prepared.output_shapes[0].elements() < kShortestRun) return false;
  prepared.path = std::string(kernels::name(isa));
  prepared.run = [kernel, constants, plan, open = std::move(open),
                  learned = LearnedPairs::make(constants, kernel, isa),
                  elements = prepared.output_shapes[0].elements()](const Args& args) -> Status {
    if (const auto* shorter = learned ? learned->before(elements) : nullptr) {
      args.pool.parallel_for(elements, kPairGrain, [&](int64_t begin, int64_t end, int) {
        run_part<kernels::PairRun>(learned->kernel(), *shorter, plan, args, begin, end);
      });
      return Ok{};
    }
    kernels::PairConstants own = constants;
    own.ties = open ? &open->ties : nullptr;
    args.pool.parallel_for(elements, kPairGrain, [&](int64_t begin, int64_t end, int) {
      run_part<kernels::PairRun>(kernel, own, plan, args, begin, end);
    });
    return Ok{};
  };
  return true;
}

// The least and the most of an element less its zero point.
struct Span {
  int64_t low, high;
};

Span span_of(DType type, int32_t zero) {
  if (type == DType::uint8) return {-zero, 255 - zero};
  if (type == DType::int8) return {-128 - zero, 127 - zero};
  return {-32768 - zero, 32767 - zero};
}

// All numbers here grow with the element, so that the ends of a range bound what is between.
bool add_halves(const AffinePairs& rule, Span x, Span y, kernels::PairConstants& k) {
  const auto a = kernels::fixed_stage(rule.a, rule.requantization, x.low, x.high, rule.left_shift);
  const auto b = kernels::fixed_stage(rule.b, rule.requantization, y.low, y.high, rule.left_shift);
  if (!a || !b) return false;
  const auto at = [](const kernels::FixedStage& s, int64_t v) {
    return int64_t{kernels::apply(s, static_cast<int32_t>(v))};
  };
  k.less_b = rule.kind == numerics::BinaryKind::sub;
  const int64_t low = at(*a, x.low) + (k.less_b ? -at(*b, y.high) : at(*b, y.low));
  const int64_t high = at(*a, x.high) + (k.less_b ? -at(*b, y.low) : at(*b, y.high));
  const auto out = kernels::fixed_stage(rule.out, rule.requantization, low, high);
  if (!out) return false;
  k.a = *a;
  k.b = *b;
  k.out = *out;
  k.form = kernels::PairForm::halves;
  return true;
}

bool add_product(const AffinePairs& rule, Span x, Span y, kernels::PairConstants& k) {
  const auto corners = {x.low * y.low, x.low * y.high, x.high * y.low, x.high * y.high};
  const int64_t least = std::min(corners), most = std::max(corners);
  k.form = kernels::PairForm::product;
  auto out = kernels::fixed_stage(rule.out, rule.requantization, least, most);
  if (!out) {
    // (-32768)^2 leaves 32 bits once it is doubled, -(-32768)^2 does not.
    k.form = kernels::PairForm::less_product;
    out = kernels::fixed_stage(rule.out, rule.requantization, -most, -least);
    if (out) out->multiplier = -out->multiplier;
  }
  if (!out) return false;
  k.out = *out;
  return true;
}

}  // namespace

bool make_fast_affine_pairs(const OpContext& c, const AffinePairs& rule, const BroadcastPlan& plan,
                            Prepared& prepared) {
  kernels::PairConstants k;
  k.element_bytes = static_cast<int>(byte_size(rule.type));
  k.mask = rule.type == DType::uint8 ? 255 : -1;
  k.zero_a = rule.zero_a;
  k.zero_b = rule.zero_b;
  k.zero_out = rule.zero_out;
  k.low = rule.low;
  k.high = rule.high;
  const Span x = span_of(rule.type, rule.zero_a), y = span_of(rule.type, rule.zero_b);
  const bool taken = rule.kind == numerics::BinaryKind::mul ? add_product(rule, x, y, k)
                                                            : add_halves(rule, x, y, k);
  return taken && make_fast(c, k, nullptr, plan, prepared);
}

bool make_fast_power_pairs(const OpContext& c, const kernels::PowerPairs& rule,
                           const BroadcastPlan& plan, Prepared& prepared) {
  const kernels::Isa isa = wanted_isa(c.options());
  const kernels::PowerTable* table = kernels::power_table(isa);
  if (table == nullptr || prepared.output_shapes[0].elements() < kShortestRun) return false;
  prepared.path = std::string(kernels::name(isa));
  prepared.run = [kernel = table->pairs, rule, plan,
                  elements = prepared.output_shapes[0].elements()](const Args& args) -> Status {
    args.pool.parallel_for(elements, kPairGrain, [&](int64_t begin, int64_t end, int) {
      run_part<kernels::PowerRun>(kernel, rule, plan, args, begin, end);
    });
    return Ok{};
  };
  return true;
}

// Sums stay below 2^24, where single precision is exact: two weights of at most 15 bits times 255,
// and a number.
bool make_fast_product_pairs(const OpContext& c, kernels::PairConstants k,
                             const numerics::EdgetpuOptions& options,
                             std::shared_ptr<numerics::EdgetpuOpen> open, const BroadcastPlan& plan,
                             Prepared& prepared) {
  constexpr int64_t kExact = int64_t{1} << 24;
  const int64_t most = k.form == kernels::PairForm::float_product
                           ? 255 * 255
                           : 255 * (std::abs(int64_t{k.weight_a}) + std::abs(int64_t{k.weight_b})) +
                                 std::abs(int64_t{k.number});
  if (!options.plain_ties() || most >= kExact) return false;
  return make_fast(c, k, std::move(open), plan, prepared);
}

}  // namespace edgetwin::ops
