#include "report/format.h"

#include <gtest/gtest.h>

#include <limits>

namespace edgetwin::report {
namespace {

TEST(Format, CountsAreGroupedByThree) {
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(count_text(1000), "1 000");
  EXPECT_EQ(count_text(-1234567), "-1 234 567");
  EXPECT_EQ(fixed_text(-1234.56, 1), "-1 234.6");
  EXPECT_EQ(fixed_text(std::numeric_limits<double>::infinity(), 1), "inf");
}

TEST(Format, TimesHaveThreeDigits) {
  EXPECT_EQ(duration_text(0.0), "0.00 µs");
  EXPECT_EQ(duration_text(36.64), "36.6 µs");
  EXPECT_EQ(duration_text(9.996), "10.0 µs");
  EXPECT_EQ(duration_text(999.4), "999 µs");
  EXPECT_EQ(duration_text(999.6), "1.00 ms");
  EXPECT_EQ(duration_text(1040.339), "1.04 ms");
  EXPECT_EQ(duration_text(100300.5), "100 ms");
  EXPECT_EQ(duration_text(12345678.0), "12.3 s");
  EXPECT_EQ(duration_text(1e9), "1 000 s");
}

TEST(Format, BytesHaveAUnitOnceTheyAreMany) {
  EXPECT_EQ(bytes_text(1), "1 byte");
  EXPECT_EQ(bytes_text(1023), "1 023 bytes");
  EXPECT_EQ(bytes_text(81920), "81 920 bytes (80.0 KiB)");
  EXPECT_EQ(size_text(int64_t{3} << 30), "3.0 GiB");
}

TEST(Format, RealsHaveTheFewestDigits) {
  EXPECT_EQ(real_text(0.1F), "0.1");
  EXPECT_EQ(real_text(0.1), "0.1");
  EXPECT_EQ(real_text(static_cast<double>(0.1F)), "0.10000000149011612");
  EXPECT_EQ(value_text(-128.0), "-128");
  EXPECT_EQ(value_text(0.5), "0.5");
  EXPECT_EQ(value_text(-0.0), "-0");
  EXPECT_EQ(value_text(0.1 + 0x1p-50), "0.1");
  EXPECT_EQ(exact_text(1.0 + 0x1p-50), "1.0000000000000009");
  EXPECT_EQ(exact_text(static_cast<double>(0.1F)), "0.1");
  EXPECT_EQ(exact_text(0x1p60), "1152921504606846976");
}

TEST(Format, FileNamesAreHarmless) {
  EXPECT_EQ(file_safe("block/conv:0 x"), "block_conv_0_x");
  EXPECT_EQ(file_safe("../x"), "_._x");
  EXPECT_EQ(file_safe(""), "");
  EXPECT_EQ(file_safe(std::string(500, 'a')).size(), 120U);
}

TEST(Format, LongNamesLoseTheirMiddle) {
  EXPECT_EQ(shortened("abcdefghij", 10), "abcdefghij");
  EXPECT_EQ(shortened("abcdefghijk", 7), "abc…ijk");
  EXPECT_EQ(shortened("ä̈ääääääää", 5).find('?'), std::string::npos);
}

TEST(Format, HtmlIsEscaped) {
  EXPECT_EQ(html_escaped("<a href=\"x\">&'"), "&lt;a href=&quot;x&quot;&gt;&amp;&#39;");
}

TEST(TextTable, AlignsColumnsAndDropsBlanksAtTheEnd) {
  TextTable table({{"name"}, {"n", TextTable::Align::right}, {"note"}});
  table.add({"conv", "1 000", ""});
  table.add({"µ", "2"});
  EXPECT_EQ(table.text(1), " name      n  note\n conv  1 000\n µ         2\n");
}

// Nothing is wider than 80 columns; words at the end stay beside their row where they fit.
TEST(TextTable, FoldsWhatIsTooWide) {
  const std::string wide(50, 'x');
  TextTable numbers({{"name"}, {"a", TextTable::Align::right}, {"b", TextTable::Align::right}});
  numbers.add({wide, "1", std::string(30, '2')});
  EXPECT_EQ(numbers.text(2), "  name" + std::string(46, ' ') + "  a\n" + std::string(35, ' ') +
                                 "b\n  " + wide + "  1\n      " + std::string(30, '2') + "\n");
  TextTable words({{"name"}, {"why"}});
  words.add({wide, "short"});
  words.add({"y", "a reason, " + std::string(60, 'r')});
  words.add({wide, ""});
  EXPECT_EQ(words.text(0), "name" + std::string(46, ' ') + "  why\n" + wide + "  short\ny" +
                               "\n    a reason, " + std::string(60, 'r') + "\n" + wide + "\n");
  EXPECT_EQ(words.text(0, 1000).find("\n    "), std::string::npos);
}

}  // namespace
}  // namespace edgetwin::report
