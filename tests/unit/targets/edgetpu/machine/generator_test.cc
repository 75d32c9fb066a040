#include "targets/edgetpu/machine/generator.h"

#include <gtest/gtest.h>

#include <set>

namespace edgetwin::edgetpu::machine {
namespace {

TEST(EdgetpuGenerators, EveryRowEndsWhereTheNextThingBegins) {
  EXPECT_EQ(info(GeneratorKind::tensor_in).end(), info(GeneratorKind::tensor_out).first);
  EXPECT_EQ(info(GeneratorKind::tensor_out).end(), info(GeneratorKind::tensor_weight).first);
  EXPECT_EQ(info(GeneratorKind::tensor_weight).end(), info(GeneratorKind::tensor_acc).first);
  EXPECT_EQ(info(GeneratorKind::lines).end(), info(GeneratorKind::words_written).first);
  EXPECT_EQ(info(GeneratorKind::words_read).end(), info(GeneratorKind::lines_written).first);
  EXPECT_EQ(info(GeneratorKind::mesh_sent).end(), info(GeneratorKind::mesh_received).first);
}

TEST(EdgetpuGenerators, RowsAreNamedOnceAndFitTheirIndex) {
  std::set<std::string_view> names;
  for (const GeneratorInfo& g : all_generators()) {
    EXPECT_TRUE(names.insert(g.name).second) << g.name;
    EXPECT_LE(g.levels, size_t{1} << g.index) << g.name;
    EXPECT_LE(g.levels, kLoopLevels) << g.name;
  }
}

// What a row says stands in the bits: written by hand, decoded.
TEST(EdgetpuGenerators, DecodesLevelsSwitchAndShortPass) {
  Bytes bytes(17 * kWordBytes);
  const auto put = [&](size_t bit, unsigned width, uint64_t value) {
    set_bits(bytes, bit, width, value);
  };
  put(191, 18, 1000);  // start
  put(209, 19, 4);     // level 0: step 4, 16 times
  put(228, 18, 15);
  put(246, 19, uint64_t{4} & 0x7FFFF);  // level 1: step 4, twice
  put(265, 18, 1);
  put(513, 3, 1);  // switched at level 1, by 256
  put(516, 19, 256);
  put(535, 18, 2);  // the last pass of level 1 has 3
  put(553, 3, 1);
  const Instruction i{&info(Opcode::tensor), 0, bytes};
  const Generator g = decode_generator(i, GeneratorKind::tensor_in);
  EXPECT_EQ(g.path.start, 1000);
  EXPECT_EQ(g.path.level[0].count, 16);
  EXPECT_EQ(g.path.level[1].count, 2);
  EXPECT_EQ(g.path.level[1].net, 64);
  EXPECT_TRUE(g.streamed());
  EXPECT_EQ(g.switch_by, 256);
  EXPECT_EQ(g.count(1000), 19U);
  EXPECT_EQ(g.pass_places(), 16U);
  std::vector<std::pair<int64_t, uint32_t>> seen;
  unroll(g, [&](int64_t at, uint32_t pass) { seen.emplace_back(at, pass); });
  ASSERT_EQ(seen.size(), 19U);
  EXPECT_EQ(seen[0], (std::pair<int64_t, uint32_t>{1000, 0}));
  EXPECT_EQ(seen[15], (std::pair<int64_t, uint32_t>{1060, 0}));
  EXPECT_EQ(seen[16], (std::pair<int64_t, uint32_t>{1000 + 64 + 256, 1}));
  EXPECT_EQ(seen[18], (std::pair<int64_t, uint32_t>{1000 + 64 + 256 + 8, 1}));
}

TEST(EdgetpuGenerators, CountsStopAtTheLimit) {
  Generator g;
  g.path.size = kLoopLevels;
  for (Level& l : g.path.level) l.count = 1 << 18;
  EXPECT_EQ(g.count(1'000'000), 1'000'001U);
}

}  // namespace
}  // namespace edgetwin::edgetpu::machine
