// C of a network's firmware, executed: which accesses it makes.
#include "targets/max78/csource/read_c.h"

#include <gtest/gtest.h>

namespace edgetwin::max78 {
namespace {

constexpr const char* kStart = "int cnn_init(void) { return 1; }\n";

Result<CProgram> program_of(const std::string& body, const std::string& before = "",
                            const CLimits& limits = {}) {
  return read_c_program({{"main.c", before + kStart + "int main(void)\n{\n" + body + "\n}\n"}},
                        limits);
}

std::string text_of(const std::string& body, const std::string& before = "") {
  const auto made = program_of(body, before);
  return made.ok() ? to_text(made->program) : to_text(made.error());
}

TEST(CSource, WritesAndChanges) {
  EXPECT_EQ(text_of("*((volatile uint32_t *) 0x50100000) = 0x00100008 | (1 << 4); // comment\n"
                    "*((volatile uint32_t *) 0x50100004) |= 3;\n"
                    "*((volatile uint32_t *) 0x50100008) &= ~1u;\n"
                    "*((volatile uint8_t *) 0x50180001) = 0x01; /* a byte */\n"
                    "(void) *((volatile uint32_t *) 0x5010000c);"),
            "fn main\nw 50100000 00100018\nor 50100004 00000003\nand 50100008 fffffffe\n"
            "b 50180001 01\nr 5010000c\n");
  // Clocks of the core are not the accelerator's.
  EXPECT_EQ(text_of("*((volatile uint32_t *) 0x40000c00) = 1; MXC_GCR->clk |= 3;"), "");
}

TEST(CSource, LoopsOverTables) {
  const std::string table =
      "#define WORDS { 0x50180000, 0x00000002, 0x11, \\\n  0x22, 0x50190000, 1, 0x33, 0 }\n"
      "static const uint32_t table[] = WORDS;\n";
  EXPECT_EQ(text_of("const uint32_t *ptr = table; uint32_t len; volatile uint32_t *addr;\n"
                    "while ((addr = (volatile uint32_t *) *ptr++) != 0) {\n"
                    "  *((volatile uint8_t *) ((uint32_t) addr | 0x01)) = 0x01;\n"
                    "  len = *ptr++;\n  while (len-- > 0)\n    *addr++ = *ptr++;\n}",
                    table),
            "fn main\nb 50180001 01\nw 50180000 00000011\nw 50180004 00000022\nb 50190001 01\n"
            "w 50190000 00000033\n");
  EXPECT_EQ(text_of("copy((uint8_t *) 0x50108000, bias, sizeof(uint8_t) * 2);",
                    "static const uint8_t bias[] = {7, 9, 11};\n"
                    "static void copy(uint8_t *to, const uint8_t *from, int n)\n"
                    "{\n  while (n-- > 0) *to++ = *from++;\n}\n"),
            "fn copy\nb 50108000 07\nb 50108001 09\n");
  EXPECT_EQ(text_of("for (int i = 0; i < 2; i++) {\n"
                    "  while ((*((volatile uint32_t *) 0x50000004) & 1) != 0) ;\n"
                    "  *((volatile uint32_t *) 0x50000008) = i;\n}"),
            "fn main\npoll 50000004\nw 50000008 00000000\npoll 50000004\nw 50000008 00000001\n");
}

TEST(CSource, WaitsAndChecks) {
  EXPECT_EQ(text_of("while ((*((volatile uint32_t *) 0x50100000) & (1<<12)) != 1<<12) ;\n"
                    "while ((*((volatile uint32_t *) 0x50100000) & 2) == 0) ;\n"
                    "if (*((volatile uint32_t *) 0x50100004) != 5) return CNN_FAIL;"),
            "fn main\nwait 50100000 00001000 00001000\nwait 50100000 00000002 00000002\n"
            "check 50100004 ffffffff 00000005\n");
  const std::string check =
      "int check_output(void)\n{\n  volatile uint32_t *a = (volatile uint32_t *) 0x50400000;\n"
      "  uint32_t value;\n  value = *a & 0xff;\n"
      "  if (value != 7) { printf(\"is %d\" \"\\n\", 1); return CNN_FAIL; }\n"
      "  if (*++a != 8) return CNN_FAIL;\n  return CNN_OK;\n}\n";
  const auto made = program_of("if (check_output() != CNN_OK) fail();", check);
  ASSERT_TRUE(made.ok()) << to_text(made.error());
  EXPECT_EQ(expected_text(made->expected),
            expected_text({{0x50400000, 0xff, {7}}, {0x50400004, 0xffffffff, {8}}}));
}

// The loop that sleeps ends with the accelerator's interrupt, whose function then runs.
TEST(CSource, SleepsUntilTheInterrupt) {
  EXPECT_EQ(text_of("cnn_init();\nwhile (cnn_time == 0) MXC_LP_EnterSleepMode();\n"
                    "*((volatile uint32_t *) 0x50100004) = 2;\nwhile (1) { }",
                    "volatile uint32_t cnn_time;\nvoid CNN_ISR(void) __attribute__((x));\n"
                    "void CNN_ISR(void)\n{\n  *((volatile uint32_t *) 0x50100000) &= ~1;\n"
                    "  cnn_time = 1;\n}\n"),
            "fn CNN_ISR\nand 50100000 fffffffe\nfn main\nw 50100004 00000002\n");
}

TEST(CSource, ConditionsOfTheBuild) {
  EXPECT_EQ(text_of("#ifdef TIMER\n*((volatile uint32_t *) 0x50100000) = 1;\n#else\n"
                    "*((volatile uint32_t *) 0x50100000) = 2;\n#endif\n"
                    "#define TIMER\n#ifdef TIMER\n*((volatile uint32_t *) 0x50100000) = N;\n#endif",
                    "#define N 3\n#define TWICE(x) ((x) * 2)\n"),
            "fn main\nw 50100000 00000002\nw 50100000 00000003\n");
}

TEST(CSource, WhatIsNotUnderstoodSaysWhere) {
  for (const char* body : {"switch (1) { }", "*((volatile uint32_t *) 0x50100000) = unknown;",
                           "x = (1", "{", "if (*((volatile uint32_t *) 0x50100000) == 6) return 0;",
                           "y = {1};", "*((volatile uint32_t *) 0x50100000) += 1;"}) {
    const auto made = program_of(body);
    ASSERT_FALSE(made.ok()) << body;
    EXPECT_EQ(made.error().code, ErrorCode::max78_program_text) << body;
    EXPECT_EQ(made.error().place.file, "main.c") << body;
  }
  EXPECT_FALSE(read_c_program({{"a.c", "int f(void) { return 1; }"}}).ok());
  const auto endless = program_of("int i = 0; while (1) i++;", "", {.steps = 10'000});
  ASSERT_FALSE(endless.ok());
  EXPECT_NE(endless.error().message.find("does not end"), std::string::npos);
  // A function that calls itself ends, too.
  EXPECT_FALSE(program_of("f();", "int f(void) { return f(); }\n").ok());
}

}  // namespace
}  // namespace edgetwin::max78
