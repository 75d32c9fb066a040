// Options of custom operators: FlexBuffers made here byte by byte.
#include <gtest/gtest.h>

#include "base/rng.h"
#include "formats/tflite/flexbuffer.h"
#include "formats/tflite/tflite.h"
#include "unit/formats/tflite_models.h"

namespace edgetwin {
namespace {

using tflite::FlexMap;

Bytes bytes_of(std::initializer_list<int> values) {
  Bytes result;
  for (const int v : values) result.push_back(static_cast<std::byte>(v));
  return result;
}

// {"a": -2, "b": 1.5 as a float of four bytes stored apart, "c": true}
Bytes sample_map() {
  return bytes_of({
      'a',    0,          'b',     0,    'c', 0,  // keys
      0,      0,          0xC0,    0x3F,          // 1.5
      3,                                          // number of keys
      11,     10,         9,                      // 11, 12, 13: back to the keys
      3,      1,                                  // back to the keys, their width
      3,                                          // number of values
      0xFE,   12,         1,                      // 17, 18, 19: values; 18 - 12 = 6
      1 << 2, 8 << 2 | 2, 26 << 2,                // types
      6,      9 << 2,     1                       // root: back to 17, a map, width 1
  });
}

TEST(FlexMap, ReadsNumbers) {
  const Bytes bytes = sample_map();
  const auto map = FlexMap::open(bytes);
  ASSERT_TRUE(map.ok()) << to_text(map.error());
  EXPECT_EQ(map->size(), 3U);
  EXPECT_EQ(**map->number("a"), -2.0);
  EXPECT_EQ(**map->number("b"), 1.5);
  EXPECT_EQ(**map->number("c"), 1.0);
  EXPECT_FALSE(map->number("d")->has_value());
}

TEST(FlexMap, DamageNeverCrashes) {
  const Bytes whole = sample_map();
  const auto use = [](const Bytes& bytes) {
    const auto map = FlexMap::open(bytes);
    if (!map.ok()) {
      EXPECT_EQ(map.error().code, ErrorCode::tflite_custom_options);
      return;
    }
    for (const char* key : {"a", "b", "c", ""}) {
      const auto number = map->number(key);
      EXPECT_TRUE(number.ok() || number.error().code == ErrorCode::tflite_custom_options);
    }
  };
  for (size_t begin = 0; begin < whole.size(); ++begin) {
    use(Bytes(whole.begin() + static_cast<ptrdiff_t>(begin), whole.end()));
    use(Bytes(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(begin)));
  }
  for (size_t at = 0; at < whole.size(); ++at) {
    for (int value = 0; value < 256; ++value) {
      Bytes bytes = whole;
      bytes[at] = static_cast<std::byte>(value);
      use(bytes);
    }
  }
}

TEST(FlexMap, RefusesOtherRoots) {
  EXPECT_FALSE(FlexMap::open(bytes_of({5, 1 << 2, 1})).ok());
  EXPECT_FALSE(FlexMap::open({}).ok());
}

Model detection_model(Bytes options) {
  DetectionAttrs attrs;
  attrs.custom_options = std::move(options);
  Model model;
  Graph graph;
  for (int i = 0; i < 7; ++i) {
    const ValueId id =
        testing::add(graph, testing::tensor(std::to_string(i), DType::float32, {1, 2, 4}));
    (i < 3 ? graph.inputs : graph.outputs).push_back(id);
  }
  graph.ops.push_back(
      testing::make_op(OpKind::detection_postprocess, attrs, graph.inputs, graph.outputs));
  model.graphs.push_back(graph);
  return model;
}

ErrorCode detection_error(Bytes options) {
  const Bytes file = *tflite::write(detection_model(std::move(options)));
  const auto model = tflite::read(file, "bad.tflite");
  EXPECT_FALSE(model.ok());
  if (model.ok()) return ErrorCode::internal;
  EXPECT_EQ(model.error().place.file, "bad.tflite");
  EXPECT_TRUE(model.error().place.offset.has_value());
  EXPECT_NE(model.error().place.layer.find("TFLite_Detection_PostProcess"), std::string::npos);
  return model.error().code;
}

TEST(TfliteCustom, DamagedOptions) {
  EXPECT_EQ(detection_error(bytes_of({1, 2})), ErrorCode::tflite_custom_options);
  EXPECT_EQ(detection_error(sample_map()), ErrorCode::tflite_custom_options);
}

// A map of one-byte integers; keys in the order of their letters.
Bytes map_of(const std::vector<std::pair<std::string, int>>& entries) {
  std::vector<int> bytes;
  std::vector<size_t> keys;
  for (const auto& [key, value] : entries) {
    keys.push_back(bytes.size());
    for (const char c : key + '\0') bytes.push_back(c);
  }
  const auto n = static_cast<int>(entries.size());
  bytes.push_back(n);
  const size_t key_vector = bytes.size();
  for (const size_t key : keys) bytes.push_back(static_cast<int>(bytes.size() - key));
  bytes.push_back(static_cast<int>(bytes.size() - key_vector));
  bytes.insert(bytes.end(), {1, n});
  for (const auto& [key, value] : entries) bytes.push_back(value);
  for (int i = 0; i < n; ++i) bytes.push_back(1 << 2);
  bytes.insert(bytes.end(), {2 * n, 9 << 2, 1});
  Bytes result;
  for (const int b : bytes) result.push_back(static_cast<std::byte>(b));
  return result;
}

std::vector<std::pair<std::string, int>> detection_entries() {
  return {{"_output_quantized", 1}, {"h_scale", 5},           {"max_classes_per_detection", 1},
          {"max_detections", 3},    {"nms_iou_threshold", 1}, {"nms_score_threshold", 0},
          {"num_classes", 90},      {"use_regular_nms", 1},   {"w_scale", 6},
          {"x_scale", 10},          {"y_scale", 11}};
}

TEST(TfliteCustom, NumbersMayBeStoredAsIntegers) {
  const Bytes options = map_of(detection_entries());
  const auto model = tflite::read(*tflite::write(detection_model(options)), "");
  ASSERT_TRUE(model.ok()) << to_text(model.error());
  const auto& a = model->main().ops[0].as<DetectionAttrs>();
  const DetectionAttrs wanted{3, 1, 100, true, 0.0F, 1.0F, 90, 11.0F, 10.0F, 5.0F, 6.0F, options};
  EXPECT_EQ(a, wanted);
}

TEST(TfliteCustom, NeededOptionsAreNamed) {
  for (const char* key : {"max_detections", "num_classes", "w_scale"}) {
    auto entries = detection_entries();
    std::erase_if(entries, [key](const auto& e) { return e.first == key; });
    const Bytes file = *tflite::write(detection_model(map_of(entries)));
    const auto model = tflite::read(file, "");
    ASSERT_FALSE(model.ok());
    EXPECT_EQ(model.error().code, ErrorCode::tflite_custom_options);
    EXPECT_EQ(model.error().place.field, key);
  }
}

TEST(TfliteCodes, EveryOperatorOfTheGraphHasACode) {
  for (int i = 0; i < kOpKindCount; ++i) {
    const std::string_view builtin = info(static_cast<OpKind>(i)).builtin;
    int found = 0;
    for (int code = 0; code < 210; ++code) found += tflite::builtin_name(code) == builtin;
    EXPECT_EQ(found, 1) << builtin;
  }
}

TEST(TfliteCodes, KnownRows) {
  EXPECT_EQ(tflite::builtin_name(0), "ADD");
  EXPECT_EQ(tflite::builtin_name(3), "CONV_2D");
  EXPECT_EQ(tflite::builtin_name(32), "CUSTOM");
  EXPECT_EQ(tflite::builtin_name(80), "FAKE_QUANT");
  EXPECT_EQ(tflite::builtin_name(114), "QUANTIZE");
  EXPECT_EQ(tflite::builtin_name(117), "HARD_SWISH");
  EXPECT_EQ(tflite::builtin_name(209), "STABLEHLO_CASE");
  EXPECT_EQ(tflite::builtin_name(210), "");
  EXPECT_EQ(tflite::builtin_name(-1), "");
}

}  // namespace
}  // namespace edgetwin
