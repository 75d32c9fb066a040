#include "base/memory/zeroed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

namespace edgetwin {
namespace {

// Small ones, one large page, and one that no number of large pages fills.
TEST(ZeroedBytes, AreZeroOnTheBorderOfAPage) {
  for (const size_t size :
       {size_t{1}, size_t{5000}, size_t{2} << 20U, (size_t{4} << 20U) + 12345}) {
    const std::shared_ptr<std::byte> bytes = zeroed_bytes(size);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(bytes.get()) % 4096, 0U) << size;
    EXPECT_EQ(std::count(bytes.get(), bytes.get() + size, std::byte{0}),
              static_cast<std::ptrdiff_t>(size));
    std::fill_n(bytes.get(), size, std::byte{7});
  }
}

}  // namespace
}  // namespace edgetwin
