#include "ops/decoders/detection_postprocess.h"

#include <cmath>

#include "ops/decoders/prepare.h"
#include "ops/op_test.h"

namespace edgetwin::ops {
namespace {

DetectionAttrs options() {
  DetectionAttrs o;
  o.max_detections = 2;
  o.max_classes_per_detection = 1;
  o.nms_score_threshold = 0.3F;
  o.nms_iou_threshold = 0.5F;
  o.num_classes = 2;
  o.y_scale = o.x_scale = 10.0F;
  o.h_scale = o.w_scale = 5.0F;
  return o;
}

// Three anchors; encodings are zero, so that the boxes are the anchors: 0 and 1 nearly alike, 2
// far.
OpTest op(const DetectionAttrs& o, const std::vector<float>& scores, int64_t classes) {
  OpTest t(OpKind::detection_postprocess, o);
  t.input(make<float>({1, 3, 4}, std::vector<float>(12, 0.0F)));
  t.input(make<float>({1, 3, classes}, scores));
  t.input(make<float>({3, 4}, {0.5F, 0.5F, 1, 1, 0.5F, 0.5F, 1, 0.9F, 3, 3, 1, 1}));
  for (int i = 0; i < 4; ++i) t.output(DType::float32);
  return t;
}

using Floats = std::vector<float>;

TEST(Detection, BestBoxHidesItsNeighbour) {
  const auto r =
      op(options(), {0.1F, 0.9F, 0.8F, 0.2F, 0.4F, 0.1F}, 2).run(prepare_detection_postprocess);
  ASSERT_TRUE(r.ok());
  EXPECT_EQ((*r)[0].shape, (Shape{1, 2, 4}));
  EXPECT_EQ(values<float>((*r)[0]), (Floats{0, 0, 1, 1, 2.5F, 2.5F, 3.5F, 3.5F}));
  EXPECT_EQ(values<float>((*r)[1]), (Floats{1, 0}));
  EXPECT_EQ(values<float>((*r)[2]), (Floats{0.9F, 0.4F}));
  EXPECT_EQ(values<float>((*r)[3]), (Floats{2}));
}

TEST(Detection, BackgroundIsLeftOutAndUnusedRowsAreZero) {
  const auto r = op(options(), {0.99F, 0.5F, 0.5F, 0.9F, 0.1F, 0.2F, 0.9F, 0.1F, 0.2F}, 3)
                     .run(prepare_detection_postprocess);
  ASSERT_TRUE(r.ok());
  EXPECT_EQ(values<float>((*r)[1]), (Floats{0, 0}));
  EXPECT_EQ(values<float>((*r)[2]), (Floats{0.5F, 0}));
  EXPECT_EQ(values<float>((*r)[3]), (Floats{1}));
}

TEST(Detection, SeveralClassesPerBox) {
  DetectionAttrs o = options();
  o.max_classes_per_detection = 2;
  const auto r = op(o, {0.4F, 0.9F, 0, 0, 0.5F, 0.5F}, 2).run(prepare_detection_postprocess);
  ASSERT_TRUE(r.ok());
  EXPECT_EQ((*r)[2].shape, (Shape{1, 4}));
  EXPECT_EQ(values<float>((*r)[1]), (Floats{1, 0, 0, 1}));
  EXPECT_EQ(values<float>((*r)[2]), (Floats{0.9F, 0.4F, 0.5F, 0.5F}));
  EXPECT_EQ(values<float>((*r)[3]), (Floats{4}));
}

TEST(Detection, RegularSuppressionPerClass) {
  DetectionAttrs o = options();
  o.use_regular_nms = true;
  // Both near boxes stay, each for its class; the far one is the third best.
  const auto r = op(o, {0.1F, 0.9F, 0.8F, 0.2F, 0.4F, 0.1F}, 2).run(prepare_detection_postprocess);
  ASSERT_TRUE(r.ok());
  EXPECT_EQ(values<float>((*r)[1]), (Floats{1, 0}));
  EXPECT_EQ(values<float>((*r)[2]), (Floats{0.9F, 0.8F}));
}

TEST(Detection, EightBitInputsEachByItsScale) {
  OpTest t(OpKind::detection_postprocess, options());
  t.input(make<uint8_t>({1, 1, 4}, {110, 100, 100, 100}, Quant::affine(0.5F, 100)));
  t.input(make<int8_t>({1, 1, 2}, {-128, 0}, Quant::affine(1.0F / 256, -128)));
  t.input(make<uint8_t>({1, 4}, {1, 1, 2, 2}, Quant::affine(0.5F, 0)));
  for (int i = 0; i < 4; ++i) t.output(DType::float32);
  const auto r = t.run(prepare_detection_postprocess);
  ASSERT_TRUE(r.ok());
  EXPECT_EQ(values<float>((*r)[0]), (Floats{0.5F, 0, 1.5F, 1, 0, 0, 0, 0}));
  EXPECT_EQ(values<float>((*r)[2]), (Floats{0.5F, 0}));
}

TEST(Detection, NotANumberIsNeverFound) {
  const float nan = std::nanf("");
  const auto r =
      op(options(), {nan, nan, nan, 0.5F, nan, nan}, 2).run(prepare_detection_postprocess);
  ASSERT_TRUE(r.ok());
  EXPECT_EQ(values<float>((*r)[3]), (Floats{1}));
  EXPECT_EQ(values<float>((*r)[1])[0], 1.0F);
}

TEST(Detection, OverlapAndSuppression) {
  EXPECT_EQ(overlap({0, 0, 2, 2}, {1, 1, 3, 3}), 1.0F / 7.0F);
  EXPECT_EQ(overlap({0, 0, 1, 1}, {2, 2, 3, 3}), 0.0F);
  EXPECT_EQ(overlap({0, 0, 0, 1}, {0, 0, 1, 1}), 0.0F);
  const std::vector<Box> boxes(3, Box{0, 0, 1, 1});
  const Floats scores = {0.5F, 0.7F, 0.7F};
  EXPECT_EQ(suppress(boxes, scores, 0.5F, 0.9F, 9), (std::vector<size_t>{1}));
  EXPECT_EQ(suppress(boxes, scores, 0.6F, 1.0F, 9), (std::vector<size_t>{1, 2}));
  EXPECT_EQ(suppress(boxes, scores, 0.5F, 1.0F, 1), (std::vector<size_t>{1}));
}

TEST(Detection, BoxWithoutAreaIsNamed) {
  OpTest t(OpKind::detection_postprocess, options());
  t.input(make<float>({1, 1, 4}, {0, 0, 0, 0})).input(make<float>({1, 1, 2}, {1, 1}));
  t.input(make<float>({1, 4}, {1, 1, 0, 1}));
  for (int i = 0; i < 4; ++i) t.output(DType::float32);
  EXPECT_EQ(t.error(prepare_detection_postprocess), ErrorCode::op_data);
  EXPECT_EQ(t.message, "box 0 has no area");
}

TEST(Detection, RefusesOptionsAndShapes) {
  const auto error = [](auto change) {
    DetectionAttrs o = options();
    change(o);
    return op(o, Floats(6, 0.5F), 2).error(prepare_detection_postprocess);
  };
  EXPECT_EQ(error([](auto& o) { o.max_detections = 0; }), ErrorCode::op_attribute);
  EXPECT_EQ(error([](auto& o) { o.max_classes_per_detection = -1; }), ErrorCode::op_attribute);
  EXPECT_EQ(error([](auto& o) { o.num_classes = 0; }), ErrorCode::op_attribute);
  EXPECT_EQ(error([](auto& o) { o.num_classes = 3; }), ErrorCode::op_attribute);
  EXPECT_EQ(error([](auto& o) { o.num_classes = INT32_MAX; }), ErrorCode::op_attribute);
  EXPECT_EQ(error([](auto& o) { o.h_scale = 0.0F; }), ErrorCode::op_attribute);
  EXPECT_EQ(error([](auto& o) { o.nms_iou_threshold = std::nanf(""); }), ErrorCode::op_attribute);
  EXPECT_EQ(error([](auto& o) { o.max_detections = o.max_classes_per_detection = INT32_MAX; }),
            ErrorCode::op_shape);
  EXPECT_EQ(error([](auto& o) {
              o.use_regular_nms = true;
              o.detections_per_class = 0;
            }),
            ErrorCode::op_attribute);
}

}  // namespace
}  // namespace edgetwin::ops
