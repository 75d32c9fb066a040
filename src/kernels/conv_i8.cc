#include "kernels/conv_i8.h"

#include <cstdint>
#include <initializer_list>
#include <utility>

#include "kernels/conv_plan.h"

namespace edgetwin::kernels {
namespace {

const KernelTable* table_of(Isa isa) {
  if (!available(isa)) return nullptr;
  switch (isa) {
#if defined(__x86_64__)
    case Isa::avx2:
      return avx2_kernels();
    case Isa::avx_vnni:
      return avx_vnni_kernels();
    case Isa::avx512_vnni:
      return avx512_vnni_kernels();
#endif
    default:
      return nullptr;
  }
}

bool positive(std::initializer_list<int> values) {
  for (const int v : values) {
    if (v <= 0) return false;
  }
  return true;
}

// Far above every layer there is; it keeps all offsets within 31 bits.
bool moderate(const Window2D& w, bool depthwise) {
  constexpr int64_t limit = int64_t{1} << 30;
  const auto product = [](std::initializer_list<int64_t> values) {
    int64_t p = 1;
    for (const int64_t v : values) p = p >= limit ? p : p * v;
    return p;
  };
  return product({w.batch, w.in_h, w.in_w, w.in_c}) < limit &&
         product({w.batch, w.out_h, w.out_w, w.out_c}) < limit &&
         product({w.kernel_h, w.kernel_w, depthwise ? 64 : w.in_c, w.out_c}) < limit / 4 &&
         product({int64_t{w.out_w} + w.kernel_w, int64_t{w.stride_w} + w.dilation_w, w.in_c}) <
             limit &&
         product({int64_t{w.out_h} + w.kernel_h, int64_t{w.stride_h} + w.dilation_h}) < limit &&
         w.pad_top < limit && w.pad_left < limit && w.pad_top > -limit && w.pad_left > -limit;
}

bool within_type(const Conv8Spec& spec) {
  const int lowest = spec.is_unsigned ? 0 : -128;
  for (const int32_t v : {spec.input_zero_point, spec.weight_zero_point, spec.tail.act_min,
                          spec.tail.act_max, spec.tail.output_zero_point}) {
    if (v < lowest || v > lowest + 255) return false;
  }
  return spec.tail.act_min <= spec.tail.act_max;
}

bool consistent(const Conv8Spec& spec) {
  const Window2D& w = spec.window;
  if (!within_type(spec)) return false;
  if (!positive({w.batch, w.in_h, w.in_w, w.in_c, w.out_h, w.out_w, w.out_c, w.kernel_h, w.kernel_w,
                 w.stride_h, w.stride_w, w.dilation_h, w.dilation_w})) {
    return false;
  }
  if (!moderate(w, spec.depthwise) || spec.weights == nullptr) return false;
  if (spec.depthwise && w.out_c % w.in_c != 0) return false;
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

void plan_dense(const Conv8Spec& spec, ConvPlan& plan) {
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
  plan.path += plan.flat ? " pointwise" : plan.direct ? " direct" : " rows";
  pack_dense(spec, plan);
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
  return std::unique_ptr<PackedConv>(new PackedConv(std::move(plan)));
}

std::size_t PackedConv::scratch_bytes(int threads) const {
  return kCacheLine + (plan_->depthwise ? depthwise_scratch_bytes(*plan_, threads)
                                        : dense_scratch_bytes(*plan_, threads));
}

void PackedConv::run(const void* in, void* out, std::byte* scratch, ThreadPool& pool) const {
  const auto address = reinterpret_cast<std::uintptr_t>(scratch);
  std::byte* aligned = scratch + (round_up(address, kCacheLine) - address);
  const auto* from = static_cast<const uint8_t*>(in);
  auto* to = static_cast<uint8_t*>(out);
  if (plan_->depthwise) {
    run_depthwise(*plan_, from, to, aligned, pool);
  } else {
    run_dense(*plan_, from, to, aligned, pool);
  }
}

const char* PackedConv::path() const { return plan_->path.c_str(); }

}  // namespace edgetwin::kernels
