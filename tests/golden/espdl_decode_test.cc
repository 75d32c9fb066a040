// Outputs of the published ESP-DL models through the twin's decoders, against the vendor's own.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/json/json.h"
#include "decode/espdl/decode.h"
#include "golden/golden.h"

namespace edgetwin::golden {
namespace {

using nlohmann::json;

fs::path decode_data() { return shared_data() / "espdl" / "postprocess"; }

std::vector<std::string> lines_of(const fs::path& path) {
  std::ifstream stream(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// The arrays of a case, or those of the case that it names, with their exponents.
Result<std::vector<Tensor>> case_outputs(const json& all, const json& c) {
  const fs::path file = decode_data() / std::string(c["outputs"]);
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(file));
  EDGETWIN_TRY_ASSIGN(std::vector<Tensor> outputs, read_npz(data, file.string()));
  json arrays = c["arrays"];
  if (arrays.is_string()) {
    const std::string id = std::string(arrays).substr(3);
    for (const json& other : all) {
      if (other["id"] == id) arrays = other["arrays"];
    }
  }
  for (Tensor& t : outputs) {
    for (const json& a : arrays) {
      if (a["name"] == t.name) t.quant = Quant::power_of_two(a["exponent"]);
    }
  }
  return outputs;
}

bool near(double a, double b, double relative) {
  return std::abs(a - b) <= relative * std::max(std::abs(b), 1e-30);
}

void compare_detections(const json& c, json made) {
  json expected = c["expected"]["detections"];
  ASSERT_EQ(made.size(), expected.size());
  if (c.contains("order")) {
    const auto by_box = [](const json& a, const json& b) { return a["box"] < b["box"]; };
    std::sort(made.begin(), made.end(), by_box);
    std::sort(expected.begin(), expected.end(), by_box);
  }
  for (size_t i = 0; i < made.size(); ++i) {
    bool same_box = made[i]["box"] == expected[i]["box"];
    if (c.contains("boxes_with_fused_multiply_add")) {
      same_box = same_box || made[i]["box"] == c["boxes_with_fused_multiply_add"][i];
    }
    EXPECT_TRUE(same_box) << made[i]["box"] << " for " << expected[i]["box"];
    EXPECT_EQ(made[i]["class"], expected[i]["class"]);
    EXPECT_TRUE(near(made[i]["score"], expected[i]["score"], 1e-6)) << made[i]["score"];
    for (const char* key : {"keypoints", "mask_pixels"}) {
      if (expected[i].contains(key)) {
        EXPECT_EQ(made[i][key], expected[i][key]);
      }
    }
  }
}

void compare_arrays(const json& expected, const espdl_decode::Decoded& decoded, bool speech) {
  for (const Tensor& t : decoded.arrays) {
    if (!expected.contains(t.name)) continue;
    const auto wanted = load_npy(decode_data() / std::string(expected[t.name]));
    ASSERT_TRUE(wanted.ok());
    ASSERT_EQ(wanted->data.size(), t.data.size());
    // Speech: the chip adds in the order of its vectors.
    const double tolerance = !speech ? 0.0 : t.dtype == DType::int16 ? 2.0 : 1e-3;
    for (int64_t i = 0; i < t.shape.elements(); ++i) {
      ASSERT_NEAR(element_as_double(t.dtype, t.data, i),
                  element_as_double(t.dtype, wanted->data, i), tolerance)
          << t.name << " " << i;
    }
  }
}

void compare_others(const json& expected, const json& made) {
  if (expected.contains("classes")) {
    ASSERT_EQ(made["classes"].size(), expected["classes"].size());
    for (size_t i = 0; i < made["classes"].size(); ++i) {
      EXPECT_TRUE(near(made["classes"][i]["score"], expected["classes"][i]["score"], 1e-6));
    }
  }
  if (expected.contains("boxes")) {
    ASSERT_EQ(made["boxes"].size(), expected["boxes"].size());
    for (size_t i = 0; i < made["boxes"].size(); ++i) {
      EXPECT_EQ(made["boxes"][i]["points"], expected["boxes"][i]["points"]);
      EXPECT_NEAR(made["boxes"][i]["score"], expected["boxes"][i]["score"], 1e-4);
    }
  }
  if (expected.contains("matches")) {
    ASSERT_EQ(made["matches"].size(), expected["matches"].size());
    for (size_t i = 0; i < made["matches"].size(); ++i) {
      EXPECT_EQ(made["matches"][i]["id"], expected["matches"][i]["id"]);
      EXPECT_TRUE(
          near(made["matches"][i]["similarity"], expected["matches"][i]["similarity"], 1e-6));
    }
  }
  if (expected.contains("text")) {
    EXPECT_EQ(made["text"], expected["text"]);
    EXPECT_TRUE(near(made["score"], expected["score"], 1e-5));
  }
  if (expected.contains("moving_points")) {
    EXPECT_EQ(made["moving_points"], expected["moving_points"]);
  }
}

TEST(EspdlDecode, EveryResultAsTheRuntimeGivesIt) {
  if (!fs::exists(decode_data() / "cases.json")) {
    GTEST_SKIP() << "no espdl/postprocess in EDGETWIN_SHARED_DATA";
  }
  std::ifstream stream(decode_data() / "cases.json");
  const json all = json::parse(stream);
  for (const json& c : all) {
    const std::string id = c["id"];
    const std::string decoder = c["decode"];
    SCOPED_TRACE(id);
    const auto params = espdl_decode::read_params(c["params"].dump(), "params");
    ASSERT_TRUE(params.ok()) << to_text(params.error());
    const auto load = [](const std::string& file) { return load_npy(decode_data() / file); };
    Result<espdl_decode::Decoded> decoded = espdl_decode::Decoded{};
    if (espdl_decode::takes_files(decoder)) {
      decoded = espdl_decode::decode_files(decoder, *params, load);
    } else {
      const auto outputs = case_outputs(all, c);
      ASSERT_TRUE(outputs.ok()) << to_text(outputs.error());
      std::vector<std::string> names;
      if (decoder == "espdl-ocr-rec") names = lines_of(decode_data() / "pp_ocr_v6_dict.txt");
      decoded = espdl_decode::decode(decoder, *outputs, *params, names);
    }
    ASSERT_TRUE(decoded.ok()) << to_text(decoded.error());
    const json made = json::parse(espdl_decode::result_json(*decoded).text());
    const json& expected = c["expected"];
    if (expected.contains("detections")) compare_detections(c, made["detections"]);
    compare_arrays(expected, *decoded, decoder == "espdl-fbank");
    compare_others(expected, made);
    if (decoder == "espdl-gesture") {
      for (size_t i = 0; i < made["classes"].size(); ++i) {
        const double score = expected["classes"][i]["score"];
        const auto same = [score](const json& e) { return double{e["score"]} == score; };
        const auto& list = expected["classes"];
        if (std::count_if(list.begin(), list.end(), same) > 1) continue;  // ties have no order
        EXPECT_EQ(made["classes"][i]["name"], list[i]["name"]);
      }
    }
  }
}

}  // namespace
}  // namespace edgetwin::golden
