#include "targets/edgetpu/templates/templates.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "formats/tflite/tflite.h"

namespace edgetwin::edgetpu::templates {
namespace {

using Words = std::vector<std::pair<std::string, std::string>>;

// Enough for every template; those that it does not have are left out.
Words needed(const Kind& kind) {
  Words words;
  for (const Argument& a : kind.arguments) {
    if (!a.required) continue;
    const bool small = a.name.starts_with("kernel") || a.name == "ksize";
    words.emplace_back(a.name, small ? "3" : "12");
  }
  return words;
}

TEST(Templates, TableIsInOrder) {
  std::set<std::string_view> names;
  for (const Kind& kind : kinds()) {
    EXPECT_TRUE(names.insert(kind.name).second) << kind.name;
    EXPECT_FALSE(kind.text.empty());
    std::set<std::string_view> arguments;
    for (const Argument& a : kind.arguments) {
      EXPECT_TRUE(arguments.insert(a.name).second) << kind.name << " " << a.name;
      EXPECT_FALSE(a.text.empty());
      EXPECT_TRUE(!a.required || a.initial.empty());
    }
  }
  EXPECT_EQ(names.size(), 16U);
}

TEST(Templates, EveryOneIsMadeWrittenAndReadAgain) {
  for (const Kind& kind : kinds()) {
    const auto made = build(kind.name, needed(kind));
    ASSERT_TRUE(made.ok()) << kind.name << "\n" << to_text(made.error());
    EXPECT_TRUE(verify_graph(made->model.main()).ok());
    const auto file = tflite::write(made->model);
    ASSERT_TRUE(file.ok());
    const auto again = tflite::read(*file, "t");
    ASSERT_TRUE(again.ok());
    std::string difference;
    const bool same = equal(again->main(), made->model.main(), &difference);
    EXPECT_TRUE(same) << difference;
    EXPECT_FALSE(made->metadata.empty());
  }
}

TEST(Templates, WordsThatAreRefused) {
  const auto code = [](std::string_view kind, const Words& words) {
    const auto made = build(kind, words);
    return made.ok() ? ErrorCode::internal : made.error().code;
  };
  EXPECT_EQ(code("circle", {}), ErrorCode::template_argument);
  EXPECT_EQ(code("dense", {}), ErrorCode::template_argument);
  EXPECT_EQ(code("dense", {{"n", "0"}}), ErrorCode::template_argument);
  EXPECT_EQ(code("dense", {{"n", "4x"}}), ErrorCode::template_argument);
  EXPECT_EQ(code("dense", {{"n", "99999999999"}}), ErrorCode::template_argument);
  EXPECT_EQ(code("dense", {{"n", "2"}, {"weights_int8", "1,2,3"}}), ErrorCode::template_argument);
  EXPECT_EQ(code("dense", {{"n", "2"}, {"weights_int8", "1,2,3,400"}}),
            ErrorCode::template_argument);
  EXPECT_EQ(code("dense", {{"n", "2"}, {"m", "2"}}), ErrorCode::template_argument);
  const Words size = {{"height", "16"}, {"width", "16"}};
  const auto with = [&size](const std::string& name, const std::string& value) {
    Words words = size;
    words.emplace_back(name, value);
    return words;
  };
  EXPECT_EQ(code("spot_tracker", with("variant", "dark")), ErrorCode::template_argument);
  EXPECT_EQ(code("spot_tracker", with("variant", "color_red")), ErrorCode::template_argument);
  EXPECT_EQ(code("spot_tracker", with("temperature", "0")), ErrorCode::template_argument);
  EXPECT_EQ(code("spot_tracker", with("temperature", "nan")), ErrorCode::template_argument);
  EXPECT_EQ(code("looming", with("zones", "4")), ErrorCode::template_argument);
  EXPECT_EQ(code("looming", {{"height", "5"}, {"width", "12"}}), ErrorCode::template_argument);
  EXPECT_EQ(code("optical_flow", with("ksize", "6")), ErrorCode::template_argument);
  EXPECT_EQ(code("optical_flow", with("sigmas", "1,,2")), ErrorCode::template_argument);
  EXPECT_EQ(code("optical_flow", with("sigmas", "-1")), ErrorCode::template_argument);
  EXPECT_EQ(code("optical_flow_pooled", with("pool_factor", "5")), ErrorCode::template_argument);
  EXPECT_EQ(code("simple_depthwise", with("ksize", "70")), ErrorCode::template_argument);
}

TEST(Templates, NumbersOutOfRangeAreRefused) {
  EXPECT_FALSE(build(Dense{}).ok());
  EXPECT_FALSE(build(SpotTracker{}).ok());
  EXPECT_FALSE(build(PatternTracker{8, 8, 0, 3, 1}).ok());
  EXPECT_FALSE(build(PatternTracker{8, 8, 3, 3, -1}).ok());
  EXPECT_FALSE(build(OpticalFlow{8, 8, 7, 0}).ok());
  EXPECT_FALSE(build(OpticalFlowPooled{8, 8, 7, 4, {1.5}, 0}).ok());
  EXPECT_FALSE(build(SimpleDepthwise{8, 8, 0}).ok());
}

TEST(Templates, GivenWeightsAreTaken) {
  const auto made = build("dense", {{"n", "2"}, {"weights_int8", "1,-2,3,-4"}});
  ASSERT_TRUE(made.ok());
  const Value& w = made->model.main().value(1);
  EXPECT_EQ((*w.constant)[1], std::byte{0xfe});
  EXPECT_FLOAT_EQ(w.quant.scale[0], 4.0F / 127.0F);
  const auto pattern = build("pattern_tracker", {{"search_h", "4"},
                                                 {"search_w", "4"},
                                                 {"kernel_h", "2"},
                                                 {"kernel_w", "2"},
                                                 {"conv_weights_int8", "10,20,-30,127"}});
  ASSERT_TRUE(pattern.ok());
  EXPECT_FLOAT_EQ(pattern->model.main().value(5).quant.scale[0], 1.0F);
}

TEST(Templates, CoordinatesReachFromEndToEnd) {
  const auto c = coordinates(5, 0.1);
  EXPECT_EQ(c, (std::vector<float>{-10.0F, -5.0F, 0.0F, 5.0F, 10.0F}));
  EXPECT_EQ(coordinates(1, 0.1), std::vector<float>{0.0F});
}

TEST(Templates, GaborBank) {
  const auto bank = gabor_bank(7, 4, {1.5, 3.0});
  ASSERT_EQ(bank.size(), 8U * 49U);
  std::set<std::vector<float>> distinct;
  for (size_t f = 0; f < 8; ++f) {
    const std::vector<float> one(bank.begin() + static_cast<int64_t>(f * 49),
                                 bank.begin() + static_cast<int64_t>(f * 49 + 49));
    distinct.insert(one);
    float most = 0.0F;
    for (size_t i = 0; i < 49; ++i) {
      most = std::max(most, std::fabs(one[i]));
      EXPECT_NEAR(one[i], one[48 - i], 1e-5F);  // the same upside down
    }
    EXPECT_FLOAT_EQ(most, 1.0F);
  }
  EXPECT_EQ(distinct.size(), 8U);
}

// What a filter answers to an edge: the sum over the half plane beyond it.
float answer(const std::vector<float>& bank, size_t filter, bool horizontal) {
  float most = 0.0F;
  for (int edge = 0; edge < 7; ++edge) {
    float sum = 0.0F;
    for (int y = 0; y < 7; ++y) {
      for (int x = 0; x < 7; ++x) {
        if ((horizontal ? y : x) == edge) sum += bank[filter * 49 + static_cast<size_t>(y * 7 + x)];
      }
    }
    most = std::max(most, std::fabs(sum));
  }
  return most;
}

TEST(Templates, FiltersAnswerToTheirDirection) {
  const auto bank = gabor_bank(7, 4, {1.5});
  EXPECT_GT(answer(bank, 0, true), answer(bank, 0, false));
  EXPECT_GT(answer(bank, 2, false), answer(bank, 2, true));
}

}  // namespace
}  // namespace edgetwin::edgetpu::templates
