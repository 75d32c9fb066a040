// A tensor instruction by its rows: what many of them share is found once, and rows that multiply
// the same lines are computed side by side. The results are those of run_tile(), which takes one
// iteration after the other.
#include <algorithm>
#include <cstring>

#include "targets/edgetpu/machine/engines/byte_tail.h"
#include "targets/edgetpu/machine/engines/output_numbers.h"
#include "targets/edgetpu/machine/engines/passes.h"
#include "targets/edgetpu/machine/engines/row_products.h"

namespace edgetwin::edgetpu::machine {
namespace {

constexpr size_t kRowsTogether = 64;
constexpr size_t kWordBytesOut = 4;

class RowRun {
 public:
  RowRun(const TensorIteration& w, size_t tile, Tile& t)
      : w_(w),
        rows_(*w.rows),
        t_(t),
        passes_(w, tile, t, rows_.in, rows_.weight),
        numbers_(w, t),
        products_(w, t, std::max(kRowsTogether, w.order.sums)),
        headers_(headers_of(w, t)) {}

  void run() {
    const size_t group = w_.order.sums * w_.order.outer;
    for (size_t output = 0; output < w_.outputs.size();) {
      output += group == 1 ? single(output) : several(output);
    }
  }

 private:
  // Outputs of a row each, as many as find the same in memory; how many they are.
  size_t single(size_t first) {
    begin(first);
    passes_.commit(first);
    const size_t count = together(first);
    start(first, count);
    multiply(first, count, 0);
    finish_outputs(first, count);
    return count;
  }

  // Outputs whose sums take turns.
  size_t several(size_t first) {
    const size_t sums = w_.order.sums;
    begin(first);
    start(first, sums);
    for (size_t row = first * w_.order.outer; row < (first + sums) * w_.order.outer; row += sums) {
      for (size_t n = row; n < row + sums;) {
        passes_.commit(n);
        size_t end = n + 1;
        while (end < row + sums && !passes_.changes(end)) ++end;
        multiply(n, end - n, n - row);
        n = end;
      }
    }
    finish_outputs(first, sums);
    return sums;
  }

  // Lanes and zero points from an output on.
  void begin(size_t output) {
    lanes_ = static_cast<int>(w_.outputs[output].count) * 4 / static_cast<int>(w_.s.result_bytes());
    const size_t now = header_of(w_, headers_, output);
    zero_points(w_, t_, lanes_, now != header_, zero_);
    products_.begin(zero_, lanes_);
    header_ = now;
    // The first output with the next header: its number times `headers_` is enough.
    header_end_ = ((now + 1) * w_.outputs.size() + headers_ - 1) / headers_;
  }
  void multiply(size_t first, size_t count, size_t sum) {
    products_.multiply(rows_.in.data() + first, rows_.weight.data() + first, count, sum);
  }

  size_t together(size_t first) const {
    const size_t most = std::min(kRowsTogether, w_.outputs.size() - first);
    size_t n = 1;
    while (n < most && fits(first, n)) ++n;
    return n;
  }
  bool fits(size_t first, size_t n) const {
    const size_t next = first + n;
    return w_.outputs[next].count == w_.outputs[first].count && !passes_.changes(next) &&
           next < header_end_ && (!rows_.writes_inputs || !reads_results(first, next));
  }
  // Whether row `next` reads what an output from `first` on writes.
  bool reads_results(size_t first, size_t next) const {
    const int64_t begin = int64_t{rows_.in[next].at} + rows_.lowest;
    const int64_t end =
        int64_t{rows_.in[next].at} + rows_.highest + w_.form.input * w_.form.products;
    const OutputGroup &from = w_.outputs[first], &to = w_.outputs[next];
    return std::any_of(w_.out.begin() + static_cast<ptrdiff_t>(from.first),
                       w_.out.begin() + static_cast<ptrdiff_t>(to.first),
                       [&](const Address& a) { return a.at < end && begin < a.at + 4; });
  }

  void start(size_t first, size_t count) {
    for (size_t n = 0; n < count; ++n) {
      const int32_t* from = numbers_.starts(first + n, lanes_);
      std::copy_n(from, lanes_, products_.sums(n));
    }
  }

  void finish_outputs(size_t first, size_t count) {
    if (!w_.makes_bytes) {
      for (size_t n = 0; n < count; ++n) finish(w_, t_, first + n, products_.sums(n), lanes_);
      return;
    }
    std::array<uint8_t, kMostLanes> bytes;
    for (size_t n = 0; n < count;) {
      const float* m = numbers_.multipliers(first + n, lanes_);
      const size_t size = std::min(count - n, numbers_.alike(first + n, lanes_));
      bytes_of_sums(w_.tail, products_.sums(n), m, static_cast<int>(size) * lanes_, bytes.data());
      const uint8_t* from = bytes.data();
      for (size_t k = 0; k < size; ++k) {
        const OutputGroup& o = w_.outputs[first + n + k];
        for (size_t word = 0; word < o.count; ++word, from += kWordBytesOut) {
          std::memcpy(t_.narrow.data() + w_.out[o.first + word].at, from, kWordBytesOut);
        }
      }
      n += size;
    }
  }

  const TensorIteration& w_;
  const Rows& rows_;
  Tile& t_;
  Passes passes_;
  OutputNumbers numbers_;
  RowProducts products_;
  size_t headers_, header_ = kNone, header_end_ = 0;
  int lanes_ = 0;
  std::array<int32_t, kMostLanes> zero_{};
};

}  // namespace

void run_rows(const TensorIteration& w, size_t tile, Tile& t) { RowRun(w, tile, t).run(); }

}  // namespace edgetwin::edgetpu::machine
