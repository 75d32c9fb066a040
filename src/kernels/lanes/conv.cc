#include "kernels/lanes/conv.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>

#include "kernels/arm/tables.h"
#include "kernels/core/isa.h"
#include "kernels/core/window_limits.h"
#include "kernels/lanes/plan.h"
#include "kernels/x86/tables.h"

namespace edgetwin::kernels {
namespace {

#if defined(__x86_64__)
constexpr TableChoice<LaneTable> kTables[] = {{Isa::avx2, avx2_lanes},
                                              {Isa::avx_vnni, avx_vnni_lanes},
                                              {Isa::avx512_vnni, avx512_vnni_lanes}};
#elif defined(__aarch64__)
constexpr TableChoice<LaneTable> kTables[] = {{Isa::neon, neon_lanes},
                                              {Isa::neon_dotprod, neon_dotprod_lanes},
                                              {Isa::neon_i8mm, neon_i8mm_lanes}};
#else
constexpr std::span<const TableChoice<LaneTable> > kTables;
#endif

const LaneTable* table_of(Isa isa) { return choose_table<LaneTable>(isa, kTables); }

bool consistent(const LaneSpec& spec) {
  const int channels = spec.window.out_c;
  if (!moderate(spec.window, spec.depthwise) || spec.weights == nullptr ||
      spec.lane_start == nullptr || spec.wide_start == nullptr ||
      spec.tail.rounding != numerics::Rounding::half_up ||
      !consistent(spec.tail, channels, 31, -128, 127)) {
    return false;
  }
  for (int c = 0; c < channels; ++c) {
    if (spec.lane_start[c] < kLaneMin || spec.lane_start[c] > kLaneMax) return false;
  }
  if (spec.depthwise) return spec.channel_begin == 0 && spec.channel_end == channels;
  return spec.channel_begin >= 0 && spec.channel_begin < spec.channel_end &&
         spec.channel_end <= channels;
}

LaneFinish finish_of(const LanePlan& plan) {
  return {plan.constants.data(), plan.calm.data(), plan.act_min, plan.act_max};
}

std::size_t pointer_bytes(const LanePlan& plan) {
  return round_up(plan.pieces.size() * sizeof(uint8_t*), kCacheLine);
}

void stage(const LanePlan& plan, const int8_t* in, uint8_t* row, int columns, int begin, int end,
           int64_t element) {
  const std::size_t pixel = static_cast<std::size_t>(plan.window.in_c) * sizeof(int16_t);
  const std::size_t first = static_cast<std::size_t>(begin) * pixel;
  const std::size_t last = static_cast<std::size_t>(end) * pixel;
  std::fill(row, row + first, uint8_t{0});
  if (first < last) plan.table->encode(row + first, in + element, (last - first) / 2);
  std::fill(row + last, row + static_cast<std::size_t>(columns) * pixel, uint8_t{0});
}

int64_t run_dense(const LanePlan& plan, const int8_t* in, int8_t* out, std::byte* scratch,
                  ThreadPool& pool) {
  LaneRow common;
  common.steps = plan.steps.data();
  common.pieces = static_cast<int>(plan.pieces.size());
  for (const int32_t s : plan.steps) common.all_steps += s;
  common.pixel_stride = std::ptrdiff_t{2} * plan.window.stride_w * plan.window.in_c;
  common.weights = plan.packed.data();
  common.room = plan.room.data();
  common.all_parts = plan.all_parts;
  common.finish = finish_of(plan);
  common.channels = plan.channels();
  common.blocks = ceil_div(common.channels, plan.table->lanes);
  common.out_stride = plan.window.out_c;
  const std::size_t pointers = pointer_bytes(plan);
  std::atomic<int64_t> different = 0;
  const auto compute = [&](const auto& row_at, int pixels, int first, int worker) {
    auto** runs =
        reinterpret_cast<const uint8_t**>(scratch + static_cast<std::size_t>(worker) * pointers);
    for (std::size_t p = 0; p < plan.pieces.size(); ++p) {
      runs[p] = row_at(plan.pieces[p].ky) + 2 * static_cast<std::ptrdiff_t>(plan.pieces[p].offset);
    }
    LaneRow row = common;
    row.runs = runs;
    row.pixels = pixels;
    row.out = out + first * row.out_stride + plan.channel_begin;
    different += plan.table->dense(row);
  };
  plan.dense.run(
      scratch + static_cast<std::size_t>(pool.size()) * pointers, pool,
      [&](uint8_t* row, int columns, int begin, int end, int64_t element) {
        stage(plan, in, row, columns, begin, end, element);
      },
      compute);
  return different;
}

int64_t run_depthwise(const LanePlan& plan, const int8_t* in, int8_t* out, std::byte* scratch,
                      ThreadPool& pool) {
  LaneDepthwiseRow common;
  common.tap_count = plan.taps.taps();
  common.weights = plan.packed.data();
  common.finish = finish_of(plan);
  common.channels = plan.window.out_c;
  common.out_stride = plan.window.out_c;
  std::atomic<int64_t> different = 0;
  plan.taps.run(in, out, scratch, pool, [&](const DepthwisePixels<int8_t>& pixels, int) {
    LaneDepthwiseRow row = common;
    row.taps = pixels.taps;
    row.stride = pixels.stride;
    row.pixels = pixels.pixels;
    row.block_begin = pixels.block_begin;
    row.block_end = pixels.block_end;
    row.gathered = pixels.gathered;
    row.out = pixels.out;
    different += plan.table->depthwise(row);
  });
  return different;
}

// ---- the definition

struct Sums {
  int32_t lane;
  int64_t wide;
};

Sums sum_up(const LanePlan& plan, const int8_t* picture, int oy, int ox, int o) {
  const Window2D& w = plan.window;
  const int channels = plan.depthwise ? 1 : w.in_c;
  const int first = plan.depthwise ? o / (w.out_c / w.in_c) : 0;
  const auto at = static_cast<std::size_t>(o);
  Sums sums{plan.lane_start[at], plan.wide_start[at]};
  for (int ky = 0; ky < w.kernel_h; ++ky) {
    for (int kx = 0; kx < w.kernel_w; ++kx) {
      const int y = w.row(oy, ky), x = w.column(ox, kx);
      if (!w.inside(y, x)) continue;
      const int8_t* in = picture + (static_cast<std::ptrdiff_t>(y) * w.in_w + x) * w.in_c + first;
      const int tap = ky * w.kernel_w + kx;
      const int8_t* weight =
          plan.weights.data() +
          (plan.depthwise
               ? static_cast<std::ptrdiff_t>(tap) * w.out_c + o
               : (static_cast<std::ptrdiff_t>(o) * w.kernel_h * w.kernel_w + tap) * channels);
      for (int c = 0; c < channels; ++c) {
        const int32_t product = int32_t{in[c]} * weight[c];
        sums.lane = std::clamp(sums.lane + product, kLaneMin, kLaneMax);
        sums.wide += product;
      }
    }
  }
  return sums;
}

int64_t run_plain(const LanePlan& plan, const int8_t* in, int8_t* out, ThreadPool& pool) {
  const Window2D& w = plan.window;
  std::atomic<int64_t> different = 0;
  const auto finish = [&](int64_t sum, int o) {
    const int shift = plan.shifts[static_cast<std::size_t>(o)];
    return static_cast<int8_t>(
        std::clamp<int64_t>(numerics::half_up_shift(sum, shift), plan.act_min, plan.act_max));
  };
  pool.parallel_for(w.batch * w.out_h, 1, [&](int64_t begin, int64_t end, int) {
    int64_t count = 0;
    for (int64_t row = begin; row < end; ++row) {
      const int8_t* picture = in + row / w.out_h * w.in_h * w.in_w * w.in_c;
      int8_t* to = out + row * w.out_w * w.out_c;
      for (int x = 0; x < w.out_w; ++x, to += w.out_c) {
        for (int o = plan.channel_begin; o < plan.channel_end; ++o) {
          const Sums sums = sum_up(plan, picture, static_cast<int>(row % w.out_h), x, o);
          to[o] = finish(sums.lane, o);
          count += to[o] != finish(sums.wide, o) ? 1 : 0;
        }
      }
    }
    different += count;
  });
  return different;
}

void keep_definition(const LaneSpec& spec, LanePlan& plan) {
  const Window2D& w = spec.window;
  const int64_t taps = int64_t{w.kernel_h} * w.kernel_w * (spec.depthwise ? 1 : w.in_c) * w.out_c;
  plan.weights.assign(spec.weights, spec.weights + taps);
  plan.lane_start.assign(spec.lane_start, spec.lane_start + w.out_c);
  plan.wide_start.assign(spec.wide_start, spec.wide_start + w.out_c);
  for (int o = 0; o < w.out_c; ++o) plan.shifts.push_back(spec.tail.shift_of(o));
}

}  // namespace

LaneConv::LaneConv(std::unique_ptr<LanePlan> plan) : plan_(std::move(plan)) {}
LaneConv::~LaneConv() = default;

std::unique_ptr<LaneConv> LaneConv::make(const LaneSpec& spec) {
  if (!consistent(spec)) return nullptr;
  auto plan = std::make_unique<LanePlan>();
  plan->window = spec.window;
  plan->depthwise = spec.depthwise;
  plan->channel_begin = spec.channel_begin;
  plan->channel_end = spec.channel_end;
  plan->act_min = spec.tail.act_min;
  plan->act_max = spec.tail.act_max;
  if (kernels_can_sum(spec)) plan->table = table_of(spec.isa);
  plan->path = name(plan->table == nullptr ? Isa::plain : spec.isa);
  plan->path += spec.depthwise ? " depthwise lanes" : " lanes";
  if (plan->table == nullptr) {
    keep_definition(spec, *plan);
  } else {
    plan_lanes(spec, *plan);
  }
  return std::unique_ptr<LaneConv>(new LaneConv(std::move(plan)));
}

std::size_t LaneConv::scratch_bytes(int threads) const {
  const LanePlan& plan = *plan_;
  if (plan.table == nullptr) return 0;
  if (plan.depthwise) return kCacheLine + plan.taps.scratch_bytes(threads);
  return kCacheLine + static_cast<std::size_t>(threads) * pointer_bytes(plan) +
         plan.dense.scratch_bytes(threads);
}

int64_t LaneConv::run(const int8_t* in, int8_t* out, std::byte* scratch, ThreadPool& pool) const {
  if (plan_->table == nullptr) return run_plain(*plan_, in, out, pool);
  const auto address = reinterpret_cast<std::uintptr_t>(scratch);
  std::byte* aligned = scratch + (round_up(address, kCacheLine) - address);
  return plan_->depthwise ? run_depthwise(*plan_, in, out, aligned, pool)
                          : run_dense(*plan_, in, out, aligned, pool);
}

const char* LaneConv::path() const { return plan_->path.c_str(); }

}  // namespace edgetwin::kernels
