// Tensor instructions with any nests: rows of iterations side by side leave in both memories what
// iterations one after the other leave.
#include <gtest/gtest.h>

#include <cstring>
#include <utility>

#include "base/rng.h"
#include "unit/targets/edgetpu/machine/instructions.h"

namespace edgetwin::edgetpu::machine {
namespace {

int64_t among(XorShift32& random, int64_t low, int64_t high) {
  return low + static_cast<int64_t>(random.next() % static_cast<uint32_t>(high - low + 1));
}

// One instruction of the kinds that make bytes: convolutions, depthwise layers, additions, copies.
Writer random_instruction(XorShift32& random) {
  constexpr uint32_t kKinds[] = {0x38, 0x38, 0x30, 0xB0, 0x1C30};
  const uint32_t kind = kKinds[random.next() % 5];
  const bool words = kind == 0x38 || kind == 0x30;
  const int lanes = random.next() % 3 == 0 ? 4 * static_cast<int>(among(random, 1, 16)) : 4;
  const int64_t columns = among(random, 1, 4), rows = among(random, 1, 4);
  const int64_t width = among(random, 1, 12), height = among(random, 1, 9);
  const int64_t groups = among(random, 1, 3);
  const int64_t step = words ? 4 * among(random, 1, 8) : among(random, 1, 13);
  const int64_t out_step = lanes * (random.next() % 2 == 0 ? 1 : among(random, 1, 3));
  // Near enough to each other that results are read now and then.
  const int64_t from = 4 * among(random, 250, 900), to = 4 * among(random, 250, 900);
  const int64_t quarter = words ? 4 : kind == 0xB0 ? among(random, 1, 2) * 2 : 1;
  const int64_t line = among(random, 0, 40) * 4;
  const bool per_group = random.next() % 2 == 0;
  Writer w;
  w.begin(Opcode::tensor, 1)
      .tensor(kind, 0.0005F * static_cast<float>(1 + random.byte()), lanes)
      .path(GeneratorKind::tensor_in, from,
            {{among(random, 1, 9), columns},
             {among(random, -40, 40), rows},
             {step, width},
             {among(random, 0, 200), height},
             {4, groups}})
      .path(GeneratorKind::tensor_weight, line,
            {{quarter, columns * rows}, {0, width * height}, {per_group ? 4 * 16 : 0, groups}})
      .path(GeneratorKind::tensor_out, to,
            {{4, lanes / 4},
             {out_step, width},
             {among(random, 0, 60) * 4, height},
             {random.next() % 2 == 0 ? 4 : 400, groups}})
      .put(1854, 16, kind == 0xB0 ? random.next() % 65536 : random.byte())
      .put(1870, 8, random.byte())
      .put(2045, 32, random.next() % 4000)
      .put(2077, 16, random.byte());
  return w;
}

void fill(Core& core, uint32_t seed) {
  XorShift32 random(seed);
  for (size_t n = 0; n < 8192; ++n) core.tiles[0].narrow[n] = std::byte{random.byte()};
  for (size_t n = 0; n < 120 * 256; ++n) core.tiles[0].wide[n] = std::byte{random.byte()};
}

bool equal(const TileMemory& a, const TileMemory& b) {
  return std::memcmp(a.data(), b.data(), a.size()) == 0;
}

TEST(EdgetpuMachineRows, AnyNestsGiveWhatTheirIterationsGive) {
  XorShift32 random(31);
  size_t ran = 0, in_the_way = 0;
  for (uint32_t round = 0; round < 400; ++round) {
    const Writer w = random_instruction(random);
    Core plain, rows;
    plain.plain = true;
    fill(plain, round + 1);
    fill(rows, round + 1);
    const Status expected = execute(plain, w);
    const Status got = execute(rows, w);
    ASSERT_EQ(got.ok(), expected.ok()) << round;
    if (!got.ok()) continue;
    ++ran;
    ASSERT_TRUE(equal(rows.tiles[0].narrow, plain.tiles[0].narrow)) << round;
    ASSERT_TRUE(equal(rows.tiles[0].wide, plain.tiles[0].wide)) << round;
    const Step& s = rows.steps.list[0];
    const int64_t end = s.a.path.highest() + 4;
    in_the_way += s.b.path.lowest() < end && s.a.path.lowest() < s.b.path.highest() ? 1 : 0;
  }
  EXPECT_GT(ran, 250U);
  EXPECT_GT(in_the_way, 40U);  // results lie where inputs are
}

}  // namespace
}  // namespace edgetwin::edgetpu::machine
