// A tensor instruction by its rows: what many of them share is found once, and rows that multiply
// the same lines are computed side by side. The results are those of run_tile(), which takes one
// iteration after the other.
#include <algorithm>
#include <cstring>

#include "targets/edgetpu/machine/engines/output_numbers.h"
#include "targets/edgetpu/machine/engines/passes.h"
#include "targets/edgetpu/machine/engines/row_products.h"
#include "targets/edgetpu/machine/engines/word_rows.h"
#include "targets/edgetpu/machine/lanes/byte_tail.h"

namespace edgetwin::edgetpu::machine {
namespace {

constexpr size_t kRowsTogether = 64;
constexpr int32_t kWordBytesOut = 4;

class RowRun {
 public:
  RowRun(const TensorIteration& w, size_t tile, Tile& t)
      : w_(w),
        rows_(*w.rows),
        t_(t),
        passes_(w, tile, t, rows_.in, rows_.weight),
        numbers_(w, t),
        products_(w, t, std::max(kRowsTogether, w.order.sums)),
        words_(w, t),
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
    const bool changed = begin(first) || passes_.changes(first);
    passes_.commit(first);
    if (lanes_ == kWordLanes && words_.select(rows_.weight[first].at, changed, zero_)) {
      return words(first);
    }
    const size_t count = together(first, w_.outputs.size());
    start(first, count);
    multiply(first, count, 0);
    finish_outputs(first, count);
    return count;
  }

  // The same where they are words that are multiplied with the same lines.
  size_t words(size_t first) {
    const int32_t* from = numbers_.starts(first, lanes_);
    while (rows_.alike[run_] <= first) ++run_;
    const size_t end =
        std::min({rows_.alike[run_], numbers_.end_of_set(), header_end_, first + kRowsTogether});
    const size_t count = rows_.writes_inputs ? together(first, end) : end - first;
    words_.multiply(rows_.in.data() + first, count, from, products_.sums(0));
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

  // Lanes and zero points from an output on; true: other zero points than before.
  bool begin(size_t output) {
    lanes_ = static_cast<int>(w_.outputs[output].count) * 4 / static_cast<int>(w_.s.result_bytes());
    const size_t now = header_of(w_, headers_, output);
    zero_points(w_, t_, lanes_, now != header_, zero_);
    products_.begin(zero_, lanes_);
    const bool next = now != header_;
    header_ = now;
    // The first output with the next header: its number times `headers_` is enough.
    header_end_ = ((now + 1) * w_.outputs.size() + headers_ - 1) / headers_;
    return next;
  }
  void multiply(size_t first, size_t count, size_t sum) {
    products_.multiply(rows_.in.data() + first, rows_.weight.data() + first, count, sum);
  }

  // How many outputs from `first` on, before `end`, find the same in memory.
  size_t together(size_t first, size_t end) {
    const size_t most = std::min(first + kRowsTogether, std::min(end, header_end_));
    written_ = {INT32_MAX, INT32_MIN};
    size_t next = first + 1;
    while (next < most && fits(first, next)) ++next;
    return next - first;
  }
  bool fits(size_t first, size_t next) {
    return w_.outputs[next].count == w_.outputs[first].count && !passes_.changes(next) &&
           (!rows_.writes_inputs || !reads_results(next));
  }
  // Whether row `next` may read what an output before it writes, of those that are together.
  bool reads_results(size_t next) {
    const OutputGroup& before = w_.outputs[next - 1];
    for (size_t word = before.first; word < before.first + before.count; ++word) {
      written_.first = std::min(written_.first, w_.out[word].at);
      written_.second = std::max(written_.second, w_.out[word].at + kWordBytesOut);
    }
    const int32_t at = rows_.in[next].at, size = w_.form.input * w_.form.products;
    return std::ranges::any_of(rows_.in_by, [&](int32_t by) {
      return at + by < written_.second && written_.first < at + by + size;
    });
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
      write(first + n, size, bytes.data());
      n += size;
    }
  }
  // The bytes of `size` outputs, which have as many words each.
  void write(size_t first, size_t size, const uint8_t* from) {
    const OutputGroup& group = w_.outputs[first];
    const Address* out = w_.out.data() + group.first;
    std::byte* narrow = t_.narrow.data();
    if (group.count != 1 && rows_.outputs_together) {
      const size_t bytes = size_t{group.count} * kWordBytesOut;
      for (size_t k = 0; k < size; ++k, out += group.count, from += bytes) {
        std::memcpy(narrow + out->at, from, bytes);
      }
      return;
    }
    for (const Address* end = out + size * group.count; out != end; ++out, from += kWordBytesOut) {
      std::memcpy(narrow + out->at, from, kWordBytesOut);
    }
  }

  const TensorIteration& w_;
  const Rows& rows_;
  Tile& t_;
  Passes passes_;
  OutputNumbers numbers_;
  RowProducts products_;
  WordRows words_;
  std::pair<int32_t, int32_t> written_;  // bytes of narrow memory, by outputs that are together
  size_t headers_, header_ = kNone, header_end_ = 0;
  size_t run_ = 0;  // of those that are alike
  int lanes_ = 0;
  std::array<int32_t, kMostLanes> zero_{};
};

}  // namespace

void run_rows(const TensorIteration& w, size_t tile, Tile& t) { RowRun(w, tile, t).run(); }

}  // namespace edgetwin::edgetpu::machine
