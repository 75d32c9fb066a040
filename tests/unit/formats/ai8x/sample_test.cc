#include "formats/ai8x/sample.h"

#include <gtest/gtest.h>

#include "tensor/npy.h"

namespace edgetwin::ai8x {
namespace {

template <class T>
Bytes npy(DType dtype, const Shape& shape, const std::vector<T>& values) {
  Tensor tensor;
  tensor.dtype = dtype;
  tensor.shape = shape;
  tensor.data = to_bytes(std::as_bytes(std::span(values)));
  return *write_npy(tensor);
}

std::string id_of(const Bytes& bytes) {
  const auto result = read_sample(bytes, "s.npy");
  return result.ok() ? std::string() : std::string(info(result.error().code).id);
}

TEST(Ai8xSample, EveryIntegerType) {
  const auto wide = read_sample(npy<int64_t>(DType::int64, {2, 1, 2}, {1, -128, 127, 0}), "s.npy");
  ASSERT_TRUE(wide.ok());
  EXPECT_EQ(wide->dtype, DType::int8);
  EXPECT_EQ(wide->shape, (Shape{2, 1, 2}));
  EXPECT_EQ(wide->as<int8_t>()[1], -128);
  const auto line = read_sample(npy<int8_t>(DType::int8, {2, 3}, {1, 2, 3, 4, 5, 6}), "s.npy");
  ASSERT_TRUE(line.ok());
  EXPECT_EQ(line->shape, (Shape{2, 3, 1}));
  EXPECT_EQ(read_sample(npy<float>(DType::float32, {2}, {1, -2}), "s.npy")->shape,
            (Shape{2, 1, 1}));
}

TEST(Ai8xSample, Refusals) {
  EXPECT_EQ(id_of(npy<int64_t>(DType::int64, {1}, {128})), "MAX78-SMP-01");
  EXPECT_EQ(id_of(npy<int64_t>(DType::int64, {1}, {-129})), "MAX78-SMP-01");
  EXPECT_EQ(id_of(npy<int64_t>(DType::int64, {1}, {int64_t{1} << 40})), "MAX78-SMP-01");
  EXPECT_EQ(id_of(npy<float>(DType::float32, {1}, {0.5F})), "MAX78-SMP-01");
  EXPECT_EQ(id_of(npy<int8_t>(DType::int8, {}, {1})), "MAX78-SMP-01");
  EXPECT_EQ(id_of(npy<int8_t>(DType::int8, {1, 1, 1, 1}, {1})), "MAX78-SMP-01");
  EXPECT_EQ(id_of(npy<int8_t>(DType::int8, {0, 1}, {})), "MAX78-SMP-01");
  EXPECT_EQ(id_of(to_bytes(as_byte_span("nothing"))), "FMT-NPY-01");
}

}  // namespace
}  // namespace edgetwin::ai8x
