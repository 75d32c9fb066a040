#include "targets/edgetpu/synthesize/program.h"

#include <gtest/gtest.h>

#include "base/sha256.h"
#include "targets/edgetpu/inspect/check.h"
#include "targets/edgetpu/isa/isa.h"

namespace edgetwin::edgetpu {
namespace {

// The rows of a table, as text and numbers.
struct Law {
  std::string field;
  unsigned bit, width;
};
struct Row {
  Opcode opcode;
  std::string hex;
  std::vector<Law> laws;
};

#define BLOCK(name, repeat)
#define END_BLOCK
#define OP(opcode, hex) rows.push_back({Opcode::opcode, hex, {}});
#define LAW(field, bit, width, value) rows.back().laws.push_back({field, bit, width});
#define ADDRESS(base, position) rows.back().laws.push_back({"imm", 70, 32});
#define ROWS(name)          \
  std::vector<Row> name() { \
    std::vector<Row> rows;

ROWS(dense_rows)
#include "targets/edgetpu/synthesize/programs/dense.def"
return rows;
}
ROWS(caching_rows)
#include "targets/edgetpu/synthesize/programs/caching.def"
return rows;
}
ROWS(conv_rows)
#include "targets/edgetpu/synthesize/programs/conv3x3.def"
return rows;
}
ROWS(conv_h8_rows)
#include "targets/edgetpu/synthesize/programs/conv3x3_h8.def"
return rows;
}
ROWS(conv_h8_c32_rows)
#include "targets/edgetpu/synthesize/programs/conv3x3_h8_c32.def"
return rows;
}
ROWS(conv_h12_c32_rows)
#include "targets/edgetpu/synthesize/programs/conv3x3_h12_c32.def"
return rows;
}
#include "targets/edgetpu/synthesize/tables_end.h"
#undef ROWS

Bytes bytes_of(const Row& row) {
  Bytes bytes(static_cast<size_t>(info(row.opcode).words) * kWordBytes);
  for (size_t i = 0; i + 1 < row.hex.size(); i += 2) {
    bytes.at(i / 2) = static_cast<std::byte>(std::stoi(row.hex.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

void check_law(const Row& row, const Law& law, const Bytes& constant, Bytes& taken,
               const std::string& where) {
  EXPECT_LE(law.bit + law.width, taken.size() * 8) << where;
  EXPECT_EQ(get_bits(taken, law.bit, law.width), 0U) << where << " is written twice";
  EXPECT_EQ(get_bits(constant, law.bit, law.width), 0U) << where << " has constant bits";
  set_bits(taken, law.bit, law.width, ~uint64_t{0});
  if (law.field.empty()) return;
  const size_t bracket = law.field.find('[');
  const FieldInfo* field = field_named(row.opcode, law.field.substr(0, bracket));
  ASSERT_NE(field, nullptr) << where;
  const size_t element =
      bracket == std::string::npos ? 0 : std::stoul(law.field.substr(bracket + 1));
  EXPECT_EQ(field->bit_of(element), law.bit) << where;
  EXPECT_LE(law.width, field->width) << where;
}

TEST(EdgetpuPrograms, RowsAgreeWithTheTableOfInstructions) {
  const std::pair<const char*, std::vector<Row>> tables[] = {
      {"dense", dense_rows()},        {"caching", caching_rows()},
      {"conv3x3", conv_rows()},       {"conv3x3_h8", conv_h8_rows()},
      {"h8_c32", conv_h8_c32_rows()}, {"h12_c32", conv_h12_c32_rows()}};
  for (const auto& [name, rows] : tables) {
    EXPECT_EQ(rows.front().opcode, Opcode::start) << name;
    EXPECT_EQ(rows.back().opcode, Opcode::end) << name;
    for (size_t i = 0; i < rows.size(); ++i) {
      const std::string at = std::string(name) + " row " + std::to_string(i) + " ";
      const Bytes constant = bytes_of(rows[i]);
      EXPECT_EQ(opcode_of(constant), info(rows[i].opcode).code) << at;
      Bytes taken(constant.size());
      for (const Law& law : rows[i].laws) check_law(rows[i], law, constant, taken, at + law.field);
      // Numbers of operations are given while the program is made.
      if (const FieldInfo* number = find_field(rows[i].opcode, "operation")) {
        EXPECT_EQ(get_bits(constant, number->bit, number->width), 0U) << at;
        EXPECT_EQ(get_bits(taken, number->bit, number->width), 0U) << at;
      }
    }
  }
}

Member dense(int size, int in_zero, float scale, int out_zero) {
  Member m;
  m.size = size;
  m.input_zero_point = in_zero;
  m.output_scale = scale;
  m.output_zero_point = out_zero;
  return m;
}

Member conv(int height, int width, int channels, int in_zero, float scale, int out_zero) {
  Member m = dense(0, in_zero, scale, out_zero);
  m.family = Family::conv3x3;
  m.height = height;
  m.width = width;
  m.channels = channels;
  return m;
}

std::string digest(const darwinn::Bitstream& stream) { return sha256_hex(stream.data); }

// SHA-256 of bitstreams in public compiled models: dense_256_edgetpu.tflite of LibrEdgeTPU, the
// others of coral-usb-oxidized's templates.
TEST(EdgetpuPrograms, EqualTheCompilersStreams) {
  const Member d = dense(256, 127, 0.01904885843396187F, 129);
  EXPECT_EQ(digest(caching_program(d)),
            "f801dadfbd170b865f629986bed4e94914759c35436da1cf16e163b65e48be0d");
  EXPECT_EQ(digest(execution_program(d, "i", "o")),
            "bff10c8c60b03d5be26ddf69c4290bc8deb13293f4f3424894f6854e88e3ec1a");
  const Member c64 = conv(12, 176, 64, 127, 0.3486064672470093F, 124);
  EXPECT_EQ(digest(caching_program(c64)),
            "d3072a78595f4328c385da99b1973fdc9c5f74c7b566e593717a27ad67544f75");
  EXPECT_EQ(digest(execution_program(c64, "i", "o")),
            "82e8d4c88fdef8043fc400aad75867f98bfbfa4e530bb6f5ff356c90ea4f7670");
  EXPECT_EQ(digest(execution_program(conv(12, 176, 128, 127, 0.48862916231155396F, 131), "", "")),
            "56c498e6d299602315099de4e472d6bab0f617a3d4cc102809ac354b312081f8");
  EXPECT_EQ(digest(execution_program(conv(8, 72, 32, 128, 0.23297379910945892F, 139), "", "")),
            "507e440cd83450d9a6f2376ba9f351f9416221ba6b84f42db508384df61ae356");
  EXPECT_EQ(digest(execution_program(conv(8, 104, 128, 127, 0.45649152994155884F, 132), "", "")),
            "efec31127c2750fb826c2cb9e65820bb3d0f06c6970b0aa56478b6f2358e4197");
  EXPECT_EQ(digest(execution_program(conv(12, 160, 32, 127, 0.23126663267612457F, 130), "", "")),
            "d77d6eafd2e5db47cbc3394e1d812518299248919265bd5f5356106eabe06591");
  // The widest of its program, where the lines of scales and zero points move 64 lines on.
  const Member widest = conv(12, 168, 32, 127, 0.23968778550624847F, 119);
  EXPECT_EQ(digest(execution_program(widest, "", "")),
            "2c050814c5d0f8724c85d6f08aad21d0d12ae6bfcd5acefb5024e1c5bc22d1f0");
  EXPECT_EQ(standing_of_execution(widest), Standing::compared);
}

TEST(EdgetpuPrograms, EveryMemberInRangePassesTheChecks) {
  std::vector<Member> members;
  for (int n = 256; n <= 1024; n += 64) members.push_back(dense(n, 3, 0.5F, 128));
  for (int width = 72; width <= 192; width += 4) {
    for (const int c : {32, 64, 128}) members.push_back(conv(8, width, c, 128, 0.25F, 100));
  }
  for (int height = 12; height <= 128; height += 4) {
    members.push_back(conv(height, 16, 64, 128, 0.25F, 100));
  }
  int in = 0;
  for (const Member& member : members) {
    if (!in_range(member).ok()) continue;
    ++in;
    for (const auto& stream : {execution_program(member, "i", "o"), caching_program(member)}) {
      const auto findings = check_bitstream(stream, text(member));
      EXPECT_TRUE(findings.empty()) << text(member) << ": " << findings.front().message;
    }
  }
  EXPECT_GT(in, 100);
}

TEST(EdgetpuPrograms, OutsideOfTheRangeIsRefusedWithTheReason) {
  const auto why = [](const Member& m) {
    const Status status = in_range(m);
    return status.ok() ? std::string() : status.error().message;
  };
  EXPECT_EQ(why(dense(256, 0, 1, 0)), "");
  EXPECT_NE(why(dense(300, 0, 1, 0)).find("multiples of 64"), std::string::npos);
  EXPECT_NE(why(dense(192, 0, 1, 0)).find("from 256"), std::string::npos);
  EXPECT_NE(why(dense(1088, 0, 1, 0)).find("multiples of 64"), std::string::npos);
  EXPECT_NE(why(conv(8, 70, 64, 0, 1, 0)).find("72 to 192"), std::string::npos);
  EXPECT_NE(why(conv(12, 176, 32, 0, 1, 0)).find("64 to 168"), std::string::npos);
  EXPECT_NE(why(conv(16, 64, 32, 0, 1, 0)).find("8 and 12 rows only"), std::string::npos);
  EXPECT_NE(why(conv(16, 64, 96, 0, 1, 0)).find("32, 64 or 128"), std::string::npos);
  EXPECT_NE(why(conv(14, 64, 64, 0, 1, 0)).find("multiples of 4"), std::string::npos);
  EXPECT_NE(why(conv(400, 400, 128, 0, 1, 0)).find("bytes"), std::string::npos);
  EXPECT_NE(why(conv(32, 260, 64, 0, 1, 0)).find("lines of 64 bytes"), std::string::npos);
  EXPECT_NE(why(conv(0, 0, 64, 0, 1, 0)), "");
}

}  // namespace
}  // namespace edgetwin::edgetpu
