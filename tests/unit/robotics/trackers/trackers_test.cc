#include "robotics/tools.h"
#include "robotics/trackers/pattern_tracker.h"
#include "robotics/trackers/spot_tracker.h"

namespace edgetwin::robotics {
namespace {

using testing::code_of;
using testing::floats;
using testing::picture;
using testing::spot;

class BothArithmetics : public ::testing::TestWithParam<const char*> {
 protected:
  TwinOptions options() const { return {GetParam()}; }
};
INSTANTIATE_TEST_SUITE_P(Modules, BothArithmetics, ::testing::Values("edgetpu", "tflite"));

TEST_P(BothArithmetics, SpotIsFoundInNinePlaces) {
  auto t = SpotTracker::from_template(64, "bright", options());
  ASSERT_TRUE(t.ok()) << to_text(t.error());
  ASSERT_TRUE(t->open().ok());
  for (const double y : {8.0, 31.5, 55.0}) {
    for (const double x : {8.0, 31.5, 55.0}) {
      const auto p = t->track(spot(64, 1, x, y, 3));
      ASSERT_TRUE(p.ok());
      EXPECT_NEAR(p->x, (x - 31.5) / 31.5, 0.15);
      EXPECT_NEAR(p->y, (y - 31.5) / 31.5, 0.15);
    }
  }
}

TEST_P(BothArithmetics, SpotMovesMonotonously) {
  auto t = SpotTracker::from_template(64, "bright", options());
  ASSERT_TRUE(t.ok() && t->open().ok());
  double last = -2.0;
  for (int x = 6; x < 60; x += 8) {
    const auto p = t->track(spot(64, 1, x, 32, 3));
    ASSERT_TRUE(p.ok());
    EXPECT_GT(p->x, last);
    last = p->x;
  }
}

TEST_P(BothArithmetics, FlatPictureShrinksToTheTop) {
  // More than 516 equal maxima: every weight is below half a step.
  auto t = SpotTracker::from_template(64, "bright", options());
  ASSERT_TRUE(t.ok() && t->open().ok());
  const auto p = t->track(picture(64, 64, 1, 200));
  ASSERT_TRUE(p.ok());
  EXPECT_NEAR(p->x, 0.0, 1e-6);
  EXPECT_NEAR(p->y, -1.0, 1e-6);
}

TEST_P(BothArithmetics, ColourCanBeChanged) {
  auto t = SpotTracker::from_template(64, "red", options());
  ASSERT_TRUE(t.ok()) << to_text(t.error());
  EXPECT_EQ(t->variant(), "color_red");
  ASSERT_TRUE(t->open().ok());
  Tensor two = spot(64, 3, 12, 32, 3, 0);
  const Tensor green = spot(64, 3, 52, 32, 3, 1);
  for (size_t i = 0; i < two.data.size(); ++i) two.data[i] |= green.data[i];
  EXPECT_LT(t->track(two)->x, -0.3);
  ASSERT_TRUE(t->set_color({-0.5, 1.0, -0.5}).ok());
  EXPECT_GT(t->track(two)->x, 0.3);
  ASSERT_TRUE(t->reset_color().ok());
  EXPECT_LT(t->track(two)->x, -0.3);
}

TEST_P(BothArithmetics, PatternIsFound) {
  auto t = PatternTracker::from_template(32, 8, 1, options());
  ASSERT_TRUE(t.ok()) << to_text(t.error());
  ASSERT_TRUE(t->open().ok());
  // A cross that is neither bright nor large.
  std::vector<int8_t> cross(64, -40);
  for (size_t i = 0; i < 8; ++i) cross[3 * 8 + i] = cross[4 * 8 + i] = cross[i * 8 + 3] = 100;
  ASSERT_TRUE(t->set_template_raw(cross).ok());
  for (const auto& [top, left] : {std::pair(4, 4), std::pair(4, 20), std::pair(20, 12)}) {
    Tensor p = picture(32, 32, 1, 20);
    for (int y = 0; y < 8; ++y) {
      for (int x = 0; x < 8; ++x) {
        if (cross[static_cast<size_t>(y * 8 + x)] < 0) continue;
        p.as<uint8_t>()[static_cast<size_t>((top + y) * 32 + left + x)] = 220;
      }
    }
    const auto found = t->track(p);
    ASSERT_TRUE(found.ok());
    EXPECT_NEAR(found->x, (left - 12.0) / 12.0, 0.15);
    EXPECT_NEAR(found->y, (top - 12.0) / 12.0, 0.15);
  }
}

TEST(SpotTracker, RefusesColoursThatItCannotHold) {
  auto bright = SpotTracker::from_template(16);
  ASSERT_TRUE(bright.ok());
  EXPECT_EQ(code_of(bright->set_color({1, 0, 0})), ErrorCode::module_model);
  auto red = SpotTracker::from_template(16, "red");
  ASSERT_TRUE(red.ok());
  EXPECT_EQ(code_of(red->set_color({1, 0})), ErrorCode::module_weights);
  const auto beyond = red->set_color({1.5, 0, 0});
  ASSERT_EQ(code_of(beyond), ErrorCode::module_weights);
  EXPECT_NE(beyond.error().details.at(0).find("1.0"), std::string::npos);
  EXPECT_EQ(code_of(red->set_color({std::nan(""), 0, 0})), ErrorCode::module_weights);
  auto fixed = SpotTracker::from_template(16, "red", {"tflite", 1, false});
  ASSERT_TRUE(fixed.ok());
  EXPECT_EQ(code_of(fixed->set_color({1, 0, 0})), ErrorCode::module_model);
}

TEST(SpotTracker, NearestPreset) {
  for (const Preset& p : presets()) {
    auto t = SpotTracker::from_color_weights(16, p.weights);
    ASSERT_TRUE(t.ok());
    EXPECT_EQ(t->matched_variant(), "color_" + std::string(p.name));
    EXPECT_LT(t->matched_distance(), 1e-6);
  }
  auto t = SpotTracker::from_color_weights(16, {0.9, -0.4, -0.5});
  EXPECT_EQ(t->matched_variant(), "color_red");
  EXPECT_GT(t->matched_distance(), 0.1);
}

TEST(SpotTracker, UnknownVariantNamesTheOthers) {
  const auto t = SpotTracker::from_template(16, "mauve");
  ASSERT_EQ(code_of(t), ErrorCode::module_model);
  EXPECT_NE(t.error().hint.find("color_magenta"), std::string::npos);
}

TEST(Tracker, Life) {
  auto t = SpotTracker::from_template(16);
  ASSERT_TRUE(t.ok());
  EXPECT_EQ(code_of(t->track(picture(16, 16, 1, 0))), ErrorCode::module_closed);
  ASSERT_TRUE(t->open().ok());
  EXPECT_TRUE(t->track(picture(16, 16, 1, 0)).ok());
  t->close();
  EXPECT_EQ(code_of(t->track_raw(Bytes(256))), ErrorCode::module_closed);
  EXPECT_EQ(t->output_bytes(), 2U);
  EXPECT_EQ(to_string(t->input_shape()), "1x16x16x1");
}

TEST(Tracker, PicturesOfManyForms) {
  auto t = SpotTracker::from_template(16);
  ASSERT_TRUE(t.ok() && t->open().ok());
  Tensor flat = picture(16, 16, 1, 9);
  flat.shape = {16, 16};
  EXPECT_TRUE(t->track(flat).ok());
  flat.shape = {1, 16, 16, 1};
  EXPECT_TRUE(t->track(flat).ok());
  EXPECT_TRUE(t->track(picture(50, 30, 1, 9)).ok());
  const auto wrong = t->track(picture(50, 30, 1, 9), false);
  ASSERT_EQ(code_of(wrong), ErrorCode::module_input);
  EXPECT_NE(wrong.error().message.find("50x30x1"), std::string::npos);
  EXPECT_NE(wrong.error().message.find("16x16x1"), std::string::npos);
  EXPECT_FALSE(wrong.error().hint.empty());
  EXPECT_EQ(code_of(t->track(picture(16, 16, 3, 9))), ErrorCode::module_input);
  EXPECT_EQ(code_of(t->track(Tensor())), ErrorCode::module_input);
  Tensor real = floats({16, 16}, std::vector<float>(256, 1000.0F));
  EXPECT_TRUE(t->track(real).ok());
  real.as<float>()[7] = std::nanf("");
  EXPECT_EQ(code_of(t->track(real)), ErrorCode::module_input);
  EXPECT_EQ(code_of(t->track_raw(Bytes(255))), ErrorCode::module_input);
  EXPECT_EQ(code_of(t->decode(Bytes(1))), ErrorCode::module_input);
}

TEST(Tracker, Directions) {
  EXPECT_EQ(offset_to_direction(0, 0), "center");
  EXPECT_EQ(offset_to_direction(0.05, -0.05), "center");
  EXPECT_EQ(offset_to_direction(0.15, 0), "right");
  EXPECT_EQ(offset_to_direction(-0.15, 0), "left");
  EXPECT_EQ(offset_to_direction(0, 0.5), "down");
  EXPECT_EQ(offset_to_direction(-0.5, -0.5), "up-left");
  EXPECT_EQ(offset_to_direction(0.15, 0.15, 0.2), "center");
  const Position servo = offset_to_servo_error(0.5, -0.25, 2.0);
  EXPECT_EQ(servo.x, -1.0);
  EXPECT_EQ(servo.y, 0.5);
}

TEST(PatternTracker, TemplatesFromPictures) {
  auto t = PatternTracker::from_template(24, 4);
  ASSERT_TRUE(t.ok() && t->open().ok());
  EXPECT_EQ(t->weight_count(), 16U);
  EXPECT_TRUE(t->set_template(floats({4, 4}, std::vector<float>(16, 0.5F))).ok());
  ASSERT_EQ(t->findings().size(), 1U);
  EXPECT_EQ(t->findings()[0].severity, Severity::warning);
  EXPECT_TRUE(t->set_template(floats({4, 4, 1}, std::vector<float>(16, -0.5F))).ok());
  EXPECT_TRUE(t->findings().empty());
  EXPECT_TRUE(t->set_template(picture(4, 4, 1, 77)).ok());
  EXPECT_EQ(code_of(t->set_template(picture(5, 4, 1, 77))), ErrorCode::module_weights);
  EXPECT_EQ(code_of(t->set_template(floats({4, 4}, std::vector<float>(16, std::nanf(""))))),
            ErrorCode::module_weights);
  EXPECT_EQ(code_of(t->set_template_raw(std::vector<int8_t>(15))), ErrorCode::module_weights);
  EXPECT_TRUE(t->reset_template().ok());
}

TEST(PatternTracker, CallsDoNotAccumulate) {
  auto t = PatternTracker::from_template(24, 4);
  ASSERT_TRUE(t.ok() && t->open().ok());
  const Tensor p = spot(24, 1, 6, 18, 2);
  const auto before = t->track_raw(p.data);
  ASSERT_TRUE(t->set_template_raw(std::vector<int8_t>(16, -50)).ok());
  EXPECT_NE(*t->track_raw(p.data), *before);
  ASSERT_TRUE(t->reset_template().ok());
  EXPECT_EQ(*t->track_raw(p.data), *before);
}

TEST(PatternTracker, FixedWeightsAndBadSizes) {
  auto fixed = PatternTracker::from_template(24, 4, 1, {"tflite", 1, false});
  ASSERT_TRUE(fixed.ok());
  EXPECT_EQ(code_of(fixed->set_template(picture(4, 4, 1, 1))), ErrorCode::module_model);
  EXPECT_EQ(code_of(PatternTracker::from_template(8, 8)), ErrorCode::template_argument);
}

}  // namespace
}  // namespace edgetwin::robotics
