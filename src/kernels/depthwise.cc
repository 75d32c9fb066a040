// Drives depthwise layers: block of channels by block of channels, each over the whole height, so
// that the interleaved rows of one block stay in the first cache.
#include <algorithm>
#include <cstring>

#include "kernels/conv_plan.h"
#include "kernels/row_ring.h"

namespace edgetwin::kernels {
namespace {

// The four outputs that a kernel computes at a time have whole positions.
int positions(const ConvPlan& plan) { return ceil_div(plan.window.out_w, 4) * 4 / plan.phases; }

std::size_t ring_row_bytes(const ConvPlan& plan) {
  return round_up(static_cast<std::size_t>(positions(plan) * plan.groups) *
                      static_cast<std::size_t>(plan.table->lanes) * 4,
                  kCacheLine);
}

// Per thread: pointers to the rows, padding, a row of repeated channels, the ring.
struct Scratch {
  std::size_t rows, pad, repeated, ring;

  explicit Scratch(const ConvPlan& plan) {
    const Window2D& w = plan.window;
    rows = round_up(static_cast<std::size_t>(w.kernel_h) * sizeof(uint8_t*), kCacheLine);
    pad = kCacheLine;
    repeated = plan.multiplier == 1
                   ? 0
                   : round_up(static_cast<std::size_t>(w.in_w * plan.table->lanes), kCacheLine);
    ring = RowRing::bytes(w, ring_row_bytes(plan));
  }
  std::size_t total() const { return rows + pad + repeated + ring; }
};

struct Job {
  const ConvPlan& plan;
  const uint8_t* in;
  uint8_t* out;
};

// One block of channels of one picture.
class BlockRun {
 public:
  BlockRun(const Job& job, int image, int block, std::byte* scratch)
      : plan_(job.plan), layout_(job.plan), scratch_(scratch), channel_(block * job.plan.table->lanes) {
    const Window2D& w = plan_.window;
    const int lanes = plan_.table->lanes;
    picture_ = job.in + static_cast<std::ptrdiff_t>(image) * w.in_h * w.in_w * w.in_c;
    tail_ = plan_.tail;
    tail_.words += static_cast<std::ptrdiff_t>(channel_) * kTailRows;
    row_.rows = reinterpret_cast<const uint8_t**>(scratch);
    row_.kernel_h = w.kernel_h;
    row_.groups = plan_.groups;
    row_.planes = plan_.planes;
    row_.phases = plan_.phases;
    row_.weights = plan_.weights.data() + static_cast<std::ptrdiff_t>(block) * plan_.phases *
                                              w.kernel_h * plan_.groups * plan_.planes * lanes * 4;
    row_.bias = plan_.bias.data() + channel_;
    row_.tail = &tail_;
    row_.pixels = w.out_w;
    row_.channels = std::min(lanes, w.out_c - channel_);
    row_.out_stride = w.out_c;
    row_.out = job.out + static_cast<std::ptrdiff_t>(image) * w.out_h * w.out_w * w.out_c + channel_;
    prepare_interleaving();
  }

  void run(int begin, int end) {
    const Window2D& w = plan_.window;
    auto** rows = reinterpret_cast<const uint8_t**>(scratch_);
    RowRing ring(scratch_ + layout_.rows + layout_.pad + layout_.repeated, w, ring_row_bytes(plan_));
    for (int y = begin; y < end; ++y) {
      ring.advance(y, [&](int in_y, uint8_t* to) { interleave(in_y, to); });
      for (int ky = 0; ky < w.kernel_h; ++ky) rows[ky] = ring.row(w.row(y, ky));
      DepthwiseRow row = row_;
      row.out += static_cast<std::ptrdiff_t>(y) * w.out_w * w.out_c;
      plan_.table->depthwise(row);
    }
  }

 private:
  void prepare_interleaving() {
    const Window2D& w = plan_.window;
    std::byte* pad = scratch_ + layout_.rows;
    std::memset(pad, plan_.encoding.pad, layout_.pad);
    taps_.pad = reinterpret_cast<const uint8_t*>(pad);
    taps_.columns = w.in_w;
    taps_.column_stride = plan_.multiplier == 1 ? w.in_c : plan_.table->lanes;
    taps_.first = -w.pad_left;
    taps_.step = w.stride_w * plan_.phases;
    taps_.dilation = w.dilation_w;
    taps_.groups = plan_.groups;
    taps_.positions = positions(plan_);
    taps_.channels = row_.channels;
    taps_.encoding = plan_.encoding;
  }

  void interleave(int y, uint8_t* to) {
    const Window2D& w = plan_.window;
    InterleaveRow taps = taps_;
    taps.to = to;
    if (y >= 0 && y < w.in_h) {
      const uint8_t* row = picture_ + static_cast<std::ptrdiff_t>(y) * w.in_w * w.in_c;
      taps.row = plan_.multiplier == 1 ? row + channel_ : repeat_channels(row);
    }
    plan_.table->interleave(taps);
  }

  // Output channel c reads input channel c / multiplier.
  const uint8_t* repeat_channels(const uint8_t* row) {
    const Window2D& w = plan_.window;
    auto* to = reinterpret_cast<uint8_t*>(scratch_ + layout_.rows + layout_.pad);
    for (int x = 0; x < w.in_w; ++x, row += w.in_c) {
      for (int c = 0; c < row_.channels; ++c) {
        to[x * plan_.table->lanes + c] = row[(channel_ + c) / plan_.multiplier];
      }
    }
    return to;
  }

  const ConvPlan& plan_;
  const Scratch layout_;
  std::byte* scratch_;
  int channel_;
  const uint8_t* picture_ = nullptr;
  TailTable tail_;
  DepthwiseRow row_;
  InterleaveRow taps_;
};

}  // namespace

std::size_t depthwise_scratch_bytes(const ConvPlan& plan, int threads) {
  return Scratch(plan).total() * static_cast<std::size_t>(threads);
}

void run_depthwise(const ConvPlan& plan, const uint8_t* in, uint8_t* out, std::byte* scratch,
                   ThreadPool& pool) {
  const Window2D& w = plan.window;
  const Job job{plan, in, out};
  const std::size_t per_thread = Scratch(plan).total();
  const int threads = pool.size();
  // Bands of rows only where there are too few blocks: every band prepares its first rows anew.
  const int planes = w.batch * plan.blocks;
  const int bands = planes % threads == 0 || planes >= 8 * threads ? 1 : std::min(threads, w.out_h);
  const auto part = [&](int64_t begin, int64_t end, int worker) {
    std::byte* own = scratch + static_cast<std::size_t>(worker) * per_thread;
    for (auto unit = static_cast<int>(begin); unit < end; ++unit) {
      const int band = unit / planes, plane = unit % planes;
      BlockRun run(job, plane / plan.blocks, plane % plan.blocks, own);
      run.run(w.out_h * band / bands, w.out_h * (band + 1) / bands);
    }
  };
  if (threads == 1) return part(0, planes * bands, 0);
  pool.parallel_for(planes * bands, 1, part);
}

}  // namespace edgetwin::kernels
