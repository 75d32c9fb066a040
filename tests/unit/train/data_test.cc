#include "train/data/data.h"

#include <gtest/gtest.h>

#include "base/file.h"

namespace edgetwin::train {
namespace {

Bytes idx(std::initializer_list<int> values) {
  Bytes bytes;
  for (const int v : values) bytes.push_back(static_cast<std::byte>(v));
  return bytes;
}

TEST(TrainData, ReadsIdx) {
  const Bytes bytes = idx({0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2, 10, 20, 30, 40});
  const auto array = parse_idx(bytes, 3, "x");
  ASSERT_TRUE(array.ok());
  EXPECT_EQ(array->sizes, (std::vector<uint32_t>{2, 1, 2}));
  EXPECT_EQ(array->values.size(), 4U);
}

TEST(TrainData, NamesWhatIsDamaged) {
  const Bytes magic = idx({0, 0, 9, 1, 0, 0, 0, 1, 5});
  const Bytes longer = idx({0, 0, 8, 1, 0, 0, 0, 1, 5, 6});
  const Bytes shorter = idx({0, 0, 8, 1, 0});
  const Bytes huge = idx({0, 0, 8, 3, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255});
  for (const auto& [bytes, field] :
       {std::pair{&magic, "magic number"}, {&longer, "values"}, {&shorter, "header"}}) {
    const auto array = parse_idx(*bytes, 1, "x");
    ASSERT_FALSE(array.ok());
    EXPECT_EQ(array.error().place.field, field);
    EXPECT_EQ(array.error().id(), "TRAIN-DATA-02");
  }
  const auto array = parse_idx(huge, 3, "x");
  ASSERT_FALSE(array.ok());
  EXPECT_EQ(array.error().place.field, "size");
}

TEST(TrainData, BatchesAreOnTheGrid) {
  DataSet set{.channels = 2,
              .height = 1,
              .width = 2,
              .bytes = {0, 128, 255, 64, 1, 2, 3, 4},
              .labels = {3, 1}};
  const std::vector<uint32_t> order = {1, 0};
  const Maps batch = set.batch(order);
  EXPECT_EQ(batch.at(1, 0, 0)[0], -1.0F);
  EXPECT_EQ(batch.at(1, 0, 0)[1], 127.0F / 128);
  EXPECT_EQ(batch.at(1, 0, 1)[0], 0.0F);
  EXPECT_EQ(batch.at(1, 0, 1)[1], -0.5F);
  EXPECT_EQ(set.batch_labels(order), (std::vector<int64_t>{1, 3}));
}

}  // namespace
}  // namespace edgetwin::train
