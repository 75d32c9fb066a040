// Data sets: every kind, and what is wrong with them by file and line.
#include <gtest/gtest.h>

#include <fstream>

#include "base/file.h"
#include "evaluate/data/json_lines.h"
#include "evaluate/data/sample_set.h"
#include "image/image.h"
#include "tensor/npy.h"
#include "test_folder.h"

namespace edgetwin::evaluation {
namespace {

Status put(const std::filesystem::path& file, std::string_view text) {
  std::filesystem::create_directories(file.parent_path());
  return write_file(file, text, Overwrite::yes);
}

void put_picture(const std::filesystem::path& file, uint8_t level) {
  Tensor t = *Tensor::zeros(DType::uint8, {4, 4, 1});
  for (std::byte& b : t.data) b = static_cast<std::byte>(level);
  std::filesystem::create_directories(file.parent_path());
  ASSERT_TRUE(write_file(file, *encode_png(t), Overwrite::yes).ok());
}

Result<SampleSet> open(const std::filesystem::path& path, Task task, int64_t inputs = 1) {
  SetOptions o;
  o.task = task;
  o.input_elements = inputs;
  return open_set(path.string(), o);
}

std::string id_of(const Error& e) { return std::string(e.id()); }

TEST(Sets, FolderPerClass) {
  const TestFolder f;
  put_picture(f / "set/cat/b.png", 1);
  put_picture(f / "set/cat/a.png", 2);
  put_picture(f / "set/ant/c.png", 3);
  auto set = open(f / "set", Task::classify);
  ASSERT_TRUE(set.ok()) << to_text(set.error());
  ASSERT_EQ(set->samples.size(), 3U);
  EXPECT_EQ(set->samples[1].name, "cat/a.png");
  const auto how = resolve_labels(*set, {{}, "", 0, 2});
  ASSERT_TRUE(how.ok());
  EXPECT_EQ(set->samples[0].truth.label, 0);
  EXPECT_EQ(set->samples[2].truth.label, 1);
  EXPECT_EQ(set->load(set->samples[1])->tensor.data[0], std::byte{2});
}

TEST(Sets, ListWithLineInMessages) {
  const TestFolder f;
  ASSERT_TRUE(put(f / "list.txt", "# comment\na.png\t0\nb.png\t9\n").ok());
  auto set = open(f / "list.txt", Task::classify);
  ASSERT_TRUE(set.ok());
  const auto how = resolve_labels(*set, {{}, "", 0, 5});
  ASSERT_FALSE(how.ok());
  EXPECT_EQ(id_of(how.error()), "EVAL-LABEL-01");
  EXPECT_EQ(how.error().place.line, 3);
  ASSERT_TRUE(put(f / "bad.txt", "a.png\t0\nb.png 1\n").ok());
  const auto bad = open(f / "bad.txt", Task::classify);
  ASSERT_FALSE(bad.ok());
  EXPECT_EQ(bad.error().place.line, 2);
}

TEST(Sets, NamesOfClasses) {
  const TestFolder f;
  ASSERT_TRUE(put(f / "list.txt", "a.png\tdog\n").ok());
  auto set = open(f / "list.txt", Task::classify);
  EXPECT_TRUE(resolve_labels(*set, {{"cat", "dog"}, "l", 0, 2}).ok());
  EXPECT_EQ(set->samples[0].truth.label, 1);
  EXPECT_EQ(id_of(resolve_labels(*set, {{"cat"}, "l", 0, 2}).error()), "EVAL-LABEL-02");
  EXPECT_EQ(id_of(resolve_labels(*set, {{"dog", "dog"}, "l", 0, 2}).error()), "EVAL-LABEL-03");
  EXPECT_EQ(id_of(resolve_labels(*set, {{"cat", "ant"}, "l", 0, 2}).error()), "EVAL-LABEL-01");
}

// Two names of ten are not the network's first two.
TEST(Sets, FewerNamesThanClasses) {
  const TestFolder f;
  ASSERT_TRUE(put(f / "list.txt", "a.png\tthree\nb.png\tnine\n").ok());
  auto set = open(f / "list.txt", Task::classify);
  ASSERT_TRUE(resolve_labels(*set, {{}, "", 0, 10}).ok());
  ASSERT_EQ(set->findings.size(), 1U);
  EXPECT_EQ(set->findings[0].id, "EVAL-LABEL-05");
  set = open(f / "list.txt", Task::classify);
  ASSERT_TRUE(resolve_labels(*set, {{}, "", 1, 3}).ok());
  EXPECT_TRUE(set->findings.empty());
}

// The published names of ImageNet have two pairs. They are in the way of labels that are names
// only.
TEST(Sets, NamesThatTwoClassesHave) {
  const TestFolder f;
  ASSERT_TRUE(put(f / "numbers.txt", "a.png\t1\n").ok());
  auto set = open(f / "numbers.txt", Task::classify);
  ASSERT_TRUE(resolve_labels(*set, {{"crane", "dog", "crane"}, "l", 0, 3, {1, 2, 3}}).ok());
  EXPECT_EQ(set->samples[0].truth.label, 1);
  ASSERT_EQ(set->findings.size(), 1U);
  EXPECT_EQ(set->findings[0].id, "EVAL-LABEL-04");
  EXPECT_EQ(set->findings[0].place.line, 3);
  ASSERT_TRUE(put(f / "names.txt", "a.png\tdog\n").ok());
  set = open(f / "names.txt", Task::classify);
  EXPECT_TRUE(resolve_labels(*set, {{"crane", "dog", "crane"}, "l", 0, 3, {1, 2, 3}}).ok());
  const auto double_name = resolve_labels(*set, {{"dog", "cat", "dog"}, "l", 0, 3, {1, 2, 3}});
  ASSERT_FALSE(double_name.ok());
  EXPECT_EQ(id_of(double_name.error()), "EVAL-LABEL-03");
  EXPECT_EQ(double_name.error().place.line, 3);
}

TEST(Sets, Idx) {
  const TestFolder f;
  const std::string header("\0\0\x08\x03\0\0\0\x02\0\0\0\x01\0\0\0\x03", 16);
  ASSERT_TRUE(put(f / "t10k-images-idx3-ubyte", header + "abcdef").ok());
  const std::string labels("\0\0\x08\x01\0\0\0\x02\x07\x01", 10);
  ASSERT_TRUE(put(f / "t10k-labels-idx1-ubyte", labels).ok());
  auto set = open(f.path(), Task::classify);
  ASSERT_TRUE(set.ok()) << to_text(set.error());
  ASSERT_EQ(set->samples.size(), 2U);
  EXPECT_EQ(set->samples[0].truth.word, "7");
  EXPECT_EQ(set->load(set->samples[1])->tensor.data[0], std::byte{'d'});
  ASSERT_TRUE(put(f / "t10k-images-idx3-ubyte", header + "abc").ok());
  EXPECT_EQ(id_of(open(f.path(), Task::classify).error()), "EVAL-SET-03");
}

TEST(Sets, Cifar) {
  const TestFolder f;
  std::string data(2 * 3073, '\1');
  data[3073] = '\5';
  data[3073 + 1 + 1024] = '\2';  // the first green level of the second picture
  ASSERT_TRUE(put(f / "test_batch.bin", data).ok());
  auto set = open(f.path(), Task::classify);
  ASSERT_TRUE(set.ok()) << to_text(set.error());
  EXPECT_EQ(set->samples[1].truth.word, "5");
  EXPECT_EQ(set->load(set->samples[1])->tensor.data[1], std::byte{2});
  ASSERT_TRUE(put(f / "test_batch.bin", data.substr(1)).ok());
  EXPECT_FALSE(open(f.path(), Task::classify).ok());
}

TEST(Sets, Arrays) {
  const TestFolder f;
  Tensor x = *Tensor::zeros(DType::float32, {2, 3});
  x.name = "x";
  x.as<float>()[4] = 0.5F;
  Tensor y = *Tensor::zeros(DType::uint8, {2});
  y.name = "y";
  y.data[1] = std::byte{4};
  ASSERT_TRUE(write_file(f / "s.npz", *write_npz({x, y}), Overwrite::yes).ok());
  auto set = open(f / "s.npz", Task::classify);
  ASSERT_TRUE(set.ok()) << to_text(set.error());
  EXPECT_EQ(set->samples[1].truth.word, "4");
  EXPECT_EQ(set->load(set->samples[1])->tensor.as<float>()[1], 0.5F);
  y.name = "other";
  ASSERT_TRUE(write_file(f / "s.npz", *write_npz({x, y}), Overwrite::yes).ok());
  EXPECT_EQ(id_of(open(f / "s.npz", Task::classify).error()), "EVAL-TRUTH-01");
}

TEST(Sets, Csv) {
  const TestFolder f;
  ASSERT_TRUE(put(f / "s.csv", "label,a,b\n1,0.5,2\n0,1,x\n").ok());
  const auto bad = open(f / "s.csv", Task::classify, 2);
  ASSERT_FALSE(bad.ok());
  EXPECT_EQ(bad.error().place.line, 3);
  ASSERT_TRUE(put(f / "s.csv", "y,z,a\n1,0.5,2\n").ok());
  auto set = open(f / "s.csv", Task::regress, 1);
  ASSERT_TRUE(set.ok()) << to_text(set.error());
  EXPECT_EQ(set->samples[0].truth.numbers, (std::vector<double>{1.0, 0.5}));
  EXPECT_EQ(set->load(set->samples[0])->tensor.as<float>()[0], 2.0F);
}

TEST(Sets, CocoPassesOverWhatNamesNothing) {
  const TestFolder f;
  ASSERT_TRUE(put(f / "a.json", R"({"images": [{"id": 5, "file_name": "x.png"}],
    "categories": [{"id": 3, "name": "cat"}],
    "annotations": [
      {"image_id": 5, "category_id": 3, "bbox": [1, 2, 3, 4], "area": 12, "iscrowd": 0},
      {"image_id": 6, "category_id": 3, "bbox": [1, 2, 3, 4], "area": 12},
      {"image_id": 5, "category_id": 9, "bbox": [1, 2, 3, 4], "area": 12}]})")
                  .ok());
  auto set = open(f / "a.json", Task::detect);
  ASSERT_TRUE(set.ok()) << to_text(set.error());
  ASSERT_EQ(set->findings.size(), 2U);
  EXPECT_EQ(set->findings[0].place.line, 5);
  EXPECT_EQ(set->findings[0].place.field, "annotations[1]");
  EXPECT_EQ(set->findings[1].place.line, 6);
  ASSERT_EQ(set->samples[0].truth.objects.size(), 1U);
  const auto unknown = resolve_categories(*set, {{"dog", "cow"}, "l", 0, 2}, true);
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(id_of(unknown.error()), "EVAL-LABEL-01");
  EXPECT_EQ(unknown.error().place.line, 2);
  ASSERT_TRUE(resolve_categories(*set, {}, true).ok());
  EXPECT_EQ(set->samples[0].truth.objects[0].category, 2);
  EXPECT_EQ(id_of(open(f / "a.json", Task::classify).error()), "EVAL-TRUTH-01");
}

TEST(Sets, CocoNamesTheLine) {
  const TestFolder f;
  const auto error_of = [&f](const std::string& text) {
    EXPECT_TRUE(put(f / "a.json", text).ok());
    const auto set = open(f / "a.json", Task::detect);
    return set.ok() ? Error(ErrorCode::internal, "it was taken") : set.error();
  };
  const Error twice = error_of(
      "{\"images\": [],\n\"categories\": [{\"id\": 1, \"name\": \"cat\"},\n"
      "  {\"id\": 2, \"name\": \"cat\"}],\n\"annotations\": []}");
  EXPECT_EQ(id_of(twice), "EVAL-LABEL-03");
  EXPECT_EQ(twice.place.line, 3);
  const Error box = error_of(
      "{\"annotations\": [\n{\"image_id\": 1, \"category_id\": 1, \"bbox\": [1, 2]}],\n"
      "\"images\": [{\"id\": 1, \"file_name\": \"x\"}], "
      "\"categories\": [{\"id\": 1, \"name\": \"c\"}]}");
  EXPECT_EQ(id_of(box), "EVAL-SET-03");
  EXPECT_EQ(box.place.line, 2);
}

TEST(Sets, LinesOfElements) {
  const std::string text = R"({"a": {"list": [1,
2]}, "list\"": [0], "note": "list", "list": [
  {"list": [[9], "]"]}, "x,y",

  3, []]})";
  EXPECT_EQ(lines_of_elements(text, "list"), (std::vector<int>{3, 3, 5, 5}));
  EXPECT_TRUE(lines_of_elements(text, "none").empty());
  EXPECT_TRUE(lines_of_elements(R"({"list": []})", "list").empty());
  EXPECT_TRUE(lines_of_elements("\"", "list").empty());
}

TEST(Sets, ShuffleIsAPermutation) {
  const TestFolder f;
  std::string lines;
  for (int i = 0; i < 50; ++i) lines += std::to_string(i) + ".png\t0\n";
  ASSERT_TRUE(put(f / "l.txt", lines).ok());
  auto a = open(f / "l.txt", Task::classify), b = open(f / "l.txt", Task::classify);
  choose_samples(*a, 7, 0);
  choose_samples(*b, 7, 20);
  std::set<std::string> names;
  for (const Sample& s : a->samples) names.insert(s.name);
  EXPECT_EQ(names.size(), 50U);
  EXPECT_EQ(b->samples.size(), 20U);
  for (size_t i = 0; i < 20; ++i) EXPECT_EQ(a->samples[i].name, b->samples[i].name);
  size_t moved = 0;
  for (size_t i = 0; i < 50; ++i) moved += a->samples[i].name != std::to_string(i) + ".png";
  EXPECT_GT(moved, 40U);
}

TEST(Sets, NothingThere) {
  const TestFolder f;
  EXPECT_EQ(id_of(open(f.path(), Task::classify).error()), "EVAL-SET-01");
  ASSERT_TRUE(put(f / "l.txt", "\n").ok());
  EXPECT_EQ(id_of(open(f / "l.txt", Task::classify).error()), "EVAL-SET-02");
}

}  // namespace
}  // namespace edgetwin::evaluation
