#include "kernels/i8/conv.h"

#include <cstdint>
#include <cstdlib>
#include <utility>

#include "kernels/arm/tables.h"
#include "kernels/core/isa.h"
#include "kernels/core/window_limits.h"
#include "kernels/i8/plan.h"
#include "kernels/x86/tables.h"

namespace edgetwin::kernels {
namespace {

#if defined(__x86_64__)
constexpr TableChoice<KernelTable> kTables[] = {{Isa::avx2, avx2_kernels},
                                                {Isa::avx_vnni, avx_vnni_kernels},
                                                {Isa::avx512_vnni, avx512_vnni_kernels}};
#elif defined(__aarch64__)
constexpr TableChoice<KernelTable> kTables[] = {{Isa::neon, neon_kernels},
                                                {Isa::neon_dotprod, neon_dotprod_kernels},
                                                {Isa::neon_i8mm, neon_i8mm_kernels}};
#else
constexpr std::span<const TableChoice<KernelTable> > kTables;
#endif

// A table whose steps are grouped, for weights that are small; null: there is none.
const KernelTable* grouped_table([[maybe_unused]] Isa isa) {
#if defined(__x86_64__)
  if (isa == Isa::avx2) return avx2_byte_kernels();
#endif
  return nullptr;
}

const KernelTable* table_of(Isa isa) { return choose_table<KernelTable>(isa, kTables); }

bool within_type(const Conv8Spec& spec) {
  if (spec.shift_tail) {
    return !spec.is_unsigned && spec.input_zero_point == 0 && spec.weight_zero_point == 0 &&
           consistent(*spec.shift_tail, spec.window.out_c, 31, -128, 127);
  }
  const int lowest = spec.is_unsigned ? 0 : -128;
  if (spec.float_tail) {
    const int32_t z = spec.float_tail->zero_point;
    if (z < lowest || z > lowest + 255) return false;
  }
  for (const int32_t v : {spec.input_zero_point, spec.weight_zero_point, spec.tail.act_min,
                          spec.tail.act_max, spec.tail.output_zero_point}) {
    if (v < lowest || v > lowest + 255) return false;
  }
  return spec.tail.act_min <= spec.tail.act_max;
}

// Whether every sum stays within 32 bits, for all inputs.
bool sums_fit(const Conv8Spec& spec) {
  const Window2D& w = spec.window;
  const auto* weights = static_cast<const int8_t*>(spec.weights);
  const auto channels = static_cast<std::size_t>(w.out_c);
  const std::size_t taps = static_cast<std::size_t>(w.kernel_h * w.kernel_w) *
                           static_cast<std::size_t>(spec.depthwise ? 1 : w.in_c);
  for (std::size_t c = 0; c < channels; ++c) {
    int64_t bound = spec.bias == nullptr ? 0 : std::abs(int64_t{spec.bias[c]});
    for (std::size_t t = 0; t < taps; ++t) {
      bound += 128 * std::abs(weights[spec.depthwise ? t * channels + c : c * taps + t]);
    }
    if (bound > INT32_MAX) return false;
  }
  return true;
}

bool consistent(const Conv8Spec& spec) {
  const Window2D& w = spec.window;
  if (!within_type(spec)) return false;
  if (!moderate(w, spec.depthwise) || spec.weights == nullptr) return false;
  if (spec.shift_tail) return sums_fit(spec);
  if (spec.float_tail) {
    return spec.float_tail->multipliers.size() == static_cast<std::size_t>(w.out_c);
  }
  const std::size_t multipliers = spec.tail.multipliers.size();
  return multipliers == 1 || multipliers == static_cast<std::size_t>(w.out_c);
}

InputEncoding encoding_of(const Conv8Spec& spec) {
  InputEncoding encoding;
  encoding.flip = spec.is_unsigned ? 0 : 0x80;
  encoding.zero_point = static_cast<int16_t>(spec.input_zero_point + (spec.is_unsigned ? 0 : 128));
  encoding.pad = static_cast<uint8_t>(spec.input_zero_point);
  return encoding;
}

bool no_padding(const Window2D& w) {
  return w.pad_top <= 0 && w.pad_left <= 0 && w.row(w.out_h - 1, w.kernel_h - 1) < w.in_h &&
         w.column(w.out_w - 1, w.kernel_w - 1) < w.in_w;
}

void lay_out_dense(ConvPlan& plan) {
  const Window2D& w = plan.window;
  const int taps = plan.table->taps_per_dot;
  plan.flat = w.kernel_h == 1 && w.kernel_w == 1 && w.stride_h == 1 && w.stride_w == 1 &&
              w.pad_top == 0 && w.pad_left == 0 && w.out_h == w.in_h && w.out_w == w.in_w;
  const bool joined = w.dilation_w == 1 || w.kernel_w == 1;  // a row of the window is one run
  plan.runs = joined ? w.kernel_h : w.kernel_h * w.kernel_w;
  plan.run_elements = joined ? w.kernel_w * w.in_c : w.in_c;
  plan.run_steps = ceil_div(plan.run_elements, taps);
  plan.vectors = w.out_c > plan.table->lanes ? 2 : 1;
  plan.blocks = ceil_div(w.out_c, plan.block_channels());
  plan.direct = plan.table->element_bytes == 1 && plan.encoding.flip == 0 &&
                plan.run_elements % taps == 0 && no_padding(w);
}

bool plan_grouped(const Conv8Spec& spec, ConvPlan& plan) {
  const KernelTable* table = grouped_table(spec.isa);
  if (table == nullptr) return false;
  plan.table = table;
  lay_out_dense(plan);
  return pack_grouped(spec, plan);
}

void plan_dense(const Conv8Spec& spec, ConvPlan& plan) {
  const KernelTable* words = plan.table;
  if (!plan_grouped(spec, plan)) {
    plan.table = words;
    lay_out_dense(plan);
    pack_dense(spec, plan);
  }
  plan.path += plan.flat ? " pointwise" : plan.direct ? " direct" : " rows";
}

// Whether kernels/x86/depthwise_direct.h has the windows.
bool in_place(const ConvPlan& plan) {
  const Window2D& w = plan.window;
  const int lanes = plan.table->lanes;
  if (plan.table->direct_depthwise == nullptr || plan.multiplier != 1) return false;
  if (w.kernel_h != 3 || w.kernel_w != 3 || w.dilation_w != 1) return false;
  if (w.stride_w != 1 && w.stride_w != 2) return false;
  return w.in_c % (2 * lanes) == 0 && w.out_w >= 2 && w.pad_left <= 1 &&
         w.column(w.out_w - 1, 2) <= w.in_w;
}

void plan_depthwise(const Conv8Spec& spec, ConvPlan& plan) {
  const Window2D& w = plan.window;
  const int taps = plan.table->taps_per_dot;
  plan.multiplier = w.out_c / w.in_c;
  plan.first_groups = plan.groups = ceil_div(w.kernel_w, taps);
  // Interleaving costs as much as multiplying, so that outputs share what is interleaved where they
  // can: vectors of adjacent columns serve all windows that begin in them; else two neighbouring
  // outputs use the same vectors if there is room for both windows.
  const bool adjacent = w.dilation_w == 1;
  if (adjacent && (w.stride_w == taps || w.stride_w * 2 == taps)) {
    plan.overlap = true;
    plan.phases = taps / w.stride_w;
    plan.groups = ceil_div((plan.phases - 1) * w.stride_w + w.kernel_w, taps);
  } else if (adjacent && w.kernel_w + w.stride_w <= plan.groups * taps) {
    plan.phases = 2;
  }
  // Four vectors at a time read and write whole cache lines.
  plan.vectors = plan.multiplier == 1 && w.out_c % (4 * plan.table->lanes) == 0 ? 4 : 1;
  plan.in_place = in_place(plan);
  if (plan.in_place) plan.vectors = 2;
  plan.blocks = ceil_div(w.out_c, plan.block_channels());
  plan.path += " depthwise";
  pack_depthwise(spec, plan);
}

}  // namespace

Window2D fully_connected_window(int rows, int in, int out) {
  Window2D w;
  w.in_h = w.out_h = 1;
  w.in_w = w.out_w = rows;
  w.in_c = in;
  w.out_c = out;
  return w;
}

PackedConv::PackedConv(std::unique_ptr<ConvPlan> plan) : plan_(std::move(plan)) {}
PackedConv::~PackedConv() = default;

std::unique_ptr<PackedConv> PackedConv::make(const Conv8Spec& spec) {
  const KernelTable* table = table_of(spec.isa);
  if (table == nullptr || !consistent(spec)) return nullptr;
  auto plan = std::make_unique<ConvPlan>();
  plan->window = spec.window;
  plan->table = table;
  plan->path = name(spec.isa);
  plan->encoding = encoding_of(spec);
  plan->depthwise = spec.depthwise;
  if (spec.depthwise) {
    plan_depthwise(spec, *plan);
  } else {
    plan_dense(spec, *plan);
  }
  if (plan->open) return nullptr;
  return std::unique_ptr<PackedConv>(new PackedConv(std::move(plan)));
}

std::size_t PackedConv::scratch_bytes(int threads) const {
  const auto bytes = !plan_->depthwise ? dense_scratch_bytes
                     : plan_->in_place ? direct_scratch_bytes
                                       : depthwise_scratch_bytes;
  return kCacheLine + bytes(*plan_, threads);
}

void PackedConv::run(const void* in, void* out, std::byte* scratch, ThreadPool& pool) const {
  const auto address = reinterpret_cast<std::uintptr_t>(scratch);
  std::byte* aligned = scratch + (round_up(address, kCacheLine) - address);
  const auto* from = static_cast<const uint8_t*>(in);
  auto* to = static_cast<uint8_t*>(out);
  const auto run = !plan_->depthwise ? run_dense : plan_->in_place ? run_direct : run_depthwise;
  run(*plan_, from, to, aligned, pool);
}

const char* PackedConv::path() const { return plan_->path.c_str(); }

}  // namespace edgetwin::kernels
