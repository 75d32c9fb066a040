// Instructions written bit by bit, executed alone: what each form computes, against plain sums.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "unit/targets/edgetpu/machine/instructions.h"

namespace edgetwin::edgetpu::machine {
namespace {

TEST(EdgetpuMachineForms, LinesOfWordsAndOfBytePlanes) {
  Core core;
  for (size_t k = 0; k < 32; ++k) core.tiles[0].narrow[k] = static_cast<std::byte>(k + 1);
  Writer w;
  // Eight words as they are; then four pixels of two words, a plane for each.
  w.begin(Opcode::narrow_to_wide, 1)
      .path(GeneratorKind::words_read, 0, {{1, 8}})
      .path(GeneratorKind::lines_written, 10, {})
      .put(801, 3, 1);
  w.begin(Opcode::narrow_to_wide, 1)
      .path(GeneratorKind::words_read, 0, {{2, 4}, {1, 2}})
      .path(GeneratorKind::lines_written, 11, {})
      .put(801, 3, 2)
      .put(798, 3, 2);
  ASSERT_TRUE(execute(core, w).ok());
  const std::byte* words = core.tiles[0].wide.data() + 10 * kWideLineBytes;
  const std::byte* planes = core.tiles[0].wide.data() + 11 * kWideLineBytes;
  for (size_t k = 0; k < 32; ++k) EXPECT_EQ(words[k], static_cast<std::byte>(k + 1));
  for (size_t pixel = 0; pixel < 4; ++pixel) {
    for (size_t lane = 0; lane < 8; ++lane) {
      EXPECT_EQ(planes[lane * 4 + pixel], static_cast<std::byte>(pixel * 8 + lane + 1));
    }
  }
}

TEST(EdgetpuMachineForms, AMultiplierOrLimitThatIsNotANumberIsRefused) {
  constexpr float kNotANumber = std::numeric_limits<float>::quiet_NaN();
  for (const float multiplier : {kNotANumber, std::numeric_limits<float>::infinity()}) {
    Core core;
    Writer w;
    w.begin(Opcode::tensor, 1)
        .tensor(0xB0, multiplier, 4)
        .path(GeneratorKind::tensor_in, 0, {{2, 2}, {4, 2}})
        .path(GeneratorKind::tensor_out, 64, {{4, 1}})
        .path(GeneratorKind::tensor_weight, 0, {{4, 4}});
    const auto ran = execute(core, w);
    ASSERT_FALSE(ran.ok());
    EXPECT_EQ(ran.error().code, ErrorCode::chip_unknown);
  }
}

TEST(EdgetpuMachineForms, AdditionOfTwoWords) {
  Core core;
  const int weights[2] = {20000, 42000};
  for (size_t k = 0; k < 8; ++k) core.tiles[0].narrow[k] = static_cast<std::byte>(30 * k + 7);
  // A line for each pair of bytes: lanes 0 and 1 take the first pair, 2 and 3 the second.
  for (size_t line = 0; line < 4; ++line) {
    for (size_t half = 0; half < 2; ++half) {
      const auto value = static_cast<uint16_t>(weights[line / 2]);
      const size_t lane = line % 2 * 2 + half;
      std::memcpy(core.tiles[0].wide.data() + line * 256 + lane * 4 + half * 2, &value, 2);
    }
  }
  Writer w;
  w.begin(Opcode::tensor, 1)
      .tensor(0xB0, 1.0F / 80000, 4)
      .path(GeneratorKind::tensor_in, 0, {{2, 2}, {4, 2}})
      .path(GeneratorKind::tensor_out, 64, {{4, 1}})
      .path(GeneratorKind::tensor_weight, 0, {{4, 4}})
      .put(2045, 32, static_cast<uint64_t>(100000));
  ASSERT_TRUE(execute(core, w).ok());
  for (size_t k = 0; k < 4; ++k) {
    const int a = static_cast<uint8_t>(30 * k + 7);
    const int b = static_cast<uint8_t>(30 * (k + 4) + 7);
    const float f = static_cast<float>(a * weights[0] + b * weights[1] + 100000) * (1.0F / 80000);
    EXPECT_EQ(narrow(core, 64 + k), std::nearbyint(std::max(f, 0.0F))) << k;
  }
}

TEST(EdgetpuMachineForms, WordsThatLeaveMemoryOrBeginWithinALane) {
  const std::pair<int64_t, int64_t> starts[] = {{196'605, 0}, {0, 2}};
  const ErrorCode codes[] = {ErrorCode::chip_address, ErrorCode::chip_unknown};
  for (size_t n = 0; n < 2; ++n) {
    Core core;
    Writer w;
    w.begin(Opcode::tensor, 1)
        .tensor(0x30, 1.0F, 4)
        .path(GeneratorKind::tensor_in, starts[n].first, {})
        .path(GeneratorKind::tensor_out, 64, {})
        .path(GeneratorKind::tensor_weight, starts[n].second, {});
    const Status status = execute(core, w);
    ASSERT_FALSE(status.ok()) << n;
    EXPECT_EQ(status.error().code, codes[n]);
  }
}

TEST(EdgetpuMachineForms, ByteTimesAPlane) {
  Core core;
  core.tiles[0].narrow[5] = std::byte{9};
  for (size_t lane = 0; lane < 4; ++lane) {
    core.tiles[0].wide[3 * 256 + lane * 4 + 2] = static_cast<std::byte>(10 + lane);
  }
  Writer w;
  w.begin(Opcode::tensor, 1)
      .tensor(0x1C30, 0.5F, 4)
      .path(GeneratorKind::tensor_in, 5, {})
      .path(GeneratorKind::tensor_out, 64, {})
      .path(GeneratorKind::tensor_weight, 3 * 4 + 2, {})
      .put(1854, 8, 4)   // zero point of the plane
      .put(1870, 8, 2);  // of the byte
  ASSERT_TRUE(execute(core, w).ok());
  for (size_t lane = 0; lane < 4; ++lane) {
    const float f = static_cast<float>(7 * (6 + static_cast<int>(lane))) * 0.5F;
    EXPECT_EQ(narrow(core, 64 + lane), std::nearbyint(f)) << lane;
  }
}

TEST(EdgetpuMachineForms, ResizeMixesFourPixels) {
  Core core;
  // Three columns, three rows, pixels of one word; positions 0.75, 1.25, 1.75.
  for (size_t k = 0; k < 36; ++k) core.tiles[0].narrow[k] = static_cast<std::byte>(k * 7 % 251);
  Writer w;
  w.begin(Opcode::tensor_resize, 1)
      .tensor(0x18B0, 0x1p-14F, 4)
      .path(GeneratorKind::tensor_in, 0, {{4, 2}, {12, 2}, {0, 3}, {0, 3}})
      .path(GeneratorKind::tensor_out, 100, {{4, 1}, {4, 3}, {12, 3}})
      .path(GeneratorKind::tensor_weight, 0, {})
      .put(1981, 32, (64U << 11U) | (96U << 3U) | 2U)
      .put(2013, 32, (64U << 11U) | (96U << 3U) | 3U)
      .put(2045, 32, 4)
      .put(2077, 16, 12);
  const Status status = execute(core, w);
  ASSERT_TRUE(status.ok()) << to_text(status.error());
  for (int y = 0; y < 3; ++y) {
    for (int x = 0; x < 3; ++x) {
      const int px = 96 + 64 * x;
      const int py = 96 + 64 * y;
      int sum = 0;
      for (int t = 0; t < 4; ++t) {
        const int wx = t % 2 == 0 ? 128 - px % 128 : px % 128;
        const int wy = t / 2 == 0 ? 128 - py % 128 : py % 128;
        const int at = (py / 128 + t / 2) * 12 + (px / 128 + t % 2) * 4;
        sum += wx * wy * narrow(core, static_cast<size_t>(at));
      }
      EXPECT_EQ(narrow(core, static_cast<size_t>(100 + y * 12 + x * 4)),
                std::nearbyint(static_cast<float>(sum) * 0x1p-14F));
    }
  }
}

TEST(EdgetpuMachineForms, ResizeOutsideOfMemory) {
  Core core;
  Writer w;
  w.begin(Opcode::tensor_resize, 1)
      .tensor(0x18B0, 0x1p-14F, 4)
      .path(GeneratorKind::tensor_in, 196'600, {{4, 2}, {12, 2}, {0, 3}, {0, 3}})
      .path(GeneratorKind::tensor_out, 100, {{4, 1}, {4, 3}, {12, 3}})
      .put(1981, 32, (64U << 11U) | (96U << 3U) | 2U)
      .put(2013, 32, (64U << 11U) | (96U << 3U) | 3U)
      .put(2045, 32, 4)
      .put(2077, 16, 12);
  const Status status = execute(core, w);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::chip_address);
}

// A table of which only the pieces around zero are used: 3 + 2x below zero, 3 + x * x from it on.
void write_table(Writer& w, uint64_t end) {
  w.begin(Opcode::table, 1);
  const float coefficients[2][5] = {{3, 2, 0, 0, 0}, {3, 0, 1, 0, 0}};
  for (size_t piece = 0; piece < 8; ++piece) {
    for (size_t k = 0; k < 5; ++k) {
      w.real(62 + 32 * (piece * 5 + k), coefficients[piece == 0 ? 0 : 1][k]);
    }
  }
  for (size_t k = 0; k < 7; ++k) w.real(62 + 32 * (40 + k), static_cast<float>(k));
  w.put(62 + 32 * 47, 32, end);
}

Writer& write_look_up(Writer& w) {
  return w.begin(Opcode::tensor, 1)
      .tensor(0x30, 0.5F, 4)
      .path(GeneratorKind::tensor_in, 0, {})
      .path(GeneratorKind::tensor_out, 64, {})
      .path(GeneratorKind::tensor_weight, 0, {})
      .put(1870, 8, 10)  // input zero point
      .put(1946, 1, 1)
      .real(1981, 6.0F)
      .real(2013, -1.0F)
      .put(2077, 16, 5);
}

Core with_unit_matrix() {
  Core core;
  for (size_t k = 0; k < 4; ++k) core.tiles[0].wide[k * 4 + k] = std::byte{1};
  const uint8_t x[4] = {4, 10, 16, 200};
  std::memcpy(core.tiles[0].narrow.data(), x, 4);
  return core;
}

TEST(EdgetpuMachineForms, TablesArePolynomials) {
  Core core = with_unit_matrix();
  Writer w;
  write_table(w, 3);
  write_look_up(w);
  ASSERT_TRUE(execute(core, w).ok());
  EXPECT_EQ(narrow(core, 64), 3 - 2 + 5);      // -3, limited to -1
  EXPECT_EQ(narrow(core, 65), 3 + 5);          // 0
  EXPECT_EQ(narrow(core, 66), 3 + 9 + 5);      // 3
  EXPECT_EQ(narrow(core, 67), 3 + 6 * 6 + 5);  // 95, limited to 6
}

TEST(EdgetpuMachineForms, UnknownTablesAndFormsStop) {
  Core core = with_unit_matrix();
  Writer none;
  write_look_up(none);
  Writer other;
  write_table(other, 5);
  write_look_up(other);
  Writer wide;
  write_look_up(wide).put(1946, 1, 0).put(1947, 2, 3);
  for (const Writer* w : {&none, &other, &wide}) {
    const Status status = execute(core, *w);
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code, ErrorCode::chip_unknown);
  }
}

uint16_t narrow_half(const Core& core, size_t at) {
  return static_cast<uint16_t>(narrow(core, at) | narrow(core, at + 1) << 8U);
}

void put_half(TileMemory& memory, size_t at, uint16_t value) {
  std::memcpy(memory.data() + at, &value, 2);
}

// The cell of a recurrent layer: a number of 16 bits times one of each lane, and as 16 bits back.
TEST(EdgetpuMachineForms, NumbersOfSixteenBits) {
  Core core;
  put_half(core.tiles[0].narrow, 6, 60000);
  const uint16_t weights[4] = {32768 + 100, 32768 - 100, 65535, 0};
  for (size_t lane = 0; lane < 4; ++lane) {
    put_half(core.tiles[0].wide, 3 * 256 + lane * 4 + 2, weights[lane]);
  }
  Writer w;
  w.begin(Opcode::tensor, 1)
      .tensor(0xF0, 1.0F / 65535, 4)
      .path(GeneratorKind::tensor_in, 6, {})
      .path(GeneratorKind::tensor_out, 64, {{4, 2}})
      .path(GeneratorKind::tensor_weight, 3 * 4 + 2, {})
      .put(1854, 16, 32768)
      .put(1947, 2, 2)
      .real(1981, 32767.0F)
      .real(2013, -32768.0F)
      .put(2077, 16, 32768);
  const Status status = execute(core, w);
  ASSERT_TRUE(status.ok()) << to_text(status.error());
  for (size_t lane = 0; lane < 4; ++lane) {
    const int product = 60000 * (weights[lane] - 32768);
    const float f = static_cast<float>(product) * (1.0F / 65535);
    EXPECT_EQ(narrow_half(core, 64 + lane * 2), 32768 + static_cast<int>(std::nearbyint(f)));
  }
}

TEST(EdgetpuMachineForms, SixteenBitsTimesAPlaneOfBytes) {
  Core core;
  put_half(core.tiles[0].narrow, 8, 51234);
  core.tiles[0].wide[4 + 1] = std::byte{1};  // lane 1
  Writer w;
  w.begin(Opcode::tensor, 1)
      .tensor(0x1870, 1.0F, 4)
      .path(GeneratorKind::tensor_in, 8, {})
      .path(GeneratorKind::tensor_out, 64, {{4, 2}})
      .path(GeneratorKind::tensor_weight, 1, {})
      .put(1947, 2, 2)
      .real(1981, std::numeric_limits<float>::infinity())
      .real(2013, -std::numeric_limits<float>::infinity());
  const Status status = execute(core, w);
  ASSERT_TRUE(status.ok()) << to_text(status.error());
  EXPECT_EQ(narrow_half(core, 64), 0);
  EXPECT_EQ(narrow_half(core, 66), 51234);
  EXPECT_EQ(narrow_half(core, 68), 0);
}

TEST(EdgetpuMachineForms, AnOddTableGetsTheMagnitude) {
  // 3 + x * x above zero; below it, the opposite of what the magnitude gives.
  Core core = with_unit_matrix();
  Writer w;
  write_table(w, 3);
  write_look_up(w).put(2095, 2, 3).put(2077, 16, 100);
  const Status status = execute(core, w);
  ASSERT_TRUE(status.ok()) << to_text(status.error());
  EXPECT_EQ(narrow(core, 64), 100 - (3 + 1));  // -3, limited to -1
  EXPECT_EQ(narrow(core, 65), 100 + 3);        // 0
  EXPECT_EQ(narrow(core, 66), 100 + 3 + 9);    // 3
  // Only both bits together were seen.
  Writer half;
  write_table(half, 3);
  write_look_up(half).put(2095, 2, 1);
  EXPECT_EQ(execute(core, half).error().code, ErrorCode::chip_unknown);
}

TEST(EdgetpuMachineForms, MovesSendWhatTheyFillAndSingleWords) {
  Core core;
  core.tiles[0].narrow[0] = std::byte{42};
  core.tiles[4].narrow[100] = std::byte{7};
  Writer w;
  // Tile 4 fills two words with a pattern and sends one of its own and one of them up to tile 0.
  w.begin(Opcode::move_up, 1U << 4U)
      .path(GeneratorKind::mesh_sent, 25, {{1, 2}})
      .path(GeneratorKind::mesh_received, 26, {{1, 2}})
      .put(727, 1, 1)
      .put(728, 32, 0x7E7E7E7E);
  w.begin(Opcode::move_up, 1)
      .path(GeneratorKind::mesh_sent, 0, {})
      .path(GeneratorKind::mesh_received, 50, {{1, 2}});
  // Tile 0 sends its word 0 to the right: neither side shows a place.
  w.begin(Opcode::move_right, 1);
  w.begin(Opcode::move_right, 2).path(GeneratorKind::mesh_received, 3, {});
  const Status status = execute(core, w);
  ASSERT_TRUE(status.ok()) << to_text(status.error());
  EXPECT_EQ(narrow(core, 200), 7);
  EXPECT_EQ(narrow(core, 204), 0x7E);
  EXPECT_EQ(narrow(core, 12, 1), 42);
}

}  // namespace
}  // namespace edgetwin::edgetpu::machine
