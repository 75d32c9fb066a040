// Channels of groups that take turns: RESHAPE, TRANSPOSE and RESHAPE of ShuffleNet.
#include "unit/targets/edgetpu/compile/families.h"

namespace edgetwin::edgetpu::compiler {
namespace {

class Shuffled : public FamilyNetwork {
 public:
  using FamilyNetwork::FamilyNetwork;
  ValueId five(ValueId from, const Shape& to) { return reshape(from, to); }
  ValueId turned(ValueId from, const std::vector<int32_t>& axes) {
    const Shape in = shape(from);
    std::vector<int64_t> sizes;
    for (const int32_t k : axes) sizes.push_back(in[k]);
    const ValueId to = value(Shape(sizes), 1.0F);
    same_quantization(to, from);
    add(OpKind::transpose, NoAttrs{}, {from, numbers(axes)}, to);
    return to;
  }
  ValueId mixed(ValueId at, int64_t groups) {
    const Shape s = shape(at);
    const ValueId apart = five(at, {1, s[1], s[2], groups, s[3] / groups});
    return reshape(turned(apart, {0, 1, 2, 4, 3}), s);
  }
};

size_t on_host(const Graph& graph) {
  const Partition p = partition_of(graph);
  return static_cast<size_t>(
      std::ranges::count_if(p.ops, [](const Assignment& a) { return a.group < 0; }));
}

// Groups of any number, channels that are whole words or not, at the ends of a program too.
TEST(EdgetpuMixedChannels, GroupsTakeTurns) {
  for (const auto& [channels, groups, trained] : {std::tuple{24, 2, Trained::int8},
                                                  {24, 3, Trained::uint8},
                                                  {116, 2, Trained::int8},
                                                  {30, 5, Trained::int8}}) {
    Shuffled net(trained);
    const ValueId at = net.mixed(net.conv(net.input(9, 7, 3), channels), groups);
    expect_family(net.ends({net.conv(at, 8, 3)}), Prove::always);
    Shuffled ends(trained);
    expect_family(ends.ends({ends.mixed(ends.input(8, 8, channels), groups)}), Prove::always);
  }
}

// A unit of ShuffleNet v2 that halves the picture, and one that keeps half of its channels.
TEST(EdgetpuMixedChannels, UnitsOfShuffleNet) {
  Shuffled net(Trained::int8);
  const ValueId in = net.conv(net.input(32, 32, 3), 24, 3, 2);
  const ValueId a = net.conv(net.deep(in, 3, 2, false), 40);
  const ValueId b = net.conv(net.deep(net.conv(in, 40), 3, 2, false), 40);
  const ValueId first = net.mixed(net.join_along(3, {a, b}, true), 2);
  const auto halves = net.split(first, 2);
  const ValueId c = net.conv(net.deep(net.conv(halves[1], 40), 3, 1, false), 40);
  net.same_quantization(c, first), net.same_quantization(halves[0], first);
  net.same_quantization(halves[1], first);
  const ValueId joined = net.join_along(3, {halves[0], c});
  net.same_quantization(joined, first);
  expect_family(net.ends({net.conv(net.mixed(joined, 2), 64)}), Prove::always);
}

// ShuffleNet v2 whole: halves of channels that are joined again and again.
TEST(EdgetpuMixedChannels, ShuffleNet) {
  Shuffled net(Trained::int8);
  ValueId at = net.greatest_of(net.conv(net.input(224, 224, 3), 24, 3, 2), 3, 2);
  constexpr std::array<int, 3> kChannels{116, 232, 464}, kUnits{4, 8, 4};
  for (size_t stage = 0; stage < 3; ++stage) {
    const int half = kChannels.at(stage) / 2;
    const ValueId a = net.conv(net.deep(at, 3, 2, false), half);
    const ValueId b = net.conv(net.deep(net.conv(at, half), 3, 2, false), half);
    at = net.mixed(net.join_along(3, {a, b}, true), 2);
    for (int k = 1; k < kUnits.at(stage); ++k) {
      const auto parts = net.split(at, 2);
      const ValueId c = net.conv(net.deep(net.conv(parts[1], half), 3, 1, false), half);
      const ValueId joined = net.join_along(3, {parts[0], c});
      net.same_quantization(c, at), net.same_quantization(joined, at);
      at = net.mixed(joined, 2);
    }
  }
  at = net.mean(net.conv(at, 1024), {1, 2});
  expect_family(net.ends({net.softmax(net.dense(at, 1000))}), Prove::always);
}

// Where something else reads what lies between, or axes change that are no groups, nothing is
// taken for one move.
TEST(EdgetpuMixedChannels, OtherOrdersStayOnTheHost) {
  Shuffled net(Trained::int8);
  const ValueId at = net.conv(net.input(8, 8, 3), 24);
  const ValueId apart = net.five(at, {1, 8, 8, 3, 8});
  const ValueId turned = net.turned(apart, {0, 2, 1, 4, 3});
  EXPECT_GT(on_host(net.ends({net.conv(net.reshape(turned, {1, 8, 8, 24}), 8)})), 0u);
  Shuffled twice(Trained::int8);
  const ValueId from = twice.conv(twice.input(8, 8, 3), 24);
  const ValueId between = twice.turned(twice.five(from, {1, 8, 8, 3, 8}), {0, 1, 2, 4, 3});
  const Graph read = twice.ends({twice.conv(twice.reshape(between, {1, 8, 8, 24}), 8), between});
  EXPECT_GT(on_host(read), 0u);
}

}  // namespace
}  // namespace edgetwin::edgetpu::compiler
