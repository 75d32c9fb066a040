// What the vendor's compiler leaves to the host.
#include "targets/edgetpu/compile/judge/judge.h"
#include "unit/targets/edgetpu/compile/family_networks.h"

namespace edgetwin::edgetpu::compiler {
namespace {

std::vector<bool> on_host(const Graph& graph, std::vector<Answer> answers) {
  leave_as_vendor(graph, answers);
  std::vector<bool> host;
  for (const Answer& a : answers) host.push_back(a.has_value());
  return host;
}

std::vector<bool> resized_by(int size) {
  FamilyNetwork net(Trained::int8);
  const ValueId at = net.conv(net.input(8, 8, 4), 8);
  const Graph graph = net.ends({net.conv(net.larger(at, size, size, false, true), 4)});
  return on_host(graph, std::vector<Answer>(graph.ops.size()));
}

TEST(EdgetpuVendorJudge, PicturesOfOnceOrTwiceTheSizeAreOnTheChip) {
  EXPECT_EQ(resized_by(8), std::vector<bool>(3, false));
  EXPECT_EQ(resized_by(16), std::vector<bool>(3, false));
}

TEST(EdgetpuVendorJudge, OtherSizesAndWhatTakesThemAreNot) {
  EXPECT_EQ(resized_by(32), (std::vector<bool>{false, true, true}));
}

// An operator of the host before the program does not keep what reads it from the chip.
TEST(EdgetpuVendorJudge, OneProgramIsMade) {
  FamilyNetwork net(Trained::int8);
  const ValueId in = net.input(8, 8, 4), before = net.conv(in, 8), at = net.conv(before, 8);
  const ValueId host = net.conv(at, 8), side = net.conv(at, 8);
  const Graph graph = net.ends({net.conv(host, 8), side});
  std::vector<Answer> answers(graph.ops.size());
  for (const size_t k : {size_t{0}, size_t{2}}) answers[k] = no(Rule::operator_kind, k, "host");
  EXPECT_EQ(on_host(graph, std::move(answers)),
            (std::vector<bool>{true, false, true, false, true}));
}

}  // namespace
}  // namespace edgetwin::edgetpu::compiler
