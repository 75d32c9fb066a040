#include "robotics/trackers/looming.h"

#include <cmath>

#include "robotics/tools.h"

namespace edgetwin::robotics {
namespace {

using testing::code_of;
using testing::floats;
using testing::picture;
using testing::spot;

TEST(Looming, Tau) {
  EXPECT_DOUBLE_EQ(*LoomingDetector::compute_tau(Zones{3, 3, 3, 3, 3, 3, 3, 3, 3}), 1.0);
  EXPECT_GT(*LoomingDetector::compute_tau(Zones{1, 1, 1, 1, 5, 1, 1, 1, 1}), 1.0);
  EXPECT_LT(*LoomingDetector::compute_tau(Zones{5, 5, 5, 5, 1, 5, 5, 5, 5}), 1.0);
  EXPECT_DOUBLE_EQ(*LoomingDetector::compute_tau(Zones{0, 0, 0, 0, 2, 0, 0, 0, 0}), 2e6);
  const std::vector<float> eight(8);
  EXPECT_EQ(code_of(LoomingDetector::compute_tau(eight)), ErrorCode::module_input);
}

TEST(Looming, TimeToContact) {
  const auto ttc = [](std::vector<double> v, double dt) {
    return LoomingDetector::compute_ttc(v, dt);
  };
  EXPECT_NEAR(ttc({1.0, 1.1, 1.2}, 0.1), 0.8, 1e-9);
  EXPECT_TRUE(std::isinf(ttc({1.4, 1.3, 1.2}, 0.1)));
  EXPECT_TRUE(std::isinf(ttc({1.2, 1.2, 1.2}, 0.1)));
  EXPECT_TRUE(std::isinf(ttc({1.0, 1.5}, 0.1)));
  EXPECT_TRUE(std::isinf(ttc({1.0, 1.1, 1.2}, 0.0)));
  EXPECT_TRUE(std::isinf(ttc({}, 0.1)));
  EXPECT_EQ(ttc({1.0, 2.0, 3.0}, 0.1), 0.0);
}

TEST(Looming, ZonesSeeEdges) {
  for (const char* numerics : {"edgetpu", "tflite"}) {
    auto d = LoomingDetector::from_template(48, 3, {numerics});
    ASSERT_TRUE(d.ok()) << to_text(d.error());
    ASSERT_TRUE(d->open().ok());
    EXPECT_EQ(d->zones_per_dim(), 3);
    // Only in the centre.
    const auto zones = d->detect(spot(48, 1, 24, 24, 5));
    ASSERT_TRUE(zones.ok());
    for (size_t i = 0; i < zones->size(); ++i) {
      EXPECT_EQ((*zones)[i] > 0, i == 4) << i;
    }
    const auto flat = d->detect(picture(48, 48, 1, 0));
    for (const float z : *flat) EXPECT_EQ(z, 0.0F);
  }
}

TEST(Looming, ExpandingCircleChangesTau) {
  auto d = LoomingDetector::from_template(64);
  ASSERT_TRUE(d.ok() && d->open().ok());
  const auto small = LoomingDetector::compute_tau(*d->detect(spot(64, 1, 32, 32, 5)));
  const auto large = LoomingDetector::compute_tau(*d->detect(spot(64, 1, 32, 32, 24)));
  EXPECT_GT(*small, *large);
}

TEST(Looming, WrongPictures) {
  auto d = LoomingDetector::from_template(12);
  ASSERT_TRUE(d.ok());
  EXPECT_EQ(code_of(d->detect(picture(12, 12, 1, 0))), ErrorCode::module_closed);
  ASSERT_TRUE(d->open().ok());
  EXPECT_EQ(code_of(d->detect(picture(13, 12, 1, 0))), ErrorCode::module_input);
  EXPECT_TRUE(d->detect(floats({12, 12}, std::vector<float>(144, 999.0F))).ok());
  Tensor batch = picture(12, 12, 1, 0);
  batch.shape = {1, 12, 12, 1};
  EXPECT_TRUE(d->detect(batch).ok());
  EXPECT_EQ(code_of(LoomingDetector::from_template(12, 4)), ErrorCode::template_argument);
}

}  // namespace
}  // namespace edgetwin::robotics
