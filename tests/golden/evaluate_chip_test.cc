// Published networks over the published pictures: TensorFlow Lite's integers beside the Edge TPU's.
// The counts are in docs/evaluate.md. What a compiled model decides in the machine is what
// `edgetpu` says.
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/json/json.h"
#include "edgetwin/evaluate.h"
#include "golden.h"
#include "test_folder.h"

namespace edgetwin {
namespace {

namespace fs = std::filesystem;

fs::path coral_files() { return golden::shared_data() / "edgetpu/models/coral_test_data"; }

Candidate computed(const std::string& name, const std::string& numerics) {
  Candidate c;
  c.file = (coral_files() / (name + ".tflite")).string();
  c.open.numerics = numerics;
  return c;
}

// `key` of the second network and of each further one beside the first, as "same of all".
std::vector<std::string> alike(const std::vector<Candidate>& candidates, const std::string& key,
                               const EvaluateOptions& o) {
  const auto made = evaluate(candidates, o);
  if (!made.ok()) return {to_text(made.error())};
  const auto document = Json::parse(made->json, "evaluation");
  std::vector<std::string> all;
  for (size_t i = 1; i < candidates.size(); ++i) {
    const Json same = *document->get("models")->at(i).get("beside_first")->get(key);
    all.push_back(std::to_string(*same.get_integer("right")) + " of " +
                  std::to_string(*same.get_integer("count")));
  }
  return all;
}

using Texts = std::vector<std::string>;

TEST(EvaluateChip, Classes) {
  if (!fs::exists(coral_files() / "bird.bmp")) GTEST_SKIP() << "no published pictures at hand";
  const TestFolder folder;
  std::string list;
  for (const auto& [name, label] : {std::pair{"cat", 286}, std::pair{"grace_hopper", 653},
                                    std::pair{"bird", 20}, std::pair{"resized_cat", 286}}) {
    list += (coral_files() / (std::string(name) + ".bmp")).string() + "\t" + std::to_string(label) +
            "\n";
  }
  EvaluateOptions o;
  o.task = "classify";
  o.data = (folder / "list.txt").string();
  // Two pairs of ImageNet's classes have one name: a finding, since the labels are numbers.
  o.labels = (coral_files() / "imagenet_labels.txt").string();
  ASSERT_TRUE(write_file(o.data, list, Overwrite::yes).ok());
  const std::pair<const char*, const char*> expected[] = {{"mobilenet_v1_0.25_128_quant", "3 of 4"},
                                                          {"mobilenet_v1_0.5_160_quant", "4 of 4"},
                                                          {"mobilenet_v1_0.75_192_quant", "3 of 4"},
                                                          {"mobilenet_v2_1.0_224_quant", "4 of 4"}};
  for (const auto& [name, same] : expected) {
    EXPECT_EQ(alike({computed(name, "tflite"), computed(name, "edgetpu")}, "same_top1", o),
              Texts{same})
        << name;
  }
  const std::string small = "mobilenet_v1_0.25_128_quant";
  EXPECT_EQ(alike({computed(small, "edgetpu"), computed(small + "_edgetpu", "")}, "same_top1", o),
            Texts{"4 of 4"});
}

TEST(EvaluateChip, Pixels) {
  if (!fs::exists(coral_files() / "bird_segmentation.bmp")) {
    GTEST_SKIP() << "no published mask at hand";
  }
  const TestFolder folder;
  fs::create_directories(folder / "set/pictures");
  fs::create_directories(folder / "set/masks");
  fs::copy_file(coral_files() / "bird_segmentation.bmp", folder / "set/pictures/bird.bmp");
  fs::copy_file(coral_files() / "bird_segmentation_mask.bmp", folder / "set/masks/bird.png");
  EvaluateOptions o;
  o.task = "segment";
  o.data = (folder / "set").string();
  const std::string name = "deeplabv3_mnv2_dm05_pascal_quant";
  EXPECT_EQ(alike({computed(name, "tflite"), computed(name, "edgetpu")}, "same_pixels", o),
            Texts{"261227 of 263169"});
  // The operators that the compiler left to the host in the chip's numerics too.
  EXPECT_EQ(
      alike({computed(name, "edgetpu"), computed(name + "_edgetpu", "edgetpu")}, "same_pixels", o),
      Texts{"263169 of 263169"});
}

TEST(EvaluateChip, People) {
  if (!fs::exists(coral_files() / "squat.bmp")) GTEST_SKIP() << "no published picture at hand";
  const TestFolder folder;
  std::string points;
  for (int i = 0; i < 17; ++i) points += (i > 0 ? ",100,100,2" : "100,100,2");
  const std::string set =
      R"({"images":[{"id":1,"file_name":"squat.bmp"},{"id":2,"file_name":"grace_hopper.bmp"}],)"
      R"("categories":[{"id":1,"name":"person"}],"annotations":[{"id":1,"image_id":1,)"
      R"("category_id":1,"bbox":[10,10,300,400],"area":120000,"iscrowd":0,"num_keypoints":17,)"
      R"("keypoints":[)" +
      points + "]}]}";
  EvaluateOptions o;
  o.task = "keypoints";
  o.data = (folder / "person_keypoints.json").string();
  o.pictures = coral_files().string();
  ASSERT_TRUE(write_file(o.data, set, Overwrite::yes).ok());
  const std::string posenet = "posenet/posenet_mobilenet_v1_075_353_481_16_quant_decoder";
  // The compiled network's pose decoder runs on the host.
  EXPECT_EQ(alike({computed(posenet, "tflite"), computed(posenet, "edgetpu"),
                   computed(posenet + "_edgetpu", "")},
                  "same_objects", o),
            (Texts{"3 of 3", "3 of 3"}));
  const std::string movenet = "movenet_single_pose_lightning_ptq";
  EXPECT_EQ(alike({computed(movenet, "tflite"), computed(movenet, "edgetpu")}, "same_objects", o),
            Texts{"2 of 2"});
}

}  // namespace
}  // namespace edgetwin
