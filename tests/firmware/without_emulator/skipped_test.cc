#include <gtest/gtest.h>

TEST(Firmware, NeedsUnicorn) { GTEST_SKIP() << "unicorn (libunicorn-dev) is not installed"; }
