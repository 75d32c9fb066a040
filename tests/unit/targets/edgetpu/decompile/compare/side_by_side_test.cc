#include "targets/edgetpu/decompile/compare/side_by_side.h"

#include <gtest/gtest.h>

namespace edgetwin::edgetpu {
namespace {

// A window of one over one channel.
NetworkLayer convolution_part(const std::string& label, int outputs,
                              std::vector<std::vector<int>> from) {
  NetworkLayer l;
  l.kind = "CONV_2D";
  l.label = label;
  l.in_c = 1;
  l.out_c = outputs;
  l.producers = std::move(from);
  l.weights.assign(static_cast<size_t>(outputs), static_cast<std::byte>(outputs));
  l.multipliers.assign(static_cast<size_t>(outputs), static_cast<float>(outputs));
  l.zero_points = {1, 2, 3};
  return l;
}

// Two parts, who reads both, and who reads that one.
DescribedNetwork with_two_parts(std::vector<int> read) {
  DescribedNetwork n;
  n.layers = {convolution_part("first", 2, {{-1}}), convolution_part("second", 1, {{-1}}),
              convolution_part("reader", 1, {std::move(read)}),
              convolution_part("after", 1, {{2}})};
  n.leaving = {{3}};
  return n;
}

TEST(SideBySide, TwoThatAreAlwaysReadTogetherAreOne) {
  DescribedNetwork n = with_two_parts({0, 1});
  n.layers[1].bias = {7};
  join_side_by_side(n);
  ASSERT_EQ(n.layers.size(), 3U);
  const NetworkLayer& one = n.layers[0];
  EXPECT_EQ(one.out_c, 3);
  EXPECT_EQ(one.more, std::vector<std::string>{"second"});
  EXPECT_EQ(one.weights, (Bytes{std::byte{2}, std::byte{2}, std::byte{1}}));
  EXPECT_EQ(one.multipliers, (std::vector<float>{2, 2, 1}));
  EXPECT_EQ(one.bias, (std::vector<int32_t>{0, 0, 7}));
  EXPECT_EQ(n.layers[1].producers, (std::vector<std::vector<int>>{{0}}));
  EXPECT_EQ(n.layers[2].producers, (std::vector<std::vector<int>>{{1}}));
  EXPECT_EQ(n.leaving, (std::vector<std::vector<int>>{{2}}));
}

TEST(SideBySide, OneThatIsReadAloneStaysAlone) {
  for (const std::vector<int>& read : {std::vector<int>{0}, {0, -1, 1}, {-1}}) {
    DescribedNetwork n = with_two_parts(read);
    join_side_by_side(n);
    EXPECT_EQ(n.layers.size(), 4U);
  }
  DescribedNetwork n = with_two_parts({0, 1});
  n.leaving.push_back({1});
  join_side_by_side(n);
  EXPECT_EQ(n.layers.size(), 4U);
}

TEST(SideBySide, OtherWindowsInputsAndNumbersStayApart) {
  const auto stays = [](const auto& change) {
    DescribedNetwork n = with_two_parts({0, 1});
    change(n.layers[1]);
    join_side_by_side(n);
    EXPECT_EQ(n.layers.size(), 4U);
  };
  stays([](NetworkLayer& l) { l.kernel_w = 3; });
  stays([](NetworkLayer& l) { l.stride_h = 2; });
  stays([](NetworkLayer& l) { l.pad_top = 1; });
  stays([](NetworkLayer& l) { l.producers = {{-2}}; });
  stays([](NetworkLayer& l) { l.zero_points = {1, 2, 4}; });
  stays([](NetworkLayer& l) { l.upper = 6.0F; });
  stays([](NetworkLayer& l) { l.kind = "DEPTHWISE_CONV_2D"; });
}

}  // namespace
}  // namespace edgetwin::edgetpu
