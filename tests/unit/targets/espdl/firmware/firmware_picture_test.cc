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

// Two texts in a picture of 2 x 3 pixels, and what each says; the second in other letters.
std::vector<FirmwareCase> texts() {
  FirmwareVision finds;
  finds.decoder = "espdl-ocr-det";
  finds.score = 0.2F;
  finds.overlap = 0.4F;
  finds.unclip = 1.4F;
  finds.smallest = 3;
  finds.results = {plain<int32_t>("count", {2}),
                   plain<int32_t>("corners", {0, 0, 1, 0, 1, 1, 0, 1, 1, 0, 2, 0, 2, 1, 1, 1}),
                   plain<float>("scores", {0.9F, 0.7F})};
  FirmwareVision first;
  first.decoder = "espdl-ocr-rec";
  first.part = {0, 0, 1, 0, 1, 1, 0, 1};
  first.results = {plain<uint8_t>("text", {'G', 'o'}), plain<float>("scores", {0.95F})};
  FirmwareVision second = first;
  second.part = {1, 0, 2, 0, 2, 1, 1, 1};
  second.results = {plain<uint8_t>("text", {0xE5, 0x8E, 0xBB}), plain<float>("scores", {0.6F})};
  return {look("det", "", 1, finds), look("rec", "", 2, first), look("rec-2", "rec", 3, second)};
}

TEST(FirmwarePicture, TextsAreFoundAndRead) {
  const FirmwareOptions options = picture_options("esp32p4");
  const auto files = make_firmware(options, texts());
  ASSERT_TRUE(files.ok()) << to_text(files.error());
  const auto text_of = [&files](const char* path) { return std::string(as_text(files->at(path))); };
  EXPECT_THAT(text_of("main/idf_component.yml"), HasSubstr("espressif/pp_ocr_v6: \"==0.1.0\""));
  EXPECT_THAT(text_of("sdkconfig.defaults"), HasSubstr("CONFIG_PP_OCR_V6_MODEL_IN_SDCARD=y"));
  Application app(options, texts());
  ASSERT_TRUE(app.compiled()) << app.messages();
  EXPECT_EQ(app.run().verdict, DeviceLog::Verdict::pass) << app.text();
  EXPECT_THAT(app.text(), HasSubstr("EDGETWIN result rec-2/text PASS n=3"));
  // A corner may be a pixel off, and a text's score 10 millionths; not more.
  EXPECT_EQ(app.run("FAKE_RESULT=corners:1").verdict, DeviceLog::Verdict::pass) << app.text();
  EXPECT_EQ(app.run("FAKE_RESULT=corners:2").first_stage(), "the result 'det/corners'");
  EXPECT_EQ(app.run("FAKE_RESULT=text:1").first_stage(), "the result 'rec/text'");
  EXPECT_EQ(app.run("FAKE_INPUT=rec-2:1").first_stage(), "the input tensor of 'rec-2'");
  EXPECT_EQ(app.run("FAKE_INPUT=det:1").first_stage(), "the input tensor of 'det'");
}

// Outputs of a YOLO26 with two classes on 32 x 32 pixels: 4 x 4, 2 x 2 and 1 x 1 cells. Nothing is
// read by stand-ins here: the application's own code finds the boxes.
std::vector<FirmwareCase> yolo26(int most, std::vector<int32_t> boxes, std::vector<float> scores) {
  FirmwareVision v = seen_by("espdl-yolo26");
  v.most = most;
  v.results = {plain<int32_t>("count", {static_cast<int32_t>(scores.size())}),
               plain<int32_t>("boxes", std::move(boxes)), plain<float>("scores", scores)};
  FirmwareCase one = look("net", "", 1, v);
  one.inputs = {tensor<int8_t>("x", {1, 1, 1, 3}, -7, {1, 1, 1})};
  const auto flat = [](int64_t side, int64_t channels, int8_t level) {
    return std::vector<int8_t>(static_cast<size_t>(side * side * channels), level);
  };
  one.outputs.clear();
  for (int i = 0; i < 3; ++i) {
    const int64_t side = 4 >> i;
    const std::string name = "one2one_p" + std::to_string(i + 3);
    // Distances of 1.5 cells to all sides.
    one.outputs.push_back(tensor<int8_t>(name + "_box", {1, side, side, 4}, -1, flat(side, 4, 3)));
    one.outputs.push_back(
        tensor<int8_t>(name + "_cls", {1, side, side, 2}, -2, flat(side, 2, -100)));
  }
  const auto set = [&one](size_t output, size_t at, int8_t level) {
    one.outputs[output].data[at] = static_cast<std::byte>(level);
  };
  set(1, 2 * 5 + 1, 4);  // row 1, column 1 of the finest map: class 1 with sigmoid(1)
  set(1, 2 * 6, -4);     // sigmoid(-1): the logit of 0.25 is -1.0986, its step -5
  set(1, 2 * 7, -5);     // just below
  set(5, 0, 8);          // the coarsest map: equal classes, the first counts
  set(5, 1, 8);
  one.nodes = one.outputs;
  return {one};
}

TEST(FirmwarePicture, TheApplicationReadsYolo26) {
  const FirmwareOptions options = picture_options("esp32s3");
  const std::vector<int32_t> boxes = {1, 0, 0, 24, 24, 0, 8, 0, 32, 24, 0, -32, -32, 64, 64};
  const std::vector<float> scores = {0.731059F, 0.268941F, 0.880797F};
  Application app(options, yolo26(32, boxes, scores));
  ASSERT_TRUE(app.compiled()) << app.messages();
  EXPECT_EQ(app.run().verdict, DeviceLog::Verdict::pass) << app.text();
  EXPECT_THAT(app.text(), HasSubstr("EDGETWIN result net/boxes PASS n=15"));
  EXPECT_EQ(app.run("FAKE_FAULT=one2one_p3_cls:11:40").verdict, DeviceLog::Verdict::fail);

  // The two best ones.
  Application two(options,
                  yolo26(2, {0, -32, -32, 64, 64, 1, 0, 0, 24, 24}, {0.880797F, 0.731059F}));
  ASSERT_TRUE(two.compiled()) << two.messages();
  EXPECT_EQ(two.run().verdict, DeviceLog::Verdict::pass) << two.text();
}

TEST(FirmwarePicture, NamesOfClassesAreTheChips) {
  std::vector<FirmwareCase> cases = hands();
  const std::string three = "three";
  cases[1].vision->results.push_back(
      plain<uint8_t>("names", std::vector<uint8_t>(three.begin(), three.end())));
  Application app(picture_options("esp32s3"), cases);
  ASSERT_TRUE(app.compiled()) << app.messages();
  EXPECT_EQ(app.run().verdict, DeviceLog::Verdict::pass) << app.text();
  EXPECT_THAT(app.text(), HasSubstr("EDGETWIN result gesture/names PASS n=5"));
  EXPECT_EQ(app.run("FAKE_RESULT=names:1").first_stage(), "the result 'gesture/names'");
}

TEST(FirmwarePicture, CarriesAModelOnceAndRefusesWhatDoesNotBelongTogether) {
  const FirmwareOptions options = picture_options("esp32s3");
  const auto files = make_firmware(options, hands());
  ASSERT_TRUE(files.ok());
  EXPECT_EQ(files->count("main/data/gesture.espdl"), 1U);
  EXPECT_EQ(files->count("main/data/gesture-2.espdl"), 0U);
  EXPECT_EQ(files->count("main/data/gesture-2.result"), 1U);

  std::vector<FirmwareCase> cases = hands();
  cases[0].vision->decoder = "espdl-yolo";
  EXPECT_THAT(to_text(make_firmware(options, cases).error()), HasSubstr("no post-processor"));
  cases[0].vision->decoder = "espdl-ocr-det";
  EXPECT_THAT(to_text(make_firmware(options, cases).error()),
              HasSubstr("networks of texts do not take"));
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
