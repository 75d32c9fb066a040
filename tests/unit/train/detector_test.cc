// Detectors: priors, what outputs find, average precision, data with boxes, a run with its twin.
#include <gtest/gtest.h>

#include <cmath>

#include "base/file.h"
#include "image/image.h"
#include "test_folder.h"
#include "train/data/data.h"
#include "train/judge/judge.h"
#include "train/math/random.h"
#include "train/run/run.h"
#include "train/settings/settings_files.h"

namespace edgetwin::train {
namespace {

void put(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  ASSERT_TRUE(write_file(path, text, Overwrite::yes).ok());
}

void put_picture(const std::filesystem::path& path, int size,
                 const std::function<uint8_t(int, int)>& pixel) {
  Tensor t = Tensor::zeros(DType::uint8, {size, size, 1}).value();
  for (int y = 0; y < size; ++y) {
    for (int x = 0; x < size; ++x) t.as<uint8_t>()[static_cast<size_t>(y * size + x)] = pixel(y, x);
  }
  const auto png = encode_png(t);
  ASSERT_TRUE(png.ok());
  std::filesystem::create_directories(path.parent_path());
  ASSERT_TRUE(write_file(path, *png, Overwrite::yes).ok());
}

TEST(TrainDetector, PriorsLieAboutTheMiddleOfEachPlace) {
  const std::vector<Box> priors = grid_priors(1, 2, {{0.5F, 0.25F}, {1, 1}});
  ASSERT_EQ(priors.size(), 4U);
  EXPECT_EQ(priors[0], (Box{0.25F, 0.5F, 0.5F, 0.25F}));
  EXPECT_EQ(priors[1], (Box{0.25F, 0.5F, 1, 1}));
  EXPECT_EQ(priors[2], (Box{0.75F, 0.5F, 0.5F, 0.25F}));
}

TEST(TrainDetector, FindsBoxesAndKeepsTheBestOfThoseThatLieOnEachOther) {
  const std::vector<Box> priors = {
      {0.5F, 0.5F, 0.4F, 0.4F}, {0.5F, 0.5F, 0.4F, 0.4F}, {0.1F, 0.1F, 0.2F, 0.2F}};
  const std::vector<float> location = {1, -1, 0, 0, 0, 0, 0, 0, 0, 0, 5 * std::log(2.0F), 0};
  const std::vector<float> scores = {0, 3, 0, 0, 2, 0, 0, 0, 1};
  const auto found = detections(location.data(), scores.data(), 3, priors, {});
  ASSERT_GE(found.size(), 2U);
  EXPECT_EQ(found[0].label, 1);
  EXPECT_NEAR(found[0].score, std::exp(3.0) / (std::exp(3.0) + 2), 1e-6);
  EXPECT_NEAR(found[0].box[0], 0.34F, 1e-6F);  // the centre moved by a tenth of the prior's width
  EXPECT_NEAR(found[0].box[1], 0.26F, 1e-6F);
  // The second prior lies on the first: its class 1 is gone.
  for (size_t i = 1; i < found.size(); ++i) {
    EXPECT_FALSE(found[i].label == 1 && found[i].box[0] > 0.2F);
  }
  const auto wide =
      std::find_if(found.begin(), found.end(), [](const Detection& d) { return d.label == 2; });
  ASSERT_NE(wide, found.end());
  EXPECT_NEAR(wide->box[2] - wide->box[0], 0.4F, 1e-5F);
}

// Three objects in two pictures; by hand: right, wrong, right gives precisions 1 up to a recall of
// 1/3 and 2/3 up to 2/3, and nothing beyond.
TEST(TrainDetector, AveragePrecisionByHand) {
  PrecisionCounter counter(2);
  const Box a = {0, 0, 0.5F, 0.5F}, b = {0.5F, 0.5F, 1, 1}, far = {0.5F, 0, 1, 0.5F};
  counter.see({{a, 1, 0.9}, {far, 1, 0.8}}, {.boxes = {a, b}, .labels = {1, 1}});
  counter.see({{a, 1, 0.7}, {a, 1, 0.6}}, {.boxes = {a}, .labels = {1}});
  const auto result = counter.result();
  ASSERT_EQ(result.size(), 2U);
  EXPECT_EQ(result[0].objects, 3);
  EXPECT_EQ(result[0].found, 4);
  // Recalls 0.00 .. 0.33 are 34 of 101, 0.34 .. 0.66 are 33.
  EXPECT_NEAR(result[0].half, 100.0 * (34 + 33 * 2.0 / 3) / 101, 1e-9);
  EXPECT_NEAR(result[0].mean, result[0].half, 1e-9);  // boxes are equal: all overlaps the same
  EXPECT_EQ(result[1].objects, 0);
  EXPECT_NEAR(mean_precision(result).half, result[0].half, 1e-9);
}

TEST(TrainDetector, AHalfOverlapCountsAtOneThresholdAlone) {
  PrecisionCounter counter(1);
  counter.see({{{0, 0, 0.52F, 1}, 1, 0.9}}, {.boxes = {{0, 0, 1, 1}}, .labels = {1}});
  EXPECT_NEAR(counter.result()[0].half, 100, 1e-9);
  EXPECT_NEAR(counter.result()[0].mean, 10, 1e-9);
}

TEST(TrainDetector, ReadsPicturesWithBoxes) {
  const TestFolder folder;
  for (const char* part : {"train", "test"}) {
    for (const char* name : {"a.png", "b.png"}) {
      put_picture(folder.path() / part / "images" / name, 8,
                  [](int, int x) { return x < 4 ? 0 : 200; });
    }
    put(folder.path() / part / "boxes.csv",
        "label,file,left,top,right,bottom\nright,a.png,4,0,8,8\nleft,a.png,0,2,4,6\n");
  }
  const auto data = read_data(folder.path());
  ASSERT_TRUE(data.ok()) << to_text(data.error());
  EXPECT_EQ(data->format, "boxes");
  EXPECT_EQ(data->classes, (std::vector<std::string>{"left", "right"}));
  ASSERT_EQ(data->train.items(), 2U);
  EXPECT_EQ(data->train.boxes[0].labels, (std::vector<int64_t>{1, 0}));
  EXPECT_EQ(data->train.boxes[0].corners[0], (Box{0.5F, 0, 1, 1}));
  EXPECT_TRUE(data->train.boxes[1].labels.empty());
  // What turns a picture turns its boxes.
  const std::vector<Augmentation> flip = {{.kind = AugmentKind::flip}};
  bool turned = false, kept = false;
  for (int epoch = 0; epoch < 20; ++epoch) {
    const std::vector<uint32_t> one = {0};
    const Maps picture = data->train.augmented(one, flip, 3, epoch);
    const bool is_turned = picture.values[0] > 0;  // the light half is on the left
    const Box box = data->train.batch_boxes(one, flip, 3, epoch)[0].corners[0];
    EXPECT_EQ(box, is_turned ? (Box{0, 0, 0.5F, 1}) : (Box{0.5F, 0, 1, 1})) << epoch;
    (is_turned ? turned : kept) = true;
  }
  EXPECT_TRUE(turned && kept);
}

TEST(TrainDetector, RefusesTablesOfBoxesWithTheirLine) {
  std::vector<std::string> classes;
  for (const auto& [text, wanted] :
       {std::pair{"file,label,left,top,right\na.png,x,0,0,1\n", "no column 'bottom'"},
        {"file,label,left,top,right,bottom\na.png,x,0,0,z,1\n", "'z' is not a number of pixels"},
        {"file,label,left,top,right,bottom\na.png,x,4,0,2,1\n", "no area"}}) {
    const auto table = parse_boxes(text, "boxes.csv", classes, false);
    ASSERT_FALSE(table.ok());
    EXPECT_NE(to_text(table.error()).find(wanted), std::string::npos) << to_text(table.error());
  }
  classes = {"y"};
  EXPECT_FALSE(
      parse_boxes("file,label,left,top,right,bottom\na,x,0,0,1,1\n", "b.csv", classes, true).ok());
  const TestFolder folder;
  put_picture(folder / "images/a.png", 8, [](int, int) { return uint8_t{9}; });
  for (const char* row : {"a.png,x,0,0,9,8", "c.png,x,0,0,1,1"}) {
    put(folder / "boxes.csv", std::string("file,label,left,top,right,bottom\n") + row + "\n");
    EXPECT_FALSE(read_data(folder.path()).ok()) << row;
  }
}

constexpr int kSide = 24;

constexpr const char* kDetector = R"(arch: detector
dataset: squares
layers:
  - {name: conv1, processors: 0x1, data_format: CHW, op: conv2d, kernel_size: 3x3, pad: 1, activate: ReLU, out_channels: 8, out_offset: 0x2000}
  - {name: conv2, processors: 0xff, op: conv2d, kernel_size: 3x3, pad: 1, max_pool: 2, pool_stride: 2, activate: ReLU, out_channels: 16, out_offset: 0}
  - {name: conv3, processors: 0xffff, op: conv2d, kernel_size: 3x3, pad: 1, max_pool: 2, pool_stride: 2, activate: ReLU, out_channels: 16, out_offset: 0x2000}
  - {name: head, processors: 0xffff, op: conv2d, kernel_size: 3x3, pad: 1, max_pool: 2, pool_stride: 2, output_width: 32, out_channels: 7, out_offset: 0}
train:
  loss: {multibox: {priors: [[0.35, 0.35]], alpha: 1, neg_pos_ratio: 3}}
  batch: 16
  epochs: 24
  seed: 1
  optimizer: {type: adam, lr: 0.01}
  qat: {start_epoch: 18}
  data: {augment: [{flip: horizontal}]}
)";

// Grey noise with a light or a dark square; every eighth picture is empty.
void draw_part(const std::filesystem::path& folder, int count, uint64_t seed) {
  Random random(seed, Purpose::augmentation);
  std::string rows = "file,label,left,top,right,bottom\n";
  for (int i = 0; i < count; ++i) {
    const int size = 7 + static_cast<int>(random.below(4));
    const int left = static_cast<int>(random.below(static_cast<uint64_t>(kSide - size)));
    const int top = static_cast<int>(random.below(static_cast<uint64_t>(kSide - size)));
    const bool light = random.below(2) == 0, empty = i % 8 == 7;
    char name[16];
    std::snprintf(name, sizeof name, "%03d.png", i);
    put_picture(folder / "images" / name, kSide, [&](int y, int x) {
      const bool inside = x >= left && x < left + size && y >= top && y < top + size;
      const int grey = !inside || empty ? 110 : light ? 210 : 10;
      return static_cast<uint8_t>(static_cast<uint64_t>(grey) + random.below(30));
    });
    if (empty) continue;
    rows += std::string(name) + "," + (light ? "light" : "dark") + "," + std::to_string(left) +
            "," + std::to_string(top) + "," + std::to_string(left + size) + "," +
            std::to_string(top + size) + "\n";
  }
  put(folder / "boxes.csv", rows);
}

TEST(TrainDetector, LearnsDrawnSquaresAndEqualsItsTwin) {
  const TestFolder folder;
  draw_part(folder.path() / "train", 240, 1);
  draw_part(folder.path() / "test", 48, 2);
  put(folder / "net.yaml", kDetector);
  RunSettings s;
  ASSERT_TRUE(find_settings(folder / "net.yaml", "", s).ok());
  s.description = folder / "net.yaml";
  s.data = folder.path();
  s.output = folder / "run";
  std::filesystem::create_directories(s.output);
  const auto result = train_network(s);
  ASSERT_TRUE(result.ok()) << to_text(result.error());
  ASSERT_TRUE(result->test.detects);
  EXPECT_GT(result->test.map().half, 50);
  EXPECT_LT(result->epochs.back().train_loss, result->epochs.front().train_loss / 2);
  ASSERT_TRUE(result->twin.has_value());
  EXPECT_EQ(result->twin->items, 48);
  EXPECT_EQ(result->twin->equal, 48);
  EXPECT_TRUE(result->epochs.back().validation_map.has_value());
  // Judged again: quantized and in integers the same boxes.
  JudgeSettings judging;
  judging.run = s;
  judging.run.init = s.output / "qat_best.pth.tar";
  const auto real = judge(judging);
  ASSERT_TRUE(real.ok()) << to_text(real.error());
  EXPECT_EQ(real->evaluation.map().mean, result->test.map().mean);
  judging.integers = true;
  const auto whole = judge(judging);
  ASSERT_TRUE(whole.ok()) << to_text(whole.error());
  EXPECT_EQ(whole->evaluation.map().mean, result->test.map().mean);
  EXPECT_EQ(whole->outputs, real->outputs);
  const auto files = judged_files(*whole);
  ASSERT_TRUE(files.ok()) << to_text(files.error());
  for (const auto& [name, bytes] : *files) {
    if (name != "predictions.csv") continue;
    const std::string_view text = as_text(bytes);
    EXPECT_TRUE(text.starts_with("index,file,label,score,left,top,right,bottom\n0,000.png,"));
    EXPECT_GT(std::count(text.begin(), text.end(), '\n'), 40);  // a row at least for each object
  }
  // The page has the worst pictures with their true boxes and the settings.
  const Bytes page_bytes = *read_file(s.output / "report.html");
  const std::string page(as_text(page_bytes));
  EXPECT_NE(page.find("<h2>Worst items</h2>"), std::string::npos);
  EXPECT_NE(page.find("<i class=\"true\" title=\""), std::string::npos);
  EXPECT_NE(page.find("<summary>Settings</summary>"), std::string::npos);
  // What was used is written so that a run reads it again.
  RunSettings again;
  const Bytes used = *read_file(s.output / "train.yaml");
  ASSERT_TRUE(apply_settings(as_text(used), "train.yaml", again).ok());
  EXPECT_EQ(again.loss.detector.priors, s.loss.detector.priors);
}

TEST(TrainDetector, LossAndDataMustBelongTogether) {
  const TestFolder folder;
  draw_part(folder.path() / "train", 8, 1);
  draw_part(folder.path() / "test", 8, 2);
  put(folder / "net.yaml", kDetector);
  RunSettings s;
  ASSERT_TRUE(find_settings(folder / "net.yaml", "", s).ok());
  s.description = folder / "net.yaml";
  s.data = folder.path();
  s.output = folder / "run";
  std::filesystem::create_directories(s.output);
  RunSettings other = s;
  other.loss = {};
  const auto classes = train_network(other);
  ASSERT_FALSE(classes.ok());
  EXPECT_NE(to_text(classes.error()).find("TRAIN-DATA-04"), std::string::npos);
  other = s;
  other.loss.detector.priors.push_back({0.5F, 0.5F});
  const auto priors = train_network(other);
  ASSERT_FALSE(priors.ok());
  EXPECT_NE(to_text(priors.error()).find("needs 14 channels"), std::string::npos)
      << to_text(priors.error());
  other = s;
  other.augment.push_back({.kind = AugmentKind::pad_crop});
  EXPECT_FALSE(train_network(other).ok());
}

}  // namespace
}  // namespace edgetwin::train
