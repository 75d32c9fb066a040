// Tables that our writer never writes, added after a file byte by byte.
#include <gtest/gtest.h>

#include <array>

#include "unit/formats/damaged_tflite.h"

namespace edgetwin {
namespace {

using namespace testing;  // NOLINT: ids of fields and tensors

// Makes the weights' buffer one whose content is outside of the FlatBuffer.
Damaged with_content_outside(uint64_t offset, uint64_t size) {
  struct {
    std::array<uint16_t, 8> fields = {10, 24, 0, 8, 16, 0, 0, 0};  // sizes; data, offset, size
    int32_t to_fields = 16;
    int32_t unused = 0;
    uint64_t offset = 0;
    uint64_t size = 0;
  } buffer;
  buffer.offset = offset;
  buffer.size = size;
  Damaged d;
  const size_t at = d.append(std::as_bytes(std::span(&buffer, 1)));
  d.append(as_byte_span("abcdef"));
  const auto index = d.get<uint32_t>(d.field(d.tensor(kWeights), kTensorBuffer));
  d.redirect(d.child(d.root(), kModelBuffers), index, at + sizeof(buffer.fields));
  return d;
}

TEST(TfliteTables, ContentBehindTheFlatBuffer) {
  const size_t end = with_content_outside(0, 0).bytes().size();
  const auto model = tflite::read(with_content_outside(end - 6, 6).bytes(), "");
  ASSERT_TRUE(model.ok()) << to_text(model.error());
  EXPECT_EQ(as_text(*model->main().values[kWeights].constant), "abcdef");
  EXPECT_EQ(code_of(with_content_outside(end - 5, 6)), ErrorCode::truncated);
  EXPECT_EQ(code_of(with_content_outside(UINT64_MAX, 6)), ErrorCode::truncated);
  EXPECT_EQ(code_of(with_content_outside(end - 6, UINT64_MAX)), ErrorCode::truncated);
  EXPECT_EQ(code_of(with_content_outside(end - 6, 5)), ErrorCode::tflite_size);
}

// A small file whose thousands of buffers are all the same bytes.
TEST(TfliteTables, RepeatedBytesDoNotFillMemory) {
  Model model;
  Graph graph;
  constexpr int kRepeats = 2000;
  for (int i = 0; i < kRepeats; ++i) {
    add(graph, constant("", DType::uint8, {1}, static_cast<std::byte>(i)));
  }
  model.graphs.push_back(graph);
  model.metadata = {{"large", Bytes(1 << 16)}};
  Damaged d(model);
  const size_t buffers = d.child(d.root(), kModelBuffers);
  const size_t large = d.element(buffers, kRepeats + 1);
  for (size_t i = 1; i <= kRepeats; ++i) {
    d.redirect(buffers, i, large);
    d.set<int32_t>(d.child(d.tensor(i - 1), kTensorShape) + 4, 1 << 16);
  }
  EXPECT_EQ(code_of(d), ErrorCode::out_of_memory);
}

// Gives the input a quantization table that has nothing but details of the given type.
Damaged with_quantization_details(uint8_t type) {
  struct {
    std::array<uint16_t, 8> fields = {16, 12, 0, 0, 0, 0, 8, 4};
    int32_t to_fields = 16;
    uint32_t details = 12;
    uint8_t type = 0;
    std::array<uint8_t, 3> unused = {};
    std::array<uint16_t, 2> no_fields = {4, 4};
    int32_t to_no_fields = 4;
  } table;
  table.type = type;
  Damaged d;
  const size_t at = d.append(std::as_bytes(std::span(&table, 1))) + sizeof(table.fields);
  const size_t quantization = d.field(d.tensor(kInput), kTensorQuant);
  d.set<uint32_t>(quantization, static_cast<uint32_t>(at - quantization));
  return d;
}

TEST(TfliteTables, QuantizationInBlocksIsRefused) {
  EXPECT_EQ(code_of(with_quantization_details(2)), ErrorCode::tflite_type);
  EXPECT_EQ(code_of(with_quantization_details(3)), ErrorCode::tflite_type);
}

TEST(TfliteTables, CustomQuantizationIsIgnoredWithANote) {
  const auto model = tflite::read(with_quantization_details(1).bytes(), "");
  ASSERT_TRUE(model.ok()) << to_text(model.error());
  EXPECT_FALSE(model->main().values[kInput].quant.present());
  ASSERT_EQ(model->findings.size(), 1U);
  EXPECT_EQ(model->findings[0].place, "tensor 0 'input'");
}

TEST(TfliteTables, SparseTensorsAreRefused) {
  struct {
    std::array<uint16_t, 10> fields = {18, 8, 0, 0, 0, 0, 0, 0, 4, 0};
    int32_t to_fields = 20;
    uint32_t sparsity = 8;
    std::array<uint16_t, 2> no_fields = {4, 4};
    int32_t to_no_fields = 4;
  } const table;
  Damaged d;
  const size_t at = d.append(std::as_bytes(std::span(&table, 1))) + sizeof(table.fields);
  d.redirect(d.child(d.graph(), kGraphTensors), kInput, at);
  EXPECT_EQ(code_of(d), ErrorCode::tflite_type);
}

}  // namespace
}  // namespace edgetwin
