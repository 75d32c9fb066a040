// Bias memory of depthwise layers: which words of which group, and that the machine finds them.
#include <algorithm>

#include <gtest/gtest.h>

#include "base/rng.h"
#include "formats/ai8x/read_yaml.h"
#include "targets/max78/checks/checks.h"
#include "targets/max78/generate/generate.h"
#include "targets/max78/hardware/hardware.h"
#include "targets/max78/machine/compare/side_by_side.h"
#include "targets/max78/network/resolve.h"
#include "targets/max78/place/place.h"

namespace edgetwin::max78 {
namespace {

constexpr int kSide = 3;

using Words = std::array<size_t, kGroups>;

struct DepthwiseCase {
  const char* what;
  int channels = 0;
  uint64_t processors = 0, out_processors = 0;
  Words words{};  // of each group's bias memory
};

// `count` processors from `first` on.
constexpr uint64_t run_of(int first, int count) {
  return (count == 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1) << first;
}

// Broadcast layers (the same processors in and out) fill all groups from group 0 to the last one
// in use, 16 words for each pass; other layers do so only where they use several groups, with the
// first group's processors moved to its start. At the end the words without a channel are missing:
// of the last group in broadcast order, where processor 4 i + j of a group is word i + 4 j.
const DepthwiseCase kDepthwiseCases[] = {
    {"one group", 16, run_of(0, 16), run_of(0, 16), {16, 0, 0, 0}},
    {"one group, not full", 3, run_of(0, 3), run_of(0, 3), {9, 0, 0, 0}},
    {"across groups 0 and 1", 31, run_of(0, 31), run_of(0, 31), {16, 15, 0, 0}},
    {"first processor 20", 40, run_of(20, 40), run_of(20, 40), {16, 16, 16, 15}},
    {"first processor 28", 16, run_of(28, 16), run_of(28, 16), {16, 16, 15, 0}},
    {"group 1", 16, run_of(16, 16), run_of(16, 16), {16, 16, 0, 0}},
    {"group 2", 16, run_of(32, 16), run_of(32, 16), {16, 16, 16, 0}},
    {"within group 3", 4, run_of(52, 4), run_of(52, 4), {16, 16, 16, 14}},
    {"two passes", 80, run_of(20, 40), run_of(20, 40), {32, 32, 32, 31}},
    {"two passes, all groups", 128, run_of(0, 64), run_of(0, 64), {32, 32, 32, 32}},
    {"to other processors", 3, 0xeU, 0x70U, {3, 0, 0, 0}},
    {"to other processors, group 2", 3, 0xeULL << 32, 0x70U, {0, 0, 3, 0}},
    {"to other processors, groups 1 and 2", 16, run_of(28, 16), run_of(0, 16), {16, 16, 12, 0}},
};

std::string yaml_of(const DepthwiseCase& c) {
  return "arch: test\ndataset: x\nlayers:\n  - op: conv2d\n    activate: none\n"
         "    kernel_size: 3x3\n    pad: 1\n    groups: " +
         std::to_string(c.channels) + "\n    processors: " + std::to_string(c.processors) +
         "\n    output_processors: " + std::to_string(c.out_processors) +
         "\n    out_offset: 0x4000\n";
}

ai8x::Parameters parameters_of(const DepthwiseCase& c, XorShift32& random) {
  ai8x::Parameters p;
  ai8x::LayerParameters& l = p.layers.emplace_back();
  l.out = l.out_channels = c.channels;
  l.in = 1;
  l.in_channels = c.channels;
  l.kernel = {3, 3};
  l.output_shift = 0;
  l.weights.resize(static_cast<size_t>(9 * c.channels));
  for (int8_t& w : l.weights) w = static_cast<int8_t>(random.byte());
  l.bias_given = true;
  for (int i = 0; i < c.channels; ++i) l.bias.push_back(static_cast<int8_t>(i + 1));
  return p;
}

Tensor input_of(int channels, XorShift32& random) {
  Tensor input;
  input.dtype = DType::int8;
  input.shape = {channels, kSide, kSide};
  input.data.resize(static_cast<size_t>(input.shape.elements()));
  for (std::byte& b : input.data) b = static_cast<std::byte>(random.byte());
  return input;
}

// Values that the machine computes otherwise than the simulation.
Result<uint64_t> different(const Plan& plan, const Tensor& input) {
  EDGETWIN_TRY_ASSIGN(Simulation simulation, Simulation::make(plan, {}));
  EDGETWIN_TRY_ASSIGN(const SimulationResult result, simulation.run(input));
  EDGETWIN_TRY_ASSIGN(const Program program, make_program(plan, input));
  Machine machine(plan.chip->device);
  EDGETWIN_TRY_ASSIGN(const SideBySide both, run_side_by_side(as_text(program, plan.chip->device),
                                                              machine, plan, result.layers));
  uint64_t sum = 0;
  for (const LayerAgreement& l : both.layers) sum += l.different;
  return sum;
}

// The chip needs a layer in the first group of processors: a network of one layer elsewhere is
// refused, but where its biases would lie is a law of its own.
struct Placed {
  bool refused = false;
  std::optional<Plan> plan;
};
Placed placed(const DepthwiseCase& c, const ai8x::Network& network,
              const ai8x::Parameters& parameters) {
  Placed result;
  Findings findings;
  const auto resolved =
      resolve(network, parameters, {c.channels, kSide, kSide}, Options(), findings);
  EXPECT_TRUE(resolved) << c.what;
  if (!resolved) return result;
  const HardwarePlan hardware = plan_hardware(*resolved, findings);
  check_plan(findings, hardware);
  for (const Finding& f : findings) {
    const bool group_zero = f.id == info(Rule::group_zero).id;
    result.refused = result.refused || group_zero;
    EXPECT_TRUE(group_zero || f.severity != Severity::error) << f.message;
  }
  result.plan = place(hardware, findings);
  return result;
}

TEST(Max78DepthwiseBias, LiesWhereTheVendorPutsItAndTheMachineReadsIt) {
  size_t executed = 0;
  for (const DepthwiseCase& c : kDepthwiseCases) {
    SCOPED_TRACE(c.what);
    XorShift32 random(static_cast<uint32_t>(c.channels));
    const auto network = ai8x::read_network(yaml_of(c), "x.yaml", ai8x::Device::max78002);
    ASSERT_TRUE(network.ok()) << to_text(network.error());
    const ai8x::Parameters parameters = parameters_of(c, random);
    const Placed result = placed(c, *network, parameters);
    ASSERT_TRUE(result.plan);
    Words words{};
    for (size_t g = 0; g < words.size(); ++g) words[g] = result.plan->biases[g].size();
    EXPECT_EQ(words, c.words);
    if (result.refused) continue;
    ++executed;
    const auto values = different(*result.plan, input_of(c.channels, random));
    ASSERT_TRUE(values.ok()) << to_text(values.error());
    EXPECT_EQ(*values, 0U);
  }
  EXPECT_GE(executed, 6U);
}

// Groups before the first one that computes hold zeros only.
TEST(Max78DepthwiseBias, PaddingIsZero) {
  XorShift32 random(1);
  const DepthwiseCase& c = kDepthwiseCases[3];
  const auto network = ai8x::read_network(yaml_of(c), "x.yaml", ai8x::Device::max78002);
  ASSERT_TRUE(network.ok());
  const ai8x::Parameters parameters = parameters_of(c, random);
  const Placed result = placed(c, *network, parameters);
  ASSERT_TRUE(result.plan);
  EXPECT_EQ(result.plan->biases[0], std::vector<uint8_t>(16, 0));
  // Processors 20 to 31 have the channels 0 to 11, whose biases are 1 to 12.
  EXPECT_EQ(result.plan->biases[1],
            (std::vector<uint8_t>{0, 1, 5, 9, 0, 2, 6, 10, 0, 3, 7, 11, 0, 4, 8, 12}));
}

}  // namespace
}  // namespace edgetwin::max78
