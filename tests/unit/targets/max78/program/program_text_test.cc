// Register programs as text: what is written can be read, and what is not one is refused by line.
#include "targets/max78/program/program_text.h"

#include <gtest/gtest.h>

#include "targets/max78/machine/player/dump.h"
#include "targets/max78/machine/player/play.h"

namespace edgetwin::max78 {
namespace {

TEST(Max78ProgramText, IsReadAsItWasWritten) {
  using Kind = Access::Kind;
  Program p;
  p.functions.push_back(
      {"f",
       {{.kind = Kind::write, .address = 0x50100000, .value = 0xab},
        {.kind = Kind::write_byte, .address = 0x50180001, .value = 1},
        {.kind = Kind::write, .address = 0x50180000, .value = 1, .words = {2, 3, 4}},
        {.kind = Kind::set_bits, .address = 0x50100000, .value = 1},
        {.kind = Kind::keep_bits, .address = 0x50100000, .value = 0xfffffffeU},
        {.kind = Kind::read, .address = 0x50100000},
        {.kind = Kind::poll, .address = 0x50000004},
        {.kind = Kind::fifo, .words = {7, 8, 9}, .addresses = {0x50000008, 0x5000000c}},
        {.kind = Kind::wait, .address = 0x50100000, .value = 2, .mask = 3}}});
  const auto read = read_program(to_text(p), "p.txt");
  ASSERT_TRUE(read.ok()) << to_text(read.error());
  EXPECT_EQ(read->device, Device::max78000);
  ASSERT_EQ(read->parts.size(), 1U);
  EXPECT_EQ(read->parts[0].name, "f");
  const auto& in = read->parts[0].accesses;
  ASSERT_EQ(in.size(), p.functions[0].accesses.size());
  for (size_t i = 0; i < in.size(); ++i) {
    const Access& a = in[i].access;
    const Access& b = p.functions[0].accesses[i];
    EXPECT_EQ(a.kind, b.kind) << i;
    EXPECT_EQ(a.address, b.kind == Kind::fifo ? 0 : b.address) << i;
    EXPECT_EQ(a.value, b.value) << i;
    EXPECT_EQ(a.mask, b.mask) << i;
    EXPECT_EQ(a.words, b.words) << i;
    EXPECT_EQ(a.addresses, b.addresses) << i;
  }
}

struct Refused {
  const char* text;
  int line;
  const char* word;
};

TEST(Max78ProgramText, RefusesWithTheLine) {
  for (const Refused& r :
       {Refused{"w 50100000 1\n", 1, "fn"}, Refused{"fn f\nw 5010000g 1\n", 2, "address"},
        Refused{"fn f\n\nw 50100000\n", 3, "value"}, Refused{"fn f\nx 1 2\n", 2, "'x'"},
        Refused{"fn f\nw 1 2 3\n", 2, "more"}, Refused{"fn f\nburst 50180000 0\n", 2, "count"},
        Refused{"fn f\nburst 50180000 3\n  1 2\n", 3, "2 of 3"},
        Refused{"fn f\nburst 50180000 1\n  1 2\n", 3, "more words"},
        Refused{"fn f\nburst 50180000 4294967295\n", 2, "more than"},
        Refused{"fn f\nfifo 50000008,,1 1\n 1\n", 2, "FIFO"},
        Refused{"fn f\nb 50180001 100\n", 2, "byte"}, Refused{"", 0, "no `fn`"}}) {
    const auto read = read_program(r.text, "p.txt");
    ASSERT_FALSE(read.ok()) << r.text;
    EXPECT_EQ(read.error().code, ErrorCode::max78_program_text);
    EXPECT_EQ(read.error().place.line, r.line) << r.text;
    EXPECT_NE(read.error().message.find(r.word), std::string::npos) << read.error().message;
  }
  EXPECT_FALSE(read_expected("expect 50400000 ffffffff 1\n", "e.txt").ok());
  EXPECT_FALSE(read_expected("nothing\n", "e.txt").ok());
}

TEST(Max78Play, AWaitThatNeverEndsIsNamedByItsLine) {
  const auto program =
      read_program("fn f\nw 50100000 8\nwait 50100000 00001000 00001000\n", "p.txt");
  ASSERT_TRUE(program.ok());
  Machine machine(program->device);
  const Status played = play(*program, machine);
  ASSERT_FALSE(played.ok());
  EXPECT_EQ(played.error().code, ErrorCode::max78_program_waits);
  EXPECT_EQ(played.error().place.line, 3);
}

TEST(Max78Compare, NamesTheWord) {
  Machine machine(Device::max78000);
  machine.write32(0x50400004, 0x00000102);
  const auto expected = read_expected("expect 50400000 0000ffff 2\n  0 202\n", "e.txt");
  ASSERT_TRUE(expected.ok());
  const Comparison c = compare(machine, *expected);
  EXPECT_EQ(c.words, 2U);
  EXPECT_EQ(c.different, 1U);
  ASSERT_EQ(c.first.size(), 1U);
  EXPECT_EQ(c.first[0].address, 0x50400004U);
  EXPECT_EQ(c.first[0].byte, 1);
  EXPECT_EQ(c.first[0].origin.writer, kHost);
  EXPECT_EQ(describe(c.first[0]),
            "0x50400004: written by the processor: expected 2, found 1 (words 0x00000202, "
            "0x00000102)");
}

TEST(Max78Dump, NamesRegistersAndFields) {
  const auto program = read_program(
      "fn cnn_configure\nw 50100010 0001001d\nw 50500010 0001001d\nw 50100590 00000b60\n", "p.txt");
  ASSERT_TRUE(program.ok());
  const std::string text = to_text(summarize(*program));
  EXPECT_NE(text.find("layer 0\n  rcnt        0x0001001d  groups 0,1     rows: last 29, pad 1\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("lctl        0x00000b60  groups 0       layer control: always, chw, "
                      "max_pool, relu, shared_source"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace edgetwin::max78
