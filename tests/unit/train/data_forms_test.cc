// Forms of data beside the usual ones: CIFAR's files for Python, arrays in files of their own;
// items that cannot be read.
#include <gtest/gtest.h>

#include "base/file.h"
#include "tensor/npy.h"
#include "test_folder.h"
#include "train/data/data.h"
#include "train/data/unreadable.h"
#include "train/rules/rules.h"

namespace edgetwin::train {
namespace {

void put(Bytes& out, std::string_view text) {
  for (const char c : text) out.push_back(static_cast<std::byte>(c));
}

// With the bytes 0 that it holds.
template <size_t N>
void put_code(Bytes& out, const char (&text)[N]) {
  put(out, std::string_view(text, N - 1));
}

void put_size(Bytes& out, size_t size) {
  for (int i = 0; i < 4; ++i) out.push_back(static_cast<std::byte>(size >> (8 * i) & 255));
}

// As Python 2 writes a batch: a dictionary with labels and an array of bytes, values kept by
// number.
Bytes pickled_batch(const std::string& key, std::initializer_list<int> labels, size_t pixels,
                    std::string_view type = "u1") {
  Bytes out;
  put_code(out,
           "\x80\x02}q\x01(U\x0b"
           "batch_labelq\x02U\x01xq\x03");
  put(out, "U");
  out.push_back(static_cast<std::byte>(key.size()));
  put(out, key + "q\x04]q\x05(");
  for (const int label : labels) {
    put(out, "K");
    out.push_back(static_cast<std::byte>(label));
  }
  put(out,
      "eU\x04"
      "dataq\x06"
      "cnumpy.core.multiarray\n_reconstruct\nq\x07"
      "cnumpy\nndarray\nq\x08");
  put_code(out,
           "K\x00\x85q\x09U\x01"
           "bq\x0a\x87q\x0bRq\x0c(K\x01");
  for (const size_t side : {labels.size(), pixels / labels.size()}) {
    put(out, "J");
    put_size(out, side);
  }
  put(out, "\x86q\x0d");
  put(out, "cnumpy\ndtype\nq\x0eU\x02" + std::string(type) + "q\x0f");
  put_code(out, "K\x00K\x01\x87q\x10Rq\x11(K\x03U\x01|q\x12NNNJ\xff\xff\xff\xff");
  put_code(out,
           "J\xff\xff\xff\xffK\x00tq\x13"
           "b\x89T");
  put_size(out, pixels);
  for (size_t i = 0; i < pixels; ++i) out.push_back(static_cast<std::byte>(i % 251));
  put(out, "q\x14tbu.");
  return out;
}

constexpr size_t kPixels = 3072;

TEST(TrainData, ReadsCifarForPython) {
  const TestFolder folder;
  for (const char* name : {"data_batch_1", "data_batch_2", "test_batch"}) {
    ASSERT_TRUE(
        write_file(folder / name, pickled_batch("labels", {1, 2}, 2 * kPixels), Overwrite::yes)
            .ok());
  }
  const auto data = read_data(folder.path());
  ASSERT_TRUE(data.ok()) << to_text(data.error());
  EXPECT_EQ(data->format, "cifar");
  EXPECT_EQ(data->train.labels, (std::vector<int64_t>{1, 2, 1, 2}));
  EXPECT_EQ(data->test.items(), 2U);
  EXPECT_EQ(data->train.bytes[kPixels], kPixels % 251);
  EXPECT_EQ(data->classes.size(), 3U);
}

TEST(TrainData, NamesWhatIsWrongInAPickle) {
  DataSet set;
  const Bytes whole = pickled_batch("fine_labels", {7}, kPixels);
  EXPECT_TRUE(parse_cifar_pickle(whole, "p", set).ok());
  const Status few = parse_cifar_pickle(pickled_batch("labels", {7}, kPixels - 1), "p", set);
  EXPECT_EQ(few.error().place.field, "data");
  const Status other = parse_cifar_pickle(pickled_batch("names", {7}, kPixels), "p", set);
  EXPECT_EQ(other.error().place.field, "labels");
  for (const size_t size : {size_t{0}, size_t{30}, whole.size() - 1}) {
    const Status cut = parse_cifar_pickle(ByteSpan(whole).first(size), "p", set);
    ASSERT_FALSE(cut.ok()) << size;
    EXPECT_EQ(cut.error().id(), "TRAIN-DATA-02");
  }
}

// What the state of an array says is held against its bytes; nothing of the file is called.
TEST(TrainData, RefusesArraysThatArePickledWrongly) {
  const Bytes whole = pickled_batch("labels", {7}, kPixels);
  const auto refused = [&](const std::string& from, const std::string& to) {
    std::string text(as_text(whole));
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    DataSet set;
    const Status status = parse_cifar_pickle(as_byte_span(text), "p", set);
    EXPECT_FALSE(status.ok()) << to;
    EXPECT_TRUE(set.bytes.empty());
    if (status.ok()) return std::string();
    return std::string(status.error().id()) + ": " + status.error().message;
  };
  EXPECT_EQ(refused("J\x01", "J\x02"),
            "TRAIN-DATA-02: a NumPy array of shape 2x3072 has 3072 bytes");
  EXPECT_EQ(refused("b\x89T", "b\x88T"), "TRAIN-DATA-02: a NumPy array is stored by columns");
  EXPECT_EQ(refused("cnumpy\nndarray\n", "cposix\nsystem\n"),
            "TRAIN-DATA-02: the file asks for names that are not part of plain data: "
            "posix.system");
  EXPECT_EQ(refused("cnumpy\nndarray\n", "cbuiltins\ndict\n"),
            "TRAIN-DATA-02: an array of NumPy is made of another class than ndarray");
  DataSet set;
  const Status wide = parse_cifar_pickle(pickled_batch("labels", {7}, kPixels, "b1"), "p", set);
  ASSERT_FALSE(wide.ok());
  EXPECT_EQ(wide.error().message, "the pictures are not an array of bytes");
}

TEST(TrainData, ReadsArraysOfAFolder) {
  const TestFolder folder;
  for (const char* part : {"train", "test"}) {
    Tensor x = Tensor::zeros(DType::uint8, {3, 1, 2, 2}).value();
    x.as<uint8_t>()[5] = 200;
    Tensor y = Tensor::zeros(DType::int64, {3}).value();
    y.as<int64_t>()[2] = 1;
    for (const auto& [name, array] : {std::pair{"x_", &x}, {"y_", &y}}) {
      const auto bytes = write_npy(*array);
      ASSERT_TRUE(
          write_file(folder / (std::string(name) + part + ".npy"), *bytes, Overwrite::yes).ok());
    }
  }
  const auto data = read_data(folder.path());
  ASSERT_TRUE(data.ok()) << to_text(data.error());
  EXPECT_EQ(data->format, "npz");
  EXPECT_EQ(data->train.items(), 3U);
  EXPECT_EQ(data->train.bytes[5], 200);
  EXPECT_EQ(data->classes.size(), 2U);
}

TEST(TrainData, NamesTenItemsThatCannotBeRead) {
  Unreadable unreadable;
  EXPECT_TRUE(unreadable.read(Ok{}));
  EXPECT_TRUE(unreadable.status().ok());
  for (int i = 0; i < 13; ++i) {
    EXPECT_FALSE(
        unreadable.read(broken(Rule::data_file, "damaged").in_file("file" + std::to_string(i))));
  }
  const Error error = unreadable.status().error();
  EXPECT_EQ(error.place.file, "file0");
  ASSERT_EQ(error.details.size(), 10U);
  EXPECT_EQ(error.details[8], "also: file9: damaged");
  EXPECT_EQ(error.details[9], "and 3 more");
}

}  // namespace
}  // namespace edgetwin::train
