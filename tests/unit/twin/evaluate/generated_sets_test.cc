// Sets of a hundred samples on disk through evaluate(), as the verb calls it. The networks answer
// with what is written in the red levels of their picture (tests/cases/make_decode.h), so that what
// they find is known without any arithmetic, and the figures are those of the slow definitions.
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/json/json.h"
#include "base/rng.h"
#include "cases/make_decode.h"
#include "edgetwin/evaluate.h"
#include "image/image.h"
#include "source_dir.h"
#include "test_folder.h"
#include "unit/evaluate/coco_textbook.h"

namespace edgetwin {
namespace {

using evaluation::FoundObject;
using evaluation::TrueObject;
using namespace evaluation::coco_textbook;

constexpr int kSamples = 100;
constexpr double kScoreStep = 1.0 / kFoundSide;

// A picture whose red levels are written one by one.
class Sheet {
 public:
  explicit Sheet(int side)
      : side_(side), tensor_(Tensor::zeros(DType::uint8, {side, side, 3}).value()) {}
  void put(int row, int column, double level) {
    ASSERT_TRUE(level >= 0 && level < 256 && level == std::floor(level)) << level;
    tensor_.as<uint8_t>()[static_cast<size_t>((row * side_ + column) * 3)] =
        static_cast<uint8_t>(level);
  }
  void save(const std::filesystem::path& file) const {
    ASSERT_TRUE(write_file(file, *encode_png(tensor_), Overwrite::yes).ok());
  }

 private:
  int side_;
  Tensor tensor_;
};

std::string sample_name(int i) { return "sample" + std::to_string(i) + ".png"; }

Json list_of(std::span<const double> values) {
  return Json::list(std::vector<double>(values.begin(), values.end()));
}

// The annotations of COCO. The pictures stand in the file with the last one first: their ids give
// the order. Category n is class n - 1.
std::string annotations_of(const Scenes& scenes, int categories) {
  Json images = Json::array(), annotations = Json::array(), names = Json::array();
  for (int i = static_cast<int>(scenes.size()); i-- > 0;) {
    images.push(Json::object().set("id", 10 + 3 * i).set("file_name", sample_name(i)));
    for (const TrueObject& t : scenes[static_cast<size_t>(i)].truth) {
      Json one = Json::object();
      one.set("image_id", 10 + 3 * i).set("category_id", t.category + 1);
      one.set("bbox", list_of(t.box)).set("area", t.area).set("iscrowd", t.crowd ? 1 : 0);
      if (!t.keypoints.empty()) {
        one.set("keypoints", list_of(t.keypoints)).set("num_keypoints", t.visible);
      }
      annotations.push(std::move(one));
    }
  }
  for (int c = 1; c <= categories; ++c) {
    names.push(Json::object().set("id", c).set("name", "class " + std::to_string(c)));
  }
  Json all = Json::object();
  all.set("images", std::move(images)).set("annotations", std::move(annotations));
  return all.set("categories", std::move(names)).text();
}

void write_set(const TestFolder& folder, const Scenes& scenes, int categories,
               void (*draw)(const Scene&, Sheet&)) {
  for (size_t i = 0; i < scenes.size(); ++i) {
    Sheet sheet(kFoundSide);
    draw(scenes[i], sheet);
    sheet.save(folder / sample_name(static_cast<int>(i)));
  }
  ASSERT_TRUE(
      write_file(folder / "a.json", annotations_of(scenes, categories), Overwrite::yes).ok());
}

// The figures of the network, after a run that had to read every sample.
Json figures_of(const std::string& network, EvaluateOptions options) {
  options.workers = 2;
  const auto made = evaluate({Candidate{case_file(network), {}, {}}}, options);
  EXPECT_TRUE(made.ok()) << to_text(made.error());
  if (!made.ok()) return Json::object();
  EXPECT_EQ(made->samples, static_cast<uint64_t>(kSamples));
  EXPECT_EQ(made->broken, 0U);
  EXPECT_TRUE(made->findings.empty());
  return *Json::parse(made->json, "evaluation")->get("models")->at(0).get("metrics");
}

double figure(const Json& metrics, const char* key) {
  const auto one = metrics.get(key);
  return one && one->is_object() ? one->get("value")->as_number().value_or(-1.0) : -1.0;
}

void expect_figures(const Json& metrics, const std::vector<Number>& wanted) {
  for (const Number& n : wanted) {
    // The definition has an epsilon in its denominator.
    EXPECT_NEAR(figure(metrics, n.key), n.value, 1e-9) << n.key;
  }
}

// --- Boxes.

void draw_boxes(const Scene& scene, Sheet& sheet) {
  int row = 0;
  for (const FoundObject& f : scene.found) {
    const double levels[] = {f.box[1],
                             f.box[0],
                             f.box[1] + f.box[3],
                             f.box[0] + f.box[2],
                             static_cast<double>(f.category),
                             f.score / kScoreStep};
    for (int k = 0; k < 6; ++k) sheet.put(row, k, levels[k]);
    ++row;
  }
  sheet.put(0, 6, row);
}

FoundObject found_box(std::array<double, 4> box, int64_t category, double score) {
  FoundObject f;
  f.category = category;
  f.box = box;
  f.area = box[2] * box[3];
  f.score = score;
  return f;
}

EvaluateOptions options_for(const TestFolder& folder, const std::string& task) {
  EvaluateOptions o;
  o.task = task;
  o.data = (folder / "a.json").string();
  return o;
}

// One true box in each of a hundred pictures. The first half is found: precision 1 up to a recall
// of one half, which is 51 of the 101 recalls, and nothing after it.
TEST(GeneratedSets, HalfOfAHundredBoxesIsFound) {
  Scenes scenes(kSamples);
  for (size_t i = 0; i < scenes.size(); ++i) {
    TrueObject t;
    t.box = {4, 8, 50, 40};
    t.area = 2000;
    scenes[i].truth.push_back(t);
    if (i < kSamples / 2) scenes[i].found.push_back(found_box(t.box, 0, 0.75));
  }
  const TestFolder folder;
  write_set(folder, scenes, 1, draw_boxes);
  const Json m = figures_of("found_boxes.tflite", options_for(folder, "detect"));
  expect_figures(m, {{"AP", 51.0 / 101.0},
                     {"AP50", 51.0 / 101.0},
                     {"AP_medium", 51.0 / 101.0},
                     {"AP_small", -1},
                     {"AR_1", 0.5},
                     {"AR_100", 0.5},
                     {"AR_large", -1}});
}

std::array<double, 4> random_box(XorShift32& random) {
  const auto side = [&random] { return 4.0 + random.next() % 110; };
  const double w = side(), h = side();
  return {std::floor((127 - w) * (random.next() % 8) / 8.0),
          std::floor((127 - h) * (random.next() % 8) / 8.0), w, h};
}

// Moved and stretched by some pixels, within the picture.
std::array<double, 4> near_box(const std::array<double, 4>& box, XorShift32& random) {
  const auto moved = [&random](double v) {
    return std::clamp(v + static_cast<double>(random.next() % 7) - 3, 0.0, 127.0);
  };
  const double x0 = moved(box[0]), y0 = moved(box[1]);
  const double x1 = std::max(x0 + 1, moved(box[0] + box[2]));
  const double y1 = std::max(y0 + 1, moved(box[1] + box[3]));
  return {x0, y0, x1 - x0, y1 - y0};
}

// Classes 0 to 2 are in pictures, 3 is a category without an object, 4 is none of the categories.
Scenes random_boxes(uint32_t seed) {
  XorShift32 random(seed);
  const auto score = [&random] { return (random.next() % 8) / 8.0; };
  Scenes scenes(kSamples);
  for (Scene& s : scenes) {
    for (uint32_t n = random.next() % 6; n > 0; --n) {
      TrueObject t;
      t.category = random.next() % 3;
      t.box = random_box(random);
      t.area = t.box[2] * t.box[3] * (random.next() % 3 == 0 ? 0.5 : 1.0);
      t.crowd = random.next() % 6 == 0;
      s.truth.push_back(t);
      for (uint32_t k = random.next() % 3; k > 0; --k) {
        const auto box = random.next() % 3 == 0 ? t.box : near_box(t.box, random);
        s.found.push_back(found_box(box, t.category, score()));
      }
    }
    for (uint32_t n = random.next() % 3; n > 0; --n) {
      s.found.push_back(found_box(random_box(random), random.next() % 5, score()));
    }
  }
  // More of one category than the hundred that count: the right one is beyond them.
  Scene& crowded = scenes[7];
  crowded.truth.push_back(TrueObject{1, {100, 100, 20, 20}, 400, false, {}, 0});
  crowded.found.clear();
  for (int k = 0; k < 104; ++k) crowded.found.push_back(found_box({0, 0, 9, 9}, 1, 0.875));
  crowded.found.push_back(found_box({100, 100, 20, 20}, 1, 0.125));
  return scenes;
}

TEST(GeneratedSets, TwelveNumbersOfAHundredPictures) {
  const Scenes scenes = random_boxes(11);
  const TestFolder folder;
  write_set(folder, scenes, 4, draw_boxes);
  const Json m = figures_of("found_boxes.tflite", options_for(folder, "detect"));
  const auto wanted = twelve_numbers(scenes);
  for (const Number& n : wanted) EXPECT_GT(n.value, 0.05) << n.key << ": the set says nothing";
  expect_figures(m, wanted);
}

// --- People.

void draw_people(const Scene& scene, Sheet& sheet) {
  int row = 0;
  for (const FoundObject& f : scene.found) {
    for (int k = 0; k < 17; ++k) {
      sheet.put(row, 3 * k, f.keypoints[static_cast<size_t>(2 * k + 1)]);
      sheet.put(row, 3 * k + 1, f.keypoints[static_cast<size_t>(2 * k)]);
      sheet.put(row, 3 * k + 2, 64);
    }
    sheet.put(row, kFoundPerson - 1, f.score / kScoreStep);
    ++row;
  }
}

TrueObject random_person(XorShift32& random) {
  TrueObject t;
  t.box = random_box(random);
  t.area = std::floor(t.box[2] * t.box[3] * (random.next() % 2 == 0 ? 0.5 : 1.0));
  t.crowd = random.next() % 8 == 0;
  const bool annotated = !t.crowd && random.next() % 6 > 0;
  for (int k = 0; k < 17; ++k) {
    const bool seen = annotated && (k == 0 || random.next() % 3 > 0);
    t.keypoints.push_back(seen ? std::floor(t.box[0] + t.box[2] * (random.next() % 8) / 8.0) : 0);
    t.keypoints.push_back(seen ? std::floor(t.box[1] + t.box[3] * (random.next() % 8) / 8.0) : 0);
    t.keypoints.push_back(seen ? 2 : 0);
    t.visible += seen;
  }
  return t;
}

// The points of a true person, or somewhere in its box, moved by up to `far` pixels.
FoundObject found_person(const TrueObject& t, uint32_t far, XorShift32& random) {
  FoundObject f;
  f.score = (1 + random.next() % 7) / 8.0;
  double low[2] = {127, 127}, high[2] = {0, 0};
  for (size_t k = 0; k < 17; ++k) {
    for (size_t axis = 0; axis < 2; ++axis) {
      const bool seen = t.keypoints[3 * k + 2] > 0;
      const double at = seen ? t.keypoints[3 * k + axis] : std::floor(t.box[axis]);
      const double v = std::clamp(at + static_cast<double>(random.next() % far), 0.0, 127.0);
      f.keypoints.push_back(v);
      low[axis] = std::min(low[axis], v), high[axis] = std::max(high[axis], v);
    }
  }
  f.box = {low[0], low[1], high[0] - low[0], high[1] - low[1]};
  f.area = f.box[2] * f.box[3];
  return f;
}

TEST(GeneratedSets, KeyPointsOfAHundredPictures) {
  XorShift32 random(5);
  Scenes scenes(kSamples);
  for (Scene& s : scenes) {
    for (uint32_t n = random.next() % 4; n > 0; --n) s.truth.push_back(random_person(random));
    for (const TrueObject& t : s.truth) {
      for (uint32_t n = random.next() % 3; n > 0 && s.found.size() < kFoundPeople; --n) {
        s.found.push_back(found_person(t, 1 + random.next() % 12, random));
      }
    }
  }
  const TestFolder folder;
  write_set(folder, scenes, 1, draw_people);
  EvaluateOptions o = options_for(folder, "keypoints");
  o.threshold = 0.01;  // rows without a person have a score of 0
  const Json m = figures_of("found_people.tflite", o);
  const auto wanted = ten_numbers(scenes);
  for (const Number& n : wanted) EXPECT_GT(n.value, 0.05) << n.key << ": the set says nothing";
  expect_figures(m, wanted);
}

// --- Pixels.

constexpr int kClasses = 6;
constexpr int kNotJudged = 255;

struct Pixels {
  std::vector<int> truth, found;
};

// Of all pixels of a set, one by one.
double textbook_overlap_of(const std::vector<Pixels>& set, int c) {
  int64_t both = 0, either = 0;
  for (const Pixels& p : set) {
    for (size_t i = 0; i < p.truth.size(); ++i) {
      if (p.truth[i] == kNotJudged) continue;
      both += p.truth[i] == c && p.found[i] == c;
      either += p.truth[i] == c || p.found[i] == c;
    }
  }
  return either == 0 ? -1 : static_cast<double>(both) / static_cast<double>(either);
}

// Class 4 is only found, 5 is in no mask and never found.
std::vector<Pixels> random_pixels(uint32_t seed) {
  XorShift32 random(seed);
  std::vector<Pixels> set(kSamples);
  for (Pixels& p : set) {
    for (int i = 0; i < kFoundMap * kFoundMap; ++i) {
      const int truth = static_cast<int>((random.next() % 5 == 0 ? random.next() : 0) % 4);
      const bool right = random.next() % 4 > 0;
      p.truth.push_back(random.next() % 16 == 0 ? kNotJudged : truth);
      p.found.push_back(right ? truth : static_cast<int>(random.next() % 5));
    }
  }
  return set;
}

void save_levels(const std::vector<int>& levels, int64_t channels,
                 const std::filesystem::path& file) {
  Tensor t = Tensor::zeros(DType::uint8, {kFoundMap, kFoundMap, channels}).value();
  for (size_t i = 0; i < levels.size(); ++i) {
    t.as<uint8_t>()[i * static_cast<size_t>(channels)] = static_cast<uint8_t>(levels[i]);
  }
  ASSERT_TRUE(write_file(file, *encode_png(t), Overwrite::yes).ok());
}

TEST(GeneratedSets, PixelsOfAHundredPictures) {
  const std::vector<Pixels> set = random_pixels(3);
  const TestFolder folder;
  std::filesystem::create_directories(folder / "pictures");
  std::filesystem::create_directories(folder / "masks");
  int64_t right = 0, judged = 0;
  for (size_t i = 0; i < set.size(); ++i) {
    const std::string name = sample_name(static_cast<int>(i));
    save_levels(set[i].found, 3, folder / ("pictures/" + name));
    save_levels(set[i].truth, 1, folder / ("masks/" + name));
    for (size_t k = 0; k < set[i].truth.size(); ++k) {
      judged += set[i].truth[k] != kNotJudged;
      right += set[i].truth[k] == set[i].found[k];
    }
  }
  EvaluateOptions o = options_for(folder, "segment");
  o.data = folder.path().string();
  const Json m = figures_of("found_classes.tflite", o);
  double sum = 0;
  int classes = 0;
  const Json rows = *m.get("classes");
  for (int c = 0; c < kClasses; ++c) {
    const double overlap = textbook_overlap_of(set, c);
    if (overlap < 0) continue;
    const Json row = rows.at(static_cast<size_t>(classes));
    EXPECT_EQ(row.get_integer("class"), c);
    EXPECT_NEAR(row.get("IoU")->as_number().value_or(-1), overlap, 1e-12) << c;
    sum += overlap;
    ++classes;
  }
  EXPECT_EQ(classes, 5);
  EXPECT_EQ(rows.size(), 5U);
  expect_figures(m, {{"mIoU", sum / classes},
                     {"pixels_right", static_cast<double>(right) / static_cast<double>(judged)}});
}

}  // namespace
}  // namespace edgetwin
