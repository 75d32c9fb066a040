#include "kernels/i16/conv.h"

#include <cstdint>
#include <utility>

#include "kernels/arm/tables.h"
#include "kernels/core/isa.h"
#include "kernels/core/window_limits.h"
#include "kernels/i16/plan.h"
#include "kernels/x86/tables.h"

namespace edgetwin::kernels {
namespace {

constexpr int kChunkBytes = 24 * 1024;  // half of a first-level data cache of 48 KiB
constexpr std::size_t kSlack = 64;      // the last step of a piece may read past its end

#if defined(__x86_64__)
constexpr TableChoice<KernelTable16> kTables[] = {{Isa::avx2, avx2_kernels16},
                                                  {Isa::avx_vnni, avx_vnni_kernels16},
                                                  {Isa::avx512_vnni, avx512_vnni_kernels16}};
#elif defined(__aarch64__)
constexpr TableChoice<KernelTable16> kTables[] = {{Isa::neon, neon_kernels16},
                                                  {Isa::neon_dotprod, neon_dotprod_kernels16},
                                                  {Isa::neon_i8mm, neon_i8mm_kernels16}};
#else
constexpr std::span<const TableChoice<KernelTable16> > kTables;
#endif

const KernelTable16* table_of(Isa isa) { return choose_table<KernelTable16>(isa, kTables); }

std::size_t words_bytes(const Window2D& w, int columns) {
  const auto elements = static_cast<std::size_t>(columns) * static_cast<std::size_t>(w.in_c);
  return round_up(elements * 2 + kSlack, kCacheLine);
}

void plan_walk(Conv16Plan& plan) {
  const Window2D& w = plan.window;
  const int tile = plan.table->tile_pixels;
  const int chunk = std::max(1, kChunkBytes / 3 / w.in_c / tile) * tile;
  plan.dense = DenseWalk(w, chunk, [&](int columns) {
    const std::size_t words = words_bytes(w, columns);
    return plan.split ? words + words / 2 + kSlack : words;
  });
  plan.bytes_at = words_bytes(w, plan.dense.columns());
}

// A row of `columns` pixels as words, and as the upper bytes of these.
void stage(const Conv16Plan& plan, const int16_t* in, uint8_t* row, int columns, int begin, int end,
           int64_t element) {
  const auto pixel = static_cast<std::size_t>(plan.window.in_c);
  auto* words = reinterpret_cast<int16_t*>(row);
  const std::size_t first = static_cast<std::size_t>(begin) * pixel;
  const std::size_t last = static_cast<std::size_t>(end) * pixel;
  const std::size_t all = static_cast<std::size_t>(columns) * pixel;
  std::fill(words, words + first, int16_t{0});
  if (first < last) std::copy(in + element, in + element + (last - first), words + first);
  std::fill(words + last, words + all, int16_t{0});
  if (!plan.split) return;
  uint8_t* bytes = row + plan.bytes_at;
  const auto zero = static_cast<uint8_t>(1 << (15 - plan.table->high_shift));
  std::fill(bytes, bytes + first, zero);
  if (first < last) plan.table->encode(bytes + first, in + element, last - first);
  std::fill(bytes + last, bytes + all, zero);
}

Dense16Row row_of(const Conv16Plan& plan) {
  Dense16Row row;
  row.word_steps = plan.word_steps.data();
  row.byte_steps = plan.byte_steps.data();
  row.segment_ends = plan.segment_ends.data();
  row.segments = static_cast<int>(plan.segment_ends.size());
  row.byte_stride = static_cast<std::ptrdiff_t>(plan.window.stride_w) * plan.window.in_c;
  row.word_stride = 2 * row.byte_stride;
  row.word_weights = plan.word_weights.data();
  row.byte_weights = plan.split ? plan.byte_weights.data() : nullptr;
  for (const int32_t s : plan.word_steps) row.all_word_steps += s;
  for (const int32_t s : plan.byte_steps) row.all_byte_steps += s;
  row.low_start = plan.low_start.data();
  row.high_start = plan.high_start.data();
  row.tail = &plan.tail;
  row.vectors = plan.vectors;
  row.last_vectors = plan.last_vectors;
  row.blocks = plan.blocks;
  row.out_channels = plan.window.out_c;
  row.out_stride = plan.window.out_c;
  return row;
}

// Per thread: pointers to the pieces of a window, as words and as bytes.
std::size_t pointer_bytes(const Conv16Plan& plan) {
  return round_up(2 * plan.pieces.size() * sizeof(uint8_t*), kCacheLine);
}

void run_dense(const Conv16Plan& plan, const int16_t* in, int16_t* out, std::byte* scratch,
               ThreadPool& pool) {
  const Dense16Row common = row_of(plan);
  const std::size_t pointers = pointer_bytes(plan);
  const auto compute = [&](const auto& row_at, int pixels, int first, int worker) {
    auto** words =
        reinterpret_cast<const uint8_t**>(scratch + static_cast<std::size_t>(worker) * pointers);
    const uint8_t** bytes = words + plan.pieces.size();
    for (std::size_t p = 0; p < plan.pieces.size(); ++p) {
      const uint8_t* row = row_at(plan.pieces[p].ky);
      words[p] = row + 2 * static_cast<std::ptrdiff_t>(plan.pieces[p].offset);
      bytes[p] = row + plan.bytes_at + plan.pieces[p].offset;
    }
    Dense16Row row = common;
    row.words = words;
    row.bytes = bytes;
    row.pixels = pixels;
    row.out = out + first * row.out_stride;
    plan.table->dense(row);
  };
  plan.dense.run(
      scratch + static_cast<std::size_t>(pool.size()) * pointers, pool,
      [&](uint8_t* row, int columns, int begin, int end, int64_t element) {
        stage(plan, in, row, columns, begin, end, element);
      },
      compute);
}

void run_depthwise(const Conv16Plan& plan, const int16_t* in, int16_t* out, std::byte* scratch,
                   ThreadPool& pool) {
  Depthwise16Row common;
  common.tap_pairs = plan.tap_pairs;
  common.split = plan.split;
  common.weights = plan.word_weights.data();
  common.low_start = plan.low_start.data();
  common.high_start = plan.high_start.data();
  common.tail = &plan.tail;
  common.channels = plan.window.out_c;
  common.out_stride = plan.window.out_c;
  plan.taps.run(in, out, scratch, pool, [&](const DepthwisePixels<int16_t>& pixels, int) {
    Depthwise16Row row = common;
    row.taps = pixels.taps;
    row.stride = pixels.stride;
    row.pixels = pixels.pixels;
    row.block_begin = pixels.block_begin;
    row.block_end = pixels.block_end;
    row.gathered = pixels.gathered;
    row.out = pixels.out;
    plan.table->depthwise(row);
  });
}

}  // namespace

PackedConv16::PackedConv16(std::unique_ptr<Conv16Plan> plan) : plan_(std::move(plan)) {}
PackedConv16::~PackedConv16() = default;

std::unique_ptr<PackedConv16> PackedConv16::make(const Conv16Spec& spec) {
  const KernelTable16* table = table_of(spec.isa);
  if (table == nullptr || spec.weights == nullptr || !moderate(spec.window, spec.depthwise) ||
      !consistent(spec.tail, spec.window.out_c, 62, -32768, 32767)) {
    return nullptr;
  }
  auto plan = std::make_unique<Conv16Plan>();
  plan->window = spec.window;
  plan->table = table;
  plan->path = name(spec.isa);
  plan->depthwise = spec.depthwise;
  if (spec.depthwise ? !plan_depthwise16(spec, *plan) : !plan_dense16(spec, *plan)) return nullptr;
  if (!spec.depthwise) plan_walk(*plan);
  return std::unique_ptr<PackedConv16>(new PackedConv16(std::move(plan)));
}

std::size_t PackedConv16::scratch_bytes(int threads) const {
  const Conv16Plan& plan = *plan_;
  if (plan.depthwise) return kCacheLine + plan.taps.scratch_bytes(threads);
  return kCacheLine + static_cast<std::size_t>(threads) * pointer_bytes(plan) +
         plan.dense.scratch_bytes(threads);
}

void PackedConv16::run(const int16_t* in, int16_t* out, std::byte* scratch,
                       ThreadPool& pool) const {
  const auto address = reinterpret_cast<std::uintptr_t>(scratch);
  std::byte* aligned = scratch + (round_up(address, kCacheLine) - address);
  if (plan_->depthwise) {
    run_depthwise(*plan_, in, out, aligned, pool);
  } else {
    run_dense(*plan_, in, out, aligned, pool);
  }
}

const char* PackedConv16::path() const { return plan_->path.c_str(); }

}  // namespace edgetwin::kernels
