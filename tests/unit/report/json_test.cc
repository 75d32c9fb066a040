#include "report/json.h"

#include <gtest/gtest.h>

namespace edgetwin::report {
namespace {

TEST(ReportJson, QuantizationPerTensorAndPerChannel) {
  Json j = Json::object();
  set_quant(j, Quant::affine(0.5F, -1));
  EXPECT_EQ(j.text(), "{\n \"scale\": 0.5,\n \"zero_point\": -1\n}\n");
  Json exponent = Json::object();
  set_quant(exponent, Quant::power_of_two(-7));
  EXPECT_EQ(exponent.text(), "{\n \"exponent\": -7\n}\n");
  Json channels = Json::object();
  set_quant(channels, {Quant::Scheme::affine, {0.5F, 0.25F}, {0, 1}, {}, 3});
  EXPECT_EQ(channels.text(),
            "{\n \"scale\": [0.5, 0.25],\n \"zero_point\": [0, 1],\n \"axis\": 3\n}\n");
}

}  // namespace
}  // namespace edgetwin::report
