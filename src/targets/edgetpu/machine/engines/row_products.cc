#include "targets/edgetpu/machine/engines/row_products.h"

#include <algorithm>
#include <bit>

#include "targets/edgetpu/machine/engines/passes.h"
#include "targets/edgetpu/machine/lanes/dot_rows.h"

namespace edgetwin::edgetpu::machine {
namespace {

constexpr size_t kMaskRows = 64;  // the bits of a mask

}  // namespace

RowProducts::RowProducts(const TensorIteration& w, Tile& t, size_t most)
    : w_(w), rows_(*w.rows), t_(t), sums_(most * kMostLanes) {
  for (const int32_t by : rows_.weight_by) {
    lines_.push_back(by / 4 * static_cast<int32_t>(kWideLineBytes));
  }
}

void RowProducts::begin(const std::array<int32_t, kMostLanes>& zero, int lanes) {
  if (lanes == lanes_ && zero == zero_) return;
  zero_ = zero;
  lanes_ = lanes;
  small_zeros_ = spread_zeros(zero_.data(), lanes_, zeros_.data());
}

void RowProducts::multiply(const Address* in, const Address* weight, size_t count,
                           size_t first_sum) {
  for (size_t n = 0; n < count; n += kMaskRows) {
    uint64_t left = ~uint64_t{0} >> (kMaskRows - std::min(kMaskRows, count - n));
    while (left != 0) left = multiply_same_lines(in + n, weight + n, first_sum + n, left);
  }
}

// Those rows of a mask that have the weights of its first; gives the others.
uint64_t RowProducts::multiply_same_lines(const Address* in, const Address* weight, size_t sum,
                                          uint64_t left) {
  const int32_t lines = weight[std::countr_zero(left)].at;
  const bool together = w_.form.words() && small_zeros_ && lanes_ % 4 == 0;
  std::array<DotRow, kMaskRows> same;
  size_t count = 0;
  uint64_t others = 0;
  for (; left != 0; left &= left - 1) {
    const auto row = static_cast<size_t>(std::countr_zero(left));
    if (weight[row].at != lines) {
      others |= left & (~left + 1);
    } else if (together) {
      same[count++] = {t_.narrow.data() + in[row].at, sums(sum + row)};
    } else {
      multiply_alone(in[row].at, lines, sums(sum + row));
    }
  }
  if (!together) return others;
  dot_rows({rows_.in_by.data(), lines_.data(), rows_.length, line_of(t_, lines),
            w_.nest.input_zero_point, zeros_.data(), lanes_},
           same.data(), count);
  return others;
}

void RowProducts::multiply_alone(int64_t in, int64_t weight, int32_t* sums) {
  for (size_t k = 0; k < rows_.length; ++k) {
    product(w_, t_, in + rows_.in_by[k], weight + rows_.weight_by[k], lanes_, zero_, sums);
  }
}

}  // namespace edgetwin::edgetpu::machine
