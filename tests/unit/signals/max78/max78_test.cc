#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "base/rng.h"
#include "signals/max78/max78_fft.h"
#include "signals/max78/wide_product.h"
#include "signals/measure/tables.h"
#include "source_dir.h"

namespace edgetwin::signals {
namespace {

std::vector<int16_t> wide_numbers(size_t count, XorShift32& random) {
  std::vector<int16_t> v;
  while (v.size() < count) {
    const auto n = static_cast<int16_t>(random.next() & 0xFFFF);
    if (n <= kMostWide) v.push_back(n);
  }
  return v;
}

// Four products of bytes make the product of 16 bits where the sums come out; one alone is off by
// what it leaves away.
TEST(WideProduct, IsExactWhereSumsComeOut) {
  XorShift32 random(3);
  for (const auto& [rows, columns] : {std::pair<size_t, size_t>(64, 64), {8, 20}, {128, 256}}) {
    auto matrix = wide_numbers(rows * columns, random);
    matrix[0] = kLeastWide;
    matrix[1] = kMostWide;
    const auto x = wide_numbers(columns, random);
    auto product = WideProduct::create(matrix, rows, columns);
    ASSERT_TRUE(product.ok()) << to_text(product.error());
    const auto y = product->multiply(x);
    const auto high = product->high_bytes(x);
    ASSERT_TRUE(y.ok() && high.ok());
    int64_t off = 0;
    for (size_t r = 0; r < rows; ++r) {
      int64_t exact = 0;
      for (size_t c = 0; c < columns; ++c) exact += int64_t{matrix[r * columns + c]} * x[c];
      EXPECT_EQ((*y)[r], exact) << rows << " x " << columns << ", row " << r;
      off += (*high)[r] != exact ? 1 : 0;
    }
    EXPECT_GT(off, static_cast<int64_t>(rows) / 2);
  }
}

TEST(WideProduct, WhatIsRefused) {
  const std::vector<int16_t> numbers(64 * 65, 1);
  EXPECT_FALSE(WideProduct::create(numbers, 64, 65).ok());
  EXPECT_FALSE(WideProduct::create(std::span(numbers).first(10), 4, 4).ok());
  std::vector<int16_t> large(16, 1);
  large[3] = kMostWide + 1;
  const auto refused = WideProduct::create(large, 4, 4);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message, "32640 is no 256 times a signed byte and a signed byte");
  large[3] = 0;
  auto product = WideProduct::create(large, 4, 4);
  ASSERT_TRUE(product.ok()) << to_text(product.error());
  EXPECT_FALSE(product->multiply(std::span(large).first(5)).ok());
}

TEST(Max78Fft, TheDocumentHasTheTableOfToday) {
  std::ifstream file(source_dir() + "/docs/signals.md");
  const std::string document{std::istreambuf_iterator<char>(file), {}};
  const auto table = max78_fft_table();
  ASSERT_TRUE(table.ok()) << to_text(table.error());
  const auto made = with_table(document, "fft max78", *table);
  ASSERT_TRUE(made.ok()) << to_text(made.error());
  EXPECT_EQ(*made, document) << "cmake --build build/release --target update_docs";
}

}  // namespace
}  // namespace edgetwin::signals
