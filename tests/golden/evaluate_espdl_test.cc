// A published detector of ESP-DL in `evaluate`: the box that its post-processor finds, as the only
// true object, is found again with every threshold of AP.
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/json/json.h"
#include "edgetwin/evaluate.h"
#include "golden.h"
#include "test_folder.h"

namespace edgetwin {
namespace {

double ap_of(const Evaluation& made) {
  const auto document = Json::parse(made.json, "evaluation");
  const auto ap = document->get("models")->at(0).get("metrics")->get("AP");
  return ap ? ap->get("value")->as_number().value_or(-1.0) : -1.0;
}

// The cat at (54, 38) to (370, 336): `decode --decode espdl-espdet` of the model's outputs.
std::string annotation(int shift) {
  const std::string left = std::to_string(54 + shift);
  return R"({"images":[{"id":1,"file_name":"cat.bmp","width":512,"height":341}],)"
         R"("categories":[{"id":1,"name":"cat"}],"annotations":[{"id":1,"image_id":1,)"
         R"("category_id":1,"bbox":[)" +
         left + R"(,38,316,298],"area":94168,"iscrowd":0}]})";
}

TEST(EvaluateEspdl, AP) {
  const auto data = golden::shared_data();
  const std::string picture = data / "edgetpu/models/coral_test_data/cat.bmp";
  const std::string model = data / "espdl/upstream/espdet_cat_224_p4/model.espdl";
  if (!std::filesystem::exists(picture) || !std::filesystem::exists(model)) {
    GTEST_SKIP() << "no published detector and picture at hand";
  }
  const TestFolder folder;
  std::filesystem::copy_file(picture, folder / "cat.bmp");
  EvaluateOptions o;
  o.task = "detect";
  o.decoder = "espdl-espdet";
  o.resize = "letterbox";
  o.data = (folder / "instances.json").string();
  ASSERT_TRUE(write_file(o.data, annotation(0), Overwrite::yes).ok());
  const auto right = evaluate({Candidate{model, {}, {}}}, o);
  ASSERT_TRUE(right.ok()) << to_text(right.error());
  // The definition has an epsilon in its denominator.
  EXPECT_NEAR(ap_of(*right), 1.0, 1e-12);
  ASSERT_TRUE(write_file(o.data, annotation(400), Overwrite::yes).ok());
  const auto wrong = evaluate({Candidate{model, {}, {}}}, o);
  ASSERT_TRUE(wrong.ok()) << to_text(wrong.error());
  EXPECT_EQ(ap_of(*wrong), 0.0);
  o.resize = "crop";
  EXPECT_FALSE(evaluate({Candidate{model, {}, {}}}, o).ok());
}

}  // namespace
}  // namespace edgetwin
