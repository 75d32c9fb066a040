// Drives depthwise layers whose windows are read where they are: nothing is done per row but to say
// where its input is.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "kernels/core/aligned.h"
#include "kernels/i8/plan.h"

namespace edgetwin::kernels {
namespace {

constexpr int kHeight = 3;

// The places in a thread's scratch memory.
struct Layout {
  std::size_t pad, rows, total;

  explicit Layout(const ConvPlan& plan) {
    pad = 0;
    rows = round_up(static_cast<std::size_t>(plan.window.in_c), kCacheLine);
    total =
        rows + round_up(static_cast<std::size_t>(plan.window.out_h) * kHeight * sizeof(DirectRow),
                        kCacheLine);
  }
};

// Where the windows of output rows [begin, end) of a picture are.
void list_rows(const Window2D& w, const uint8_t* picture, const uint8_t* pad, int begin, int end,
               DirectRow* rows) {
  for (int y = begin; y < end; ++y) {
    for (int ky = 0; ky < kHeight; ++ky) {
      const int row = w.row(y, ky);
      const bool inside = row >= 0 && row < w.in_h;
      *rows++ =
          inside ? DirectRow{picture + static_cast<std::ptrdiff_t>(row) * w.in_w * w.in_c, w.in_c}
                 : DirectRow{pad, 0};
    }
  }
}

DirectDepthwise layer_of(const ConvPlan& plan) {
  const Window2D& w = plan.window;
  DirectDepthwise d;
  d.columns = w.in_w;
  d.pixels = w.out_w;
  d.stride = w.stride_w;
  d.pad_left = w.pad_left;
  d.is_signed = plan.encoding.flip != 0;
  d.tail = &plan.tail;
  d.out_stride = w.out_c;
  return d;
}

// Output rows whose input stays in the first cache, of 8 ways of 4 KB: pixels of many channels
// share few of its sets.
int rows_together(const Window2D& w) {
  constexpr int kWay = 4096, kWays = 8;
  const int apart = std::max(static_cast<int>(kCacheLine), std::gcd(w.in_c, kWay));
  const int in_rows = kWays * (kWay / apart) / w.in_w;
  return std::max(1, (in_rows - kHeight) / w.stride_h + 1);
}

// Blocks that share the cache lines of a pixel.
constexpr int kTogether = 4;

// What is the same for all blocks of a band of output rows.
struct Band {
  const ConvPlan& plan;
  DirectDepthwise layer;

  // Some of its rows, of some blocks.
  void run(int row, int count, int block_begin, int block_end) const {
    const int lanes = plan.block_channels();
    const int weights = plan.phases * kHeight * plan.groups * lanes * 4;
    DirectDepthwise d = layer;
    d.rows += row * kHeight;
    d.row_count = count;
    for (int block = block_begin; block < block_end; ++block) {
      d.channel = block * lanes;
      d.weights = plan.weights.data() + static_cast<std::ptrdiff_t>(block) * weights;
      d.bias = plan.bias.data() + d.channel;
      d.tail_words = plan.tail.words + static_cast<std::ptrdiff_t>(d.channel) * kTailRows;
      d.out = layer.out + static_cast<std::ptrdiff_t>(row) * d.pixels * d.out_stride + d.channel;
      plan.table->direct_depthwise(d);
    }
  }
};

// Output rows [begin, end) of a picture.
void run_rows(const ConvPlan& plan, const uint8_t* in, uint8_t* out, std::byte* scratch, int image,
              int begin, int end) {
  const Window2D& w = plan.window;
  const Layout layout(plan);
  auto* pad = reinterpret_cast<uint8_t*>(scratch + layout.pad);
  auto* rows = reinterpret_cast<DirectRow*>(scratch + layout.rows);
  std::memset(pad, plan.encoding.pad, static_cast<std::size_t>(w.in_c));
  list_rows(w, in + static_cast<std::ptrdiff_t>(image) * w.in_h * w.in_w * w.in_c, pad, begin, end,
            rows);
  Band band{plan, layer_of(plan)};
  band.layer.rows = rows;
  band.layer.pad = pad;
  band.layer.out = out + (static_cast<std::ptrdiff_t>(image) * w.out_h + begin) * w.out_w * w.out_c;
  const int together = rows_together(w);
  for (int block = 0; block < plan.blocks; block += kTogether) {
    for (int row = 0; row < end - begin; row += together) {
      band.run(row, std::min(together, end - begin - row), block,
               std::min(block + kTogether, plan.blocks));
    }
  }
}

}  // namespace

std::size_t direct_scratch_bytes(const ConvPlan& plan, int threads) {
  return Layout(plan).total * static_cast<std::size_t>(threads);
}

void run_direct(const ConvPlan& plan, const uint8_t* in, uint8_t* out, std::byte* scratch,
                ThreadPool& pool) {
  const Window2D& w = plan.window;
  const std::size_t bytes = Layout(plan).total;
  const int bands = std::min(pool.size(), w.out_h);
  const auto part = [&](int64_t begin, int64_t end, int index) {
    for (auto unit = static_cast<int>(begin); unit < end; ++unit) {
      const int image = unit / bands, band = unit % bands;
      run_rows(plan, in, out, scratch + static_cast<std::size_t>(index) * bytes, image,
               w.out_h * band / bands, w.out_h * (band + 1) / bands);
    }
  };
  if (pool.size() == 1) return part(0, w.batch, 0);
  pool.parallel_for(int64_t{w.batch} * bands, 1, part);
}

}  // namespace edgetwin::kernels
