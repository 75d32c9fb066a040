// `data: {split}`: which item lands in which part, where the files have no parts of their own.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tensor/npy.h"
#include "train/data/data.h"

namespace edgetwin::train {
namespace {

constexpr int kItems = 1000;

// Items whose two pixels are their number.
std::vector<Tensor> numbered_items() {
  Tensor x = Tensor::zeros(DType::uint8, {kItems, 1, 1, 2}).value();
  x.name = "x";
  Tensor y = Tensor::zeros(DType::int64, {kItems}).value();
  y.name = "y";
  for (int i = 0; i < kItems; ++i) {
    x.as<uint8_t>()[static_cast<size_t>(2 * i)] = static_cast<uint8_t>(i / 256);
    x.as<uint8_t>()[static_cast<size_t>(2 * i + 1)] = static_cast<uint8_t>(i % 256);
    y.as<int64_t>()[static_cast<size_t>(i)] = i % 3;
  }
  std::vector<Tensor> arrays;
  arrays.push_back(std::move(x));
  arrays.push_back(std::move(y));
  return arrays;
}

int number_of(const DataSet& set, size_t item) {
  return set.bytes[2 * item] * 256 + set.bytes[2 * item + 1];
}

// The part of each item by its number. Every item is in one part, with the label that it had.
std::map<int, Part> parts_of(const Shares& shares) {
  DataOptions options;
  options.split = shares;
  const auto data = parse_npz_set(*write_npz(numbered_items()), "a.npz", options);
  EXPECT_TRUE(data.ok());
  if (!data.ok()) return {};
  EXPECT_EQ(data->train.items() + data->test.items(), size_t{kItems});
  std::map<int, Part> parts;
  const auto put = [&](const DataSet& set, size_t item, Part part) {
    const int number = number_of(set, item);
    EXPECT_TRUE(parts.emplace(number, part).second) << number << " is in two parts";
    EXPECT_EQ(set.labels[item], number % 3);
  };
  const std::set<uint32_t> validating(data->validation.begin(), data->validation.end());
  EXPECT_EQ(validating.size(), data->validation.size());
  for (size_t i = 0; i < data->train.items(); ++i) {
    const bool validates = validating.contains(static_cast<uint32_t>(i));
    put(data->train, i, validates ? Part::validation : Part::training);
  }
  for (size_t i = 0; i < data->test.items(); ++i) put(data->test, i, Part::test);
  EXPECT_EQ(parts.size(), size_t{kItems});
  return parts;
}

// FNV-1a of the name, which for arrays is the number, mixed; its upper half counts, in hundredths,
// or in tenths where all shares are.
Part expected_part(int number, const Shares& shares) {
  uint64_t hash = 14695981039346656037U;
  for (const char c : std::to_string(number)) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 1099511628211U;
  }
  hash ^= hash / (uint64_t{1} << 33);
  hash *= 18397679294719823053U;
  hash ^= hash / (uint64_t{1} << 33);
  const bool tenths = shares[0] % 10 == 0 && shares[1] % 10 == 0 && shares[2] % 10 == 0;
  const auto upper = static_cast<uint32_t>(hash >> 32);
  const int percent = static_cast<int>(tenths ? upper % 10 * 10 : upper % 100);
  if (percent < shares[0]) return Part::training;
  return percent < shares[0] + shares[1] ? Part::validation : Part::test;
}

TEST(TrainDataSplit, EachItemIsInThePartOfItsName) {
  for (const Shares shares : {kUsualShares, Shares{60, 15, 25}, Shares{50, 0, 50}}) {
    const std::map<int, Part> parts = parts_of(shares);
    std::array<int, 3> counts = {};
    for (const auto& [number, part] : parts) {
      EXPECT_EQ(part, expected_part(number, shares)) << number << " of " << shares_text(shares);
      ++counts[static_cast<size_t>(part)];
    }
    for (size_t p = 0; p < 3; ++p) {
      EXPECT_NEAR(counts[p], shares[p] * kItems / 100, 40) << shares_text(shares);
    }
    if (shares[1] == 0) {
      EXPECT_EQ(counts[1], 0);
    }
  }
}

// The test part is the end of the scale: it stays when training and validation share otherwise.
TEST(TrainDataSplit, TheTestPartStaysWhenTheOthersChange) {
  const std::map<int, Part> usual = parts_of(kUsualShares), other = parts_of({60, 30, 10});
  for (const auto& [number, part] : usual) {
    EXPECT_EQ(part == Part::test, other.at(number) == Part::test) << number;
    if (other.at(number) == Part::training) {
      EXPECT_EQ(part, Part::training) << number;
    }
  }
}

// Items are drawn by their number, whatever the threads do.
TEST(TrainDataSplit, ChangedCopiesAreTheSameOnAllThreads) {
  const auto data = parse_npz_set(*write_npz(numbered_items()), "a.npz", {});
  ASSERT_TRUE(data.ok());
  std::vector<uint32_t> items(data->train.items());
  for (size_t i = 0; i < items.size(); ++i) items[i] = static_cast<uint32_t>(items.size() - 1 - i);
  const std::vector<Augmentation> steps = {{.kind = AugmentKind::pad_crop, .pad = 1},
                                           {.kind = AugmentKind::noise, .sigma = 9}};
  const Maps alone = data->train.augmented(items, steps, 1, 2);
  ThreadPool pool(3);
  EXPECT_EQ(data->train.augmented(items, steps, 1, 2, &pool).values, alone.values);
  EXPECT_EQ(data->train.batch(items, &pool).values, data->train.batch(items).values);
  EXPECT_NE(data->train.batch(items).values, alone.values);
}

TEST(TrainDataSplit, PartsOfTheFilesAreNotDividedAgain) {
  std::vector<Tensor> arrays = numbered_items();
  Tensor split = Tensor::zeros(DType::uint8, {kItems}).value();
  split.name = "split";
  for (size_t i = 0; i < kItems; ++i) split.as<uint8_t>()[i] = i < 700 ? 0 : i < 900 ? 1 : 2;
  arrays.push_back(std::move(split));
  const auto data = parse_npz_set(*write_npz(arrays), "a.npz", {});
  ASSERT_TRUE(data.ok());
  EXPECT_FALSE(data->divided);
  EXPECT_EQ(data->train.items(), 900U);
  ASSERT_EQ(data->validation.size(), 200U);
  EXPECT_EQ(number_of(data->train, data->validation.front()), 700);
  EXPECT_EQ(number_of(data->test, 0), 900);
}

}  // namespace
}  // namespace edgetwin::train
