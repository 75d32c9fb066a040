#include "base/memory/freed.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <fstream>
#include <memory>
#include <vector>

#include "instrumented.h"

namespace edgetwin {
namespace {

// Resident pages of this process.
long resident_pages() {
  std::ifstream in("/proc/self/statm");
  long all = 0, resident = 0;
  in >> all >> resident;
  return resident;
}

// Blocks too small for mappings of their own, every second of which is freed: what lies between
// others goes back to the system.
TEST(FreedMemory, GoesBackFromBetweenBlocks) {
#if !defined(__GLIBC__)
  GTEST_SKIP() << "only glibc has the means";
#endif
  if (kInstrumented) GTEST_SKIP() << "sanitizers have an allocator of their own";
  constexpr size_t kBlocks = 400, kSize = 100'000;
  std::vector<std::unique_ptr<std::vector<char>>> blocks;
  for (size_t i = 0; i < kBlocks; ++i) {
    blocks.push_back(std::make_unique<std::vector<char>>(kSize, 'x'));
  }
  for (size_t i = 0; i < kBlocks; i += 2) blocks[i].reset();
  const long before = resident_pages();
  give_back_freed_memory();
  EXPECT_LT(resident_pages(), before - 4000);
  for (size_t i = 1; i < kBlocks; i += 2) EXPECT_EQ(blocks[i]->back(), 'x');
}

}  // namespace
}  // namespace edgetwin
