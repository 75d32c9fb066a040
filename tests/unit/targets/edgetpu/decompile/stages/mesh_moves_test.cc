#include "targets/edgetpu/decompile/stages/mesh_moves.h"

#include <gtest/gtest.h>

#include "unit/targets/edgetpu/decompile/programs.h"

namespace edgetwin::edgetpu {
namespace {

// Every word of every tile has an owner of its own.
int32_t mark(size_t tile, int64_t word) { return static_cast<int32_t>(1000 * tile + 100 + word); }

struct Moves {
  Narrow narrow;
  std::vector<Bytes> bytes;
  std::vector<CopyPattern> patterns;

  Moves() {
    for (size_t t = 0; t < kTiles; ++t) {
      for (int64_t w = 0; w < 100; ++w) narrow.at(t, w).owner = mark(t, w);
    }
  }
  void add(const Assembly& a) {
    patterns.push_back(*decode_copy(parse(a.bytes()).instructions.at(0)));
  }
  void run() {
    std::vector<const CopyPattern*> all;
    for (const CopyPattern& c : patterns) all.push_back(&c);
    run_mesh(narrow, all);
  }
  int32_t owner(size_t tile, int64_t word) { return narrow.at(tile, word).owner; }
};

Side words(int64_t start, int64_t count) { return {start, {{1, count}}}; }

TEST(Mesh, ReceivesMatchWordByWord) {
  Moves m;
  // One sender, two receives.
  m.add(copy(Opcode::move_right, 0x1, words(4, 6), {}));
  m.add(copy(Opcode::move_right, 0x2, {}, words(50, 2)));
  m.add(copy(Opcode::move_right, 0x2, {}, words(60, 4)));
  m.run();
  EXPECT_EQ(m.owner(1, 51), mark(0, 5));
  EXPECT_EQ(m.owner(1, 60), mark(0, 6));
  EXPECT_EQ(m.owner(1, 63), mark(0, 9));
  EXPECT_EQ(m.owner(1, 64), mark(1, 64));
}

// Tile 1 hands on what tile 0 sends, through four words of its memory, more than once around.
TEST(Mesh, WordsPassThroughABufferThatIsUsedAgain) {
  Moves m;
  const Side ring{40, {{1, 4}, {0, 3}}};
  m.add(copy(Opcode::move_right, 0x2, ring, ring));
  m.add(copy(Opcode::move_right, 0x4, {}, words(70, 12)));
  m.add(copy(Opcode::move_right, 0x1, words(8, 12), {}));
  m.run();
  for (int64_t n = 0; n < 12; ++n) EXPECT_EQ(m.owner(2, 70 + n), mark(0, 8 + n)) << n;
}

// Tile 3 sends `own` words, of which it fills those of `border` itself; tile 2 puts them from `to`
// on.
Moves sent_with_border(const Side& own, const Side& border, uint32_t pattern, const Side& to) {
  Moves m;
  Assembly edge = copy(Opcode::move_left, 0x8, own, border);
  edge.set("fill", 1).set("pattern", pattern);
  m.add(edge);
  m.add(copy(Opcode::move_left, 0x4, {}, to));
  m.run();
  return m;
}

// A tile at the edge sends its own words and the border after them, which it fills itself.
TEST(Mesh, ABorderThatIsSentOnIsFilledBefore) {
  Moves m = sent_with_border(words(40, 8), words(44, 4), 0x7E7E7E7E, words(60, 8));
  EXPECT_EQ(m.owner(2, 63), mark(3, 43));
  EXPECT_EQ(m.owner(2, 64), kConstant);
  EXPECT_EQ(m.owner(2, 67), kConstant);
  EXPECT_EQ(m.owner(3, 47), kConstant);
}

// Every tile of a column appends what it receives to its own words and sends both on.
TEST(Mesh, AChainGathers) {
  Moves m;
  m.add(copy(Opcode::move_up, 0x1000, words(10, 2), {}));
  m.add(copy(Opcode::move_up, 0x0100, words(10, 4), words(12, 2)));
  m.add(copy(Opcode::move_up, 0x0010, words(10, 6), words(12, 4)));
  m.add(copy(Opcode::move_up, 0x0001, {}, words(12, 6)));
  m.run();
  const int32_t expected[] = {mark(4, 10), mark(4, 11),  mark(8, 10),
                              mark(8, 11), mark(12, 10), mark(12, 11)};
  for (int64_t n = 0; n < 6; ++n) EXPECT_EQ(m.owner(0, 12 + n), expected[n]) << n;
}

TEST(Mesh, NeighboursExchangeEdges) {
  Moves m;
  m.add(copy(Opcode::move_left, 0x1, {}, words(20, 3)));
  m.add(copy(Opcode::move_left, 0x6, words(0, 3), words(20, 3)));
  Assembly edge = copy(Opcode::move_left, 0x8, words(0, 3), words(20, 3));
  edge.set("fill", 1).set("pattern", 0x80808080);
  m.add(edge);
  m.run();
  EXPECT_EQ(m.owner(0, 20), mark(1, 0));
  EXPECT_EQ(m.owner(2, 22), mark(3, 2));
  EXPECT_EQ(m.owner(3, 21), kConstant);
  EXPECT_EQ(m.narrow.at(3, 21).value, 0x80808080U);
}

// The tile at the edge sends its last column and the padding that it fills after it.
TEST(Mesh, PaddingIsFilledBeforeItIsSentOn) {
  Moves m = sent_with_border(words(10, 4), words(12, 2), 0x80808080, words(30, 4));
  EXPECT_EQ(m.owner(2, 31), mark(3, 11));
  EXPECT_EQ(m.owner(2, 32), kConstant);
  EXPECT_EQ(m.owner(2, 33), kConstant);
}

// The last pass over the channels has two words instead of four.
TEST(Mesh, AShorterLastPass) {
  Moves m;
  const auto shorter = [](Assembly a, const GeneratorFields& side) {
    return a.set(side.shorter, 1).set(side.short_level, 2);
  };
  const NetLevels levels{{1, 4}, {6, 3}, {4, 2}};  // three pixels of six words
  m.add(shorter(copy(Opcode::move_down, 0x1, {0, levels}, {}), GeneratorFields("a")));
  m.add(shorter(copy(Opcode::move_down, 0x10, {}, {30, levels}), GeneratorFields("b")));
  m.run();
  for (int64_t n = 0; n < 18; ++n) EXPECT_EQ(m.owner(4, 30 + n), mark(0, n)) << n;
  EXPECT_EQ(m.owner(4, 48), mark(4, 48));
}

TEST(Mesh, WhatNobodySentIsUnknown) {
  Moves m;
  m.add(copy(Opcode::move_down, 0x1, words(0, 2), {}));
  m.add(copy(Opcode::move_down, 0x10, {}, words(5, 3)));
  m.run();
  EXPECT_EQ(m.owner(4, 6), mark(0, 1));
  EXPECT_EQ(m.owner(4, 7), kUnknown);
}

}  // namespace
}  // namespace edgetwin::edgetpu
