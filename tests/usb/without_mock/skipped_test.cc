#include <gtest/gtest.h>

TEST(Usb, NeedsUmockdev) { GTEST_SKIP() << "umockdev (libumockdev-dev) is not installed"; }
