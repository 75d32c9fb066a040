// Drives depthwise layers: block of channels by block of channels, each over the whole height, so
// that the interleaved rows of one block stay in the first cache.
#include <algorithm>
#include <cstring>

#include "kernels/core/row_ring.h"
#include "kernels/i8/plan.h"

namespace edgetwin::kernels {
namespace {

// Positions of interleaved taps that the outputs of a row need.
int needed_positions(const ConvPlan& plan) {
  const int last = plan.window.out_w - 1;
  const int groups = last % plan.phases == 0 ? plan.first_groups : plan.groups;
  return last / plan.phases + (plan.overlap ? groups : 1);
}

// There is room for those of whole fours of outputs, which a kernel may read and then not use.
int positions(const ConvPlan& plan) {
  return ceil_div(plan.window.out_w, 4) * 4 / plan.phases + (plan.overlap ? plan.groups - 1 : 0);
}

std::size_t ring_row_bytes(const ConvPlan& plan) {
  const int vectors = plan.vectors * positions(plan) * (plan.overlap ? 1 : plan.groups);
  return round_up(
      static_cast<std::size_t>(vectors) * static_cast<std::size_t>(plan.table->lanes) * 4,
      kCacheLine);
}

constexpr int kRingBytes = 32 * 1024;

// More rows than one window spans, as long as they fit the first cache: what has to be done once
// per batch of rows is much of the work where rows are short.
int ring_slots(const ConvPlan& plan) {
  const Window2D& w = plan.window;
  const int useful = RowRing::span(w) + (w.out_h - 1) * w.stride_h;
  int slots = RowRing::least_slots(w);
  while (slots < useful &&
         static_cast<std::size_t>(slots) * 2 * ring_row_bytes(plan) <= kRingBytes) {
    slots *= 2;
  }
  return slots;
}

// Sizes that are the same for all blocks, and the places in a thread's scratch memory: pointers to
// rows, padding, a row of repeated channels per row of the ring, the ring.
struct Layout {
  std::size_t row_bytes, repeated_bytes;
  int slots, batch;
  std::size_t to, from, inputs, pad, repeated, ring, total;

  explicit Layout(const ConvPlan& plan) {
    const Window2D& w = plan.window;
    row_bytes = ring_row_bytes(plan);
    repeated_bytes = plan.multiplier == 1
                         ? 0
                         : round_up(static_cast<std::size_t>(w.in_w) *
                                        static_cast<std::size_t>(plan.table->lanes),
                                    kCacheLine);
    slots = ring_slots(plan);
    batch = (slots - RowRing::span(w)) / w.stride_h + 1;
    const auto rows = static_cast<std::size_t>(slots);
    const std::size_t pointers = round_up(rows * sizeof(void*), kCacheLine);
    to = 0;
    from = to + pointers;
    inputs = from + pointers;
    pad =
        inputs + round_up(static_cast<std::size_t>(batch * w.kernel_h) * sizeof(void*), kCacheLine);
    repeated = pad + kCacheLine;
    ring = repeated + rows * repeated_bytes;
    total = ring + RowRing::bytes(slots, row_bytes);
  }
};

// A thread's work on one layer.
class Worker {
 public:
  Worker(const ConvPlan& plan, const Layout& layout, const uint8_t* in, uint8_t* out,
         std::byte* scratch)
      : plan_(plan),
        layout_(layout),
        in_(in),
        out_(out),
        scratch_(scratch),
        ring_(scratch + layout.ring, plan.window, layout.slots, layout.row_bytes) {
    prepare_interleaving();
    prepare_rows();
  }

  // Output rows [begin, end) of one block of channels of one picture.
  void run(int image, int block, int begin, int end) {
    const Window2D& w = plan_.window;
    select(image, block);
    ring_.clear();
    for (int y = begin; y < end; y += rows_.rows) {
      rows_.rows = std::min(layout_.batch, end - y);
      const std::ptrdiff_t row = static_cast<std::ptrdiff_t>(image) * w.out_h + y;
      rows_.out = out_ + row * w.out_w * w.out_c + channel_;
      provide(y);
      plan_.table->depthwise(rows_);
    }
  }

 private:
  template <class T>
  T at(std::size_t offset) const {
    return reinterpret_cast<T>(scratch_ + offset);
  }

  void prepare_interleaving() {
    const Window2D& w = plan_.window;
    std::memset(at<uint8_t*>(layout_.pad), plan_.encoding.pad, kCacheLine);
    taps_.to = at<uint8_t**>(layout_.to);
    taps_.from = at<const uint8_t**>(layout_.from);
    taps_.pad = at<const uint8_t*>(layout_.pad);
    taps_.columns = w.in_w;
    taps_.column_stride = plan_.multiplier == 1 ? w.in_c : plan_.table->lanes;
    taps_.first = -w.pad_left;
    taps_.step = w.stride_w * plan_.phases;
    taps_.dilation = w.dilation_w;
    taps_.vectors = plan_.vectors;
    taps_.groups = plan_.overlap ? 1 : plan_.groups;
    taps_.positions = needed_positions(plan_);
    taps_.encoding = plan_.encoding;
  }

  void prepare_rows() {
    const Window2D& w = plan_.window;
    rows_.inputs = at<const uint8_t**>(layout_.inputs);
    rows_.vectors = plan_.vectors;
    rows_.kernel_h = w.kernel_h;
    rows_.groups = plan_.groups;
    rows_.first_groups = plan_.first_groups;
    rows_.overlap = plan_.overlap;
    rows_.planes = plan_.planes;
    rows_.phases = plan_.phases;
    rows_.tail = &plan_.tail;
    rows_.pixels = w.out_w;
    rows_.out_stride = w.out_c;
  }

  void select(int image, int block) {
    const Window2D& w = plan_.window;
    const int lanes = plan_.block_channels();
    const int taps = plan_.phases * w.kernel_h * plan_.groups * plan_.planes;
    picture_ = in_ + static_cast<std::ptrdiff_t>(image) * w.in_h * w.in_w * w.in_c;
    channel_ = block * lanes;
    rows_.weights = plan_.weights.data() + static_cast<std::ptrdiff_t>(block) * taps * lanes * 4;
    rows_.bias = plan_.bias.data() + channel_;
    rows_.tail_words = plan_.tail.words + static_cast<std::ptrdiff_t>(channel_) * kTailRows;
    rows_.channels = taps_.channels = std::min(lanes, w.out_c - channel_);
    taps_.readable = w.in_w * taps_.column_stride - (plan_.multiplier == 1 ? channel_ : 0);
    // What is inner is the same for all blocks, but those where a vector may reach past the row.
    if (!positions_found_ || rows_.channels < lanes) find_inner_positions();
  }

  void find_inner_positions() {
    // The last column that is inside and from which a whole vector can be read.
    std::ptrdiff_t last = taps_.columns - 1;
    while (last >= 0 && last * taps_.column_stride + plan_.block_channels() > taps_.readable)
      --last;
    const int span = (taps_.groups * plan_.table->taps_per_dot - 1) * taps_.dilation;
    const int room = static_cast<int>(last) - span - taps_.first;
    const int begin = taps_.first >= 0 ? 0 : ceil_div(-taps_.first, taps_.step);
    taps_.inner_begin = std::min(begin, taps_.positions);
    const int end = room < 0 ? 0 : room / taps_.step + 1;
    taps_.inner_end = std::clamp(end, taps_.inner_begin, taps_.positions);
    positions_found_ = rows_.channels == plan_.block_channels();
  }

  // Interleaves what the next output rows need, from y on, and points to it.
  void provide(int y) {
    const Window2D& w = plan_.window;
    auto** inputs = at<const uint8_t**>(layout_.inputs);
    taps_.rows = 0;
    for (int r = 0; r < rows_.rows; ++r) {
      ring_.advance(y + r, [&](int in_y, uint8_t* to) { list(in_y, to); });
      for (int ky = 0; ky < w.kernel_h; ++ky) *inputs++ = ring_.row(w.row(y + r, ky));
    }
    plan_.table->interleave(taps_);
  }

  void list(int y, uint8_t* to) {
    const Window2D& w = plan_.window;
    if (y < 0 || y >= w.in_h) {
      const bool wide = plan_.table->element_bytes == 2;  // less the zero point already
      std::memset(to, wide ? 0 : plan_.encoding.zero_point, layout_.row_bytes);
      return;
    }
    const uint8_t* row = picture_ + static_cast<std::ptrdiff_t>(y) * w.in_w * w.in_c;
    const auto i = static_cast<std::size_t>(taps_.rows++);
    at<uint8_t**>(layout_.to)[i] = to;
    at<const uint8_t**>(layout_.from)[i] =
        plan_.multiplier == 1
            ? row + channel_
            : repeat_channels(row, at<uint8_t*>(layout_.repeated) + i * layout_.repeated_bytes);
  }

  // Output channel c reads input channel c / multiplier.
  const uint8_t* repeat_channels(const uint8_t* row, uint8_t* to) const {
    const Window2D& w = plan_.window;
    for (int x = 0; x < w.in_w; ++x, row += w.in_c) {
      for (int c = 0; c < rows_.channels; ++c) {
        to[x * plan_.table->lanes + c] = row[(channel_ + c) / plan_.multiplier];
      }
    }
    return to;
  }

  const ConvPlan& plan_;
  const Layout& layout_;
  const uint8_t* in_;
  uint8_t* out_;
  std::byte* scratch_;
  RowRing ring_;
  const uint8_t* picture_ = nullptr;
  int channel_ = 0;
  bool positions_found_ = false;
  DepthwiseRows rows_;
  InterleaveRows taps_;
};

}  // namespace

std::size_t depthwise_scratch_bytes(const ConvPlan& plan, int threads) {
  return Layout(plan).total * static_cast<std::size_t>(threads);
}

void run_depthwise(const ConvPlan& plan, const uint8_t* in, uint8_t* out, std::byte* scratch,
                   ThreadPool& pool) {
  const Window2D& w = plan.window;
  const Layout layout(plan);
  const int threads = pool.size();
  // Threads share out rows, as the pointwise layers around this one do: what a thread reads is
  // mostly what it wrote. Sharing out channels instead cost a tenth of the whole network's time.
  const int planes = w.batch * plan.blocks;
  const int bands = std::min(threads, w.out_h);
  const auto part = [&](int64_t begin, int64_t end, int index) {
    Worker worker(plan, layout, in, out, scratch + static_cast<std::size_t>(index) * layout.total);
    for (auto unit = static_cast<int>(begin); unit < end; ++unit) {
      const int band = unit / planes, plane = unit % planes;
      worker.run(plane / plan.blocks, plane % plan.blocks, w.out_h * band / bands,
                 w.out_h * (band + 1) / bands);
    }
  };
  if (threads == 1) return part(0, planes * bands, 0);
  pool.parallel_for(planes * bands, 1, part);
}

}  // namespace edgetwin::kernels
