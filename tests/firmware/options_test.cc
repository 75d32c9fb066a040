// Every option that changes the generated project, alone and with others, on networks of our own:
// the ARM compiler has nothing to say, and the processor writes the register program.
#include <gtest/gtest.h>

#include "firmware/own_network.h"
#include "firmware/prepared.h"

namespace edgetwin::firmware {
namespace {

using Words = std::vector<std::string>;

void run_with(OwnNetwork network, max78::Device device, const Words& words) {
  std::string text(max78::name(device));
  for (const std::string& w : words) text += " " + w;
  SCOPED_TRACE(text);
  const Prepared p = prepare(own_case(network, device, words), words, "own");
  ASSERT_EQ(p.problem, "");
  const Ran ran = build_and_run(p, machine_for(p));
  expect_passed(p, ran);
  expect_results(p, ran);
  const auto program = max78::make_program(p.plan(), p.c->sample);
  ASSERT_TRUE(program.ok());
  expect_program(p, ran, max78::to_text(*program));
  if (p.has("--boost")) {
    EXPECT_EQ(ran.pins[2], 1U << 5);
  }
}

class FirmwareOptions : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string missing = missing_tools(); !missing.empty()) GTEST_SKIP() << missing;
  }
};

TEST_F(FirmwareOptions, PlainNetwork) {
  const std::vector<Words> small = {
      {},
      {"--no-mexpress", "--softmax", "--timer", "1"},
      {"--old-kernel-loader", "--no-kat"},
      {"--compact-weights", "--old-kernel-loader", "--no-unload"},
      {"--riscv", "--softmax", "--output-width", "8"},
      {"--energy", "--boost", "2.5", "--softmax"},
      {"--zero-sram", "--output-width", "8", "--max-checklines", "2"},
      {"--write-zero-registers", "--no-unload", "--no-kat"},
      {"--fifo", "--timer", "0"},
      {"--fifo", "--energy"},
      {"--fast-fifo", "--riscv", "--boost", "2.5"},
      {"--no-wfi", "--debugwait", "0"},
      {"--deepsleep", "--switch-delay", "3"},
      {"--riscv", "--no-wfi", "--riscv-exclusive"},
  };
  for (const Words& words : small) {
    run_with(OwnNetwork::plain, max78::Device::max78000, words);
  }
}

TEST_F(FirmwareOptions, LargeDevice) {
  const std::vector<Words> large = {
      {"--softmax", "--timer", "0"},   {"--no-pll", "--no-pipeline", "--riscv"},
      {"--max-speed", "--energy"},     {"--no-pipeline", "--zero-sram", "--fifo"},
      {"--fast-fifo-quad", "--riscv"},
  };
  for (const Words& words : large) {
    run_with(OwnNetwork::plain, max78::Device::max78002, words);
  }
}

TEST_F(FirmwareOptions, StreamingNetwork) {
  run_with(OwnNetwork::streaming, max78::Device::max78000, {"--fifo", "--mlator"});
  run_with(OwnNetwork::streaming, max78::Device::max78000,
           {"--fast-fifo", "--riscv", "--softmax", "--energy"});
  run_with(OwnNetwork::streaming, max78::Device::max78002, {"--fifo", "--output-width", "32"});
}

}  // namespace
}  // namespace edgetwin::firmware
