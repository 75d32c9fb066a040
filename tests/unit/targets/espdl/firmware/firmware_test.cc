#include "targets/espdl/firmware/firmware.h"

#include <gtest/gtest.h>

#include <cstring>

#include "targets/espdl/firmware/golden.h"
#include "targets/espdl/firmware/golden_format.h"
#include "unit/targets/espdl/firmware/firmware_cases.h"

namespace edgetwin::targets::espdl {
namespace {

namespace format = edgetwin_golden;

using firmware_cases::model_file;
using firmware_cases::small_case;
using firmware_cases::sweep_case;

FirmwareOptions options(ModelPlace place = ModelPlace::rodata) {
  FirmwareOptions result;
  result.target = "esp32s3";
  result.place = place;
  return result;
}

using Files = std::map<std::string, Bytes>;

Files made(const FirmwareOptions& o, const std::vector<FirmwareCase>& cases) {
  auto result = make_firmware(o, cases);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : to_text(result.error()));
  return result.ok() ? std::move(result).value() : Files();
}

std::string text(const Files& files, const std::string& path) {
  const auto found = files.find(path);
  EXPECT_NE(found, files.end()) << path;
  return found == files.end() ? "" : std::string(as_text(found->second));
}

Error refused(const FirmwareOptions& o, const std::vector<FirmwareCase>& cases) {
  const auto result = make_firmware(o, cases);
  EXPECT_FALSE(result.ok());
  return result.ok() ? Error() : result.error();
}

TEST(Firmware, HasEveryFileOfAProject) {
  const Files files = made(options(), {small_case(), sweep_case()});
  for (const char* path :
       {"CMakeLists.txt", "README.md", "partitions.csv", "sdkconfig.defaults",
        "sdkconfig.defaults.esp32s3", "main/CMakeLists.txt", "main/idf_component.yml",
        "main/main.cpp", "main/cases.cpp", "main/blobs.S", "main/place.cpp",
        "main/golden_format.hpp", "main/data/small.espdl", "main/data/small.golden",
        "main/data/table.espdl", "main/data/table.golden"}) {
    EXPECT_TRUE(files.count(path)) << path;
  }
  EXPECT_EQ(files.count("sdkconfig.defaults.esp32p4"), 0U);
  EXPECT_NE(text(files, "main/idf_component.yml").find("espressif/esp-dl: \"==3.3.9\""),
            std::string::npos);
  EXPECT_NE(text(files, "sdkconfig.defaults.esp32s3").find("CONFIG_SPIRAM_MODE_OCT=y"),
            std::string::npos);
  EXPECT_NE(text(files, "sdkconfig.defaults").find("CONFIG_ESP_TASK_WDT_EN=n"), std::string::npos);
  EXPECT_EQ(text(files, "partitions.csv").find("spiffs"), std::string::npos);
  EXPECT_EQ(text(files, "README.md").find('@'), std::string::npos);
  EXPECT_EQ(files.at("main/data/small.espdl"), small_case().model_file);
  EXPECT_EQ(files, made(options(), {small_case(), sweep_case()}));
}

TEST(Firmware, ThePartitionOfAModelHoldsIt) {
  FirmwareCase one = small_case();
  one.model_file = model_file(70000);
  FirmwareOptions o = options(ModelPlace::partition);
  o.target = "esp32p4";
  o.esp_dl_version = "3.3.7";
  const Files files = made(o, {one});
  EXPECT_NE(text(files, "partitions.csv").find("model0, data, spiffs, , 128K\n"),
            std::string::npos);
  EXPECT_NE(
      text(files, "main/CMakeLists.txt").find("esptool_py_flash_to_partition(flash \"model0\""),
      std::string::npos);
  EXPECT_EQ(text(files, "main/blobs.S").find(".espdl"), std::string::npos);
  EXPECT_NE(text(files, "sdkconfig.defaults.esp32p4").find("CONFIG_SPIRAM_SPEED_200M=y"),
            std::string::npos);
  EXPECT_NE(text(files, "main/idf_component.yml").find("==3.3.7"), std::string::npos);
}

TEST(Firmware, WhatDoesNotFitTheFlashIsRefusedWithTheSum) {
  FirmwareCase one = small_case();
  one.model_file = model_file(6 << 20);
  const Error error = refused(options(), {one});
  EXPECT_EQ(error.code, ErrorCode::firmware_size);
  ASSERT_EQ(error.details.size(), 2U);
  EXPECT_NE(error.details[1].find("8388608"), std::string::npos);
  FirmwareOptions p4 = options();
  p4.target = "esp32p4";
  EXPECT_TRUE(make_firmware(p4, {one}).ok());
}

TEST(Firmware, CasesThatCannotBeCheckedAreRefused) {
  const auto code = [](auto change) {
    FirmwareCase one = small_case();
    change(one);
    return refused(options(), {one}).code;
  };
  const auto bad = ErrorCode::firmware_case;
  EXPECT_EQ(code([](FirmwareCase& c) { c.name = "../up"; }), bad);
  EXPECT_EQ(code([](FirmwareCase& c) { c.name = ""; }), bad);
  EXPECT_EQ(code([](FirmwareCase& c) { c.model_file = model_file(16); }), bad);
  EXPECT_EQ(code([](FirmwareCase& c) { c.model_file[3] = std::byte{'9'}; }), bad);
  EXPECT_EQ(code([](FirmwareCase& c) { c.model_file[4] = std::byte{1}; }), bad);
  EXPECT_EQ(code([](FirmwareCase& c) { c.inputs.clear(); }), bad);
  EXPECT_EQ(code([](FirmwareCase& c) { c.outputs.clear(); }), bad);
  EXPECT_EQ(code([](FirmwareCase& c) { c.outputs.push_back(c.outputs[0]); }), bad);
  EXPECT_EQ(code([](FirmwareCase& c) { c.outputs[0].data.pop_back(); }), bad);
  EXPECT_EQ(code([](FirmwareCase& c) { c.nodes[0].name = ""; }), bad);
  EXPECT_EQ(code([](FirmwareCase& c) { c.nodes[0].quant.exponent = {1, 2}; }), bad);
  EXPECT_EQ(code([](FirmwareCase& c) { c.nodes[0].dtype = DType::float64; }), bad);
  EXPECT_EQ(code([](FirmwareCase& c) { c.lut_sweep = true; }), bad);
  FirmwareOptions o = options();
  EXPECT_EQ(refused(o, {}).code, bad);
  EXPECT_EQ(refused(o, {small_case(), small_case()}).code, bad);
  o.target = "esp32";
  EXPECT_EQ(refused(o, {small_case()}).code, bad);
  o = options();
  o.esp_dl_version = "3.3.9\"";
  EXPECT_EQ(refused(o, {small_case()}).code, bad);
}

TEST(Golden, HasTheLayoutOfItsHeader) {
  uint64_t budget = 4;  // the first node and not the second
  const Bytes blob = write_golden(small_case(), budget).value();
  EXPECT_EQ(budget, 4U - 3U);
  format::Header header;
  std::memcpy(&header, blob.data(), sizeof(header));
  EXPECT_EQ(header.size, blob.size());
  EXPECT_EQ(header.inputs + header.outputs + header.nodes, 6U);
  EXPECT_EQ(header.crc32,
            format::crc32(blob.data() + sizeof(header), blob.size() - sizeof(header)));
  std::vector<format::Record> records(6);
  std::memcpy(records.data(), blob.data() + sizeof(header), 6 * sizeof(format::Record));
  EXPECT_EQ(records[3].storage, format::kRaw);
  EXPECT_EQ(records[4].storage, format::kDigest);
  EXPECT_EQ(records[4].data_offset, 0U);
  EXPECT_EQ(records[4].exponent, -12);
  EXPECT_EQ(records[4].dtype, 5);
  EXPECT_EQ(records[1].data_offset % 16, 0U);
  EXPECT_EQ(blob[records[1].data_offset + 1], std::byte{10});
  EXPECT_EQ(format::crc32("123456789", 9), 0xCBF43926U);
  EXPECT_EQ(format::crc32("56789", 5, format::crc32("1234", 4)), 0xCBF43926U);
}

}  // namespace
}  // namespace edgetwin::targets::espdl
