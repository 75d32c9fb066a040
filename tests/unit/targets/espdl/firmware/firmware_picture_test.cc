// An application whose networks look at a picture: compiled with stand-ins and run. Each stage is
// made wrong in turn, and the log names it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "unit/targets/espdl/firmware/application.h"
#include "unit/targets/espdl/firmware/firmware_cases.h"

namespace edgetwin::targets::espdl {
namespace {

using firmware_cases::Application;
using firmware_cases::model_file;
using firmware_cases::tensor;
using ::testing::HasSubstr;
using ::testing::Not;

template <class T>
Tensor plain(const std::string& name, std::vector<T> values) {
  Tensor t = tensor<T>(name, {static_cast<int64_t>(values.size())}, 0, values);
  t.quant = Quant();
  return t;
}

FirmwareOptions picture_options(const std::string& target) {
  FirmwareOptions options;
  options.target = target;
  options.picture.emplace();
  options.picture->name = "street";
  options.picture->pixels = tensor<uint8_t>("", {2, 3, 3}, 0, std::vector<uint8_t>(18, 77));
  return options;
}

FirmwareVision seen_by(const std::string& decoder) {
  FirmwareVision v;
  v.decoder = decoder;
  v.mean = {0, 0, 123.675F};
  v.std = {255, 255, 57.375F};
  v.score = 0.25F;
  v.overlap = 0.7F;
  v.most = 10;
  return v;
}

// A look whose input is all `value`.
FirmwareCase look(const std::string& name, const std::string& model_of, int8_t value,
                  FirmwareVision vision) {
  FirmwareCase one;
  one.name = name;
  one.model_of = model_of;
  if (model_of.empty()) one.model_file = model_file(400 + name.size());
  one.inputs = {tensor<int8_t>("x", {1, 1, 1, 3}, -7, {value, value, value})};
  one.nodes = {tensor<int8_t>("conv", {1, 2}, -6, {value, 6}),
               tensor<int8_t>("y", {1, 2}, -5, {9, value})};
  one.outputs = {one.nodes[1]};
  one.vision = std::move(vision);
  return one;
}

// Boxes with masks, then two of them by a classifier.
std::vector<FirmwareCase> hands() {
  FirmwareVision detector = seen_by("espdl-seg");
  detector.border = {114, 114, 114};
  detector.results = {plain<int32_t>("count", {2}),
                      plain<int32_t>("boxes", {0, 0, 0, 1, 1, 5, 1, 0, 2, 1}),
                      plain<float>("scores", {0.5F, 0.3208F}), plain<uint8_t>("mask_1", {1, 0, 1})};
  FirmwareVision first = seen_by("espdl-gesture");
  first.part = {0, 0, 1, 1};
  first.results = {plain<float>("scores", {0.75F})};
  FirmwareVision second = first;
  second.part = {1, 0, 2, 1};
  second.results = {plain<float>("scores", {0.625F})};
  return {look("hand", "", 1, detector), look("gesture", "", 2, first),
          look("gesture-2", "gesture", 3, second)};
}

// The networks of faces, and the feature of one that is turned upright.
std::vector<FirmwareCase> faces() {
  FirmwareVision msr = seen_by("espdl-msr");
  msr.swapped = true;
  msr.results = {plain<int32_t>("count", {2}),
                 plain<int32_t>("boxes", {0, 0, 0, 1, 1, 0, 1, 0, 2, 1}),
                 plain<float>("scores", {0.9F, 0.8F})};
  FirmwareVision first = seen_by("espdl-mnp");
  first.part = {0, 0, 1, 1};
  FirmwareVision second = first;
  second.part = {1, 0, 2, 1};
  second.results = {plain<int32_t>("count", {1}),
                    plain<int32_t>("boxes", {0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4}),
                    plain<float>("scores", {0.95F})};
  FirmwareVision feature = seen_by("espdl-feature");
  feature.part = {1, 1, 1, 2, 2, 2, 3, 3, 3, 4};
  feature.results = {plain<float>("feature", {0.6F, -0.8F})};
  return {look("msr", "", 1, msr), look("mnp", "", 2, first), look("mnp-2", "mnp", 3, second),
          look("mfn", "", 4, feature)};
}

TEST(FirmwarePicture, EachStageThatPartsIsNamed) {
  FirmwareOptions options = picture_options("esp32s3");
  options.picture->jpeg = model_file(64);
  options.picture->jpeg[0] = std::byte{0xFF};
  options.picture->jpeg[1] = std::byte{0xD8};
  Application app(options, hands());
  ASSERT_TRUE(app.compiled()) << app.messages();

  const DeviceLog good = app.run();
  EXPECT_EQ(good.verdict, DeviceLog::Verdict::pass) << app.text();
  EXPECT_EQ(good.first_stage(), "");
  EXPECT_THAT(app.text(), HasSubstr("EDGETWIN info stage=input of=gesture-2 bytes=3 crc32="));
  EXPECT_THAT(app.text(), HasSubstr("EDGETWIN result hand/mask_1 PASS n=3"));

  const struct {
    const char *fault, *stage;
  } kFaults[] = {
      {"FAKE_PICTURE=street:3", "the picture"},
      {"FAKE_INPUT=gesture-2:1", "the input tensor of 'gesture-2'"},
      {"FAKE_FAULT=conv:0:1", "the operator 'conv' of 'hand/y'"},
      {"FAKE_RESULT=boxes:1", "the result 'hand/boxes'"},
      {"FAKE_RESULT=mask_1:1", "the result 'hand/mask_1'"},
      {"FAKE_NO_LOAD=gesture", "the model of 'gesture'"},
  };
  for (const auto& f : kFaults) {
    const DeviceLog log = app.run(f.fault);
    EXPECT_EQ(log.verdict, DeviceLog::Verdict::fail) << f.fault;
    EXPECT_EQ(log.first_stage(), f.stage) << app.text();
  }
}

TEST(FirmwarePicture, FacesAreSuppressedTogetherAndTurnedUpright) {
  FirmwareOptions options = picture_options("esp32p4");
  options.place = ModelPlace::partition;
  Application app(options, faces());
  ASSERT_TRUE(app.compiled()) << app.messages();
  const DeviceLog log = app.run();
  EXPECT_EQ(log.verdict, DeviceLog::Verdict::pass) << app.text();
  EXPECT_THAT(app.text(), Not(HasSubstr("result mnp/")));
  EXPECT_THAT(app.text(), HasSubstr("result mnp-2/count PASS"));
  EXPECT_EQ(app.run("FAKE_RESULT=feature:1").first_stage(), "the result 'mfn/feature'");
}

TEST(FirmwarePicture, CarriesAModelOnceAndRefusesWhatDoesNotBelongTogether) {
  const FirmwareOptions options = picture_options("esp32s3");
  const auto files = make_firmware(options, hands());
  ASSERT_TRUE(files.ok());
  EXPECT_EQ(files->count("main/data/gesture.espdl"), 1U);
  EXPECT_EQ(files->count("main/data/gesture-2.espdl"), 0U);
  EXPECT_EQ(files->count("main/data/gesture-2.result"), 1U);

  std::vector<FirmwareCase> cases = hands();
  cases[0].vision->decoder = "espdl-ocr-det";
  EXPECT_THAT(to_text(make_firmware(options, cases).error()), HasSubstr("no post-processor"));
  cases = hands();
  cases[0].vision->part = {1, 2};
  EXPECT_THAT(to_text(make_firmware(options, cases).error()), HasSubstr("four numbers"));
  cases = hands();
  cases[2].model_of = "hand-3";
  EXPECT_THAT(to_text(make_firmware(options, cases).error()), HasSubstr("no earlier case"));
  cases = hands();
  cases[1].vision.reset();
  EXPECT_THAT(to_text(make_firmware(options, cases).error()), HasSubstr("belong together"));
  FirmwareOptions none = options;
  none.picture->pixels.shape = {3, 2, 1};
  EXPECT_THAT(to_text(make_firmware(none, hands()).error()), HasSubstr("the picture is not"));
}

}  // namespace
}  // namespace edgetwin::targets::espdl
