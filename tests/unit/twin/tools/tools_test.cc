// What the small verbs do, through the public headers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/file.h"
#include "edgetwin/devices.h"
#include "edgetwin/diff.h"
#include "edgetwin/edgetpu.h"
#include "edgetwin/lut.h"
#include "edgetwin/pack.h"
#include "edgetwin/preprocess.h"
#include "edgetwin/templates.h"
#include "source_dir.h"

namespace edgetwin {
namespace {

const std::string kFiles = source_dir() + "/tests/cases/files/";

TEST(Tools, DiffNamesTheFirstDifference) {
  const auto same = diff_files(kFiles + "table.espdl", kFiles + "table.espdl");
  ASSERT_TRUE(same.ok()) << to_text(same.error());
  EXPECT_TRUE(same->equal);
  EXPECT_EQ(same->kind, "espdl");
  const auto other = diff_files(kFiles + "left.npy", kFiles + "right.npy");
  ASSERT_TRUE(other.ok()) << to_text(other.error());
  EXPECT_FALSE(other->equal);
  ASSERT_TRUE(other->tensors);
  EXPECT_TRUE(other->tensors->first);
  EXPECT_THAT(other->verdict, ::testing::StartsWith("different"));
  const auto kinds = diff_files(kFiles + "left.npy", kFiles + "table.espdl");
  ASSERT_FALSE(kinds.ok());
  EXPECT_EQ(kinds.error().code, ErrorCode::compare_kind);
}

TEST(Tools, APackageHoldsItsModels) {
  const auto package = pack({kFiles + "table.espdl", kFiles + "lane.espdl"});
  ASSERT_TRUE(package.ok()) << to_text(package.error());
  EXPECT_THAT(package->models, ::testing::ElementsAre("lane.espdl", "table.espdl"));
  const auto file = std::filesystem::temp_directory_path() / "edgetwin_tools_test.espdl";
  ASSERT_TRUE(write_file(file, package->bytes, Overwrite::yes).ok());
  const auto models = unpack(file.string());
  ASSERT_TRUE(models.ok()) << to_text(models.error());
  ASSERT_EQ(models->size(), 2U);
  const auto single = read_file(kFiles + "table.espdl");
  ASSERT_TRUE(single.ok());
  EXPECT_EQ((*models)[1].bytes, *single);
  EXPECT_FALSE(unpack(kFiles + "table.espdl").ok());
  std::filesystem::remove(file);
}

TEST(Tools, PixelsBecomeTheInputOfANetwork) {
  auto pixels = Tensor::zeros(DType::uint8, Shape{2, 2, 3});
  ASSERT_TRUE(pixels.ok());
  const auto made = preprocess_pixels(*pixels, R"({"target": "rgb888", "width": 4, "height": 4})");
  ASSERT_TRUE(made.ok()) << to_text(made.error());
  EXPECT_EQ(made->tensor.shape, (Shape{4, 4, 3}));
  EXPECT_FALSE(made->geometry.empty());
  EXPECT_FALSE(preprocess_pixels(*pixels, "{}").ok());
}

TEST(Tools, TemplatesGiveTheSameBytesEachTime) {
  const auto all = all_templates();
  ASSERT_FALSE(all.empty());
  const auto a = make_template("spot_tracker", {{"height", "32"}, {"width", "32"}});
  const auto b = make_template("spot_tracker", {{"height", "32"}, {"width", "32"}});
  ASSERT_TRUE(a.ok()) << to_text(a.error());
  ASSERT_TRUE(b.ok());
  EXPECT_EQ(a->file, b->file);
  EXPECT_FALSE(a->metadata.empty());
  EXPECT_FALSE(make_template("no_such_template", {}).ok());
}

TEST(Tools, AVirtualDeviceIsAttachedAndHasRegisters) {
  const DeviceQuery virtual_one{.device = "virtual"};
  const auto devices = attached_devices(virtual_one);
  ASSERT_TRUE(devices.ok()) << to_text(devices.error());
  ASSERT_EQ(devices->size(), 1U);
  EXPECT_EQ((*devices)[0].device, "virtual");
  const auto rows = device_registers({"scu_ctrl_3"}, false, virtual_one);
  ASSERT_TRUE(rows.ok()) << to_text(rows.error());
  ASSERT_EQ(rows->size(), 1U);
  EXPECT_EQ((*rows)[0].name, "scu_ctrl_3");
  EXPECT_NE((*rows)[0].address, 0U);
  EXPECT_FALSE(device_registers({"no_such_register"}, false, virtual_one).ok());
}

TEST(Tools, TablesOfAModelAreHeldAgainstTheirFunctions) {
  const auto model = examine_tables(kFiles + "table.espdl", "esp32p4");
  ASSERT_TRUE(model.ok()) << to_text(model.error());
  ASSERT_FALSE(model->tables.empty());
  EXPECT_TRUE(model->tables[0].known_function);
  EXPECT_GT(model->tables[0].report.form.count, 0);
}

TEST(Tools, ATableGivesTheFilesOfItsSweep) {
  const auto model = examine_tables(kFiles + "table.espdl", "esp32p4");
  ASSERT_TRUE(model.ok()) << to_text(model.error());
  const ExaminedTable& table = model->tables.at(0);
  EXPECT_EQ(table.table.shape.elements(), table.report.form.count);
  const auto files = table_files(table, 3, lut::LutRule::nearest);
  ASSERT_TRUE(files.ok()) << to_text(files.error());
  std::vector<std::string> paths;
  for (const MadeFile& f : *files) paths.push_back(f.path);
  EXPECT_THAT(paths,
              ::testing::ElementsAre("lut_3_parity.png", "lut_3_sweep.png", "lut_3_table.npy",
                                     "lut_3_interp.npy", "lut_3_nearest.npy", "lut_3_test.h"));
  const auto other = examine_tables(kFiles + "left.npy", "esp32p4");
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().code, ErrorCode::file_kind);
  const auto key = examine_tables(kFiles + "table.espdl", "esp32p4", "key of nothing");
  EXPECT_FALSE(key.ok());
}

// dense_edgetpu.tflite has one layer: it is understood without the model that it was made of.
TEST(Tools, ParametersOfACompiledModelAreListedAndBuilt) {
  const std::string compiled = kFiles + "dense_edgetpu.tflite";
  const auto parameters = parameters_of(compiled, "");
  ASSERT_TRUE(parameters.ok()) << to_text(parameters.error());
  ASSERT_EQ(parameters->files.size(), 1U);
  ASSERT_EQ(parameters->files[0].runs.size(), 1U);
  const ParameterRun& run = parameters->files[0].runs[0];
  ASSERT_TRUE(run.blocks);
  EXPECT_EQ(run.blocks->kind, "dense");
  EXPECT_EQ(parameters->explained, parameters->bytes);
  const auto built = build_parameters(compiled, "");
  ASSERT_TRUE(built.ok()) << to_text(built.error());
  ASSERT_EQ(built->files.size(), 1U);
  EXPECT_TRUE(built->files[0].equal);
  EXPECT_EQ(static_cast<int64_t>(built->files[0].file.bytes.size()), parameters->bytes);
}

TEST(Tools, LayersAndPartsOfACompiledModelAreExtracted) {
  const std::string compiled = kFiles + "dense_edgetpu.tflite";
  const auto layers = extract_parameters(compiled, "");
  ASSERT_TRUE(layers.ok()) << to_text(layers.error());
  ASSERT_EQ(layers->layers.size(), 1U);
  const auto bytes = read_file(compiled);
  ASSERT_TRUE(bytes.ok());
  const auto parts = extract_parts(*bytes, compiled);
  ASSERT_TRUE(parts.ok()) << to_text(parts.error());
  EXPECT_FALSE(parts->empty());
  for (const ExtractedPart& p : *parts) EXPECT_FALSE(p.file.bytes.empty()) << p.file.path;
  const auto none = read_file(kFiles + "add.tflite");
  ASSERT_TRUE(none.ok());
  const auto refused = extract_parts(*none, "add.tflite");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::edgetpu_no_program);
}

}  // namespace
}  // namespace edgetwin
