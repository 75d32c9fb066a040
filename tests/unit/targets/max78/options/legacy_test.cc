// --legacy-test and --legacy-kernels: what they change, and where they change nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "targets/max78/drawn_network.h"

namespace edgetwin::max78 {
namespace {

using ::testing::HasSubstr;

// The second layer takes both operands from the first one: its pixels in turns.
constexpr const char* kOneSource = R"(arch: test
dataset: x
layers:
  - op: conv2d
    kernel_size: 3x3
    pad: 1
    processors: 0x3
    output_processors: 0xf0
    out_offset: 0x2000
    activate: ReLU
    out_channels: 4
  - op: sub
    in_dim: [4, 3]
    processors: 0xf0
    output_processors: 0xf0
    out_offset: 0x1000
)";

Loading legacy_network(const std::string& text, const std::vector<std::string>& words,
                       bool upstream = false) {
  NetworkSources s = drawn_sources(text, words);
  s.options.upstream_bugs = upstream;
  return load_network(s);
}

std::string error_of_network(const Loading& loading) {
  for (const Finding& f : loading.findings) {
    if (f.severity == Severity::error) return f.message;
  }
  return "";
}

Tensor machine_result(const LoadedNetwork& network) {
  const auto run = run_machine(network, network.sample);
  EXPECT_TRUE(run.ok()) << (run.ok() ? "" : to_text(run.error()));
  return run->outputs.front();
}

// The registers make operands of one layer take turns in columns: so does the twin with the option,
// and without it each gets a block of channels.
TEST(Max78Legacy, OperandsOfOneLayerTakeTurns) {
  const Loading legacy = legacy_network(kOneSource, {"--legacy-test"});
  ASSERT_TRUE(legacy.ok()) << error_of_network(legacy);
  const auto twin = simulate(*legacy.network, legacy.network->sample);
  ASSERT_TRUE(twin.ok()) << to_text(twin.error());
  EXPECT_EQ(twin->outputs.front().shape, (Shape{4, 4, 3}));
  EXPECT_TRUE(twin->outputs.front().data == machine_result(*legacy.network).data);
  const Loading plain = legacy_network(kOneSource, {});
  ASSERT_TRUE(plain.ok()) << error_of_network(plain);
  const auto blocks = simulate(*plain.network, plain.network->sample);
  ASSERT_TRUE(blocks.ok());
  EXPECT_FALSE(blocks->outputs.front().data == twin->outputs.front().data);
}

TEST(Max78Legacy, NothingToTakeInTurns) {
  const Loading none = legacy_network(
      "arch: test\ndataset: x\nlayers:\n  - op: conv2d\n    processors: 0x3\n    pad: 1\n"
      "    activate: None\n    out_offset: 0x1000\n",
      {"--legacy-test"});
  EXPECT_THAT(error_of_network(none), HasSubstr("--legacy-test changes nothing here"));
  const Loading kernels = legacy_network(kOneSource, {"--legacy-kernels"});
  EXPECT_THAT(error_of_network(kernels),
              HasSubstr("--legacy-kernels changes nothing without --old-kernel-loader"));
}

TEST(Max78Legacy, TablesThatBeginThere) {
  const Loading loading = legacy_network(kOneSource, {"--old-kernel-loader", "--legacy-kernels"});
  ASSERT_TRUE(loading.ok()) << error_of_network(loading);
  const auto program = make_program(loading.network->plan(), loading.network->sample);
  ASSERT_FALSE(program.ok());
  EXPECT_THAT(to_text(program.error()), HasSubstr("all tables of kernels begin at column 0"));
}

// Tables of the older loader begin at the first column in use, or at column 0.
TEST(Max78Legacy, TablesFromColumnZero) {
  std::vector<std::string> words = {"--old-kernel-loader", "--weight-start", "8"};
  const auto writes = [&] {
    const Loading loading = legacy_network(kOneSource, words);
    EXPECT_TRUE(loading.ok()) << error_of_network(loading);
    const Function f = cnn_load_weights(loading.network->plan());
    EXPECT_EQ(f.accesses.front().kind, Access::Kind::write_byte);
    return f.accesses;
  };
  const auto later = writes();
  words.emplace_back("--legacy-kernels");
  const auto from_zero = writes();
  ASSERT_EQ(later.size(), from_zero.size());
  EXPECT_EQ(later[0].address, 0x50180021U);      // column 8
  EXPECT_EQ(from_zero[0].address, 0x50180001U);  // column 0
  // Eight columns of zeros before the others: 8 * 9 bytes.
  ASSERT_EQ(from_zero[1].words.size(), later[1].words.size() + 18);
  EXPECT_EQ(from_zero[1].value, 0U);
  EXPECT_TRUE(
      std::equal(later[1].words.begin(), later[1].words.end(), from_zero[1].words.begin() + 18));
  EXPECT_EQ(from_zero[1].words[17], later[1].value);
}

}  // namespace
}  // namespace edgetwin::max78
