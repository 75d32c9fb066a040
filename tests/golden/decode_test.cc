// Decoders of network outputs against stored results, and on real networks and pictures.
#include "golden/golden.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/rng.h"
#include "decode/movenet.h"
#include "decode/part.h"
#include "decode/posenet.h"
#include "decode/segmentation.h"
#include "decode/ssd.h"
#include "image/resize.h"

namespace edgetwin::golden {
namespace {

using nlohmann::json;

fs::path tflite_data() { return shared_data() / "tflite"; }
fs::path coral() { return shared_data() / "edgetpu" / "models" / "coral_test_data"; }

#define NEED(path)                                                            \
  if (!fs::exists(path)) {                                                    \
    GTEST_SKIP() << "no " << (path).filename() << " in EDGETWIN_SHARED_DATA"; \
  }

std::vector<json> cases_of(const fs::path& file, const std::string& start) {
  std::ifstream stream(file);
  const json all = json::parse(stream);
  std::vector<json> found;
  for (const json& c : all["cases"]) {
    if (std::string(c["id"]).starts_with(start)) found.push_back(c);
  }
  return found;
}

std::vector<float> floats_of(const fs::path& path) {
  const auto t = load_npy(path);
  if (!t.ok()) return {};
  const auto values = t->as<float>();
  return {values.begin(), values.end()};
}

// The stored heads of a real network, through the decoder: the poses of the original.
TEST(Decode, PosenetAsTheOriginalDecoder) {
  NEED(tflite_data() / "cases.json");
  const fs::path file =
      coral() / "posenet" / "posenet_mobilenet_v1_075_353_481_16_quant_decoder.tflite";
  NEED(file);
  const auto graph = load_graph(file);
  ASSERT_TRUE(graph.ok());
  const Op* op = decode::find_op(**graph, OpKind::posenet_decoder);
  ASSERT_NE(op, nullptr);
  size_t poses_seen = 0;
  for (const json& c : cases_of(tflite_data() / "cases.json", "posenet_353_481__")) {
    std::vector<Tensor> maps;
    for (size_t i = 0; i < 3; ++i) {
      auto t = load_npy(tflite_data() / std::string(c["outputs"][i]["file"]));
      ASSERT_TRUE(t.ok());
      t->quant = (*graph)->value(op->inputs[i]).quant;
      maps.push_back(std::move(*t));
    }
    const auto poses = decode::posenet_poses(maps, op->as<PosenetAttrs>());
    ASSERT_TRUE(poses.ok()) << to_text(poses.error());
    const json& d = c["posenet_decoder"];
    ASSERT_EQ(poses->size(), d["count"].get<size_t>()) << c["id"];
    const auto points = floats_of(tflite_data() / std::string(d["keypoints_yx"]));
    const auto scores = floats_of(tflite_data() / std::string(d["keypoint_scores"]));
    for (size_t i = 0; i < poses->size(); ++i, ++poses_seen) {
      for (size_t k = 0; k < 17; ++k) {
        EXPECT_NEAR((*poses)[i].points[k].y, points[(i * 17 + k) * 2], 1e-4F);
        EXPECT_NEAR((*poses)[i].points[k].x, points[(i * 17 + k) * 2 + 1], 1e-4F);
        EXPECT_NEAR((*poses)[i].scores[k], scores[i * 17 + k], 1e-6F);
      }
    }
  }
  EXPECT_EQ(poses_seen, 2U);
}

TEST(Decode, MultiposeOfTheModuleCases) {
  NEED(tflite_data() / "modules.json");
  const auto cases = cases_of(tflite_data() / "modules.json", "multipose_");
  ASSERT_EQ(cases.size(), 2U);
  constexpr int64_t kSide = 9;
  for (const json& c : cases) {
    XorShift32 random(static_cast<uint32_t>(std::stoul(std::string(c["bytes"]).substr(5))));
    std::vector<Tensor> maps;
    const auto add = [&](const char* name, int64_t channels, int less, float over) {
      Tensor t = *Tensor::zeros(DType::float32, {1, kSide, kSide, channels});
      t.name = name;
      for (float& v : t.as<float>()) v = static_cast<float>(random.byte() - less) / over;
      maps.push_back(std::move(t));
    };
    add("heatmap", 17, 200, 12.0F);
    add("offset_2", 34, 128, 8.0F);
    add("displacement_fwd_2", 32, 128, 4.0F);
    add("displacement_bwd_2", 32, 128, 4.0F);
    const auto people = decode::decode_multipose(maps, {});
    ASSERT_TRUE(people.ok()) << to_text(people.error());
    ASSERT_EQ(people->size(), c["count"].get<size_t>());
    for (size_t i = 0; i < people->size(); ++i) {
      EXPECT_NEAR((*people)[i].score, c["scores"][i].get<double>(), 1e-6) << i;
    }
    for (size_t k = 0; k < 17; ++k) {
      const auto& p = people->front().points[k];
      EXPECT_EQ(p.y, c["first_keypoints"][k][0].get<double>()) << k;
      EXPECT_EQ(p.x, c["first_keypoints"][k][1].get<double>()) << k;
    }
  }
}

// The maps before the operator, with its anchors and options from the file: the rows of the
// released runtime.
TEST(Decode, SsdAsTheReleasedRuntime) {
  NEED(tflite_data() / "cases.json");
  const fs::path file =
      coral() / "tools" / "ssd_mobilenet_v1_coco_quant_postprocess_head_layers.tflite";
  NEED(file);
  const auto graph = load_graph(file);
  ASSERT_TRUE(graph.ok());
  const Op* op = decode::find_op(**graph, OpKind::detection_postprocess);
  ASSERT_NE(op, nullptr);
  const auto cases = cases_of(tflite_data() / "cases.json", "ssd_v1_heads__");
  ASSERT_EQ(cases.size(), 2U);
  for (const json& c : cases) {
    std::vector<Tensor> maps;
    for (size_t i = 0; i < 3; ++i) {
      auto t = load_npy(tflite_data() / std::string(c["custom_inputs"][i]));
      ASSERT_TRUE(t.ok());
      t->quant = (*graph)->value(op->inputs[i]).quant;
      maps.push_back(std::move(*t));
    }
    decode::SsdOptions options;
    options.attributes = op->as<DetectionAttrs>();
    options.threshold = 0.0;
    options.picture_width = options.picture_height = 1 << 20;
    const auto found = decode::decode_ssd(maps[0], maps[1], maps[2], options);
    ASSERT_TRUE(found.ok()) << to_text(found.error());
    std::array<std::vector<float>, 4> wanted;
    for (size_t i = 0; i < 4; ++i) {
      wanted[i] = floats_of(tflite_data() / std::string(c["outputs"][i]["file"]));
    }
    ASSERT_EQ(found->size(), static_cast<size_t>(wanted[3].at(0)));
    ASSERT_GT(found->size(), 10U);
    for (size_t i = 0; i < found->size(); ++i) {
      const auto& d = (*found)[i];
      EXPECT_EQ(d.class_index, static_cast<int>(wanted[1][i]));
      EXPECT_EQ(d.score, static_cast<double>(wanted[2][i]));
      const auto part = [](double v) { return v / (1 << 20); };
      const auto inside = [](float v) { return std::clamp(static_cast<double>(v), 0.0, 1.0); };
      EXPECT_NEAR(part(d.y0), inside(wanted[0][4 * i]), 1e-5);
      EXPECT_NEAR(part(d.x1), inside(wanted[0][4 * i + 3]), 1e-5);
    }
  }
}

Result<Tensor> picture(const fs::path& path) {
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(path));
  return decode_image(data, path.string());
}

Result<std::vector<Tensor>> run_on(const fs::path& model, const fs::path& image,
                                   const std::string& numerics) {
  EDGETWIN_TRY_ASSIGN(const auto graph, load_graph(model));
  exec::Options options;
  options.numerics = numerics;
  EDGETWIN_TRY_ASSIGN(exec::Session session, exec::Session::create(graph, options));
  EDGETWIN_TRY_ASSIGN(const Tensor given, picture(image));
  const ValueId id = graph->inputs.at(0);
  const Shape& shape = session.shape(id);
  EDGETWIN_TRY_ASSIGN(const Tensor fitting, resized(given, static_cast<int>(shape[1]),
                                                    static_cast<int>(shape[2]), Resize::lanczos));
  EDGETWIN_TRY_ASSIGN(const Tensor input, exec::picture_input(fitting, graph->value(id), shape));
  EDGETWIN_TRY(run(session, {input}));
  std::vector<Tensor> outputs;
  for (size_t i = 0; i < graph->outputs.size(); ++i) outputs.push_back(session.output(i));
  return outputs;
}

// The whole network on the photograph that the stored mask belongs to: the bird is where it is
// there.
TEST(Decode, DeepLabFindsTheBird) {
  const fs::path model = coral() / "deeplabv3_mnv2_dm05_pascal_quant.tflite";
  NEED(model);
  constexpr uint8_t kBird = 3;
  const auto mask = picture(coral() / "bird_segmentation_mask.bmp");
  ASSERT_TRUE(mask.ok());
  const auto truth = decode::class_map_of_mask(*mask);
  ASSERT_TRUE(truth.ok());
  for (const char* numerics : {"tflite", "edgetpu"}) {
    const auto outputs = run_on(model, coral() / "bird_segmentation.bmp", numerics);
    ASSERT_TRUE(outputs.ok()) << to_text(outputs.error());
    const auto map = decode::class_map(outputs->at(0));
    ASSERT_TRUE(map.ok()) << to_text(map.error());
    const auto fitting = decode::resized(*map, truth->height, truth->width);
    const double bird = decode::overlap(fitting, *truth, kBird);
    RecordProperty(std::string("overlap_") + numerics, std::to_string(bird));
    EXPECT_GT(bird, 0.80) << numerics;
    EXPECT_GT(decode::overlap(fitting, *truth, 0), 0.90) << numerics;
  }
}

// The vendor's rows belong to another version of the network; its sure key points are within 0.04
// of theirs, in the arithmetic of both.
TEST(Decode, MoveNetFindsThePerson) {
  const fs::path model = coral() / "movenet_single_pose_lightning_ptq.tflite";
  NEED(model);
  std::ifstream csv(coral() / "movenet_single_pose_lightning_ptq_reference.csv");
  std::string line;
  std::getline(csv, line);
  std::vector<std::array<double, 3>> rows;  // score, x, y
  while (std::getline(csv, line)) {
    std::array<double, 6> v = {};
    std::sscanf(line.c_str(), "%lf,%lf,%lf,%lf,%lf,%lf", &v[0], &v[1], &v[2], &v[3], &v[4], &v[5]);
    rows.push_back({v[3], v[4], v[5]});
  }
  ASSERT_EQ(rows.size(), 17U);
  for (const char* numerics : {"tflite", "edgetpu"}) {
    const auto outputs = run_on(model, coral() / "squat.bmp", numerics);
    ASSERT_TRUE(outputs.ok()) << to_text(outputs.error());
    const auto people = decode::decode_movenet(outputs->at(0), 1, 1, 0.0);
    ASSERT_TRUE(people.ok());
    ASSERT_EQ(people->size(), 1U);
    int compared = 0;
    for (size_t k = 0; k < 17; ++k) {
      const auto& p = (*people)[0].points[k];
      if (p.score < 0.5 || rows[k][0] < 0.5) continue;
      ++compared;
      EXPECT_NEAR(p.x, rows[k][1], 0.04) << numerics << " " << k;
      EXPECT_NEAR(p.y, rows[k][2], 0.04) << numerics << " " << k;
    }
    EXPECT_GE(compared, 5) << numerics;
  }
}

}  // namespace
}  // namespace edgetwin::golden
