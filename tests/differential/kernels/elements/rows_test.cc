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

// What the rule counts of one element.
int32_t open_of(const numerics::EdgetpuOpen& open) {
  return static_cast<int32_t>(open.ties << 16 | open.large << 17 | open.softmax << 18);
}

void compare_portions(const numerics::edgetpu::Softmax<uint8_t>& rule, const RowTable& table,
                      const std::vector<uint8_t>& x) {
  int64_t sum = 0, nearest = 0;
  const auto largest = *std::max_element(x.begin(), x.end());
  for (const uint8_t v : x) {
    sum += rule.exponentials[static_cast<size_t>(largest - v)];
    nearest += rule.nearest[static_cast<size_t>(largest - v)];
  }
  const auto whole = rule.whole_of(sum, nearest);
  const ChipPortion portion{.reciprocal = whole.reciprocal,
                            .multiplier = rule.kLast,
                            .low = rule.tail.clamp.low,
                            .high = rule.tail.clamp.high,
                            .zero = rule.tail.zero,
                            .all = whole.all};
  std::vector<int32_t> portions(256);
  table.chip_portions(portion, rule.exponentials.data(), rule.nearest.data(), 256, portions.data());
  for (size_t d = 0; d < portions.size(); ++d) {
    *rule.tail.open = {};
    auto exact = rule;
    exact.kind = numerics::EdgetpuSoftmax::exact;
    const uint8_t steps = rule.portion(whole, d);
    const int32_t open = open_of(*rule.tail.open);
    ASSERT_EQ(portions[d], steps | exact.portion(whole, d) << 8 | open) << "distance " << d;
  }
}

TEST(RowKernels, SoftmaxOfTheEdgeTpu) {
  XorShift32 random(18);
  for (int round = 0; round < 300; ++round) {
    const float scale = std::exp(-static_cast<float>(random.next() % 700) / 100.0F);
    const auto rule = numerics::edgetpu::Softmax<uint8_t>::make(
        {Quant::affine(scale, 3), Quant::affine(1.0F / 256, 0), 1.0F, false, {}});
    ASSERT_TRUE(rule.ok());
    const auto x = random_rows<uint8_t>(random, 1 + random.next() % 2000);
    for (const Isa isa : available_isas()) {
      SCOPED_TRACE(std::string(name(isa)));
      if (const RowTable* table = row_table(isa)) compare_portions(*rule, *table, x);
    }
  }
}

}  // namespace
}  // namespace edgetwin::kernels
