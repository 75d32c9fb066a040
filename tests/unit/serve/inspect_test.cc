#include "serve/inspect/inspect.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/file.h"
#include "edgetwin/compile.h"
#include "serve/inspect/side_by_side.h"
#include "serve/inspect/signal.h"
#include "source_dir.h"

namespace edgetwin::serve {
namespace {

std::string opened(FileStore& files, const std::string& name) {
  const auto data = read_file(case_file(name));
  EXPECT_TRUE(data.ok()) << name;
  const auto made = inspect_open(files, {{"name", name}}, *data);
  EXPECT_TRUE(made.ok()) << name;
  return made.ok() ? made->get_string("id").value_or("") : "";
}

TEST(ServeInspect, ADescriptionShowsItsLayersAndMemories) {
  FileStore files;
  const std::string id = opened(files, "small_test.yaml");
  auto info = inspect_info(files, {{"id", id}, {"input_shape", "2x8x8"}});
  ASSERT_TRUE(info.ok()) << info.error().message;
  const Json network = *info->get("network");
  ASSERT_EQ(network.get("operators")->size(), 3U);
  EXPECT_EQ(network.get("operators")->at(1).get_string("type"), "max pool 2x2, conv2d 3x3");
  EXPECT_NE(network.get_string("memory_svg")->find("<svg"), std::string::npos);
  // Nothing says the size: a finding, not an error.
  info = inspect_info(files, {{"id", id}});
  ASSERT_TRUE(info.ok());
  EXPECT_EQ(info->get("network")->get("operators")->size(), 0U);
  EXPECT_GT(info->get("network")->get("findings")->size(), 0U);
  EXPECT_FALSE(inspect_info(files, {{"id", id}, {"target", "esp32s3"}}).ok());
}

TEST(ServeInspect, ADescriptionWithItsPartsIsComputed) {
  FileStore files;
  const std::string id = opened(files, "small_test.yaml");
  Members m = {{"id", id},
               {"weights", opened(files, "small_weights.npy")},
               {"bias", opened(files, "small_bias.npy")},
               {"sample", opened(files, "small_sample.npy")}};
  m["input"] = m["sample"];
  const auto run = inspect_run(files, m);
  ASSERT_TRUE(run.ok()) << run.error().message;
  const auto tensor = inspect_tensor(files, {{"id", id}, {"value", "1"}, {"channel", "3"}});
  ASSERT_TRUE(tensor.ok()) << tensor.error().message;
  EXPECT_EQ(tensor->get("picture")->get_integer("channels"), 4);
  EXPECT_EQ(tensor->get("picture")->get_integer("rows"), 8);
  EXPECT_FALSE(inspect_tensor(files, {{"id", id}, {"value", "1"}, {"channel", "4"}}).ok());
}

TEST(ServeInspect, TablesAreHeldAgainstTheirFunctions) {
  FileStore files;
  const std::string id = opened(files, "table.espdl");
  const auto tables = inspect_tables(files, {{"id", id}, {"target", "esp32p4"}});
  ASSERT_TRUE(tables.ok()) << tables.error().message;
  const Json one = tables->get("tables")->at(0);
  EXPECT_EQ(one.get_integer("entries"), 2049);
  EXPECT_EQ(one.get("interpolate")->get_integer("largest_lsb"), 1);
  const auto picture =
      inspect_table_picture(files, {{"id", id}, {"target", "esp32p4"}, {"table", "0"}});
  ASSERT_TRUE(picture.ok());
  EXPECT_EQ(as_text(*picture).substr(1, 3), "PNG");
  EXPECT_FALSE(
      inspect_table_picture(files, {{"id", id}, {"target", "esp32p4"}, {"table", "1"}}).ok());
  EXPECT_FALSE(inspect_tables(files, {{"id", id}, {"target", "max78000"}}).ok());
  EXPECT_FALSE(inspect_tables(files, {{"id", opened(files, "add.tflite")}}).ok());
}

TEST(ServeInspect, ProgramsWithoutKnownLayersAreListed) {
  FileStore files;
  const std::string id = opened(files, "dense_edgetpu.tflite");
  const auto all = inspect_instructions(files, {{"id", id}});
  ASSERT_TRUE(all.ok()) << all.error().message;
  EXPECT_FALSE(all->get("programs")->at(0).get_string("problem")->empty());
  EXPECT_GT(all->get("lines")->size(), 30U);
  EXPECT_FALSE(inspect_instructions(files, {{"id", id}, {"layer", "0"}}).ok());
  EXPECT_FALSE(inspect_instructions(files, {{"id", opened(files, "add.tflite")}}).ok());
}

// Of the digits network, compiled by our compiler: a graph of layers with sizes and weights.
TEST(ServeInspect, LayersOfAProgramAreAGraph) {
  const auto network = read_file(source_dir() + "/models/digits/digits_int8.tflite");
  ASSERT_TRUE(network.ok());
  const auto compiled =
      compile_edgetpu(*network, "digits_int8.tflite", {.inputs = 1, .order = false});
  ASSERT_TRUE(compiled.ok()) << compiled.error().message;
  FileStore files;
  const auto file = files.open("digits_edgetpu.tflite", compiled->file, {});
  ASSERT_TRUE(file.ok()) << file.error().message;
  const auto all = inspect_instructions(files, {{"id", (*file)->id}});
  ASSERT_TRUE(all.ok()) << all.error().message;
  const Json program = all->get("programs")->at(0), layers = *program.get("layers");
  EXPECT_EQ(program.get_string("problem"), "");
  ASSERT_GT(layers.size(), 4U);
  std::set<int64_t> read;
  size_t weighted = layers.size(), whole = 0;
  for (size_t i = 0; i < layers.size(); ++i) {
    whole += *layers.at(i).get("part")->as_bool() ? 0 : 1;
    const Json needs = *layers.at(i).get("needs");
    for (size_t k = 0; k < needs.size(); ++k) read.insert(*needs.at(k).as_integer());
    EXPECT_EQ(layers.at(i).get("out")->size(), 3U);
    if (weighted == layers.size() && *layers.at(i).get_integer("weights") > 0) weighted = i;
  }
  EXPECT_GE(read.size(), whole - 2);  // all but the last, and steps of a pool that it stands for
  ASSERT_LT(weighted, layers.size());
  const auto one =
      inspect_instructions(files, {{"id", (*file)->id}, {"layer", std::to_string(weighted)}});
  ASSERT_TRUE(one.ok()) << one.error().message;
  EXPECT_EQ(one->get("weights")->get_integer("elements"),
            layers.at(weighted).get_integer("weights"));
  EXPECT_GT(one->get("lines")->size(), 0U);
}

TEST(ServeSideBySide, SeveralPicturesCalibrate) {
  FileStore files;
  const std::string network = opened(files, "net.onnx");
  const std::string two = opened(files, "color.png") + "," + opened(files, "grey.png");
  SideBySide all;
  const auto made =
      all.answers(files, {{"id", network}, {"calibration", two}, {"input", "sample"}}, {});
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_EQ(made->get("chips")->at(0).get("fits")->as_bool(), true) << made->text();
  const auto chips = inspect_chips(files, {{"id", network}, {"calibration", two}});
  ASSERT_TRUE(chips.ok()) << chips.error().message;
  for (const char* wrong : {"", ",", "1,", "1,99", "x"}) {
    EXPECT_FALSE(inspect_chips(files, {{"id", network}, {"calibration", wrong}}).ok()) << wrong;
  }
}

TEST(ServeSideBySide, EveryChipAnswersTheSample) {
  FileStore files;
  const std::string network = opened(files, "residual.onnx");
  const std::string samples = opened(files, "net_samples.npy");
  SideBySide all;
  const auto made = all.answers(
      files, {{"id", network}, {"calibration", samples}, {"input", "sample"}}, std::nullopt);
  ASSERT_TRUE(made.ok()) << made.error().message;
  ASSERT_EQ(made->get("chips")->size(), 5U);
  for (size_t i = 0; i < 5; ++i) {
    const Json chip = made->get("chips")->at(i);
    EXPECT_EQ(chip.get("fits")->as_bool(), true) << chip.text();
    EXPECT_GE(chip.get("layers")->size(), 4U);
    EXPECT_GT(*chip.get("output_db")->as_number(), 20) << chip.text();
    EXPECT_EQ(chip.get("same_answer")->as_bool(), true);
  }
  // No picture of a camera yet, and what is no network.
  EXPECT_FALSE(all.answers(files, {{"id", network}, {"calibration", samples}, {"input", "camera"}},
                           std::nullopt)
                   .ok());
  EXPECT_FALSE(all.answers(files, {{"id", samples}, {"calibration", samples}, {"input", "sample"}},
                           std::nullopt)
                   .ok());
  EXPECT_FALSE(
      all.answers(files, {{"id", network}, {"calibration", samples}, {"input", "x"}}, std::nullopt)
          .ok());
}

TEST(ServeSideBySide, APictureGoesThroughAll) {
  FileStore files;
  const std::string network = opened(files, "net.onnx");
  const std::string samples = opened(files, "net_samples.npy");
  Tensor picture = *Tensor::zeros(DType::uint8, {48, 64, 3});
  for (size_t i = 0; i < picture.data.size(); ++i) picture.data[i] = static_cast<std::byte>(i * 7);
  SideBySide all;
  const auto made =
      all.answers(files, {{"id", network}, {"calibration", samples}, {"input", "camera"}}, picture);
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_EQ(made->get("chips")->at(0).get("fits")->as_bool(), true);
  // Swish has no layer on the device: the reason is the quantizer's.
  EXPECT_EQ(made->get("chips")->at(3).get("fits")->as_bool(), false);
  EXPECT_NE(made->get("chips")->at(3).get_string("reason")->find("Swish"), std::string::npos);
}

TEST(ServeSignal, Decibels) {
  EXPECT_EQ(decibels({1, 2, 3}, {1, 2, 3}, false), 120);
  EXPECT_NEAR(decibels({10, 0}, {9, 0}, false), 20, 1e-9);
  EXPECT_EQ(decibels({10, 20}, {1, 2}, true), 120);  // another scale, nothing else
  EXPECT_EQ(decibels({0, 0}, {1, 1}, false), -40);
  EXPECT_EQ(decibels({1, 1}, {std::nan(""), 1}, false), -40);
}

}  // namespace
}  // namespace edgetwin::serve
