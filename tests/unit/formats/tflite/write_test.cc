// What is written is read back as the same graph.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "formats/tflite/tflite.h"
#include "unit/formats/tflite_models.h"

namespace edgetwin {
namespace {

using testing::add;
using testing::constant;
using testing::make_op;
using testing::tensor;

// The options that a writer makes for operators without stored ones; the rest must be equal.
void forget_made_options(Model& model) {
  for (Graph& graph : model.graphs) {
    for (Op& op : graph.ops) {
      if (auto* a = std::get_if<DetectionAttrs>(&op.attrs)) a->custom_options.clear();
      if (auto* a = std::get_if<PosenetAttrs>(&op.attrs)) a->custom_options.clear();
    }
  }
}

void expect_same(const Model& a, const Model& b) {
  ASSERT_EQ(a.graphs.size(), b.graphs.size());
  for (size_t i = 0; i < a.graphs.size(); ++i) {
    std::string difference;
    EXPECT_TRUE(equal(a.graphs[i], b.graphs[i], &difference)) << difference;
  }
  EXPECT_EQ(a.description, b.description);
  EXPECT_EQ(a.metadata, b.metadata);
  EXPECT_EQ(a.signatures, b.signatures);
}

Model round_trip(const Model& model) {
  const auto bytes = tflite::write(model);
  EXPECT_TRUE(bytes.ok()) << to_text(bytes.error());
  auto again = tflite::read(*bytes, "again.tflite");
  EXPECT_TRUE(again.ok()) << to_text(again.error());
  return std::move(again).value();
}

ErrorCode write_error(const Model& model) {
  const auto bytes = tflite::write(model);
  EXPECT_FALSE(bytes.ok());
  if (bytes.ok()) return ErrorCode::internal;
  const Place& place = bytes.error().place;
  EXPECT_TRUE(!place.field.empty() || !place.layer.empty()) << to_text(bytes.error());
  return bytes.error().code;
}

TEST(TfliteWrite, SmallModelComesBack) {
  const Model model = testing::small_model();
  expect_same(model, round_trip(model));
}

TEST(TfliteWrite, EveryKindComesBackWithItsAttributes) {
  const Model model = testing::every_kind_model();
  Model again = round_trip(model);
  // Once stored, the made options are the operator's own.
  expect_same(again, round_trip(again));
  forget_made_options(again);
  expect_same(model, again);
}

TEST(TfliteWrite, DefaultAttributesComeBack) {
  Model model = testing::every_kind_model();
  for (Op& op : model.graphs[0].ops) op.attrs = default_attrs(op.kind);
  auto& opaque = std::get<OpaqueAttrs>(model.graphs[0].ops.back().attrs);
  opaque.builtin_code = 32;
  opaque.name = "x";
  Model again = round_trip(model);
  forget_made_options(again);
  expect_same(model, again);
}

TEST(TfliteWrite, SameModelGivesSameBytes) {
  const Model model = testing::every_kind_model();
  EXPECT_EQ(*tflite::write(model), *tflite::write(round_trip(model)));
}

TEST(TfliteWrite, EveryTypeComesBack) {
  Model model;
  Graph graph;
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto type = static_cast<DType>(i);
    graph.inputs.push_back(add(graph, tensor("in" + std::to_string(i), type, {2, 3})));
    add(graph, constant("const" + std::to_string(i), type, {5}));
  }
  model.graphs.push_back(graph);
  expect_same(model, round_trip(model));
}

TEST(TfliteWrite, SpecialTensorsComeBack) {
  Model model;
  Graph graph;
  const ValueId in = add(graph, tensor("in", DType::float32, {1, 0, 3}));
  Value unknown = tensor("unknown rank", DType::float32, {});
  unknown.has_shape = false;
  const ValueId out = add(graph, unknown);
  Value variable = tensor("state", DType::int16, {1, 4});
  variable.is_variable = true;
  variable.quant = Quant::affine(0.5F, 0);
  const ValueId state = add(graph, variable);
  const ValueId scalar = add(graph, constant("scalar", DType::int32, {}));
  const ValueId no_elements = add(graph, constant("new shape", DType::int32, {0}));
  Value filter = constant("filter", DType::int8, {1, 2, 2, 3});
  filter.quant = {Quant::Scheme::affine, {1, 2, 3}, {0, 0, 0}, {}, 3};
  const ValueId weights = add(graph, filter);
  OpaqueAttrs attrs{"x", 32, 0, {}};
  graph.ops.push_back(
      make_op(OpKind::opaque, attrs, {in, kAbsent, state, scalar, no_elements, weights}, {out}));
  graph.ops[0].intermediates = {kAbsent, in};
  graph.inputs = {in};
  graph.outputs = {out};
  model.graphs.push_back(graph);
  expect_same(model, round_trip(model));
}

TEST(TfliteWrite, UnknownSizeIsWrittenAsOne) {
  Model model;
  Graph graph;
  graph.inputs = {add(graph, tensor("in", DType::float32, {-1, 3}))};
  model.graphs.push_back(graph);
  EXPECT_EQ(round_trip(model).main().values[0].shape, Shape({1, 3}));
}

TEST(TfliteWrite, SecondGraphMetadataAndSignaturesComeBack) {
  Model model = testing::small_model();
  model.graphs.push_back(testing::small_model().graphs[0]);
  model.graphs[1].name = std::string("with a zero \0 inside", 20);
  model.metadata = {{"min_runtime_version", to_bytes(as_byte_span("1.5.0"))}, {"empty", {}}};
  model.signatures = {{"serving", 1, {{"x", 0}}, {{"y", 3}, {"z", 2}}}, {"", 0, {}, {}}};
  expect_same(model, round_trip(model));
}

TEST(TfliteWrite, SharedConstantsAreStoredOnce) {
  Model model;
  Graph graph;
  graph.values.push_back(constant("a", DType::uint8, {100000}));
  graph.values.push_back(graph.values[0]);
  model.graphs.assign(2, graph);
  const auto bytes = tflite::write(model);
  ASSERT_TRUE(bytes.ok());
  EXPECT_LT(bytes->size(), 102000U);
  const Model again = *tflite::read(*bytes, "");
  EXPECT_EQ(again.graphs[0].values[0].constant, again.graphs[1].values[1].constant);
}

TEST(TfliteWrite, BuffersAreAligned) {
  Model model = testing::small_model();
  const Bytes content = to_bytes(as_byte_span("find me"));
  model.metadata = {{"m", content}};
  const Bytes bytes = *tflite::write(model);
  for (const Bytes* wanted : {&content, model.graphs[0].values[1].constant.get(),
                              model.graphs[0].values[2].constant.get()}) {
    const auto at = std::search(bytes.begin(), bytes.end(), wanted->begin(), wanted->end());
    ASSERT_NE(at, bytes.end());
    EXPECT_EQ((at - bytes.begin()) % 64, 0);
  }
}

TEST(TfliteWrite, OperatorsBeyondAByteComeBack) {
  Model model;
  Graph graph;
  graph.inputs = {add(graph, tensor("in", DType::float32, {2}))};
  for (const auto& [code, name] : std::vector<std::pair<int, std::string>>{
           {8, "FLOOR"}, {128, "CUMSUM"}, {209, "STABLEHLO_CASE"}, {300, "BUILTIN_300"}}) {
    const ValueId out = add(graph, tensor(name, DType::float32, {2}));
    graph.ops.push_back(make_op(OpKind::opaque, OpaqueAttrs{name, code, 0, {}}, {0}, {out}));
  }
  model.graphs.push_back(graph);
  expect_same(model, round_trip(model));
}

TEST(TfliteWrite, WhatAFileCannotHoldIsNamed) {
  Model model = testing::small_model();
  std::get<Conv2DAttrs>(model.graphs[0].ops[0].attrs).padding.kind = Padding::Kind::given;
  EXPECT_EQ(write_error(model), ErrorCode::tflite_write);

  model = testing::small_model();
  model.graphs[0].values[0].quant = Quant::power_of_two(-7);
  EXPECT_EQ(write_error(model), ErrorCode::tflite_write);

  model = testing::small_model();
  model.graphs[0].values[0].shape = {int64_t{1} << 40};
  EXPECT_EQ(write_error(model), ErrorCode::tflite_write);

  model = testing::small_model();
  model.graphs[0].values[1].is_variable = true;
  EXPECT_EQ(write_error(model), ErrorCode::tflite_write);

  model = testing::small_model();
  model.signatures = {{"s", 1, {}, {}}};
  EXPECT_EQ(write_error(model), ErrorCode::tflite_write);

  model = testing::small_model();
  model.graphs[0].ops[0].inputs[1] = 99;
  EXPECT_EQ(write_error(model), ErrorCode::graph_reference);

  model = testing::small_model();
  model.graphs[0].ops[0] = make_op(OpKind::swish, NoAttrs{}, {0}, {3});
  EXPECT_EQ(write_error(model), ErrorCode::tflite_write);

  EXPECT_EQ(write_error(Model()), ErrorCode::tflite_write);
}

TEST(TfliteWrite, UnknownOptionsAreRefusedByName) {
  Model model = testing::small_model();
  model.graphs[0].ops[0] = make_op(OpKind::opaque, OpaqueAttrs{"LEAKY_RELU", 98, 75, {}}, {0}, {3});
  EXPECT_EQ(write_error(model), ErrorCode::tflite_write);
  EXPECT_NE(tflite::write(model).error().message.find("LEAKY_RELU"), std::string::npos);
}

// The folder of collected models, where it is at hand.
TEST(TfliteWrite, CollectedModelsComeBack) {
  const char* folder = std::getenv("EDGETWIN_SHARED_DATA");
  if (folder == nullptr) GTEST_SKIP() << "EDGETWIN_SHARED_DATA does not name the folder of models";
  int files = 0;
  for (const char* part : {"edgetpu/models", "tflite/ops"}) {
    const auto root = std::filesystem::path(folder) / part;
    if (!std::filesystem::exists(root)) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
      if (entry.path().extension() != ".tflite") continue;
      SCOPED_TRACE(entry.path().string());
      const auto bytes = read_file(entry.path());
      ASSERT_TRUE(bytes.ok());
      const auto model = tflite::read(*bytes, entry.path().string());
      ASSERT_TRUE(model.ok()) << to_text(model.error());
      expect_same(*model, round_trip(*model));
      ++files;
    }
  }
  EXPECT_GT(files, 0);
}

}  // namespace
}  // namespace edgetwin
