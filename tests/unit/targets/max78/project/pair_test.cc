// Two networks in one program: the machine executes both, from the register program and from the C
// sources of the project.
#include "targets/max78/project/pair.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rng.h"
#include "targets/max78/csource/read_c.h"
#include "targets/max78/drawn_network.h"
#include "targets/max78/machine/player/play.h"
#include "tensor/npy.h"

namespace edgetwin::max78 {
namespace {

using ::testing::HasSubstr;

constexpr const char* kFirstOfPair = R"(arch: test
dataset: x
layers:
  - op: conv2d
    kernel_size: 3x3
    pad: 1
    processors: 0x000000000000000f
    output_processors: 0x000f000000000000
    out_offset: 0x2000
    activate: ReLU
  - op: conv2d
    kernel_size: 3x3
    pad: 1
    processors: 0x000f000000000000
    output_processors: 0xf
    out_offset: 0
    activate: None
)";
// Fewer groups, other layers.
constexpr const char* kSecondOfPair = R"(arch: test
dataset: x
layers:
  - op: conv2d
    max_pool: 2
    pool_stride: 2
    kernel_size: 3x3
    pad: 1
    processors: 0x7
    output_processors: 0x3
    out_offset: 0x4000
    output_width: 32
    activate: None
)";

Bytes parameters_of_pair(const std::vector<Shape>& shapes, uint32_t seed) {
  XorShift32 random(seed);
  Bytes all;
  for (const Shape& shape : shapes) {
    auto t = Tensor::zeros(DType::int8, shape);
    for (std::byte& b : t->data) b = static_cast<std::byte>(random.byte());
    const auto npy = write_npy(*t);
    all.insert(all.end(), npy->begin(), npy->end());
  }
  return all;
}

std::unique_ptr<LoadedNetwork> one_of_pair(Device device, const char* text,
                                           const std::vector<Shape>& shapes, SampleShape shape,
                                           int start) {
  NetworkSources s = sources_of_text(text);
  s.device = device;
  s.weights = Source::bytes("weights.npy", parameters_of_pair(shapes, 9));
  s.shape = shape;
  s.sample_seed = 3;
  s.options.write_zero_registers = true;
  s.options.weight_start = start;
  return loaded_network(s);
}

class PairOfNetworks : public ::testing::TestWithParam<std::tuple<Device, PairMemory>> {
 protected:
  Pair made() {
    const auto [device, memory] = GetParam();
    first_ = one_of_pair(device, kFirstOfPair, {{4, 4, 3, 3}, {4, 4, 3, 3}}, {4, 6, 8}, 0);
    const int start = memory == PairMemory::divided ? kernel_columns_of(first_->plan()) : 0;
    second_ = one_of_pair(device, kSecondOfPair, {Shape{1, 2, 3, 3, 3}}, {3, 8, 6}, start);
    a_ = compile(*first_).value();
    b_ = compile(*second_).value();
    auto pair = make_pair({"one", &first_->plan(), &a_, nullptr},
                          {"two", &second_->plan(), &b_, nullptr}, memory, {});
    EXPECT_TRUE(pair.ok()) << to_text(pair.error());
    return pair.ok() ? std::move(*pair) : Pair();
  }
  void expect_proven(const Program& program, const std::vector<max78::Run>& expected) {
    Machine machine(std::get<0>(GetParam()), {});
    const auto done = play(as_text(program, std::get<0>(GetParam())), machine);
    ASSERT_TRUE(done.ok()) << to_text(done.error());
    for (const Finding& f : machine.findings()) {
      EXPECT_NE(f.severity, Severity::error) << f.message;
    }
    const Comparison c = compare(machine, expected);
    EXPECT_TRUE(c.equal()) << c.different << " of " << c.words;
    EXPECT_GT(c.words, 0U);
  }

  std::unique_ptr<LoadedNetwork> first_, second_;
  CompiledNetwork a_, b_;
};

TEST_P(PairOfNetworks, TheMachineExecutesBoth) {
  const Pair pair = made();
  expect_proven(pair.program, pair.expected);
  // A wrong word of the first one's answer is noticed.
  Program spoilt = pair.program;
  for (Function& f : spoilt.functions) {
    if (f.name == "one_check_output") f.accesses[0].value ^= 1U;
  }
  Machine machine(std::get<0>(GetParam()), {});
  const auto done = play(as_text(spoilt, std::get<0>(GetParam())), machine);
  const auto& found = machine.findings();
  EXPECT_TRUE(!done.ok() || std::ranges::any_of(found, [](const Finding& f) {
    return f.severity == Severity::error;
  }));
}

TEST_P(PairOfNetworks, TheSourcesMakeTheSameProgram) {
  const Pair pair = made();
  std::vector<CFile> files;
  for (const ProjectFile& f : pair.files) files.push_back({f.name, f.text});
  const auto program = read_c_program(files);
  ASSERT_TRUE(program.ok()) << to_text(program.error());
  EXPECT_GT(program->checks, 0U);
  expect_proven(program->program, pair.expected);
}

INSTANTIATE_TEST_SUITE_P(Both, PairOfNetworks,
                         ::testing::Combine(::testing::Values(Device::max78000, Device::max78002),
                                            ::testing::Values(PairMemory::divided,
                                                              PairMemory::shared)));

TEST(PairRefusals, OptionsThatNeedTheProgramForThemselves) {
  auto one = one_of_pair(Device::max78000, kSecondOfPair, {Shape{1, 2, 3, 3, 3}}, {3, 8, 6}, 0);
  const CompiledNetwork c = compile(*one).value();
  Plan plan = one->plan();
  plan.options.energy = true;
  const auto refused = make_pair({"a", &plan, &c, nullptr}, {"b", &one->plan(), &c, nullptr},
                                 PairMemory::shared, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(to_text(refused.error()), HasSubstr("--energy"));
}

}  // namespace
}  // namespace edgetwin::max78
