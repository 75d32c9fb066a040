#include "decode/espdl/features/database.h"

#include <gtest/gtest.h>

#include <cmath>

namespace edgetwin::espdl_decode {
namespace {

Tensor feature_of(std::vector<float> values) {
  Tensor t = *Tensor::zeros(DType::float32, {static_cast<int64_t>(values.size())});
  std::copy(values.begin(), values.end(), t.as<float>().begin());
  t.name = "feature";
  return t;
}

Database three() {
  Database d;
  for (const auto& values : {std::vector<float>{1, 0}, {0, 1}, {0.6F, 0.8F}}) {
    EXPECT_TRUE(enroll(d, feature_of(values)).ok());
  }
  return d;
}

TEST(EspdlDatabase, HasTheBytesOfTheRecognizer) {
  Database d = three();
  ASSERT_TRUE(remove(d, 2).ok());
  const Bytes bytes = write_database(d);
  ASSERT_EQ(bytes.size(), 6U + 3U * (2U + 8U));
  // Ever enrolled, valid, length; then ids 1, 0 and 3.
  const uint8_t header[] = {3, 0, 2, 0, 2, 0, 1, 0};
  for (size_t i = 0; i < std::size(header); ++i) {
    EXPECT_EQ(std::to_integer<int>(bytes[i]), header[i]) << i;
  }
  EXPECT_EQ(std::to_integer<int>(bytes[16]), 0);
  EXPECT_EQ(std::to_integer<int>(bytes[26]), 3);
  const auto again = read_database(bytes, "f");
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(write_database(*again), bytes);
  EXPECT_EQ(again->valid(), 2U);
}

TEST(EspdlDatabase, IdsOfMatchesArePositions) {
  Database d = three();
  const auto before = match(d, feature_of({0.6F, 0.8F}), {});
  ASSERT_TRUE(before.ok());
  ASSERT_EQ(before->matches->size(), 1U);
  EXPECT_EQ(before->matches->front().id, 3);
  ASSERT_TRUE(remove(d, 1).ok());
  EXPECT_EQ(match(d, feature_of({0.6F, 0.8F}), {})->matches->front().id, 2);
  EXPECT_EQ(*enroll(d, feature_of({1, 0})), 4);
  EXPECT_FALSE(remove(d, 1).ok());
}

TEST(EspdlDatabase, OtherFeaturesAndDamagedFiles) {
  Database d = three();
  EXPECT_FALSE(enroll(d, feature_of({1, 0, 0})).ok());
  EXPECT_FALSE(match(d, feature_of({1}), {}).ok());
  EXPECT_FALSE(enroll(d, feature_of({INFINITY, 0})).ok());
  const Bytes good = write_database(d);
  EXPECT_FALSE(read_database(ByteSpan(good).first(5), "f").ok());
  EXPECT_FALSE(read_database(ByteSpan(good).first(good.size() - 1), "f").ok());
  Bytes wrong = good;
  wrong[2] = std::byte{1};  // valid
  EXPECT_FALSE(read_database(wrong, "f").ok());
  wrong = good;
  wrong[6] = std::byte{7};  // the first id
  EXPECT_FALSE(read_database(wrong, "f").ok());
}

}  // namespace
}  // namespace edgetwin::espdl_decode
