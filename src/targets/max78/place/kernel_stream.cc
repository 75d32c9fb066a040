#include "targets/max78/place/kernel_stream.h"

#include <algorithm>

namespace edgetwin::max78 {
namespace {

// Fills columns from their last byte to their first.
class ColumnWriter {
 public:
  ColumnWriter(int64_t column, int used) : column_(column), used_(used) {}

  int64_t column() const { return column_; }
  void skip_column() { ++column_; }
  void emit(uint8_t byte) {
    at(column_).bytes[static_cast<size_t>(kColumnBytes - 1 - used_)] = byte;
    if (++used_ < kColumnBytes) return;
    used_ = 0;
    ++column_;
  }
  void zeros(int64_t count) {
    for (int64_t i = 0; i < count; ++i) emit(0);
  }
  KernelStream finish(int64_t start, int64_t length) {
    if (used_ > 0) {
      used_ = 0;
      ++column_;
    }
    while (column_ - start < length) emit(0);
    stream_.end = column_;
    return std::move(stream_);
  }

 private:
  KernelColumn& at(int64_t column) {
    auto& all = stream_.columns;
    if (all.empty() || all.back().column != column) all.push_back({column, {}});
    return all.back();
  }

  int64_t column_;
  int used_;
  KernelStream stream_;
};

class StreamMaker {
 public:
  StreamMaker(const LayerPlan& l, int processor)
      : l_(l),
        rank_(count_bits(l.hw_processors & ((uint64_t{1} << processor) - 1))),
        q_(l.bits()),
        qf_(8 / q_),
        taps_(l.taps()),
        in_exp_(l.flatten ? 1 : l.in_expand),
        kernels_(int64_t{l.parameters->out} * l.parameters->in),
        weights_(l.weights.data()) {
    const int64_t column = int64_t{l.start_col} * taps_ * in_exp_;
    writer_ = ColumnWriter(column / kColumnBytes, 0);
    writer_.zeros(column % kColumnBytes / qf_);
    if (l.yaml->calcx4) {
      for (int r = 0; r < 4; ++r) {
        for (int o = r; o < l.out_channels; o += 4) order_.push_back(o);
      }
    }
    // Behind the fast FIFO of four groups, which take turns: packed outputs lie four apart.
    if (l.hw_processors != l.processors && qf_ > 1) {
      for (int o = 0; o < l.out_channels; ++o) {
        const int place = o % (4 * qf_);
        const int from = o - place + place % qf_ * 4 + place / qf_;
        order_.push_back(std::min(from, l.out_channels - 1));
      }
    }
  }

  KernelStream run() {
    const int expands = l_.depthwise() ? 1 : l_.out_expand;
    const uint64_t group = (uint64_t{1} << qf_) - 1;
    const int step = l_.flatten ? 1 : qf_;
    int64_t m = 0;
    for (int expand = 0; expand < expands; ++expand) {
      uint64_t map = l_.out_processors >> lowest_bit(l_.out_processors);
      int col = l_.depthwise() ? expand : expand * l_.out_thresh;
      const int stop = col + (l_.depthwise() ? 1 : l_.out_thresh);
      for (; col < stop; col += step, m += step) {
        while (map != 0 && (map & group) == 0) {
          writer_.skip_column();
          map >>= qf_;
        }
        map >>= qf_;
        if (l_.flatten) {
          flat_step(m);
        } else {
          passes(m);
        }
      }
    }
    return writer_.finish(l_.start_col, l_.kern_len);
  }

 private:
  // The packed form of a weight: binary ones are bits, 0 for +1.
  uint32_t field(int8_t w) const {
    if (l_.quantization < 0) return w < 0 ? 1U : 0U;
    return static_cast<uint32_t>(static_cast<uint8_t>(w)) & ((1U << q_) - 1U);
  }

  // Tap t of kernel `index`, which counts channels of a pass first.
  int8_t weight(int64_t index, int t) const {
    if (!order_.empty()) {
      const int64_t in = l_.parameters->in;
      index = order_[static_cast<size_t>(index / in)] * in + index % in;
    }
    return weights_[index * taps_ + t];
  }

  void passes(int64_t m) {
    const int64_t in_chan = l_.in_channels;
    for (int ie = 0; ie < in_exp_; ++ie) {
      const bool exists =
          int64_t{ie} * l_.in_thresh + rank_ < in_chan && rank_ + m * in_chan < kernels_;
      if (!exists) {
        writer_.zeros(taps_ / qf_);
        continue;
      }
      for (int t = taps_ - 1; t >= 0; --t) writer_.emit(tap_byte(m, ie, t));
    }
  }

  uint8_t tap_byte(int64_t m, int ie, int t) const {
    if (m >= l_.out_channels) return 0;
    uint32_t byte = 0;
    for (int n = 0; n < qf_; ++n) {
      const int64_t idx = n + int64_t{ie} * qf_;
      const int64_t source = rank_ + m * l_.in_channels + idx % in_exp_ * l_.in_thresh +
                             idx / in_exp_ * l_.in_channels;
      if (source < kernels_) byte |= field(weight(source, t)) << (n * q_);
    }
    return static_cast<uint8_t>(byte);
  }

  // Flattened: the values of qf outputs one after another, packed without regard to outputs.
  void flat_step(int64_t m) {
    const int64_t pixels = int64_t{l_.hw_pooled.h} * l_.hw_pooled.w;
    const int64_t width = int64_t{l_.in_channels} * pixels;  // of an output
    if (m * qf_ >= l_.out_channels) {
      writer_.zeros(1 / qf_);
      return;
    }
    std::vector<uint32_t> values;
    for (int64_t o = m * qf_; o < std::min<int64_t>(m * qf_ + qf_, l_.out_channels); ++o) {
      for (int64_t pixel = 0; pixel < pixels; ++pixel) {
        for (int64_t pass = 0; pass < l_.in_expand; ++pass) {
          const int64_t c = rank_ + pass * l_.in_thresh;
          values.push_back(c < l_.in_channels ? field(weights_[o * width + c * pixels + pixel])
                                              : 0);
        }
      }
    }
    for (size_t i = 0; i < values.size(); i += static_cast<size_t>(qf_)) {
      uint32_t byte = 0;
      for (size_t j = 0; j < static_cast<size_t>(qf_) && i + j < values.size(); ++j) {
        byte |= values[i + j] << (j * static_cast<size_t>(q_));
      }
      writer_.emit(static_cast<uint8_t>(byte));
    }
  }

  const LayerPlan& l_;
  int64_t rank_;
  int q_, qf_, taps_, in_exp_;
  int64_t kernels_;
  const int8_t* weights_;
  std::vector<int64_t> order_;  // of outputs under calcx4
  ColumnWriter writer_{0, 0};
};

}  // namespace

KernelStream kernel_stream(const LayerPlan& layer, int processor) {
  return StreamMaker(layer, processor).run();
}

int64_t calcx4_column(const LayerPlan& l, int64_t column) {
  const int64_t count = int64_t{l.in_expand} * l.out_channels * 9 * l.bits() / (l.taps() * 8);
  const int64_t quarter = std::max<int64_t>((count + 3) / 4, 1);
  const int64_t r = (column - l.kern_offs) / quarter, rest = (column - l.kern_offs) % quarter;
  if (column < 4096) return r * 1024 + rest + l.kern_offs / 4;
  return r * 256 + rest + 4096 + l.kern_offs / 4;
}

int64_t calcx4_offset(int64_t k) {
  if (k < 4096) return k % 4 * 1024 + k / 4;
  k -= 4096;
  return k % 4 * 256 + k / 4 + 4096;
}

}  // namespace edgetwin::max78
