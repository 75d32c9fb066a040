// Numbers of 16 bits: inputs, weights and results, and the steps of softmax that use them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "numerics/edgetpu/softmax.h"
#include "targets/edgetpu/machine/lanes/dot.h"
#include "unit/targets/edgetpu/machine/instructions.h"

namespace edgetwin::edgetpu::machine {
namespace {

constexpr uint64_t kWide = 2;

Writer& write_form(Writer& w, uint32_t kind, float multiplier, int lanes) {
  return w.begin(Opcode::tensor, 1)
      .tensor(kind, multiplier, lanes)
      .real(1981, 65535.0F)
      .path(GeneratorKind::tensor_in, 0, {})
      .path(GeneratorKind::tensor_out, 64, {{4, lanes / 2}})
      .path(GeneratorKind::tensor_weight, 0, {})
      .put(1947, 2, kWide);
}

TEST(EdgetpuMachineWide, KindsSayWhatTheyMultiply) {
  struct Row {
    uint32_t kind;
    int input, weight, products;
  };
  constexpr Row kRows[] = {
#define FORM(kind, input, weight, products, evidence) {kind, input, weight, products},
#include "targets/edgetpu/machine/engines/forms.def"
  };
  for (const Row& r : kRows) {
    EXPECT_EQ(r.input, (r.kind & kKindWide) != 0 ? 2 : 1) << r.kind;
    EXPECT_EQ(r.weight, (r.kind & kKindTwoOperands) != 0 ? 2 : 1) << r.kind;
    const bool first = (r.kind & 0x1800U) != 0;
    EXPECT_EQ(r.products, first ? 1 : 4 / r.input / r.weight) << r.kind;
    EXPECT_NE(dot_of(r.input, r.weight, r.products), nullptr) << r.kind;
  }
  EXPECT_EQ(dot_of(2, 2, 2), nullptr);
}

TEST(EdgetpuMachineWide, ResultsStandOneBehindTheOther) {
  Core core;
  for (size_t k = 0; k < 4; ++k) put_lane(core, 0, k, k, std::byte{1});
  const uint8_t x[4] = {0, 1, 101, 255};
  std::memcpy(core.tiles[0].narrow.data(), x, 4);
  Writer w;
  write_form(w, 0x30, 256.5F, 4).put(2077, 16, 300);
  ASSERT_TRUE(execute(core, w).ok());
  const uint16_t wanted[4] = {300, 256 + 300, 25906 + 300, 65408 + 127};  // ties to even; the most
  for (size_t k = 0; k < 4; ++k) EXPECT_EQ(narrow16(core, 64 + 2 * k), wanted[k]) << k;
}

TEST(EdgetpuMachineWide, TwoInputsTimesTwoBytes) {
  Core core;
  put16(core, 0, 50000);
  put16(core, 2, 7);
  const uint8_t weights[2][2] = {{1, 3}, {0, 200}};
  for (size_t lane = 0; lane < 2; ++lane) {
    for (size_t k = 0; k < 2; ++k) put_lane(core, 0, lane, k, weights[lane][k]);
  }
  Writer w;
  write_form(w, 0x70, 1.0F, 2);
  ASSERT_TRUE(execute(core, w).ok());
  EXPECT_EQ(narrow16(core, 64), 50000 + 3 * 7);
  EXPECT_EQ(narrow16(core, 66), 200 * 7);
}

TEST(EdgetpuMachineWide, OneInputTimesOneNumberOfEachLane) {
  Core core;
  put16(core, 0, 40000);
  const uint16_t second[4] = {0x8000, 0x8003, 0x7FFE, 0xFFFF};
  for (size_t lane = 0; lane < 4; ++lane) {
    put_lane(core, 0, lane, 0, uint16_t{999});  // the first half is not read
    put_lane(core, 0, lane, 2, second[lane]);
  }
  Writer w;
  write_form(w, 0xF0, 1.0F / 40000, 4)
      .path(GeneratorKind::tensor_weight, 2, {})
      .real(1981, 32767.0F)
      .real(2013, -32768.0F)
      .put(1854, 16, 0x8000)
      .put(2077, 16, 0x8000);
  ASSERT_TRUE(execute(core, w).ok());
  for (size_t k = 0; k < 4; ++k) EXPECT_EQ(narrow16(core, 64 + 2 * k), second[k]) << k;
}

TEST(EdgetpuMachineWide, OneInputTimesOneByte) {
  Core core;
  put16(core, 0, 1000);
  put16(core, 4, 2000);
  // Byte k of lane l is 1 where they are equal: numbers 4 bytes apart come to stand side by side.
  for (size_t k = 0; k < 2; ++k) put_lane(core, 0, k, k, std::byte{1});
  Writer w;
  write_form(w, 0x1870, 1.0F, 4)
      .path(GeneratorKind::tensor_in, 0, {{4, 2}})
      .path(GeneratorKind::tensor_weight, 0, {{1, 2}});
  ASSERT_TRUE(execute(core, w).ok());
  const uint16_t wanted[4] = {1000, 2000, 0, 0};
  for (size_t k = 0; k < 4; ++k) EXPECT_EQ(narrow16(core, 64 + 2 * k), wanted[k]) << k;
}

TEST(EdgetpuMachineWide, NumbersBeyondTheirLaneStop) {
  for (const auto& [kind, at] : {std::pair{0xF0U, 3}, {0x70U, 3}, {0xB0U, 2}}) {
    Core core;
    Writer w;
    write_form(w, kind, 1.0F, 4).path(GeneratorKind::tensor_weight, at, {});
    const Status status = execute(core, w);
    ASSERT_FALSE(status.ok()) << kind;
    EXPECT_EQ(status.error().code, ErrorCode::chip_unknown);
  }
}

TEST(EdgetpuMachineWide, LinesOfHalfPlanes) {
  Core core;
  for (size_t k = 0; k < 8; ++k) put16(core, 2 * k, static_cast<uint16_t>(100 * k));
  Writer w;
  // Words 0, 2, 1, 3: two pixels of four numbers.
  w.begin(Opcode::narrow_to_wide, 1)
      .path(GeneratorKind::words_read, 0, {{2, 2}, {1, 2}})
      .path(GeneratorKind::lines_written, 10, {})
      .put(801, 3, 2)
      .put(798, 3, 6);
  ASSERT_TRUE(execute(core, w).ok());
  for (size_t k = 0; k < 8; ++k) {
    uint16_t value = 0;
    std::memcpy(&value, core.tiles[0].wide.data() + 10 * 256 + k % 4 * 4 + k / 4 * 2, 2);
    EXPECT_EQ(value, 100 * k) << k;
  }
}

// The maximum negative as a sum that stays in wide memory; from there it is the bias of a
// subtraction, whose weights 0, 1, 2 with the zero point 1 are -1, 0, 1.
TEST(EdgetpuMachineWide, SumsThatStayBecomeBiases) {
  Core core;
  const uint8_t x[8] = {200, 200, 200, 200, 10, 200, 199, 0};
  std::memcpy(core.tiles[0].narrow.data(), x, 8);
  const uint16_t pairs[2][4][2] = {{{2, 1}, {1, 2}, {1, 1}, {1, 1}},
                                   {{1, 1}, {1, 1}, {2, 1}, {1, 2}}};
  for (size_t line = 0; line < 2; ++line) {
    for (size_t lane = 0; lane < 4; ++lane) {
      for (size_t k = 0; k < 2; ++k) put_lane(core, line, lane, 2 * k, pairs[line][lane][k]);
    }
  }
  Writer w;
  const auto subtracting = [](Writer& v, uint32_t kind) -> Writer& {
    return v.begin(Opcode::tensor, 1)
        .tensor(kind, 1.0F, 4)
        .put(1854, 16, 1)
        .real(1981, 0.0F)
        .real(2013, -255.0F)
        .put(2077, 16, 255);
  };
  subtracting(w, 0x1890)
      .path(GeneratorKind::tensor_in, 0, {})
      .path(GeneratorKind::tensor_out, 64, {})
      .path(GeneratorKind::tensor_weight, 20, {})  // zeros
      .path(GeneratorKind::tensor_acc, 40, {});
  w.begin(Opcode::wide_to_narrow, 1)
      .path(GeneratorKind::lines, 10, {})
      .path(GeneratorKind::words_written, 64, {{1, 32}})
      .put(867, 1, 1);
  subtracting(w, 0xB0)
      .path(GeneratorKind::tensor_in, 4, {{2, 2}})
      .path(GeneratorKind::tensor_out, 68, {})
      .path(GeneratorKind::tensor_weight, 0, {{4, 2}})
      .put(2093, 1, 1);
  ASSERT_TRUE(execute(core, w).ok());
  for (size_t k = 0; k < 4; ++k) EXPECT_EQ(narrow(core, 68 + k), x[4 + k] - 200 + 255) << k;
}

// n2w puts each word into a line of its own, in two buffers; one for each tile stands before, or
// after, the instruction that takes the lines of all.
TEST(EdgetpuMachineWide, MaximumOfWhatEachTileBrings) {
  for (const bool behind : {false, true}) {
    Core core;
    for (size_t tile = 0; tile < 2; ++tile) {
      for (size_t k = 0; k < 24; ++k) {
        core.tiles[tile].narrow[k] = static_cast<std::byte>((k * 37 + tile * 11) % 97);
      }
    }
    Writer w;
    const auto bring = [&w] {
      for (const uint32_t tile : {1U, 2U}) {
        w.begin(Opcode::narrow_to_wide, tile)
            .path(GeneratorKind::words_read, 0, {{1, 6}})
            .path(GeneratorKind::lines_written, 100, {{0, 6}})
            .put(798, 3, 2);
        const GeneratorInfo& g = info(GeneratorKind::lines_written);
        w.put(g.switch_by->bit, g.switch_by->width, 1);
      }
    };
    if (!behind) bring();
    w.begin(Opcode::tensor_max, 3)
        .tensor(0x30, 1.0F, 4)
        .path(GeneratorKind::tensor_out, 64, {})
        .path(GeneratorKind::tensor_weight, 400, {{0, 6}});
    const GeneratorInfo& g = info(GeneratorKind::tensor_weight);
    w.put(g.switch_by->bit, g.switch_by->width, 4);
    if (behind) bring();
    const Status status = execute(core, w);
    ASSERT_TRUE(status.ok()) << to_text(status.error());
    for (size_t tile = 0; tile < 2; ++tile) {
      for (size_t lane = 0; lane < 4; ++lane) {
        size_t most = 0;
        for (size_t k = lane; k < 24; k += 4) most = std::max(most, (k * 37 + tile * 11) % 97);
        EXPECT_EQ(narrow(core, 64 + lane, tile), most) << tile << lane;
      }
    }
  }
}

void write_root_table(Writer& w) {
  const auto& table = numerics::edgetpu::kInverseRootTable;
  w.begin(Opcode::table, 1);
  size_t at = 62;
  for (const auto& piece : table.piece) {
    for (const float c : piece) w.real(at, c), at += 32;
  }
  for (const float b : table.bound) w.real(at, b), at += 32;
  w.put(at, 32, 3);
}

// Both halves of a lane are summed; the table knows arguments up to 4 only.
TEST(EdgetpuMachineWide, RootsOfSums) {
  const uint16_t values[3][2] = {{65535, 0}, {65535, 65535}, {60000, 65535}};
  for (size_t lines = 1; lines <= 3; ++lines) {
    Core core;
    double sum = 0;
    for (size_t line = 0; line < lines; ++line) {
      for (size_t k = 0; k < 2; ++k) {
        put_lane(core, line, 0, 2 * k, values[line][k]);
        sum += values[line][k];
      }
    }
    Writer w;
    write_root_table(w);
    w.begin(Opcode::tensor_exp, 1)
        .tensor(0xB0, 1.0F / 65535, 4)
        .real(1981, std::numeric_limits<float>::infinity())
        .real(2013, -std::numeric_limits<float>::infinity())
        .path(GeneratorKind::tensor_out, 64, {{4, 2}})
        .path(GeneratorKind::tensor_weight, 0, {{4, static_cast<int64_t>(lines)}})
        .put(1946, 1, 1)
        .put(1947, 2, 3);
    ASSERT_TRUE(execute(core, w).ok());
    EXPECT_NEAR(narrow16(core, 64), 46340 / std::sqrt(sum / 65535), 0.6) << lines;
    EXPECT_EQ(narrow16(core, 66), 65535);  // of a sum of nothing, which no program reads
  }
}

// Nothing in the instructions says that there is one row only.
TEST(EdgetpuMachineWide, RootsOfSeveralRows) {
  constexpr int64_t kRows = 3;
  Core core;
  for (size_t row = 0; row < kRows; ++row) {
    put_lane(core, 2 * row, 0, 0, uint16_t{65535});
    put_lane(core, 2 * row + 1, 0, 2, static_cast<uint16_t>(65535 * row / 2));
  }
  Writer w;
  write_root_table(w);
  w.begin(Opcode::tensor_exp, 1)
      .tensor(0xB0, 1.0F / 65535, 4)
      .real(1981, std::numeric_limits<float>::infinity())
      .path(GeneratorKind::tensor_out, 64, {{4, 2}, {8, kRows}})
      .path(GeneratorKind::tensor_weight, 0, {{4, 2}, {8, kRows}})
      .put(1946, 1, 1)
      .put(1947, 2, 3);
  ASSERT_TRUE(execute(core, w).ok());
  for (size_t row = 0; row < kRows; ++row) {
    const double sum = 1 + static_cast<double>(row) / 2;
    EXPECT_NEAR(narrow16(core, 64 + 8 * row), 46340 / std::sqrt(sum), 0.8) << row;
  }
}

}  // namespace
}  // namespace edgetwin::edgetpu::machine
