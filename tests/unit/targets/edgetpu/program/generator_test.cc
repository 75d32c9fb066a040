#include "targets/edgetpu/program/generator.h"

#include <gtest/gtest.h>

#include <set>

namespace edgetwin::edgetpu::machine {
namespace {

TEST(EdgetpuGenerators, EveryRowHasItsFieldsOneBehindTheOther) {
  for (const GeneratorInfo& g : all_generators()) {
    ASSERT_NE(g.start, nullptr) << g.name;
    ASSERT_NE(g.step, nullptr) << g.name;
    size_t bit = g.start->bit + g.start->width;
    for (size_t k = 0; k < g.most_levels(); ++k) {
      EXPECT_EQ(g.step->bit_of(k), bit) << g.name;
      EXPECT_EQ(g.count->bit_of(k), bit + g.step->width) << g.name;
      bit += size_t{g.step->width} + g.count->width;
    }
    for (const FieldInfo* f :
         {g.levels, g.switch_level, g.switch_by, g.shorter, g.short_level, g.short_by}) {
      ASSERT_NE(f, nullptr) << g.name;
      EXPECT_EQ(f->bit, bit) << g.name << " " << f->name;
      bit += f->width;
    }
    EXPECT_EQ(g.levels->width, g.most_levels()) << g.name;
  }
}

TEST(EdgetpuGenerators, EveryOpcodeOfAnEngineHasTheSamePlaces) {
  const std::vector<std::vector<Opcode>> engines = {
      {Opcode::tensor, Opcode::tensor_max, Opcode::tensor_exp, Opcode::tensor_resize},
      {Opcode::move_down, Opcode::move_left, Opcode::move_up, Opcode::move_right},
      {Opcode::ring_receive, Opcode::ring_receive1}};
  for (const auto& engine : engines) {
    for (const FieldInfo& f : fields_of(engine.front())) {
      // A resize has its positions where the others have limits.
      constexpr unsigned kLimits = 1981;
      if (engine.front() == Opcode::tensor && f.bit >= kLimits && f.bit < kLimits + 112) continue;
      for (const Opcode other : engine) {
        const FieldInfo* same = field_named(other, f.name);
        ASSERT_NE(same, nullptr) << info(other).name << " " << f.name;
        EXPECT_EQ(same->bit, f.bit) << info(other).name << " " << f.name;
        EXPECT_EQ(same->width, f.width) << info(other).name << " " << f.name;
      }
    }
  }
}

TEST(EdgetpuGenerators, LinesStandInTheSamePlacesOfAllThatReadOrWriteThem) {
  const GeneratorInfo& lines = edgetpu::info(GeneratorKind::lines);
  for (const Opcode other : {Opcode::ring_send, Opcode::ring_receive, Opcode::ring_receive1}) {
    for (const FieldInfo* f :
         {lines.start, lines.step, lines.count, lines.levels, lines.switch_level, lines.switch_by,
          lines.shorter, lines.short_level, lines.short_by}) {
      const FieldInfo* same = field_named(other, f->name);
      ASSERT_NE(same, nullptr) << f->name;
      EXPECT_EQ(same->bit, f->bit) << f->name;
      EXPECT_EQ(same->width, f->width) << f->name;
    }
  }
}

TEST(EdgetpuGenerators, RowsAreNamedOnceAndFitTheirIndex) {
  std::set<std::string_view> names;
  for (const GeneratorInfo& g : all_generators()) {
    EXPECT_TRUE(names.insert(g.name).second) << g.name;
    EXPECT_LE(g.most_levels(), size_t{1} << g.switch_level->width) << g.name;
    EXPECT_LE(g.most_levels(), kLoopLevels) << g.name;
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

TEST(EdgetpuGenerators, RowsAreTheirPlaces) {
  Generator g;
  g.path.start = 50;
  g.path.size = 3;
  constexpr int64_t kNets[] = {3, 10, 100}, kCounts[] = {4, 2, 3};
  for (size_t k = 0; k < 3; ++k) {
    g.path.level[k].net = kNets[k];
    g.path.level[k].count = kCounts[k];
  }
  g.stream_by = g.switch_by = 1000;
  g.short_level = 2;
  g.short_count = 1;
  for (size_t level = 0; level <= 3; ++level) {
    g.switch_level = level;
    std::vector<std::pair<int64_t, uint32_t>> expected, got;
    uint32_t n = 0;
    for (int64_t z = 0; z < 3; ++z) {
      for (int64_t y = 0; y < 2; ++y) {
        for (int64_t x = 0; x < (z == 2 ? 1 : 4); ++x, ++n) {
          const auto rows = static_cast<uint32_t>(2 * z + y);
          const uint32_t passes[] = {n, rows, rows / 2, 0};
          const uint32_t pass = passes[level];
          const int64_t at = 50 + 3 * x + 10 * y + 100 * z + (pass % 2 == 0 ? 0 : 1000);
          expected.emplace_back(at, pass);
        }
      }
    }
    unroll_rows(g, [&](const PlaceRow& row) {
      for (int64_t k = 0; k < row.count; ++k) got.emplace_back(row.first + k * row.step, row.pass);
    });
    EXPECT_EQ(got, expected) << level;
    EXPECT_EQ(g.count(1000), expected.size());
  }
}

TEST(EdgetpuGenerators, CountsStopAtTheLimit) {
  Generator g;
  g.path.size = kLoopLevels;
  for (Level& l : g.path.level) l.count = 1 << 18;
  EXPECT_EQ(g.count(1'000'000), 1'000'001U);
}

}  // namespace
}  // namespace edgetwin::edgetpu::machine
