// What the small verbs do, through the public headers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/file.h"
#include "edgetwin/devices.h"
#include "edgetwin/diff.h"
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

}  // namespace
}  // namespace edgetwin
