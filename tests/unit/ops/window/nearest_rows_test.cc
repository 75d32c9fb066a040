#include "ops/window/nearest_rows.h"

#include <gtest/gtest.h>

#include <memory>

#include "base/rng.h"

namespace edgetwin::ops {
namespace {

// Up and down, of every size of a pixel up to more than a step; buffers are exactly as large as the
// rows, so that an address sanitizer sees what is read or written beyond.
void copy_all_sizes(const kernels::ResizeTable* table) {
  XorShift32 random(5);
  for (int64_t n = 0; n < 140; ++n) {
    const int64_t pixel = n % 70 + 1;
    const int64_t in_h = 1 + random.next() % 4, in_w = 1 + random.next() % 80;
    const auto taps = [&](int64_t in) {
      std::vector<int64_t> at(1 + random.next() % 90);
      for (int64_t& x : at) x = random.next() % static_cast<uint32_t>(in);
      std::ranges::sort(at);
      return at;
    };
    const std::vector<int64_t> rows = taps(in_h), columns = taps(in_w);
    const NearestRows nearest(rows, columns, in_w, pixel, table);
    const int64_t in_row = in_w * pixel, out_row = nearest.row_bytes();
    ASSERT_EQ(out_row, static_cast<int64_t>(columns.size()) * pixel);
    const auto in = std::make_unique<std::byte[]>(static_cast<size_t>(in_h * in_row));
    for (int64_t i = 0; i < in_h * in_row; ++i)
      in[static_cast<size_t>(i)] = std::byte{random.byte()};
    const int64_t begin = random.next() % rows.size(), end = nearest.height();
    const auto out = std::make_unique<std::byte[]>(static_cast<size_t>((end - begin) * out_row));
    nearest.copy(begin, end, out.get(), [&](int64_t y) { return in.get() + y * in_row; });
    for (int64_t y = begin; y < end; ++y) {
      for (int64_t i = 0; i < out_row; ++i) {
        const int64_t column = columns[static_cast<size_t>(i / pixel)];
        const int64_t from = rows[static_cast<size_t>(y)] * in_row + column * pixel + i % pixel;
        ASSERT_EQ(out[static_cast<size_t>((y - begin) * out_row + i)],
                  in[static_cast<size_t>(from)])
            << pixel << " bytes, row " << y << ", byte " << i;
      }
    }
  }
}

TEST(NearestRows, PixelsOfAllSizesAreCopied) { copy_all_sizes(nullptr); }
TEST(NearestRows, PixelsOfAllSizesAreCopiedByKernels) {
  for (const kernels::Isa isa : kernels::available_isas()) {
    copy_all_sizes(kernels::resize_table(isa));
  }
}
TEST(NearestRows, SmallPixelsHaveAKernelWhereTheyGrow) {
  const kernels::ResizeTable* table = kernels::resize_table(kernels::best_isa());
  if (table == nullptr) GTEST_SKIP() << "no kernels here";
  std::vector<int64_t> columns(80);
  for (size_t x = 0; x < columns.size(); ++x) columns[x] = static_cast<int64_t>(x / 2);
  EXPECT_TRUE(NearestRows({0}, columns, 40, 3, table).has_kernel());
  EXPECT_FALSE(NearestRows({0}, columns, 40, 3, nullptr).has_kernel());
  EXPECT_FALSE(NearestRows({0}, columns, 40, 8, table).has_kernel());
}

}  // namespace
}  // namespace edgetwin::ops
