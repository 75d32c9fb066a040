// Drives dense layers: which pixels and channels a thread computes, and where kernels find their
// windows. 1x1 layers are one long row of pixels, taken in chunks that stay in the first cache;
// others go row by row, over padded copies of the input rows where the input cannot be read as it
// is.
#include <algorithm>
#include <cstring>

#include "kernels/core/row_ring.h"
#include "kernels/i8/plan.h"

namespace edgetwin::kernels {
namespace {

constexpr int kChunkBytes = 24 * 1024;  // half of a first-level data cache of 48 KiB
constexpr std::size_t kSlack = 64;      // the last step of a run may read past its end

struct Job {
  const ConvPlan& plan;
  const uint8_t* in;
  uint8_t* out;
};

struct Range {
  int begin, end;
};

int chunk_pixels(const ConvPlan& plan) {
  const int tile = plan.table->tile_pixels;
  const int bytes = plan.window.in_c * plan.table->element_bytes;
  return std::max(1, kChunkBytes / bytes / tile) * tile;
}

int staged_columns(const Window2D& w) {
  return (w.out_w - 1) * w.stride_w + (w.kernel_w - 1) * w.dilation_w + 1;
}

std::size_t staged_row_bytes(const ConvPlan& plan) {
  const Window2D& w = plan.window;
  return round_up(static_cast<std::size_t>(staged_columns(w)) * static_cast<std::size_t>(w.in_c) *
                          static_cast<std::size_t>(plan.table->element_bytes) +
                      kSlack,
                  kCacheLine);
}

// Per thread: terms of the pixels, pointers to the runs, then copies of the input.
struct Scratch {
  std::size_t terms, runs, input;

  explicit Scratch(const ConvPlan& plan) {
    const Window2D& w = plan.window;
    const int pixels = plan.flat ? chunk_pixels(plan) : w.out_w;
    terms = plan.term_factor == 0
                ? 0
                : round_up(static_cast<std::size_t>(pixels) * sizeof(int32_t), kCacheLine);
    runs = round_up(static_cast<std::size_t>(plan.runs) * sizeof(uint8_t*), kCacheLine);
    input = 0;
    if (plan.direct) return;
    input = plan.flat
                ? round_up(static_cast<std::size_t>(pixels) * static_cast<std::size_t>(w.in_c) *
                                   static_cast<std::size_t>(plan.table->element_bytes) +
                               kSlack,
                           kCacheLine)
                : RowRing::bytes(RowRing::least_slots(w), staged_row_bytes(plan));
  }
  std::size_t total() const { return terms + runs + input; }
};

DenseRow row_of(const ConvPlan& plan, Range blocks) {
  DenseRow row;
  row.run_count = plan.runs;
  row.run_steps = plan.run_steps;
  row.pixel_stride = static_cast<std::ptrdiff_t>(plan.window.stride_w) * plan.window.in_c *
                     plan.table->element_bytes;
  row.weights = plan.weights.data();
  row.bias = plan.bias.data();
  row.tail = &plan.tail;
  row.vectors = plan.vectors;
  row.block_begin = blocks.begin;
  row.block_end = blocks.end;
  row.out_channels = plan.window.out_c;
  row.out_stride = plan.window.out_c;
  if (plan.table->grouped) {
    row.weights = plan.grouped.weights.data();
    row.steps = plan.grouped.steps.data();
    row.groups = plan.grouped.groups.data();
  }
  return row;
}

void compute(const ConvPlan& plan, DenseRow& row, std::byte* scratch) {
  if (plan.term_factor != 0) {
    auto* terms = reinterpret_cast<int32_t*>(scratch);
    plan.table->window_terms(terms, row, plan.run_elements, plan.term_factor);
    row.pixel_terms = terms;
  }
  plan.table->dense(row);
}

void run_flat(const Job& job, Range pixels, Range blocks, std::byte* scratch) {
  const ConvPlan& plan = job.plan;
  const Scratch layout(plan);
  auto* staged = reinterpret_cast<uint8_t*>(scratch + layout.terms + layout.runs);
  const int chunk = chunk_pixels(plan);
  DenseRow row = row_of(plan, blocks);
  for (int p = pixels.begin; p < pixels.end; p += row.pixels) {
    row.pixels = std::min(chunk, pixels.end - p);
    const uint8_t* run = job.in + static_cast<std::ptrdiff_t>(p) * plan.window.in_c;
    if (!plan.direct) {
      plan.table->encode(
          staged, run,
          static_cast<std::size_t>(row.pixels) * static_cast<std::size_t>(plan.window.in_c),
          plan.encoding);
      run = staged;
    }
    row.runs = &run;
    row.out = job.out + p * row.out_stride;
    compute(plan, row, scratch);
  }
}

// One input row as the windows want it: encoded, with padding where they leave the picture.
void stage_row(const ConvPlan& plan, const uint8_t* picture, int y, uint8_t* to) {
  const Window2D& w = plan.window;
  const KernelTable& table = *plan.table;
  const auto pixel = static_cast<std::size_t>(w.in_c);
  const auto bytes = pixel * static_cast<std::size_t>(table.element_bytes);
  const int columns = staged_columns(w);
  const bool inside = y >= 0 && y < w.in_h;
  const int begin = inside ? std::clamp(w.pad_left, 0, columns) : columns;
  const int end = inside ? std::clamp(w.pad_left + w.in_w, begin, columns) : columns;
  const int value = table.element_bytes == 1 ? plan.encoding.zero_point : 0;
  std::memset(to, value, static_cast<std::size_t>(begin) * bytes);
  if (begin < end) {
    const uint8_t* row =
        picture + static_cast<std::size_t>(y * w.in_w + begin - w.pad_left) * pixel;
    table.encode(to + static_cast<std::size_t>(begin) * bytes, row,
                 static_cast<std::size_t>(end - begin) * pixel, plan.encoding);
  }
  std::memset(to + static_cast<std::size_t>(end) * bytes, value,
              static_cast<std::size_t>(columns - end) * bytes);
}

// The runs of a window: its rows, or its taps where those are not neighbours.
template <class RowAt>
void point_runs(const ConvPlan& plan, int out_y, const uint8_t** runs, const RowAt& row_at) {
  const Window2D& w = plan.window;
  const int per_row = plan.runs / w.kernel_h;
  const std::ptrdiff_t tap =
      static_cast<std::ptrdiff_t>(w.dilation_w) * w.in_c * plan.table->element_bytes;
  for (int r = 0; r < plan.runs; ++r) {
    runs[r] = row_at(w.row(out_y, r / per_row)) + r % per_row * tap;
  }
}

// Rows out_y of one picture.
void run_rows(const Job& job, int image, Range rows, Range blocks, std::byte* scratch) {
  const ConvPlan& plan = job.plan;
  const Window2D& w = plan.window;
  const Scratch layout(plan);
  auto** runs = reinterpret_cast<const uint8_t**>(scratch + layout.terms);
  const std::ptrdiff_t in_row = static_cast<std::ptrdiff_t>(w.in_w) * w.in_c;
  const uint8_t* picture = job.in + image * w.in_h * in_row;
  DenseRow row = row_of(plan, blocks);
  row.pixels = w.out_w;
  row.runs = runs;
  row.out = job.out +
            (static_cast<std::ptrdiff_t>(image) * w.out_h + rows.begin) * w.out_w * row.out_stride;
  if (plan.direct) {
    const uint8_t* first = picture - static_cast<std::ptrdiff_t>(w.pad_left) * w.in_c;
    for (int y = rows.begin; y < rows.end; ++y, row.out += w.out_w * row.out_stride) {
      point_runs(plan, y, runs, [&](int in_y) { return first + in_y * in_row; });
      compute(plan, row, scratch);
    }
    return;
  }
  RowRing ring(scratch + layout.terms + layout.runs, w, RowRing::least_slots(w),
               staged_row_bytes(plan));
  for (int y = rows.begin; y < rows.end; ++y, row.out += w.out_w * row.out_stride) {
    ring.advance(y, [&](int in_y, uint8_t* to) { stage_row(plan, picture, in_y, to); });
    point_runs(plan, y, runs, [&](int in_y) { return ring.row(in_y); });
    compute(plan, row, scratch);
  }
}

// Units are pixels of a flat layer, else rows.
void run_units(const Job& job, Range units, Range blocks, std::byte* scratch) {
  if (job.plan.flat) return run_flat(job, units, blocks, scratch);
  const int height = job.plan.window.out_h;
  for (int u = units.begin; u < units.end;) {
    const int image = u / height;
    const int end = std::min(units.end, (image + 1) * height);
    run_rows(job, image, {u - image * height, end - image * height}, blocks, scratch);
    u = end;
  }
}

}  // namespace

std::size_t dense_scratch_bytes(const ConvPlan& plan, int threads) {
  return Scratch(plan).total() * static_cast<std::size_t>(threads);
}

void run_dense(const ConvPlan& plan, const uint8_t* in, uint8_t* out, std::byte* scratch,
               ThreadPool& pool) {
  const Window2D& w = plan.window;
  const Job job{plan, in, out};
  const std::size_t per_thread = Scratch(plan).total();
  const int units = plan.flat ? w.batch * w.out_h * w.out_w : w.batch * w.out_h;
  const int threads = pool.size();
  const int pixels = w.batch * w.out_h * w.out_w;
  // The larger of weights and input is what threads share out, so that each reads only its part.
  const bool by_channels = plan.blocks >= 2 * threads && w.out_c > 4 * pixels;
  if (threads == 1) return run_units(job, {0, units}, {0, plan.blocks}, scratch);
  const auto part = [&](int64_t begin, int64_t end, int worker) {
    std::byte* own = scratch + static_cast<std::size_t>(worker) * per_thread;
    const Range range{static_cast<int>(begin), static_cast<int>(end)};
    if (by_channels) {
      run_units(job, {0, units}, range, own);
    } else {
      run_units(job, range, {0, plan.blocks}, own);
    }
  };
  if (by_channels) return pool.parallel_for(plan.blocks, 1, part);
  pool.parallel_for(units, plan.flat ? plan.table->tile_pixels : 1, part);
}

}  // namespace edgetwin::kernels
