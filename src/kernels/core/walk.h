// Drivers that the kernels for 16 bits and for saturating lanes share: which rows a thread
// computes, and where kernels find the taps of their windows. Unlike those of dense.cc they read
// encoded copies of the input always, which costs little beside what these kernels do with them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/parallel.h"
#include "kernels/core/aligned.h"
#include "kernels/core/row_ring.h"
#include "tensor/window.h"

namespace edgetwin::kernels {

// A window in one piece or more, in the order of the definition: `elements` contiguous elements of
// row `ky` of the window, from its element `offset` on; `first` is where they are among the weights
// of a channel.
struct Piece {
  int ky = 0, offset = 0, elements = 0, first = 0;
};

// The rows of a window, or its taps where those are not neighbours.
inline std::vector<Piece> window_pieces(const Window2D& w) {
  const bool joined = w.dilation_w == 1 || w.kernel_w == 1;
  std::vector<Piece> pieces;
  for (int ky = 0; ky < w.kernel_h; ++ky) {
    for (int kx = 0; kx < (joined ? 1 : w.kernel_w); ++kx) {
      const int elements = joined ? w.kernel_w * w.in_c : w.in_c;
      pieces.push_back({ky, kx * w.dilation_w * w.in_c, elements, (ky * w.kernel_w + kx) * w.in_c});
    }
  }
  return pieces;
}

// Rows of pixels of a dense layer over staged rows of input. A 1x1 layer without padding is taken
// as one long row, in chunks that stay in the first cache.
class DenseWalk {
 public:
  DenseWalk() = default;
  // A staged row holds columns() pixels in a form that takes row_bytes(columns) bytes.
  template <class RowBytes>
  DenseWalk(const Window2D& w, int chunk, const RowBytes& row_bytes)
      : window_(w), pixels_(w.batch * w.out_h * w.out_w) {
    flat_ = w.kernel_h == 1 && w.kernel_w == 1 && w.stride_h == 1 && w.stride_w == 1 &&
            w.pad_top == 0 && w.pad_left == 0 && w.out_h == w.in_h && w.out_w == w.in_w;
    if (flat_) {
      window_.batch = 1;
      window_.in_w = window_.out_w = std::min(chunk, pixels_);
      window_.in_h = window_.out_h = ceil_div(pixels_, window_.in_w);
    }
    row_bytes_ = round_up(row_bytes(columns()), kCacheLine);
    ring_bytes_ = RowRing::bytes(RowRing::least_slots(window_), row_bytes_);
  }

  int columns() const {
    return (window_.out_w - 1) * window_.stride_w + (window_.kernel_w - 1) * window_.dilation_w + 1;
  }
  std::size_t scratch_bytes(int threads) const {
    return static_cast<std::size_t>(threads) * ring_bytes_;
  }

  // stage(row, columns, begin, end, element): fills a row with pixels [begin, end) from the input's
  // `element` on, and with zeros before and after.
  // compute(row_at, pixels, first): outputs of `pixels` pixels, `first` the index of the first one
  // among all; row_at(ky) is the staged row of the window's row ky.
  // `scratch` at the boundary of a cache line.
  template <class Stage, class Compute>
  void run(std::byte* scratch, ThreadPool& pool, const Stage& stage, const Compute& compute) const {
    const auto part = [&](int64_t begin, int64_t end, int worker) {
      std::byte* own = scratch + static_cast<std::size_t>(worker) * ring_bytes_;
      RowRing ring(own, window_, RowRing::least_slots(window_), row_bytes_);
      for (auto unit = static_cast<int>(begin); unit < end; ++unit) {
        const int image = unit / window_.out_h, y = unit % window_.out_h;
        if (y == 0) ring.clear();
        ring.advance(y, [&](int in_y, uint8_t* row) { stage_row(image, in_y, row, stage); });
        const int first = unit * window_.out_w;
        const int pixels = std::min(window_.out_w, pixels_ - first);
        compute([&](int ky) { return ring.row(window_.row(y, ky)); }, pixels, first, worker);
      }
    };
    const int units = window_.batch * window_.out_h;
    if (pool.size() == 1) return part(0, units, 0);
    pool.parallel_for(units, 1, part);
  }

 private:
  template <class Stage>
  void stage_row(int image, int y, uint8_t* row, const Stage& stage) const {
    const Window2D& w = window_;
    const int all = columns();
    const bool inside = y >= 0 && y < w.in_h;
    const int begin = inside ? std::clamp(w.pad_left, 0, all) : all;
    int end = inside ? std::clamp(w.pad_left + w.in_w, begin, all) : all;
    const int64_t pixel = (int64_t{image} * w.in_h + y) * w.in_w + begin - w.pad_left;
    if (flat_) end = static_cast<int>(std::min<int64_t>(end, pixels_ - pixel));
    stage(row, all, begin, end, pixel * w.in_c);
  }

  Window2D window_;
  int pixels_ = 0;  // of the output
  bool flat_ = false;
  std::size_t row_bytes_ = 0, ring_bytes_ = 0;
};

// How the channels of a depthwise layer are cut into blocks. The last block of many lies over the
// one before, so that every vector is whole; fewer channels than a block, and repeated ones, are
// gathered into vectors first.
struct DepthwiseBlocks {
  int channels = 0, multiplier = 1, size = 1;

  bool gathered() const { return multiplier != 1 || channels < size; }
  int count() const { return ceil_div(channels, size); }
  int first(int block) const {
    return gathered() ? block * size : std::min(block * size, channels - size);
  }
  // Lanes that the block before has already.
  int repeated(int block) const { return block * size - first(block); }
};

// Some neighbouring pixels of a depthwise layer, and what they read: the pixel `i` has its tap `t`
// of channel 0 at taps[t] + i * stride.
template <class T>
struct DepthwisePixels {
  const T* const* taps = nullptr;  // window's, then one of zeros where their number is odd
  std::ptrdiff_t stride = 0;
  int pixels = 0;
  int block_begin = 0, block_end = 0;
  bool gathered = false;  // taps and output begin with the block's own first channel
  T* out = nullptr;       // of channel 0, or a whole block of memory where gathered
};

template <class T>
class DepthwiseWalk {
 public:
  DepthwiseWalk() = default;
  DepthwiseWalk(const Window2D& w, int block_size)
      : window_(w),
        blocks_{w.out_c, w.out_c / w.in_c, block_size},
        zeros_(static_cast<std::size_t>(w.in_c + block_size)) {}

  const DepthwiseBlocks& blocks() const { return blocks_; }
  int taps() const { return window_.kernel_h * window_.kernel_w; }

  std::size_t scratch_bytes(int threads) const {
    return static_cast<std::size_t>(threads) * (pointer_bytes() + copy_bytes());
  }

  // compute(DepthwisePixels<T>, worker). `scratch` at the boundary of a cache line.
  template <class Compute>
  void run(const T* in, T* out, std::byte* scratch, ThreadPool& pool,
           const Compute& compute) const {
    const auto part = [&](int64_t begin, int64_t end, int worker) {
      std::byte* own = scratch + static_cast<std::size_t>(worker) * scratch_bytes(1);
      const Task<Compute> task{*this, in, out, own, compute, worker};
      for (auto unit = static_cast<int>(begin); unit < end; ++unit) {
        task.row(unit / window_.out_h, unit % window_.out_h);
      }
    };
    const int units = window_.batch * window_.out_h;
    if (pool.size() == 1) return part(0, units, 0);
    pool.parallel_for(units, 1, part);
  }

 private:
  std::size_t slots() const { return round_up(static_cast<std::size_t>(taps()), 2); }
  std::size_t pointer_bytes() const { return round_up(2 * slots() * sizeof(T*), kCacheLine); }
  std::size_t copy_bytes() const {
    if (!blocks_.gathered()) return 0;
    return (slots() + 1) * round_up(static_cast<std::size_t>(blocks_.size) * sizeof(T), kCacheLine);
  }

  template <class Compute>
  struct Task {
    const DepthwiseWalk& walk;
    const T* in;
    T* out;
    std::byte* scratch;
    const Compute& compute;
    int worker;

    void row(int image, int y) const {
      const Window2D& w = walk.window_;
      int inner_begin = w.out_w, inner_end = w.out_w;
      if (!walk.blocks_.gathered() && w.row(y, 0) >= 0 && w.row(y, w.kernel_h - 1) < w.in_h) {
        inner_begin = 0;
        while (inner_begin < w.out_w && w.column(inner_begin, 0) < 0) ++inner_begin;
        while (inner_end > inner_begin && w.column(inner_end - 1, w.kernel_w - 1) >= w.in_w) {
          --inner_end;
        }
      }
      for (int x = 0; x < inner_begin; ++x) pixels(image, y, x, 1);
      if (inner_begin < inner_end) pixels(image, y, inner_begin, inner_end - inner_begin);
      for (int x = inner_end; x < w.out_w; ++x) pixels(image, y, x, 1);
    }

    void pixels(int image, int y, int x, int count) const {
      const Window2D& w = walk.window_;
      auto** taps = reinterpret_cast<const T**>(scratch);
      for (int ky = 0; ky < w.kernel_h; ++ky) {
        for (int kx = 0; kx < w.kernel_w; ++kx) {
          const int in_y = w.row(y, ky), in_x = w.column(x, kx);
          taps[ky * w.kernel_w + kx] =
              w.inside(in_y, in_x)
                  ? in + ((static_cast<std::ptrdiff_t>(image) * w.in_h + in_y) * w.in_w + in_x) *
                             w.in_c
                  : walk.zeros_.data();
        }
      }
      if (walk.taps() % 2 != 0) taps[walk.taps()] = taps[0];  // its weights are zero
      T* to = out + ((static_cast<std::ptrdiff_t>(image) * w.out_h + y) * w.out_w + x) * w.out_c;
      if (walk.blocks_.gathered()) return gather(taps, to);
      const std::ptrdiff_t stride = static_cast<std::ptrdiff_t>(w.stride_w) * w.in_c;
      compute(DepthwisePixels<T>{taps, stride, count, 0, walk.blocks_.count(), false, to}, worker);
    }

    void gather(const T** taps, T* to) const {
      const DepthwiseBlocks& blocks = walk.blocks_;
      const auto size = static_cast<std::size_t>(blocks.size);
      const std::size_t vector = round_up(size * sizeof(T), kCacheLine) / sizeof(T);
      auto* copies = reinterpret_cast<T*>(scratch + walk.pointer_bytes());
      const T** from = taps + walk.slots();
      std::copy(taps, from, from);
      for (int b = 0; b < blocks.count(); ++b) {
        const int first = blocks.first(b), valid = std::min(blocks.size, blocks.channels - first);
        for (std::size_t t = 0; t < walk.slots(); ++t) {
          T* copy = copies + (t + 1) * vector;
          taps[t] = copy;
          for (int c = 0; c < blocks.size; ++c) {
            copy[c] = c < valid ? from[t][(first + c) / blocks.multiplier] : T{0};
          }
        }
        compute(DepthwisePixels<T>{taps, 0, 1, b, b + 1, true, copies}, worker);
        std::memcpy(to + first, copies, static_cast<std::size_t>(valid) * sizeof(T));
      }
    }
  };

  Window2D window_;
  DepthwiseBlocks blocks_;
  AlignedArray<T> zeros_;
};

}  // namespace edgetwin::kernels
