#include <gtest/gtest.h>
TEST(Darwinn, Placeholder) {}
