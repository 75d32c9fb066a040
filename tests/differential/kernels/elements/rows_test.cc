// Rows of SOFTMAX on every instruction set, beside the rules that define them.
#include "kernels/elements/rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "base/rng.h"
#include "numerics/edgetpu/softmax.h"
#include "numerics/tflite/softmax.h"

namespace edgetwin::kernels {
namespace {

using numerics::Requantization;
using numerics::SoftmaxSpec;

// Of all distances some, or one alone: rows of equal elements have the least and the largest sums.
template <class T>
std::vector<T> random_rows(XorShift32& random, size_t count) {
  std::vector<T> x(count);
  const unsigned values = random.next() % 4 == 0 ? 1 : 1 + random.next() % 256;
  const unsigned apart = random.next() % 2 * 64;
  for (T& v : x) v = static_cast<T>(random.byte() % values + random.next() % 2 * apart);
  return x;
}

template <class Rule>
void compare_rows(XorShift32& random, float scale, int length) {
  using In = typename Rule::In;
  using Out = typename Rule::Out;
  constexpr int32_t kLowest = std::numeric_limits<Out>::min();
  const SoftmaxSpec spec{Quant::affine(scale, 3),
                         Quant::affine(1.0F / (1 << Rule::kOutBits), kLowest),
                         1.0F,
                         false,
                         {}};
  const auto rule = Rule::make(spec);
  ASSERT_TRUE(rule.ok());
  const std::vector<uint32_t> exponentials(rule->exponentials.begin(), rule->exponentials.end());
  const SoftmaxRows function{exponentials.data(), Rule::kOutBits, std::is_signed_v<In>};
  const auto n = static_cast<size_t>(length);
  const size_t rows = 1 + random.next() % 70;
  const std::vector<In> x = random_rows<In>(random, rows * n);
  std::vector<Out> expected(x.size());
  for (size_t r = 0; r < rows; ++r) rule->row(x.data() + r * n, length, expected.data() + r * n);
  for (const Isa isa : available_isas()) {
    const RowTable* table = row_table(isa);
    if (table == nullptr) continue;
    std::vector<Out> y(x.size() + 1, Out{77});
    table->softmax(function, reinterpret_cast<const uint8_t*>(x.data()),
                   static_cast<std::ptrdiff_t>(rows), length, reinterpret_cast<uint8_t*>(y.data()));
    EXPECT_EQ(y.back(), Out{77}) << "after the last row";
    y.pop_back();
    ASSERT_EQ(y, expected) << name(isa) << ", " << rows << " rows of " << length;
  }
}

TEST(RowKernels, SoftmaxOfAllLengths) {
  XorShift32 random(17);
  using enum Requantization;
  for (int length = 1; length <= kSoftmaxLongest; length += length < 300 ? 1 : 97) {
    const float scale = std::exp(-static_cast<float>(random.next() % 700) / 100.0F);
    compare_rows<numerics::tflite::Softmax<int8_t, int8_t, double_rounding>>(random, scale, length);
    compare_rows<numerics::tflite::Softmax<uint8_t, uint8_t, double_rounding>>(random, scale,
                                                                               length);
    compare_rows<numerics::tflite::Softmax<int8_t, int16_t, single_rounding>>(random, scale,
                                                                              length);
  }
}

// A row of the Edge TPU as the kernels take it: by its numbers, unsigned.
template <class T>
struct CountedRow {
  using Rule = numerics::edgetpu::Softmax<T>;
  static constexpr uint8_t kFlip = std::is_signed_v<T> ? 0x80 : 0;
  std::vector<int32_t> exponentials = std::vector<int32_t>(512), nearest = exponentials;
  std::vector<uint32_t> counts = std::vector<uint32_t>(256);
  ChipRow row;

  CountedRow(const Rule& rule, const std::vector<T>& x) {
    const auto [least, most] = std::minmax_element(x.begin(), x.end());
    const std::ptrdiff_t largest = *most + kFlip;
    for (size_t d = 0; d < 256; ++d) {
      exponentials[255 - d] = rule.exponentials[d];
      nearest[255 - d] = rule.nearest[d];
    }
    row = {exponentials.data() + 255 - largest, nearest.data() + 255 - largest, counts.data(),
           (*least + kFlip) & ~31, (largest | 31) + 1};
  }
};

template <class T>
void compare_long_row(const numerics::edgetpu::Softmax<T>& rule, const RowTable& table,
                      const std::vector<T>& x, std::vector<T> expected,
                      const numerics::EdgetpuOpen& open) {
  CountedRow<T> counted(rule, x);
  const auto* bytes = reinterpret_cast<const uint8_t*>(x.data());
  ChipSums sums;
  for (size_t at = 0; at < x.size(); at += kChipPart) {
    const auto count =
        std::min<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(x.size() - at), kChipPart);
    const ChipSums part = table.chip_sums(counted.row, bytes + at, count, counted.kFlip);
    sums.chip += part.chip;
    sums.nearest += part.nearest;
  }
  const auto whole = rule.whole_of(sums.chip, sums.nearest);
  const ChipPortion portion{.reciprocal = whole.reciprocal,
                            .multiplier = rule.kLast,
                            .low = rule.tail.clamp.low,
                            .high = rule.tail.clamp.high,
                            .zero = rule.tail.zero,
                            .all = whole.all,
                            .exact = rule.kind == numerics::EdgetpuSoftmax::exact,
                            .flip = counted.kFlip};
  std::vector<uint8_t> results(256);
  const ChipCounts found = table.chip_results(portion, counted.row, results.data());
  std::vector<T> y(x.size());
  for (size_t i = 0; i < x.size(); ++i) y[i] = static_cast<T>(results[bytes[i]]);
  ASSERT_EQ(y, expected) << x.size() << " elements";
  EXPECT_EQ(found.ties, static_cast<uint64_t>(open.ties));
  EXPECT_EQ(found.large, static_cast<uint64_t>(open.large));
  EXPECT_EQ(found.differ, static_cast<uint64_t>(open.softmax));
}

template <class T>
void compare_long_rows(XorShift32& random, size_t length) {
  const float scale = std::exp(-static_cast<float>(random.next() % 700) / 100.0F);
  numerics::SoftmaxSpec spec{Quant::affine(scale, 3),
                             Quant::affine(1.0F / 256, std::is_signed_v<T> ? -128 : 0),
                             1.0F,
                             false,
                             {}};
  if (random.next() % 3 == 0) spec.edgetpu.softmax = numerics::EdgetpuSoftmax::exact;
  const auto rule = numerics::edgetpu::Softmax<T>::make(spec);
  ASSERT_TRUE(rule.ok());
  const auto x = random_rows<T>(random, length);
  std::vector<T> expected(x.size());
  rule->row(x.data(), static_cast<int64_t>(x.size()), expected.data());
  const numerics::EdgetpuOpen open = *rule->tail.open;
  for (const Isa isa : available_isas()) {
    SCOPED_TRACE(std::string(name(isa)));
    if (const RowTable* table = row_table(isa)) {
      compare_long_row<T>(*rule, *table, x, expected, open);
    }
  }
}

// Sums beyond 2^24, which are no floats, are those of 256 elements and more.
TEST(RowKernels, SoftmaxOfTheEdgeTpu) {
  XorShift32 random(18);
  for (int round = 0; round < 400; ++round) {
    const size_t length = 1 + random.next() % 2000;
    compare_long_rows<uint8_t>(random, length);
    compare_long_rows<int8_t>(random, length);
  }
}

// As many as one part has, all the same, too; one more makes a second part, whose sums have 32 bits
// still where few elements are near to the largest.
TEST(RowKernels, SoftmaxOfTheEdgeTpuInParts) {
  const auto rule = numerics::edgetpu::Softmax<uint8_t>::make(
      {Quant::affine(1.0F, 0), Quant::affine(1.0F / 256, 0), 1.0F, false, {}});
  ASSERT_TRUE(rule.ok());
  for (const Isa isa : available_isas()) {
    const RowTable* table = row_table(isa);
    if (table == nullptr) continue;
    for (const std::ptrdiff_t more : {0, -1, -7}) {
      const std::vector<uint8_t> x(static_cast<size_t>(kChipPart + more), 200);
      CountedRow<uint8_t> counted(*rule, x);
      const auto count = static_cast<uint32_t>(x.size());
      for (uint32_t times = 1; times < 4; ++times) {
        const ChipSums sums = table->chip_sums(counted.row, x.data(), kChipPart + more, 0);
        EXPECT_EQ(sums.chip, 65535 * count);
        EXPECT_EQ(sums.nearest, 65535 * count);
        EXPECT_EQ(counted.counts[200], times * count);
      }
    }
  }
}

}  // namespace
}  // namespace edgetwin::kernels
