#include "ops/movement/prepare.h"
#include "ops/op_test.h"

namespace edgetwin::ops {
namespace {

using Ints = std::vector<int32_t>;

OpTest slice(const Shape& in, const Ints& begin, const Ints& end, const Ints& stride,
             const StridedSliceAttrs& attrs = {}) {
  OpTest t(OpKind::strided_slice, attrs);
  t.input(counting<int32_t>(in)).constant(integers(begin)).constant(integers(end));
  t.constant(integers(stride)).output(DType::int32);
  return t;
}

Ints row(const Ints& begin, const Ints& end, const Ints& stride,
         const StridedSliceAttrs& attrs = {}) {
  return values<int32_t>(slice({6}, begin, end, stride, attrs).result(prepare_strided_slice));
}

TEST(StridedSlice, OneAxisAsNumPy) {
  EXPECT_EQ(row({1}, {5}, {2}), (Ints{1, 3}));
  EXPECT_EQ(row({-2}, {6}, {1}), (Ints{4, 5}));
  EXPECT_EQ(row({0}, {-1}, {3}), (Ints{0, 3}));
  EXPECT_EQ(row({4}, {1}, {-1}), (Ints{4, 3, 2}));
  EXPECT_EQ(row({100}, {-100}, {-2}), (Ints{5, 3, 1}));
  EXPECT_EQ(row({-100}, {100}, {4}), (Ints{0, 4}));
  EXPECT_EQ(row({3}, {3}, {1}), Ints{});
  EXPECT_EQ(row({4}, {2}, {1}), Ints{});
  EXPECT_EQ(row({0}, {6}, {INT32_MAX}), (Ints{0}));
  EXPECT_EQ(row({5}, {0}, {INT32_MIN}), (Ints{5}));
}

TEST(StridedSlice, MasksOfBeginAndEnd) {
  StridedSliceAttrs both;
  both.begin_mask = 1;
  both.end_mask = 1;
  EXPECT_EQ(row({3}, {4}, {2}, both), (Ints{0, 2, 4}));
  EXPECT_EQ(row({3}, {4}, {-1}, both), (Ints{5, 4, 3, 2, 1, 0}));
}

TEST(StridedSlice, EndRelativeToBegin) {
  StridedSliceAttrs a;
  a.offset = true;
  EXPECT_EQ(row({2}, {3}, {1}, a), (Ints{2, 3, 4}));
  EXPECT_EQ(row({-2}, {1}, {1}, a), (Ints{4}));
}

TEST(StridedSlice, ShrinkTakesOneElement) {
  StridedSliceAttrs a;
  a.shrink_axis_mask = 1;
  const Tensor y = slice({2, 3}, {-1, 0}, {0, 2}, {1, 1}, a).result(prepare_strided_slice);
  EXPECT_EQ(y.shape, (Shape{2}));
  EXPECT_EQ(values<int32_t>(y), (Ints{3, 4}));
  EXPECT_EQ(slice({2, 3}, {2, 0}, {3, 2}, {1, 1}, a).error(prepare_strided_slice),
            ErrorCode::op_shape);
  EXPECT_EQ(slice({2, 3}, {-3, 0}, {3, 2}, {1, 1}, a).error(prepare_strided_slice),
            ErrorCode::op_shape);
  EXPECT_EQ(slice({2, 3}, {1, 0}, {0, 2}, {-1, 1}, a).error(prepare_strided_slice),
            ErrorCode::op_attribute);
}

TEST(StridedSlice, EllipsisAndNewAxis) {
  StridedSliceAttrs a;  // x[..., np.newaxis, 1]
  a.ellipsis_mask = 1;
  a.new_axis_mask = 2;
  a.shrink_axis_mask = 4;
  const Tensor y =
      slice({2, 2, 2}, {0, 0, 1}, {0, 0, 2}, {1, 1, 1}, a).result(prepare_strided_slice);
  EXPECT_EQ(y.shape, (Shape{2, 2, 1}));
  EXPECT_EQ(values<int32_t>(y), (Ints{1, 3, 5, 7}));
  a.ellipsis_mask = 3;
  EXPECT_EQ(slice({2, 2}, {0, 0, 1}, {0, 0, 2}, {1, 1, 1}, a).error(prepare_strided_slice),
            ErrorCode::op_attribute);
}

TEST(StridedSlice, AxesNotNamedPassWhole) {
  const Tensor y = slice({2, 3}, {1}, {2}, {1}).result(prepare_strided_slice);
  EXPECT_EQ(y.shape, (Shape{1, 3}));
  EXPECT_EQ(values<int32_t>(y), (Ints{3, 4, 5}));
  EXPECT_EQ(slice({0, 3}, {0}, {9}, {1}).result(prepare_strided_slice).shape, (Shape{0, 3}));
  EXPECT_EQ(slice({0}, {-1}, {-9}, {-1}).result(prepare_strided_slice).shape, (Shape{0}));
}

TEST(StridedSlice, ReversesTwoAxes) {
  StridedSliceAttrs all;
  all.begin_mask = 3;
  all.end_mask = 3;
  const Tensor y = slice({2, 3}, {0, 0}, {0, 0}, {-1, -2}, all).result(prepare_strided_slice);
  EXPECT_EQ(values<int32_t>(y), (Ints{5, 3, 2, 0}));
}

TEST(StridedSlice, RefusesWhatDoesNotFit) {
  EXPECT_EQ(slice({6}, {0}, {6}, {0}).error(prepare_strided_slice), ErrorCode::op_attribute);
  EXPECT_EQ(slice({6}, {0, 0}, {6, 1}, {1, 1}).error(prepare_strided_slice), ErrorCode::op_shape);
  EXPECT_EQ(slice({6}, {0, 0}, {6}, {1}).error(prepare_strided_slice), ErrorCode::op_shape);
  StridedSliceAttrs a;
  a.new_axis_mask = 255;
  const Ints nine(9, 0);
  EXPECT_EQ(slice({6}, nine, nine, Ints(9, 1), a).error(prepare_strided_slice),
            ErrorCode::op_shape);
  EXPECT_EQ(slice({6}, Ints(40), Ints(40), Ints(40, 1)).error(prepare_strided_slice),
            ErrorCode::op_shape);
}

}  // namespace
}  // namespace edgetwin::ops
