#include "ops/movement/prepare.h"
#include "ops/op_test.h"

namespace edgetwin::ops {
namespace {

using Ints = std::vector<int32_t>;

OpTest gather(const Shape& data, const Tensor& indices, int axis, int batch_dims = 0) {
  OpTest t(OpKind::gather, GatherAttrs{axis, batch_dims});
  t.input(counting<int16_t>(data)).input(indices).output(DType::int16);
  return t;
}

TEST(Gather, SlicesAlongAnAxis) {
  const Tensor y = gather({3, 2}, integers({2, 0, 2}), 0).result(prepare_gather);
  EXPECT_EQ(y.shape, (Shape{3, 2}));
  EXPECT_EQ(values<int16_t>(y), (std::vector<int16_t>{4, 5, 0, 1, 4, 5}));
  const Tensor z = gather({2, 3}, integers({1, 1}), -1).result(prepare_gather);
  EXPECT_EQ(values<int16_t>(z), (std::vector<int16_t>{1, 1, 4, 4}));
  const Tensor s = gather({3, 2}, scalar(1), 0).result(prepare_gather);
  EXPECT_EQ(s.shape, (Shape{2}));
  EXPECT_EQ(values<int16_t>(s), (std::vector<int16_t>{2, 3}));
  const Tensor wide = gather({3}, make<int64_t>({1, 1}, {2}), 0).result(prepare_gather);
  EXPECT_EQ(wide.shape, (Shape{1, 1}));
}

TEST(Gather, BatchDimensionsGoTogether) {
  const Tensor index = make<int32_t>({2, 2}, {2, 0, 1, 1});
  for (const int batch : {1, -1}) {
    const Tensor y = gather({2, 3}, index, 1, batch).result(prepare_gather);
    EXPECT_EQ(y.shape, (Shape{2, 2}));
    EXPECT_EQ(values<int16_t>(y), (std::vector<int16_t>{2, 0, 4, 4}));
  }
}

TEST(Gather, IndicesOutsideAreNamed) {
  OpTest t = gather({3, 2}, integers({2, 3}), 0);
  EXPECT_EQ(t.error(prepare_gather), ErrorCode::op_data);
  EXPECT_EQ(t.message, "index (1) is 3, outside 0..2");
  EXPECT_EQ(gather({3, 2}, integers({-1}), 0).error(prepare_gather), ErrorCode::op_data);
  EXPECT_EQ(gather({0, 2}, integers({0}), 0).error(prepare_gather), ErrorCode::op_data);
  EXPECT_EQ(gather({3, 0}, integers({5}), 0).error(prepare_gather), ErrorCode::op_data);
  EXPECT_EQ(gather({3}, make<int64_t>({1}, {INT64_MAX}), 0).error(prepare_gather),
            ErrorCode::op_data);
}

TEST(Gather, RefusesWhatDoesNotFit) {
  EXPECT_EQ(gather({3}, integers({0}), 1).error(prepare_gather), ErrorCode::op_attribute);
  EXPECT_EQ(gather({}, integers({0}), 0).error(prepare_gather), ErrorCode::op_attribute);
  EXPECT_EQ(gather({3, 3}, integers({0}), 0, 1).error(prepare_gather), ErrorCode::op_attribute);
  EXPECT_EQ(gather({3, 3}, integers({0}), 1, INT32_MIN).error(prepare_gather),
            ErrorCode::op_attribute);
  EXPECT_EQ(gather({3, 3}, integers({0, 1}), 1, 1).error(prepare_gather), ErrorCode::op_shape);
  EXPECT_EQ(gather({3}, make<float>({1}, {0}), 0).error(prepare_gather), ErrorCode::op_type);
  const Tensor high = make<int32_t>({1, 1, 1, 1, 1, 1, 1, 1}, {0});
  EXPECT_EQ(gather({3, 3}, high, 0).error(prepare_gather), ErrorCode::op_shape);
}

OpTest gather_nd(const Shape& data, const Tensor& indices) {
  OpTest t(OpKind::gather_nd);
  t.input(counting<int8_t>(data)).input(indices).output(DType::int8);
  return t;
}

TEST(GatherNd, CoordinatesAlongTheLastAxis) {
  const Tensor full = make<int32_t>({2, 2}, {0, 1, 1, 2});
  const Tensor y = gather_nd({2, 3}, full).result(prepare_gather_nd);
  EXPECT_EQ(values<int8_t>(y), (std::vector<int8_t>{1, 5}));
  const Tensor rows = make<int64_t>({2, 1}, {1, 0});
  const Tensor z = gather_nd({2, 3}, rows).result(prepare_gather_nd);
  EXPECT_EQ(z.shape, (Shape{2, 3}));
  EXPECT_EQ(values<int8_t>(z), (std::vector<int8_t>{3, 4, 5, 0, 1, 2}));
  const Tensor none = make<int32_t>({2, 0}, {});
  EXPECT_EQ(gather_nd({2}, none).result(prepare_gather_nd).shape, (Shape{2, 2}));
}

TEST(GatherNd, RefusesWhatDoesNotFit) {
  EXPECT_EQ(gather_nd({2}, make<int32_t>({1, 2}, {0, 0})).error(prepare_gather_nd),
            ErrorCode::op_shape);
  EXPECT_EQ(gather_nd({2}, scalar(0)).error(prepare_gather_nd), ErrorCode::op_shape);
  OpTest t = gather_nd({2, 3}, make<int32_t>({2, 2}, {0, 1, 1, 3}));
  EXPECT_EQ(t.error(prepare_gather_nd), ErrorCode::op_data);
  EXPECT_EQ(t.message, "index (1, 1) is 3, outside 0..2");
}

}  // namespace
}  // namespace edgetwin::ops
