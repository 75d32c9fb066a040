// Weights below 8 bits over more channels than one pass has: the machine computes what the network
// computes, unless the rule narrow_pass says otherwise.
#include <gtest/gtest.h>

#include "base/rng.h"
#include "formats/ai8x/read_yaml.h"
#include "targets/max78/generate/generate.h"
#include "targets/max78/machine/compare/side_by_side.h"
#include "targets/max78/plan/make_plan.h"

namespace edgetwin::max78 {
namespace {

constexpr int kOutputs = 12, kSize = 3;

struct Case {
  int channels = 0, bits = 8, kernel = 1;
  int passes() const { return (channels + 63) / 64; }
  int processors() const {
    const int each = (channels + passes() - 1) / passes();
    return passes() > 1 ? (each + 3) & ~3 : each;
  }
};

std::string yaml_of(const Case& c) {
  const uint64_t map = ~uint64_t{0} >> (64 - c.processors());
  const std::string k = std::to_string(c.kernel);
  return "arch: test\ndataset: x\nlayers:\n  - op: conv2d\n    activate: none\n    kernel_size: " +
         k + "x" + k + "\n    pad: " + std::to_string(c.kernel / 2) +
         "\n    processors: " + std::to_string(map) +
         "\n    output_processors: 0xfff\n    out_offset: 0x4000\n    quantization: " +
         std::to_string(c.bits) + "\n";
}

ai8x::Parameters parameters_of(const Case& c, XorShift32& random) {
  ai8x::Parameters p;
  ai8x::LayerParameters& l = p.layers.emplace_back();
  l.out = l.out_channels = kOutputs;
  l.in = l.in_channels = c.channels;
  l.kernel = {c.kernel, c.kernel};
  l.output_shift = 0;
  l.quantization = c.bits;
  l.weights.resize(static_cast<size_t>(kOutputs * c.channels * c.kernel * c.kernel));
  const int half = 1 << (c.bits - 1);
  for (int8_t& w : l.weights)
    w = static_cast<int8_t>(static_cast<int>(random.byte()) % (2 * half) - half);
  return p;
}

struct Outcome {
  bool named = false;      // by the rule
  uint64_t different = 0;  // values of the machine that are not the network's
};

Result<Outcome> outcome_of(const Case& c) {
  XorShift32 random(static_cast<uint32_t>(c.channels));
  EDGETWIN_TRY_ASSIGN(const ai8x::Network network,
                      ai8x::read_network(yaml_of(c), "x.yaml", ai8x::Device::max78000));
  const ai8x::Parameters parameters = parameters_of(c, random);
  const Planning planning = make_plan(network, parameters, {c.channels, kSize, kSize}, Options());
  Outcome outcome;
  for (const Finding& f : planning.findings) {
    if (f.severity == Severity::error) return error_of(f, ErrorCode::max78_rules);
    outcome.named = outcome.named || is(f, Rule::narrow_pass);
  }
  const Plan& plan = *planning.placed;
  Tensor input;
  input.dtype = DType::int8;
  input.shape = {c.channels, kSize, kSize};
  input.data.resize(static_cast<size_t>(input.shape.elements()));
  for (std::byte& b : input.data) b = static_cast<std::byte>(random.byte());
  EDGETWIN_TRY_ASSIGN(Simulation simulation, Simulation::make(plan, {}));
  EDGETWIN_TRY_ASSIGN(const SimulationResult result, simulation.run(input));
  EDGETWIN_TRY_ASSIGN(const Program program, make_program(plan, input));
  Machine machine(plan.chip->device);
  EDGETWIN_TRY_ASSIGN(const SideBySide both, run_side_by_side(as_text(program, plan.chip->device),
                                                              machine, plan, result.layers));
  for (const LayerAgreement& l : both.layers) outcome.different += l.different;
  return outcome;
}

TEST(Max78NarrowPass, NamesWhatTheMachineComputesOtherwise) {
  int named = 0, plain = 0;
  for (const int channels : {60, 64, 65, 72, 100, 126, 128, 130, 132, 200}) {
    for (const int bits : {1, 2, 4, 8}) {
      for (const int kernel : {1, 3}) {
        const Case c{channels, bits, kernel};
        const auto outcome = outcome_of(c);
        ASSERT_TRUE(outcome.ok()) << to_text(outcome.error());
        EXPECT_EQ(outcome->named, outcome->different > 0)
            << channels << " channels, " << bits << " bits, kernel " << kernel << ": "
            << outcome->different << " values differ";
        (outcome->named ? named : plain) += 1;
      }
    }
  }
  // 65, 100, 126, 130 and 200 leave the last pass short.
  EXPECT_EQ(named, 5 * 3 * 2);
  EXPECT_EQ(plain, 5 * 8 + 5 * 2);
}

}  // namespace
}  // namespace edgetwin::max78
