// Pictures of ESP-DL's examples through its published networks, in one call: what the twin and the
// vendor's own post-processors made of them, and how far that is from what boards printed. The
// chip's JPEG decoder is closed, so that boxes of a board differ by some pixels.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "edgetwin/vision.h"
#include "golden/golden.h"

namespace edgetwin::golden {
namespace {

using nlohmann::json;

fs::path board_data() { return shared_data() / "espdl" / "silicon"; }
std::string published(const std::string& model) {
  return (shared_data() / "espdl" / "upstream" / model / "model.espdl").string();
}

json case_of_board(const std::string& id) {
  std::ifstream stream(board_data() / "cases.json");
  for (const json& c : json::parse(stream)) {
    if (c["id"] == id) return c;
  }
  return {};
}

VisionStage stage(const std::string& model, const std::string& decoder) {
  return {published(model), {}, {}, decoder, {}};
}

json seen(const std::string& picture, std::vector<VisionStage> stages) {
  const auto made =
      see_picture((board_data() / "pictures" / picture).string(), {std::move(stages), "", false});
  EXPECT_TRUE(made.ok()) << to_text(made.error());
  return made.ok() ? json::parse(made->json) : json();
}

double overlap(const json& first, const json& second) {
  const auto a = first.get<std::vector<int>>(), b = second.get<std::vector<int>>();
  const auto area = [](int x1, int y1, int x2, int y2) {
    return std::max(0, x2 - x1 + 1) * std::max(0, y2 - y1 + 1);
  };
  const int both =
      area(std::max(a[0], b[0]), std::max(a[1], b[1]), std::min(a[2], b[2]), std::min(a[3], b[3]));
  const int all = area(a[0], a[1], a[2], a[3]) + area(b[0], b[1], b[2], b[3]) - both;
  return static_cast<double>(both) / all;
}

// Equal to the recorded twin; every object of the board's log is there.
void expect_objects(const std::string& id, const json& made) {
  const json c = case_of_board(id);
  ASSERT_EQ(made["detections"].size(), c["twin"].size());
  for (const json& wanted : c["twin"]) {
    const auto same = [&](const json& d) { return d["box"] == wanted["box"]; };
    const auto at = std::find_if(made["detections"].begin(), made["detections"].end(), same);
    ASSERT_NE(at, made["detections"].end()) << wanted;
    EXPECT_EQ((*at)["class"], wanted["class"]);
    EXPECT_NEAR((*at)["score"], wanted["score"], 1e-6);
    if (wanted.contains("keypoints")) {
      EXPECT_EQ((*at)["keypoints"], wanted["keypoints"]);
    }
  }
  for (const json& printed : c["printed"]) {
    double best = 0.0;
    for (const json& d : made["detections"]) {
      if (d["class"] == printed["class"]) best = std::max(best, overlap(d["box"], printed["box"]));
    }
    EXPECT_GT(best, 0.8) << id << " " << printed["box"];
  }
}

#define NEED_BOARDS() \
  if (!fs::exists(board_data() / "cases.json")) GTEST_SKIP() << "no logs of boards at hand"

TEST(EspdlVision, Detectors) {
  NEED_BOARDS();
  expect_objects("cat", seen("cat.jpg", {stage("espdet_cat_224_p4", "espdl-espdet")}));
  expect_objects("yolo11n-pose", seen("bus.jpg", {stage("yolo11n_pose_v2_p4", "espdl-pose")}));
  expect_objects("yolo26-bus", seen("bus.jpg", {stage("yolo26n_512_p4", "espdl-yolo26")}));
}

TEST(EspdlVision, FacesByTwoNetworks) {
  NEED_BOARDS();
  const json made = seen("human_face.jpg",
                         {stage("face_msr_p4", "espdl-msr"), stage("face_mnp_p4", "espdl-mnp")});
  expect_objects("face-msrmnp", made);
}

std::vector<float> face_feature(const std::string& picture) {
  const auto made =
      see_picture((board_data() / "pictures" / picture).string(),
                  {{stage("face_msr_s3", "espdl-msr"), stage("face_mnp_s3", "espdl-mnp"),
                    stage("face_mfn_s3", "espdl-feature")}});
  EXPECT_TRUE(made.ok()) << to_text(made.error());
  if (!made.ok() || made->arrays.empty()) return {};
  const auto values = made->arrays[0].as<float>();
  return {values.begin(), values.end()};
}

// The example enrolls three faces and asks for a fourth; the board printed id 3.
TEST(EspdlVision, FacesOfOnePerson) {
  NEED_BOARDS();
  const auto asked = face_feature("face_musk2.jpg");
  ASSERT_EQ(asked.size(), 512U);
  const json c = case_of_board("face-recognition");
  size_t i = 0;
  for (const char* picture : {"face_bill1.jpg", "face_bill2.jpg", "face_musk1.jpg"}) {
    const auto enrolled = face_feature(picture);
    ASSERT_EQ(enrolled.size(), asked.size());
    double sum = 0.0;
    for (size_t k = 0; k < asked.size(); ++k) sum += static_cast<double>(asked[k]) * enrolled[k];
    EXPECT_NEAR(sum, c["twin"]["similarities_of_1_2_3"][i++], 1e-6) << picture;
  }
}

TEST(EspdlVision, TextsFoundAndRead) {
  NEED_BOARDS();
  VisionStage reader = stage("pp_ocr_rec_s16_p4", "espdl-ocr-rec");
  const auto names = read_names(
      "espdl-ocr-rec", (shared_data() / "espdl" / "postprocess" / "pp_ocr_v6_dict.txt").string());
  ASSERT_TRUE(names.ok());
  reader.names = *names;
  const json made = seen("pp_ocr_v6.jpg", {stage("pp_ocr_det_s8_p4", "espdl-ocr-det"), reader});
  const json c = case_of_board("ocr-short_s16");
  ASSERT_EQ(made["boxes"].size(), c["twin"].size());
  for (size_t i = 0; i < made["boxes"].size(); ++i) {
    EXPECT_EQ(made["boxes"][i]["points"], c["twin"][i]["points"]);
    EXPECT_EQ(made["boxes"][i]["text"], c["twin"][i]["text"]);
    EXPECT_NEAR(made["boxes"][i]["text_score"], c["twin"][i]["score"], 1e-4);
  }
}

TEST(EspdlVision, StagesThatDoNotFollow) {
  NEED_BOARDS();
  const auto made = see_picture(
      (board_data() / "pictures" / "cat.jpg").string(),
      {{stage("espdet_cat_224_p4", "espdl-espdet"), stage("face_mnp_p4", "espdl-mnp")}});
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().code, ErrorCode::usage);
}

}  // namespace
}  // namespace edgetwin::golden
