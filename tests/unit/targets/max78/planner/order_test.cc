// The running order of branches.
#include "targets/max78/planner/order.h"

#include "formats/torch/checkpoint.h"
#include "targets/max78/pipeline/reordered.h"
#include "unit/targets/max78/planner/plan_check.h"

namespace edgetwin::max78 {
namespace {

// Both branches are wide before they are small: with both wide results at once nothing fits.
constexpr const char* kBranches = R"(arch: ARCH
dataset: x
layers:
  - op: conv2d
    name: stem
    activate: ReLU
  - op: conv2d
    name: a1
    activate: ReLU
  # The second branch.
  - in_sequences: stem
    op: conv2d
    name: b1
    activate: ReLU
  - op: conv2d
    name: a2
    in_sequences:
      - a1
    kernel_size: 1x1
    pad: 0
    max_pool: 4
    pool_stride: 4
    activate: ReLU
  - op: conv2d
    name: b2
    in_sequences: [2]  # b1
    kernel_size: 1x1
    pad: 0
    max_pool: 4
    pool_stride: 4
    activate: ReLU
  - op: conv2d
    in_sequences: [a2, b2]
    kernel_size: 1x1
    pad: 0
    activate: None
)";
const std::vector<Shape> kBranchWeights = {{4, 1, 3, 3},  {64, 4, 3, 3}, {64, 4, 3, 3},
                                           {4, 64, 1, 1}, {4, 64, 1, 1}, {4, 8, 1, 1}};
constexpr SampleShape kBranchSample = {1, 64, 64};
// The written numbers of the layers in the one order that fits.
const std::vector<int> kBranchAfterBranch = {0, 1, 3, 2, 4, 5};

std::string branches(const std::string& arch) {
  std::string text = kBranches;
  return text.replace(text.find("ARCH"), 4, arch);
}

Bytes branch_checkpoint() {
  XorShift32 random(11);
  torch::Checkpoint c = torch::Checkpoint::make("net.pth.tar");
  const torch::NodeId state = c.add_dict(true);
  const std::vector<std::string> names = {"stem", "a1", "b1", "a2", "b2", "last"};
  for (size_t i = 0; i < names.size(); ++i) {
    const Tensor integers = noise_of(random, kBranchWeights[i]);
    Tensor t = Tensor::zeros(DType::float32, kBranchWeights[i]).value();
    std::ranges::copy(integers.as<int8_t>(), t.as<float>().begin());
    c.append(state, names[i] + ".op.weight", c.add_tensor(t));
  }
  c.set(c.root(), "epoch", c.add_integer(1));
  c.set(c.root(), "arch", c.add_text("own"));
  c.set(c.root(), "state_dict", state);
  return torch::write(c).value();
}

bool planned_well(const Loading& loading) { return loading.network != nullptr && loading.ok(); }

std::vector<int> either_branch(const std::vector<int>& order) {
  // Which of the two branches is first is not told apart.
  return order == std::vector<int>{0, 2, 4, 1, 3, 5} ? kBranchAfterBranch : order;
}

TEST(MaxOrder, ABranchIsFinishedBeforeTheNextWhereBothDoNotFit) {
  const Loading loading =
      load_network(network_to_plan(branches("test"), kBranchWeights, kBranchSample));
  expect_plan_is_proven(loading);
  ASSERT_TRUE(planned_well(loading));
  EXPECT_EQ(either_branch(loading.network->planned->order), kBranchAfterBranch);
}

// A description whose layers stand in no order at all.
TEST(MaxOrder, AResultMayStandAfterItsReader) {
  constexpr const char* kForward = R"(arch: test
dataset: x
layers:
  - op: conv2d
    name: stem
    activate: ReLU
  - op: conv2d
    in_sequences: later
    activate: ReLU
    name: end
  - op: conv2d
    in_sequences: stem
    name: later
    activate: ReLU
  - op: conv2d
    in_sequences: end
    activate: None
)";
  const std::vector<Shape> weights = {{4, 1, 3, 3}, {8, 6, 3, 3}, {6, 4, 3, 3}, {5, 8, 3, 3}};
  const Loading loading = load_network(network_to_plan(kForward, weights, {1, 8, 8}));
  expect_plan_is_proven(loading);
  ASSERT_TRUE(planned_well(loading));
  EXPECT_EQ(loading.network->planned->order, (std::vector<int>{0, 2, 1, 3}));
  // Without a planner such a description has no order.
  NetworkSources written = network_to_plan(kForward, weights, {1, 8, 8});
  written.plan = false;
  EXPECT_FALSE(load_network(written).ok());
}

// The written plan, with the checkpoint in its order, is the same network.
TEST(MaxOrder, TheCheckpointMovesWithItsLayers) {
  NetworkSources s = network_to_plan(branches("own"), {}, kBranchSample);
  s.weights = {};
  s.checkpoint = Source::bytes("net.pth.tar", branch_checkpoint());
  const Loading planned = load_network(s);
  expect_plan_is_proven(planned);
  ASSERT_TRUE(planned_well(planned));
  const auto moved = reordered_checkpoint(s, *planned.network);
  ASSERT_TRUE(moved.ok()) << to_text(moved.error());
  ASSERT_TRUE(moved->has_value());
  const std::string& text = planned.network->description;
  EXPECT_NE(text.find("# The second branch."), std::string::npos) << text;
  NetworkSources again = s;
  again.plan = false;
  again.description = Source::bytes("complete.yaml", bytes_of_text(text));
  again.checkpoint = Source::bytes("complete.pth.tar", **moved);
  const Loading written = load_network(again);
  ASSERT_TRUE(written.ok()) << (written.findings.empty() ? "" : written.findings.front().message)
                            << "\n"
                            << text;
  EXPECT_TRUE(written.findings.empty()) << written.findings.front().message << "\n" << text;
  const auto a = simulate(*planned.network, planned.network->sample);
  const auto b = simulate(*written.network, written.network->sample);
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_TRUE(a->outputs.front().data == b->outputs.front().data);
  // With the checkpoint as it was, other weights belong to the layers.
  again.checkpoint = s.checkpoint;
  EXPECT_FALSE(load_network(again).ok());
}

TEST(MaxOrder, ArraysAreNotMoved) {
  const NetworkSources s = network_to_plan(branches("test"), kBranchWeights, kBranchSample);
  const Loading planned = load_network(s);
  ASSERT_TRUE(planned_well(planned));
  const auto moved = reordered_checkpoint(s, *planned.network);
  ASSERT_FALSE(moved.ok());
  EXPECT_EQ(moved.error().code, ErrorCode::usage);
}

TEST(MaxOrder, OutputsKeepTheirOrderAndChainsHaveOne) {
  ai8x::Network network;
  network.layers.resize(4);
  for (size_t i = 1; i < 4; ++i) network.layers[i].in_sequences = std::vector<int>{0};
  EXPECT_EQ(running_orders(network, {}, 8).size(), 2U);
  network.layers[1].output = network.layers[2].output = true;
  EXPECT_EQ(running_orders(network, {}, 8).size(), 1U);
  for (size_t i = 1; i < 4; ++i) {
    network.layers[i].in_sequences.reset();
    network.layers[i].output = false;
  }
  EXPECT_EQ(running_orders(network, {}, 8), (std::vector<std::vector<int>>{{0, 1, 2, 3}}));
}

}  // namespace
}  // namespace edgetwin::max78
