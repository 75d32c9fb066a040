#include "base/shown.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/markup.h"

namespace edgetwin {
namespace {

// F11: names of tensors printed lines of their own, and characters that a terminal obeys.
TEST(ShownText, F11NamesCannotPrintLinesOrObeyedCharacters) {
  EXPECT_EQ(shown_text("a\nverified", LineEnds::escape), "a\\nverified");
  EXPECT_EQ(shown_text("a\nb\tc", LineEnds::keep), "a\nb\tc");
  EXPECT_EQ(shown_text("\x1b[31m\x7f\r", LineEnds::keep), "\\x1b[31m\\x7f\\x0d");
  EXPECT_EQ(shown_text("\xC2\x9B"
                       "2J",
                       LineEnds::keep),
            "\\x9b2J");  // U+009B, CSI
  EXPECT_EQ(shown_text("\x9B"
                       "2J",
                       LineEnds::keep),
            "\\x9b2J");  // the byte alone
  EXPECT_EQ(shown_text("a\xE2\x80\xAE"
                       "b\xE2\x80\xA8",
                       LineEnds::keep),
            "a\\u202eb\\u2028");
}

TEST(ShownText, LettersOfAllScriptsStay) {
  for (const char* text : {"Größe", "µs", "網路", "ελ", "😀", "a b", ""}) {
    EXPECT_EQ(shown_text(text, LineEnds::escape), text);
    EXPECT_EQ(valid_utf8(text), text);
  }
}

TEST(ShownText, WhatIsNotUtf8) {
  // Too long a form, a surrogate, above U+10FFFF, cut short.
  EXPECT_EQ(shown_text("\xC0\xAF", LineEnds::keep), "\\xc0\\xaf");
  EXPECT_EQ(shown_text("\xED\xA0\x80", LineEnds::keep), "\\xed\\xa0\\x80");
  EXPECT_EQ(shown_text("\xF4\x90\x80\x80", LineEnds::keep), "\\xf4\\x90\\x80\\x80");
  EXPECT_EQ(shown_text("\xE2\x80", LineEnds::keep), "\\xe2\\x80");
  EXPECT_EQ(valid_utf8("a\xFFz"), "a\xEF\xBF\xBDz");
  EXPECT_EQ(markup_escaped("<\xFF>"), "&lt;\xEF\xBF\xBD&gt;");
}

TEST(ShownText, F11AnErrorStaysInItsLines) {
  const std::string text = to_text(Error(ErrorCode::bad_value, "x 'a\nerror[FAKE-01]: b'"));
  EXPECT_EQ(text.find("\nerror["), std::string::npos) << text;
}

}  // namespace
}  // namespace edgetwin
