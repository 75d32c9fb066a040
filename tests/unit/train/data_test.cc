#include "train/data/data.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "image/image.h"
#include "tensor/npy.h"
#include "test_folder.h"

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
  DataSet set;
  set.channels = 2;
  set.height = 1;
  set.width = 2;
  set.bytes = {0, 128, 255, 64, 1, 2, 3, 4};
  set.labels = {3, 1};
  const std::vector<uint32_t> order = {1, 0};
  const Maps batch = set.batch(order);
  EXPECT_EQ(batch.at(1, 0, 0)[0], -1.0F);
  EXPECT_EQ(batch.at(1, 0, 0)[1], 127.0F / 128);
  EXPECT_EQ(batch.at(1, 0, 1)[0], 0.0F);
  EXPECT_EQ(batch.at(1, 0, 1)[1], -0.5F);
  EXPECT_EQ(set.batch_labels(order), (std::vector<int64_t>{1, 3}));
}

TEST(TrainData, ReadsCifar) {
  const TestFolder folder;
  Bytes records(2 * 3073, std::byte{9});
  records[0] = std::byte{2};
  records[3073] = std::byte{0};
  records[1] = std::byte{77};
  ASSERT_TRUE(write_file(folder / "data_batch_1.bin", records, Overwrite::yes).ok());
  ASSERT_TRUE(write_file(folder / "test_batch.bin", records, Overwrite::yes).ok());
  const auto data = read_data(folder.path());
  ASSERT_TRUE(data.ok()) << to_text(data.error());
  EXPECT_EQ(data->format, "cifar");
  EXPECT_EQ(data->train.labels, (std::vector<int64_t>{2, 0}));
  EXPECT_EQ(data->classes.size(), 3U);
  EXPECT_EQ(data->train.bytes[0], 77);
  EXPECT_EQ(data->train.item_size(), 3072U);
}

template <class T>
Tensor array_of(const std::string& name, DType type, const Shape& shape, std::vector<T> values) {
  Tensor t = Tensor::zeros(type, shape).value();
  t.name = name;
  std::copy(values.begin(), values.end(), t.as<T>().begin());
  return t;
}

TEST(TrainData, ReadsNumpyWithParts) {
  const TestFolder folder;
  const auto write = [&](float last, uint8_t part) {
    const std::vector<Tensor> arrays = {
        array_of<float>("x", DType::float32, {3, 1, 2}, {-1, 0, 0.5F, 1, 0.25F, last}),
        array_of<int64_t>("y", DType::int64, {3}, {1, 0, 1}),
        array_of<uint8_t>("split", DType::uint8, {3}, {0, 1, part})};
    ASSERT_TRUE(write_file(folder / "a.npz", *write_npz(arrays), Overwrite::yes).ok());
  };
  write(0, 2);
  const auto data = read_data(folder.path());
  ASSERT_TRUE(data.ok()) << to_text(data.error());
  EXPECT_EQ(data->train.bytes, (std::vector<uint8_t>{0, 128, 192, 255}));
  EXPECT_EQ(data->validation, std::vector<uint32_t>{1});
  EXPECT_EQ(data->test.labels, std::vector<int64_t>{1});
  write(1.5F, 2);
  EXPECT_EQ(read_data(folder.path()).error().place.field, "x");
  write(0, 3);
  EXPECT_EQ(read_data(folder.path()).error().place.field, "split");
}

// One channel of 16 bits.
Bytes wav_of(uint32_t rate, const std::vector<int16_t>& samples) {
  Bytes out;
  const auto put = [&](uint32_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) out.push_back(static_cast<std::byte>(value >> (8 * i)));
  };
  const auto size = static_cast<uint32_t>(2 * samples.size());
  const auto word = [&](std::string_view text) {
    for (const char c : text) out.push_back(static_cast<std::byte>(c));
  };
  word("RIFF");
  put(36 + size, 4);
  word("WAVEfmt ");
  put(16, 4);
  put(1, 2);
  put(1, 2);
  put(rate, 4);
  put(2 * rate, 4);
  put(2, 2);
  put(16, 2);
  word("data");
  put(size, 4);
  for (const int16_t s : samples) put(static_cast<uint16_t>(s), 2);
  return out;
}

TEST(TrainData, NumbersFromZeroToOneAreCentred) {
  const std::vector<Tensor> arrays = {
      array_of<float>("x_train", DType::float32, {2, 1, 2}, {0, 0.5F, 1, 0.25F}),
      array_of<float>("y_train", DType::float32, {2, 1}, {0.5F, -0.25F}),
      array_of<float>("x_test", DType::float32, {1, 1, 2}, {0, 1}),
      array_of<float>("y_test", DType::float32, {1, 1}, {1})};
  const auto data = parse_npz_set(*write_npz(arrays), "a.npz", {});
  ASSERT_TRUE(data.ok()) << to_text(data.error());
  EXPECT_EQ(data->train.bytes, (std::vector<uint8_t>{0, 128, 255, 64}));
  EXPECT_EQ(data->train.kind, TargetKind::values);
  EXPECT_EQ(data->train.items(), 2U);
  EXPECT_EQ(data->train.batch_values(std::vector<uint32_t>{1}), std::vector<float>{-0.25F});
}

TEST(TrainData, ReadsTablesInWindows) {
  std::string text = "a,label,b\n";
  for (int i = 0; i < 400; ++i) text += i < 200 ? "-1,walk,0\n" : "0.5,run,1\r\n";
  DataOptions options;
  options.window = 4;
  options.hop = 2;
  const auto data = parse_table(text, "t.csv", options);
  ASSERT_TRUE(data.ok()) << to_text(data.error());
  EXPECT_EQ(data->classes, (std::vector<std::string>{"run", "walk"}));
  EXPECT_EQ(data->train.channels, 2);
  EXPECT_EQ(data->train.height, 4);
  EXPECT_EQ(data->train.items() + data->test.items(), 199U);
  EXPECT_FALSE(data->validation.empty());
  EXPECT_EQ(data->train.labels[0], 1);
  // Column a has numbers below 0: times 128; column b has none: centred.
  EXPECT_EQ(data->train.bytes[0], 0);
  EXPECT_EQ(data->train.bytes[4], 0);
  EXPECT_EQ(data->train.bytes.back(), 255);
  for (const char* bad :
       {"a,b\n1,2\n", "a,label\n1\n", "a,label\nx,1\n", "a,label\n2,1\n", "", "a,label\nnan,1\n"}) {
    const auto refused = parse_table(bad, "t.csv", {});
    ASSERT_FALSE(refused.ok()) << bad;
    EXPECT_EQ(refused.error().id(), "TRAIN-DATA-02") << bad;
  }
}

TEST(TrainData, VendorsLevelsLeaveOutZero) {
  EXPECT_EQ(level_of(0, Normalisation::vendor), -128);
  EXPECT_EQ(level_of(127, Normalisation::vendor), -1);
  EXPECT_EQ(level_of(128, Normalisation::vendor), 1);
  EXPECT_EQ(level_of(254, Normalisation::vendor), 127);
  EXPECT_EQ(level_of(255, Normalisation::vendor), 127);
  EXPECT_EQ(level_of(128, Normalisation::centered), 0);
}

TEST(TrainData, FoldsByRowPhaseColumnPhaseChannel) {
  DataSet set;
  set.channels = 2;
  set.height = 2;
  set.width = 2;
  set.bytes = {128, 129, 130, 131, 138, 139, 140, 141};
  set.labels = {0};
  set.fold = 2;
  EXPECT_EQ(set.input().channels, 8);
  EXPECT_EQ(set.levels(0), (std::vector<int8_t>{0, 10, 1, 11, 2, 12, 3, 13}));
}

TEST(TrainData, ReadsMasksAndFlipsThemWithTheirPictures) {
  const TestFolder folder;
  for (const char* part : {"train", "test"}) {
    for (const char* kind : {"images", "masks"}) {
      const auto place = folder / (std::string(part) + "/" + kind);
      std::filesystem::create_directories(place);
      Tensor picture = Tensor::zeros(DType::uint8, {1, 2, 1}).value();
      picture.as<uint8_t>()[1] = 1;
      ASSERT_TRUE(write_file(place / "a.png", *encode_png(picture), Overwrite::yes).ok());
    }
  }
  const auto data = read_data(folder.path());
  ASSERT_TRUE(data.ok()) << to_text(data.error());
  EXPECT_EQ(data->format, "masks");
  EXPECT_EQ(data->classes.size(), 2U);
  const std::vector<uint32_t> one = {0};
  EXPECT_EQ(data->train.batch_labels(one), (std::vector<int64_t>{0, 1}));
  const std::vector<Augmentation> steps = {{.kind = AugmentKind::noise, .sigma = 0},
                                           {.kind = AugmentKind::flip}};
  bool flipped = false;
  for (int epoch = 0; epoch < 20; ++epoch) {
    const auto labels = data->train.augmented_labels(one, steps, 1, epoch);
    const Maps maps = data->train.augmented(one, steps, 1, epoch);
    EXPECT_EQ(maps.at(0, 0, 0)[0] > maps.at(0, 0, 1)[0], labels[0] > labels[1]);
    flipped = flipped || labels[0] == 1;
  }
  EXPECT_TRUE(flipped);
}

TEST(TrainData, ReadsClassesWithoutParts) {
  const TestFolder folder;
  for (const char* name : {"a", "b"}) {
    std::filesystem::create_directories(folder / name);
    for (int i = 0; i < 40; ++i) {
      const Tensor picture = Tensor::zeros(DType::uint8, {2, 4 + i % 2, 1}).value();
      ASSERT_TRUE(write_file(folder / (std::string(name) + "/" + std::to_string(i) + ".png"),
                             *encode_png(picture), Overwrite::yes)
                      .ok());
    }
  }
  EXPECT_EQ(read_data(folder.path()).error().id(), "TRAIN-DATA-03");
  DataOptions options;
  options.height = options.width = 3;
  const auto data = read_data(folder.path(), options);
  ASSERT_TRUE(data.ok()) << to_text(data.error());
  EXPECT_EQ(data->train.items() + data->test.items(), 80U);
  EXPECT_EQ(data->train.item_size(), 9U);
  options.window = 3;
  EXPECT_EQ(read_data(folder.path(), options).error().id(), "TRAIN-SET-02");
}

TEST(TrainData, ReadsSoundsByTheirLists) {
  const TestFolder folder;
  for (const char* word : {"no", "yes", "_noise_"}) {
    std::filesystem::create_directories(folder / word);
    for (const char* name : {"a.wav", "b.wav", "c.wav"}) {
      ASSERT_TRUE(write_file(folder / (std::string(word) + "/" + name),
                             wav_of(16000, {0, 16384, -32768}), Overwrite::yes)
                      .ok());
    }
  }
  const std::string testing = "yes/a.wav\nno/a.wav\n", validation = "yes/b.wav\n";
  ASSERT_TRUE(write_file(folder / "testing_list.txt", as_byte_span(testing), Overwrite::yes).ok());
  ASSERT_TRUE(
      write_file(folder / "validation_list.txt", as_byte_span(validation), Overwrite::yes).ok());
  const auto data = read_data(folder.path());
  ASSERT_TRUE(data.ok()) << to_text(data.error());
  EXPECT_EQ(data->classes, (std::vector<std::string>{"no", "yes"}));
  EXPECT_EQ(data->train.labels, (std::vector<int64_t>{0, 0, 1, 1}));
  EXPECT_EQ(data->test.labels, (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(data->validation, std::vector<uint32_t>{2});
  ASSERT_EQ(data->train.item_size(), 16384U);
  // Sample t of 128 stands in row t of its channel.
  EXPECT_EQ(data->train.bytes[0], 128);
  EXPECT_EQ(data->train.bytes[128], 192);
  EXPECT_EQ(data->train.bytes[256], 0);
  ASSERT_TRUE(write_file(folder / "no/a.wav", wav_of(8000, {1}), Overwrite::yes).ok());
  EXPECT_EQ(read_data(folder.path()).error().id(), "TRAIN-DATA-02");
}

}  // namespace
}  // namespace edgetwin::train
