#include "targets/edgetpu/machine/engines/word_rows.h"

#include "targets/edgetpu/machine/engines/passes.h"

namespace edgetwin::edgetpu::machine {

WordRows::WordRows(const TensorIteration& w, const Tile& t)
    : w_(w),
      t_(t),
      bytes_(w.form.input == 1 && w.s.opcode == Opcode::tensor),
      factors_(w.rows->length, w.form.weight, w.form.products) {
  // Quarters of lines, from one that begins a line.
  for (const int32_t by : w.rows->weight_by) {
    lines_.push_back((by >> 2) * static_cast<int32_t>(kWideLineBytes) + (by & 3));
  }
}

bool WordRows::select(int32_t weight, bool changed, const std::array<int32_t, kMostLanes>& zero) {
  if (!bytes_ || weight % 4 != 0) return false;
  if (there_ && !changed && weight == weight_) return fits_;
  std::array<int32_t, kWordLanes> zeros;
  for (size_t l = 0; l < zeros.size(); ++l) {
    zeros[l] = w_.form.words() ? zero[l] : w_.nest.weight_zero_point;
  }
  there_ = true;
  weight_ = weight;
  fits_ = factors_.set(line_of(t_, weight), lines_.data(), zeros);
  return fits_;
}

void WordRows::multiply(const Address* in, size_t count, const int32_t* first, int32_t* sums) {
  rows_.resize(count);
  // Narrow memory does not end its block, so that four bytes may be read at its last one.
  for (size_t n = 0; n < count; ++n) rows_[n] = t_.narrow.data() + in[n].at;
  factors_.multiply(w_.rows->in_by.data(), w_.nest.input_zero_point, first, rows_.data(), count,
                    sums);
}

}  // namespace edgetwin::edgetpu::machine
