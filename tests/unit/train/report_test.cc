// Event files with histograms, pictures and curves, read back; what a validation observes.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>

#include "base/file.h"
#include "test_folder.h"
#include "train/journal/events.h"
#include "train/report/projection.h"
#include "train/run/memory.h"
#include "train/score/observe.h"

namespace edgetwin::train {
namespace {

// A message of protobuf by field numbers; numbers are their eight or four bytes, or a varint.
struct Message {
  std::multimap<uint64_t, std::string> texts;
  std::multimap<uint64_t, uint64_t> numbers;

  std::string text(uint64_t field) const {
    const auto at = texts.find(field);
    return at == texts.end() ? "" : at->second;
  }
  double real(uint64_t field) const {
    const auto at = numbers.find(field);
    double value = 0;
    if (at != numbers.end()) std::memcpy(&value, &at->second, sizeof value);
    return value;
  }
  uint64_t number(uint64_t field) const {
    const auto at = numbers.find(field);
    return at == numbers.end() ? 0 : at->second;
  }
};

uint64_t take_varint(std::string_view& bytes) {
  uint64_t value = 0;
  for (int shift = 0;; shift += 7) {
    const auto b = static_cast<uint8_t>(bytes.at(0));
    bytes.remove_prefix(1);
    value |= uint64_t{b & 0x7FU} << shift;
    if ((b & 0x80) == 0) return value;
  }
}

Message parsed(std::string_view bytes) {
  Message m;
  while (!bytes.empty()) {
    const uint64_t key = take_varint(bytes);
    const uint64_t field = key >> 3;
    const uint64_t wire = key & 7;
    if (wire == 0) {
      m.numbers.emplace(field, take_varint(bytes));
    } else if (wire == 2) {
      const uint64_t size = take_varint(bytes);
      m.texts.emplace(field, bytes.substr(0, size));
      bytes.remove_prefix(size);
    } else {
      const size_t size = wire == 1 ? 8 : 4;
      uint64_t value = 0;
      std::memcpy(&value, bytes.data(), size);
      m.numbers.emplace(field, value);
      bytes.remove_prefix(size);
    }
  }
  return m;
}

// The one value of a record, after a look at its lengths and check sums.
Message value_of(const Bytes& record, int64_t step) {
  uint64_t length = 0;
  std::memcpy(&length, record.data(), sizeof length);
  EXPECT_EQ(record.size(), length + 16);
  const ByteSpan message = ByteSpan(record).subspan(12, length);
  uint32_t sum = 0;
  std::memcpy(&sum, record.data() + 12 + length, sizeof sum);
  EXPECT_EQ(sum, masked_crc32c(message));
  const Message event = parsed(as_text(message));
  EXPECT_EQ(event.number(2), static_cast<uint64_t>(step));
  return parsed(parsed(event.text(5)).text(1));
}

std::vector<double> doubles(const std::string& bytes) {
  std::vector<double> values(bytes.size() / sizeof(double));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

TEST(TrainReport, HistogramsCountEveryValue) {
  std::vector<float> values;
  for (int i = 0; i <= 60; ++i) values.push_back(static_cast<float>(i) / 4 - 5);
  const Message value = value_of(histogram_event(2.0, 7, "conv1/op/weight", values), 7);
  EXPECT_EQ(value.text(1), "conv1/op/weight");
  const Message h = parsed(value.text(5));
  EXPECT_EQ(h.real(1), -5);
  EXPECT_EQ(h.real(2), 10);
  EXPECT_EQ(h.real(3), 61);
  EXPECT_EQ(h.real(4), 61 * 2.5);
  const std::vector<double> limits = doubles(h.text(6)), counts = doubles(h.text(7));
  ASSERT_EQ(limits.size(), 30U);
  EXPECT_EQ(limits[0], -4.5);
  EXPECT_EQ(limits.back(), 10);
  double all = 0;
  for (const double n : counts) all += n;
  EXPECT_EQ(all, 61);
  EXPECT_EQ(counts[0], 2);
  EXPECT_EQ(counts.back(), 3);  // with the largest
  // One value only: no width to divide by.
  const Message one = parsed(value_of(histogram_event(2.0, 1, "a", {{0.5F, 0.5F}}), 1).text(5));
  EXPECT_EQ(doubles(one.text(7))[0], 2);
}

TEST(TrainReport, PicturesAndCurvesAreThoseOfTheFormat) {
  const std::string png = "not looked at";
  const Message value = value_of(picture_event(2.0, 4, "p", 24, 48, as_byte_span(png)), 4);
  const Message image = parsed(value.text(4));
  EXPECT_EQ(image.number(1), 24U);
  EXPECT_EQ(image.number(2), 48U);
  EXPECT_EQ(image.number(3), 3U);
  EXPECT_EQ(image.text(4), png);
  std::vector<float> rows(12);
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<float>(i);
  const Message curve = value_of(curve_event(2.0, 4, "seven", rows), 4);
  EXPECT_EQ(curve.text(1), "seven");
  const Message tensor = parsed(curve.text(8));
  EXPECT_EQ(tensor.number(1), 1U);
  EXPECT_EQ(tensor.text(5).size(), 48U);
  const Message shape = parsed(tensor.text(2));
  std::vector<uint64_t> sizes;
  for (const auto& [field, text] : shape.texts) sizes.push_back(parsed(text).number(1));
  EXPECT_EQ(sizes, (std::vector<uint64_t>{6, 2}));
  const Message plugin = parsed(parsed(curve.text(9)).text(1));
  EXPECT_EQ(plugin.text(1), "pr_curves");
  EXPECT_EQ(parsed(plugin.text(2)).number(2), 2U);
}

// A network of one layer that hands on its input of two classes.
TEST(TrainReport, ObserverCountsLimitsAndThresholds) {
  Model model;
  model.network.layers.resize(1);
  model.network.layers[0].is_output = true;
  Recording recording;
  recording.tapes.resize(1);
  recording.outputs.emplace_back(4, 1, 1, 2);
  // Soft-max of the first class: 1/2, 1/2, about 0.723, about 0.137.
  const float outputs[] = {0, 0, kLow, kLow, kHigh, 0.03125F, -1, 0.84375F};
  std::copy(std::begin(outputs), std::end(outputs), recording.outputs[0].values.begin());
  Observer observer(true);
  observer.see(model, recording, std::vector<int64_t>{0, 1, 0, 1});
  EXPECT_EQ(observer.clamps()[0].low, 3);
  EXPECT_EQ(observer.clamps()[0].high, 1);
  EXPECT_EQ(observer.clamps()[0].low_percent(), 37.5);
  const std::vector<ClassCurve> curves = observer.curves();
  ASSERT_EQ(curves.size(), 2U);
  const ClassCurve& first = curves[0];
  EXPECT_EQ(first.own[0], 2);
  EXPECT_EQ(first.others[0], 2);
  EXPECT_EQ(first.own[63], 2);  // the threshold 1/2 is reached
  EXPECT_EQ(first.others[63], 1);
  EXPECT_EQ(first.own[64], 1);
  EXPECT_EQ(first.others[64], 0);
  EXPECT_EQ(first.precision(0), 0.5);
  EXPECT_EQ(first.recall(64), 0.5);
  EXPECT_EQ(first.precision(126), 0);  // nothing is reached
}

// Two groups far apart along the sum of two outputs, spread a little along a third.
TEST(TrainReport, OutputsAreProjectedWhereTheyVary) {
  std::vector<float> outputs;
  std::vector<int64_t> labels;
  for (int i = 0; i < 40; ++i) {
    const float side = i % 2 == 0 ? 10.0F : -10.0F;
    const float other = static_cast<float>(i / 2 % 5) - 2;
    outputs.insert(outputs.end(), {side, side, other});
    labels.push_back(i % 2);
  }
  const auto items = projection_of(outputs, 3, labels);
  ASSERT_EQ(items.size(), 40U);
  for (size_t i = 0; i < items.size(); ++i) {
    EXPECT_NEAR(std::abs(items[i].x), 10 * std::sqrt(2.0), 1e-6);
    EXPECT_EQ(items[i].x > 0, items[0].x > 0 ? labels[i] == 0 : labels[i] == 1);
    EXPECT_NEAR(std::abs(items[i].y), std::abs(static_cast<double>(outputs[3 * i + 2])), 1e-6);
  }
  const std::string svg = projection_svg(items, {"a<b", "c"});
  EXPECT_NE(svg.find("a&lt;b"), std::string::npos);
  EXPECT_EQ(projection_of(std::vector<float>(6, 1.0F), 3, std::vector<int64_t>{0, 1}).size(), 0U);
}

TEST(TrainMemory, NamesTheBatchThatFits) {
  Network network;
  network.input = {1, {10, 10}};
  network.layers.resize(1);
  network.layers[0].input = network.input;
  network.layers[0].output = {2, {10, 10}};
  const int64_t each = bytes_per_item(network);
  EXPECT_EQ(each, 400 + 200 * 9 + 400);
  EXPECT_TRUE(check_batch_memory(network, 10, each * 10).ok());
  EXPECT_TRUE(check_batch_memory(network, 10, 0).ok());  // unknown
  const Status refused = check_batch_memory(network, 10, each * 10 - 1);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().id(), "TRAIN-RUN-03");
  EXPECT_EQ(refused.error().details.back(), "a batch of 9 fits");
  EXPECT_GT(available_memory(), 1 << 20);
}

}  // namespace
}  // namespace edgetwin::train
