#include "formats/espdl/text/companions.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "unit/formats/espdl/espdl_models.h"

namespace edgetwin::espdl {
namespace {

using nlohmann::json;
using testing::full_document;
using testing::small_document;

TEST(EspdlInfo, SmallDocument) {
  EXPECT_EQ(
      info_text(small_document()),
      "model properties:\n"
      "metadata_props:\n"
      "\n"
      "graph small (\n"
      "  %in[INT8, 1x2x2x3], exponents: [-5]\n"
      ") initializers (\n"
      "  %weight[INT8, 1x1x3x4]\n"
      "  %bias[INT32, 4]\n"
      ") {\n"
      "  %out = Conv[activation = 'Relu', group = 1, quant_type = 'S8'](%in, %weight, %bias)\n"
      "  return %out\n"
      "}\n"
      "\n"
      "initializers value:\n"
      "%weight[INT8, 1x1x3x4], exponents: [-7], docString: layout ==> (N/16)HWC16_UNALIGNED\n"
      "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]\n"
      "%bias[INT32, 4], exponents: [-12]\n"
      "[67305985, 134678021, 202050057, 269422093]\n"
      "\n"
      "values info:\n"
      "%in[INT8, 1x2x2x3], exponents: [-5]\n"
      "%out[INT8, 1x2x2x4], exponents: [-4]\n"
      "\n"
      "test inputs value:\n"
      "\n"
      "test outputs value:\n");
}

TEST(EspdlInfo, LongAndStrangeTexts) {
  Document d = full_document();
  d.nodes[0].attributes[0].s = std::string(64, 'x') + "y";
  d.nodes[0].name = "n";
  d.graph_name = "a\nb";
  const std::string text = info_text(d);
  EXPECT_NE(text.find("'" + std::string(64, 'x') + "...'"), std::string::npos);
  EXPECT_NE(text.find("graph a\\x0ab ("), std::string::npos);
  EXPECT_NE(text.find("alpha = -0.3"), std::string::npos);
  EXPECT_NE(text.find("?x0x7"), std::string::npos);
}

TEST(EspdlConfig, SmallDocument) {
  Document d = small_document();
  d.initializers[0].exponents = {-7, -8, -9, -10};
  const json parsed = json::parse(config_json(d, "esp32s3"));
  const json& conv = parsed["configs"]["conv"];
  EXPECT_EQ(conv.size(), 4U);
  EXPECT_EQ(conv["in"]["bit_width"], 8);
  EXPECT_EQ(conv["in"]["quant_min"], -128);
  EXPECT_EQ(conv["bias"]["quant_max"], 2147483647);
  EXPECT_EQ(conv["in"]["policy"]["PER_TENSOR"], true);
  EXPECT_EQ(conv["weight"]["policy"]["PER_CHANNEL"], true);
  EXPECT_EQ(conv["weight"]["policy"].size(), 8U);
  EXPECT_EQ(parsed["dispatchings"]["conv"], "ESPDL_S3_INT8");
  EXPECT_EQ(parsed["values"]["in"]["scale"], 1.0 / 32);
  EXPECT_EQ(parsed["values"]["in"]["zero_point"], 0);
  EXPECT_EQ(parsed["values"]["weight"]["scale"],
            json({1.0 / 128, 1.0 / 256, 1.0 / 512, 1.0 / 1024}));
}

TEST(EspdlConfig, PlatformsByTargetAndType) {
  Document d = small_document();
  const auto platform = [&](const char* target, const char* type) {
    d.nodes[0].attributes[2].s = type;
    const json parsed = json::parse(config_json(d, target));
    return parsed["dispatchings"].value("conv", std::string("none"));
  };
  EXPECT_EQ(platform("c", "S16"), "ESPDL_C_INT16");
  EXPECT_EQ(platform("esp32p4", "S8"), "ESPDL_INT8");
  EXPECT_EQ(platform("esp32p4", "F32"), "FP32");
  EXPECT_EQ(platform("", "S8"), "none");
  EXPECT_EQ(platform("c", "S4"), "none");
}

// Names that JSON must escape, operators without names, exponents that no number can express.
TEST(EspdlConfig, StrangeContentIsStillJson) {
  Document d = full_document();
  d.nodes[0].name = "quote\" back\\ line\n byte\xff umlaut\xc3\xa4 half\xe2\x82";
  d.nodes[1].name = "";
  d.nodes.push_back(d.nodes[1]);
  d.nodes.push_back(d.nodes[0]);
  d.inputs[0].exponents = {5000};
  d.values.clear();
  const json parsed = json::parse(config_json(d, "c"));
  EXPECT_EQ(parsed["configs"].size(), 4U);
  EXPECT_TRUE(parsed["values"]["in"]["scale"].is_null());
  EXPECT_TRUE(parsed["configs"].contains(
      "quote\" back\\ line\n byte\xef\xbf\xbd umlaut\xc3\xa4 half\xef\xbf\xbd\xef\xbf\xbd"));
  EXPECT_EQ(config_json(d, "c"), config_json(d, "c"));
}

}  // namespace
}  // namespace edgetwin::espdl
