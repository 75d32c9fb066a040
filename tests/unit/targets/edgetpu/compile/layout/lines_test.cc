// Lines of wide memory in the vendor's style.
#include "targets/edgetpu/compile/layout/lines.h"

#include <gtest/gtest.h>

namespace edgetwin::edgetpu::compiler {
namespace {

const std::vector<int64_t> kTurns;  // each step is an operator

// As in public DeepLab v3: the pool's lines make the step fullest in which the matrix is there and
// the saved picture is not, so that the matrix lies above it.
TEST(EdgetpuWideLines, TheMatrixLiesAboveASavedPicture) {
  WideLines lines;
  const size_t picture = lines.add(138, 0);
  lines.keep(picture, 3);
  lines.keep_matrix(1);
  const size_t layer = lines.add(106, 2);
  lines.keep_matrix(2);
  lines.keep_matrix(30);
  const size_t pool = lines.add(297, 30);
  EXPECT_EQ(lines.place(kTurns), 298);
  EXPECT_EQ(lines.matrix_line(1), 2079);
  EXPECT_EQ(lines.matrix_line(30), 2079);
  EXPECT_EQ(lines.matrix_line(0), -1) << "no step needs it yet";
  EXPECT_EQ(lines.line(picture), 2079 - 138);
  EXPECT_EQ(lines.line(layer), 2079 - 138 - 106);
  EXPECT_EQ(lines.line(pool), 1782);
  EXPECT_EQ(lines.lowered(pool), 1);
  EXPECT_EQ(lines.used(), 298);
  EXPECT_TRUE(lines.keeps());
}

// Without a pool the picture lies above it, as in PoseNet.
TEST(EdgetpuWideLines, TheMatrixLiesBelowASavedPicture) {
  WideLines lines;
  const size_t picture = lines.add(169, 0);
  lines.keep(picture, 3);
  lines.keep_matrix(1);
  lines.add(56, 2);
  lines.keep_matrix(20);
  lines.place(kTurns);
  EXPECT_EQ(lines.line(picture), 1911);
  EXPECT_EQ(lines.matrix_line(2), 1910);
}

// Beside the matrix of an input, which stays until a constant comes as bytes, that of words lies
// below all else.
TEST(EdgetpuWideLines, TheMatrixOfAnInputStaysOnTop) {
  WideLines lines;
  lines.set_bytes(lines.add(2, 0));
  lines.keep_matrix(1);
  const size_t layer = lines.add(110, 2);
  lines.keep_bytes(20);
  const size_t later = lines.add(4, 21);
  lines.keep_matrix(3);
  lines.place(kTurns);
  EXPECT_EQ(lines.line(*lines.bytes()), 2078);
  EXPECT_EQ(lines.line(layer), 1968);
  EXPECT_EQ(lines.line(later), 2076);
  EXPECT_EQ(lines.matrix_line(3), 1967);
  EXPECT_EQ(lines.kept_lines(), 3);
}

TEST(EdgetpuWideLines, TemplatesHaveFixedLines) {
  WideLines lines;
  const size_t fixed = lines.add_fixed(2040, 2078, 2);
  lines.keep_matrix(1);
  lines.keep_matrix(2);
  lines.place(kTurns);
  EXPECT_EQ(lines.line(fixed), 2040);
  EXPECT_EQ(lines.matrix_line(2), 2079);
  EXPECT_FALSE(WideLines().keeps());
}

}  // namespace
}  // namespace edgetwin::edgetpu::compiler
