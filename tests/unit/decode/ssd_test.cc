#include "decode/ssd.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "unit/decode/maps.h"

namespace edgetwin::decode {
namespace {

SsdOptions options() {
  SsdOptions o;
  o.attributes.max_detections = 10;
  o.attributes.max_classes_per_detection = 1;
  o.attributes.nms_score_threshold = 0.1F;
  o.attributes.nms_iou_threshold = 0.5F;
  o.attributes.num_classes = 2;
  o.attributes.y_scale = o.attributes.x_scale = 10.0F;
  o.attributes.h_scale = o.attributes.w_scale = 5.0F;
  o.picture_width = 200, o.picture_height = 100;
  o.names = {"cat", "dog"};
  return o;
}

// Two anchors in one place and one elsewhere; no displacement.
struct Example {
  Tensor encodings = floats("boxes", {1, 3, 4});
  Tensor scores = floats("scores", {1, 3, 3});
  Tensor anchors = floats("anchors", {3, 4});

  Example() {
    const std::vector<float> a = {0.5F, 0.5F, 0.4F, 0.2F, 0.5F, 0.5F,
                                  0.4F, 0.2F, 0.2F, 0.1F, 0.2F, 0.2F};
    std::copy(a.begin(), a.end(), anchors.as<float>().begin());
    const std::vector<float> s = {0, 0.9F, 0.2F, 0, 0.3F, 0.8F, 0, 0.6F, 0.1F};
    std::copy(s.begin(), s.end(), scores.as<float>().begin());
  }
};

TEST(Ssd, BoxesInPixelsAndOneSuppressionOverAllClasses) {
  const Example e;
  const auto found = decode_ssd(e.encodings, e.scores, e.anchors, options());
  ASSERT_TRUE(found.ok()) << to_text(found.error());
  ASSERT_EQ(found->size(), 2U);
  EXPECT_EQ((*found)[0].name, "cat");
  EXPECT_NEAR((*found)[0].x0, 80.0, 1e-4);
  EXPECT_NEAR((*found)[0].y1, 70.0, 1e-4);
  EXPECT_NEAR((*found)[1].x0, 0.0, 1e-4);
  EXPECT_NEAR((*found)[1].score, 0.6, 1e-6);
}

TEST(Ssd, SuppressionPerClassKeepsAnotherClassInThePlace) {
  const Example e;
  SsdOptions o = options();
  o.attributes.use_regular_nms = true;
  const auto found = decode_ssd(e.encodings, e.scores, e.anchors, o);
  ASSERT_TRUE(found.ok());
  ASSERT_EQ(found->size(), 3U);
  EXPECT_EQ((*found)[1].name, "dog");
  EXPECT_EQ((*found)[1].x0, (*found)[0].x0);
}

TEST(Ssd, LogitsAndAnchorsOfEightBits) {
  const Example e;
  SsdOptions o = options();
  o.logits = true;
  o.threshold = 0.65;
  Example quantized = e;
  quantized.anchors =
      bytes_of("anchors", {3, 4}, {50, 50, 40, 20, 50, 50, 40, 20, 20, 10, 20, 20}, 0.01F, 0);
  const auto a = decode_ssd(e.encodings, e.scores, e.anchors, o);
  const auto b = decode_ssd(e.encodings, e.scores, quantized.anchors, o);
  ASSERT_TRUE(a.ok() && b.ok());
  ASSERT_EQ(a->size(), 1U);
  EXPECT_NEAR((*a)[0].score, 1.0 / (1.0 + std::exp(-0.9)), 1e-6);
  ASSERT_EQ(b->size(), 1U);
  EXPECT_NEAR((*b)[0].x1, (*a)[0].x1, 1e-3);
}

TEST(Ssd, RefusesMapsAndOptionsThatDoNotFit) {
  const Example e;
  EXPECT_EQ(decode_ssd(e.encodings, e.scores, floats("a", {2, 4}), options()).error().code,
            ErrorCode::decode_maps);
  EXPECT_EQ(decode_ssd(floats("b", {1, 3, 3}), e.scores, e.anchors, options()).error().code,
            ErrorCode::decode_maps);
  SsdOptions o = options();
  o.attributes.num_classes = 7;
  EXPECT_EQ(decode_ssd(e.encodings, e.scores, e.anchors, o).error().code,
            ErrorCode::decode_options);
  EXPECT_EQ(ssd_detections({}, options()).error().code, ErrorCode::decode_maps);
}

TEST(Ssd, RowsOfTheOperator) {
  std::vector<Tensor> outputs = {floats("boxes", {1, 2, 4}), floats("classes", {1, 2}, 1.0F),
                                 floats("scores", {1, 2}, 0.75F), floats("count", {1}, 1.0F)};
  outputs[0].as<float>()[2] = outputs[0].as<float>()[3] = 2.0F;  // beyond the picture: cut
  const auto found = ssd_detections(outputs, options());
  ASSERT_TRUE(found.ok());
  ASSERT_EQ(found->size(), 1U);
  EXPECT_EQ((*found)[0].x1, 200.0);
  EXPECT_EQ((*found)[0].name, "dog");
  outputs[3].as<float>()[0] = 1e30F;  // a hostile count: as many as there are
  EXPECT_EQ(ssd_detections(outputs, options())->size(), 2U);
  outputs[3].as<float>()[0] = std::nanf("");
  EXPECT_EQ(ssd_detections(outputs, options())->size(), 0U);
}

}  // namespace
}  // namespace edgetwin::decode
