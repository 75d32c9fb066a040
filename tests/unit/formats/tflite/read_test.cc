// Damaged files end in one error that says where.
#include <gtest/gtest.h>

#include <limits>

#include "base/rng.h"
#include "unit/formats/damaged_tflite.h"

namespace edgetwin {
namespace {

using namespace testing;  // NOLINT: ids of fields and tensors

TEST(TfliteRead, KnowsItsFiles) {
  EXPECT_TRUE(tflite::looks_like_tflite(*tflite::write(small_model())));
  EXPECT_FALSE(tflite::looks_like_tflite(as_byte_span("")));
  EXPECT_FALSE(tflite::looks_like_tflite(as_byte_span("abcdTFL")));
  EXPECT_FALSE(tflite::looks_like_tflite(as_byte_span("abcdDWN1....")));
}

TEST(TfliteRead, OtherFiles) {
  EXPECT_EQ(error_of(as_byte_span("TFL")).code, ErrorCode::truncated);
  EXPECT_EQ(error_of(as_byte_span("\x93NUMPY and more bytes")).code, ErrorCode::tflite_flatbuffer);
  EXPECT_EQ(error_of(as_byte_span("abcdTFL3")).code, ErrorCode::tflite_flatbuffer);
}

TEST(TfliteRead, EveryTruncation) {
  const Bytes whole = *tflite::write(small_model());
  for (size_t size = 0; size < whole.size(); ++size) {
    // A copy of the exact size, so that a sanitizer sees any step beyond its end.
    const Bytes cut(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(size));
    auto model = tflite::read(cut, "bad.tflite");
    ASSERT_FALSE(model.ok()) << size;
    expect_placed(model.error());
  }
}

TEST(TfliteRead, UnalignedBytes) {
  Bytes shifted(1);
  const Bytes whole = *tflite::write(small_model());
  shifted.insert(shifted.end(), whole.begin(), whole.end());
  EXPECT_TRUE(tflite::read(ByteSpan(shifted).subspan(1), "").ok());
}

TEST(TfliteRead, RandomDamageNeverCrashes) {
  XorShift32 random(7);
  for (const Model& model : {small_model(), every_kind_model()}) {
    const Bytes whole = *tflite::write(model);
    for (int round = 0; round < 4000; ++round) {
      Bytes bytes = whole;
      const uint32_t flips = 1 + random.next() % 4;
      for (uint32_t i = 0; i < flips; ++i) {
        bytes[random.next() % bytes.size()] ^= static_cast<std::byte>(1U << random.next() % 8);
      }
      auto read = tflite::read(bytes, "bad.tflite");
      if (!read.ok()) {
        expect_placed(read.error());
      } else if (auto written = tflite::write(*read); written.ok()) {
        EXPECT_TRUE(tflite::read(*written, "").ok());
      }
    }
  }
}

TEST(TfliteRead, Version) {
  Damaged d;
  d.set<uint32_t>(d.field(d.root(), kModelVersion), 4);
  EXPECT_EQ(code_of(d), ErrorCode::tflite_version);
}

TEST(TfliteRead, NoGraph) {
  Damaged d;
  d.set<uint32_t>(d.child(d.root(), kModelGraphs), 0);
  EXPECT_EQ(code_of(d), ErrorCode::tflite_reference);
}

TEST(TfliteRead, GraphInputThatDoesNotExist) {
  for (const int32_t bad : {-1, 4, INT32_MAX, INT32_MIN}) {
    Damaged d;
    d.set<int32_t>(d.child(d.graph(), kGraphInputs) + 4, bad);
    EXPECT_EQ(code_of(d), ErrorCode::tflite_reference);
  }
}

TEST(TfliteRead, OperandThatDoesNotExist) {
  for (const int32_t bad : {-2, 4, INT32_MAX, INT32_MIN}) {
    Damaged d;
    d.set<int32_t>(d.child(d.op(), kOpInputs) + 4, bad);
    EXPECT_EQ(code_of(d), ErrorCode::tflite_reference);
  }
  Damaged d;
  d.set<int32_t>(d.child(d.op(), kOpOutputs) + 4, -1);
  EXPECT_EQ(code_of(d), ErrorCode::tflite_reference);
}

TEST(TfliteRead, OperatorCodeThatDoesNotExist) {
  Damaged d;
  d.set<uint32_t>(d.child(d.root(), kModelCodes), 0);
  EXPECT_EQ(code_of(d), ErrorCode::tflite_reference);
}

TEST(TfliteRead, OperatorCodeIsTheLargerOfTwo) {
  Damaged d;
  d.set<int8_t>(d.field(d.code(), kCodeShort), 0);
  EXPECT_EQ(tflite::read(d.bytes(), "")->main().ops[0].kind, OpKind::conv_2d);
  Damaged old;
  old.set<int32_t>(old.field(old.code(), kCodeLong), 0);
  EXPECT_EQ(tflite::read(old.bytes(), "")->main().ops[0].kind, OpKind::conv_2d);
}

TEST(TfliteRead, NegativeOperatorCode) {
  Damaged d;
  d.set<int8_t>(d.field(d.code(), kCodeShort), -5);
  d.set<int32_t>(d.field(d.code(), kCodeLong), -1);
  EXPECT_EQ(code_of(d), ErrorCode::bad_value);
}

TEST(TfliteRead, BufferThatDoesNotExist) {
  Damaged d;
  d.set<uint32_t>(d.field(d.tensor(kWeights), kTensorBuffer), 3);
  EXPECT_EQ(code_of(d), ErrorCode::tflite_reference);
}

TEST(TfliteRead, ConstantOfAnotherSize) {
  Damaged d;
  d.set<int32_t>(d.child(d.tensor(kBias), kTensorShape) + 4, 2);
  const Error error = error_of(d.bytes());
  EXPECT_EQ(error.code, ErrorCode::tflite_size);
  EXPECT_EQ(error.message, "12 bytes, 8 expected");
  EXPECT_EQ(error.place.field, "tensor 2 'bias'");
  EXPECT_FALSE(error.details.empty());
}

TEST(TfliteRead, ShapesThatAreNone) {
  for (const int32_t bad : {-1, INT32_MIN, INT32_MAX}) {
    Damaged d;
    d.set<int32_t>(d.child(d.tensor(kInput), kTensorShape) + 8, bad);
    EXPECT_EQ(code_of(d), ErrorCode::bad_value);
  }
  Damaged overflow;  // 2^62 elements twice over, hidden behind a size of 0
  const size_t dims = overflow.child(overflow.tensor(kInput), kTensorShape) + 4;
  for (size_t i = 0; i < 4; ++i) overflow.set<int32_t>(dims + 4 * i, i == 0 ? 0 : INT32_MAX);
  EXPECT_EQ(code_of(overflow), ErrorCode::bad_value);
}

TEST(TfliteRead, TooManyDimensions) {
  Model model;
  Graph graph;
  graph.inputs = {add(graph, tensor("in", DType::uint8, {1, 1, 1, 1, 1, 1, 1, 1}))};
  graph.name = "a name after the shape, so that there are bytes to be taken for sizes";
  model.graphs.push_back(graph);
  Damaged d(model);
  d.set<uint32_t>(d.child(d.tensor(0), kTensorShape), 9);
  EXPECT_EQ(code_of(d), ErrorCode::tflite_type);
}

TEST(TfliteRead, TruthValuesAreZeroOrOne) {
  Damaged d;
  d.set<int8_t>(d.field(d.tensor(kWeights), kTensorType), 6);
  EXPECT_EQ(code_of(d), ErrorCode::bad_value);
}

TEST(TfliteRead, TypeThatDoesNotExist) {
  for (const int bad : {23, 127, -1}) {
    Damaged d;
    d.set<int8_t>(d.field(d.tensor(kInput), kTensorType), static_cast<int8_t>(bad));
    EXPECT_EQ(code_of(d), ErrorCode::tflite_type);
  }
}

TEST(TfliteRead, ZeroPointsForSomeScalesOnly) {
  Damaged d;
  d.set<uint32_t>(d.child(d.child(d.tensor(kWeights), kTensorQuant), kQuantZeroPoint), 2);
  EXPECT_EQ(code_of(d), ErrorCode::graph_quant);
}

TEST(TfliteRead, OneZeroPointForAllScales) {
  Damaged d;
  const size_t zero_points = d.child(d.child(d.tensor(kWeights), kTensorQuant), kQuantZeroPoint);
  d.set<uint32_t>(zero_points, 1);
  d.set<int64_t>(zero_points + 4, -9);
  const auto model = tflite::read(d.bytes(), "");
  ASSERT_TRUE(model.ok()) << to_text(model.error());
  EXPECT_EQ(model->main().values[kWeights].quant.zero_point, (std::vector<int64_t>{-9, -9, -9}));
}

TEST(TfliteRead, AbsentZeroPointsAreZero) {
  Damaged d;
  d.set<uint32_t>(d.child(d.child(d.tensor(kWeights), kTensorQuant), kQuantZeroPoint), 0);
  const auto model = tflite::read(d.bytes(), "");
  ASSERT_TRUE(model.ok()) << to_text(model.error());
  EXPECT_EQ(model->main().values[kWeights].quant.zero_point, (std::vector<int64_t>{0, 0, 0}));
}

TEST(TfliteRead, NoScaleIsNoQuantization) {
  Damaged d;
  d.set<uint32_t>(d.child(d.child(d.tensor(kInput), kTensorQuant), kQuantScale), 0);
  const auto model = tflite::read(d.bytes(), "");
  ASSERT_TRUE(model.ok()) << to_text(model.error());
  EXPECT_FALSE(model->main().values[kInput].quant.present());
}

TEST(TfliteRead, ScaleThatIsNone) {
  for (const float bad : {0.0F, -1.0F, std::numeric_limits<float>::quiet_NaN()}) {
    Damaged d;
    d.set<float>(d.child(d.child(d.tensor(kInput), kTensorQuant), kQuantScale) + 4, bad);
    EXPECT_EQ(code_of(d), ErrorCode::graph_quant);
  }
}

TEST(TfliteRead, OptionsOfAnotherOperator) {
  Damaged d;
  d.set<uint8_t>(d.field(d.op(), kOpOptionsType), 44);  // a table without known fields
  const Error error = error_of(d.bytes());
  EXPECT_EQ(error.code, ErrorCode::bad_value);
  EXPECT_NE(error.place.field.find("#0 CONV_2D"), std::string::npos);
}

TEST(TfliteRead, AbsentOptionsHaveDefaults) {
  Damaged d;
  d.drop(d.op(), kOpOptions);
  d.drop(d.op(), kOpOptionsType);
  const auto model = tflite::read(d.bytes(), "");
  ASSERT_TRUE(model.ok()) << to_text(model.error());
  EXPECT_EQ(model->main().ops[0].attrs, Attrs(Conv2DAttrs()));
}

TEST(TfliteRead, ActivationAndPaddingThatDoNotExist) {
  for (const int id : {0, 3}) {
    Damaged d;
    d.set<int8_t>(d.field(d.child(d.op(), kOpOptions), id), 6);
    EXPECT_EQ(code_of(d), ErrorCode::bad_value);
  }
}

TEST(TfliteRead, OperatorBeforeItsInput) {
  Damaged d;
  d.set<int32_t>(d.child(d.op(), kOpInputs) + 4, 3);  // its own output
  EXPECT_EQ(code_of(d), ErrorCode::graph_order);
}

TEST(TfliteRead, MetadataAndSignaturesThatPointNowhere) {
  Model model = small_model();
  model.metadata = {{"m", Bytes(3)}};
  model.signatures = {{"s", 0, {{"x", 1}}, {}}, {"t", 0, {}, {}}};
  Damaged metadata(model);
  metadata.set<uint32_t>(
      metadata.field(metadata.element(metadata.child(metadata.root(), kModelMetadata), 0), 1), 99);
  EXPECT_EQ(code_of(metadata), ErrorCode::tflite_reference);
  Damaged tensor(model);
  const size_t signature = tensor.element(tensor.child(tensor.root(), kModelSignatures), 0);
  tensor.set<uint32_t>(tensor.field(tensor.element(tensor.child(signature, 0), 0), 1), 4);
  EXPECT_EQ(code_of(tensor), ErrorCode::tflite_reference);
}

}  // namespace
}  // namespace edgetwin
