// Products of lanes with four bytes at a time, on every instruction set, beside a sum of products.
#include "kernels/elements/dot_rows.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/rng.h"

namespace edgetwin::kernels {
namespace {

constexpr size_t kLine = 256;

std::vector<std::byte> random_bytes(XorShift32& random, size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::byte& b : bytes) b = std::byte{random.byte()};
  return bytes;
}

// Walks of any length, with the largest zero points of 16 bits; sums wrap.
struct RandomWalk {
  std::vector<std::byte> narrow, wide;
  std::vector<int32_t> in, lines;
  std::vector<int16_t> zeros;
  DotWalk walk;
  std::vector<size_t> starts;  // of rows in `narrow`

  explicit RandomWalk(XorShift32& random)
      : narrow(random_bytes(random, 4096)), wide(random_bytes(random, kLine * 40)) {
    const size_t length = 1 + random.next() % 150;
    const int lanes = 4 * (1 + static_cast<int>(random.next() % 16));
    for (size_t n = 0; n < length; ++n) {
      in.push_back(static_cast<int32_t>(random.next() % 2000));
      lines.push_back(static_cast<int32_t>(random.next() % 40 * kLine));
    }
    const bool wild = random.next() % 3 == 0;
    for (int l = 0; l < lanes; ++l) {
      const int wide_zero = random.next() % 2 == 0 ? 32767 : -32512;
      zeros.insert(zeros.end(), 4, static_cast<int16_t>(wild ? wide_zero : random.byte()));
    }
    walk = {in.data(), lines.data(), length, wide.data(), random.byte(), zeros.data(), lanes};
    starts.resize(1 + random.next() % 11);
    for (size_t& start : starts) start = random.next() % 2000;
  }

  uint32_t sum(size_t row, size_t lane) const {
    uint32_t sum = 0;
    for (size_t n = 0; n < in.size(); ++n) {
      for (size_t i = 0; i < 4; ++i) {
        const auto x = static_cast<int32_t>(narrow[starts[row] + static_cast<size_t>(in[n]) + i]);
        const auto w = static_cast<int32_t>(wide[static_cast<size_t>(lines[n]) + 4 * lane + i]);
        sum +=
            static_cast<uint32_t>(x - walk.input_zero) * static_cast<uint32_t>(w - zeros[4 * lane]);
      }
    }
    return sum;
  }
};

TEST(DotRows, AreSumsOfProducts) {
  XorShift32 random(21);
  for (int round = 0; round < 200; ++round) {
    const RandomWalk w(random);
    const auto lanes = static_cast<size_t>(w.walk.lanes);
    std::vector<int32_t> before(w.starts.size() * lanes), expected(before.size());
    for (size_t n = 0; n < before.size(); ++n) {
      before[n] = static_cast<int32_t>(random.next());
      expected[n] =
          static_cast<int32_t>(static_cast<uint32_t>(before[n]) + w.sum(n / lanes, n % lanes));
    }
    for (const Isa isa : available_isas()) {
      const DotRowsKernel kernel = dot_rows_kernel(isa);
      if (kernel == nullptr) continue;
      std::vector<int32_t> sums = before;
      std::vector<DotRow> rows;
      for (size_t r = 0; r < w.starts.size(); ++r) {
        rows.push_back({w.narrow.data() + w.starts[r], sums.data() + r * lanes});
      }
      kernel(w.walk, rows.data(), rows.size());
      ASSERT_EQ(sums, expected) << name(isa) << ", " << lanes << " lanes, round " << round;
    }
  }
}

TEST(DotRows, WordsAreSumsOfFourProducts) {
  XorShift32 random(22);
  for (int round = 0; round < 300; ++round) {
    const std::vector<std::byte> narrow = random_bytes(random, 4096);
    const size_t length = 1 + random.next() % 40, count = 1 + random.next() % 13;
    std::vector<int32_t> in(length), first(4), expected;
    std::vector<int16_t> factors(16 * length);
    for (int32_t& by : in) by = static_cast<int32_t>(random.next() % 2000);
    for (int32_t& f : first) f = static_cast<int32_t>(random.next());
    for (int16_t& f : factors) {
      const bool far = random.next() % 3 == 0;
      f = far ? (random.next() % 2 == 0 ? INT16_MAX : INT16_MIN)
              : static_cast<int16_t>(random.next());
    }
    std::vector<const std::byte*> rows(count);
    for (auto& row : rows) row = narrow.data() + random.next() % 2000;
    for (size_t r = 0; r < count; ++r) {
      for (size_t l = 0; l < 4; ++l) {
        auto sum = static_cast<uint32_t>(first[l]);
        for (size_t k = 0; k < length; ++k) {
          for (size_t i = 0; i < 4; ++i) {
            const auto x = static_cast<int32_t>(rows[r][in[k] + static_cast<std::ptrdiff_t>(i)]);
            sum += static_cast<uint32_t>(x * factors[16 * k + i / 2 * 8 + 2 * l + i % 2]);
          }
        }
        expected.push_back(static_cast<int32_t>(sum));
      }
    }
    for (const Isa isa : available_isas()) {
      const DotWordsKernel kernel = dot_words_kernel(isa);
      if (kernel == nullptr) continue;
      std::vector<int32_t> sums(count * 4);
      kernel({in.data(), length, factors.data(), first.data()}, rows.data(), count, sums.data());
      ASSERT_EQ(sums, expected) << name(isa) << ", round " << round;
    }
  }
}

}  // namespace
}  // namespace edgetwin::kernels
