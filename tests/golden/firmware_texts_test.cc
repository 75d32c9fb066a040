// The published networks of texts as one application. Both files have the same name, in two
// folders.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "edgetwin/firmware.h"
#include "golden.h"
#include "image/image.h"
#include "tensor/npy.h"
#include "test_folder.h"

namespace edgetwin {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A part of a page of 750 x 1170 pixels, with two lines of text.
Tensor part_of_page(const std::filesystem::path& jpeg) {
  const Tensor page = decode_image(*read_file(jpeg), jpeg.string()).value();
  constexpr int64_t kLeft = 100, kTop = 100, kWidth = 400, kHeight = 120;
  Tensor part = Tensor::zeros(DType::uint8, {kHeight, kWidth, 3}).value();
  for (int64_t y = 0; y < kHeight; ++y) {
    const auto from = page.data.begin() + ((y + kTop) * page.shape[1] + kLeft) * 3;
    std::copy(from, from + kWidth * 3, part.data.begin() + y * kWidth * 3);
  }
  return part;
}

TEST(FirmwareTexts, AreFoundAndReadByOneApplication) {
  const auto data = golden::shared_data() / "espdl";
  const auto jpeg = data / "silicon/pictures/pp_ocr_v6.jpg";
  const std::string finds = (data / "upstream/pp_ocr_det_s8_p4/model.espdl").string();
  const std::string reads = (data / "upstream/pp_ocr_rec_s16_p4/model.espdl").string();
  if (!std::filesystem::exists(jpeg) || !std::filesystem::exists(reads)) {
    GTEST_SKIP() << "no published networks of texts and picture at hand";
  }
  const TestFolder folder;
  FirmwareOptions o;
  o.open.target = "esp32p4";
  o.picture = (folder / "page.npy").string();
  o.decoders = {"espdl-ocr-det", "espdl-ocr-rec"};
  o.labels = (data / "postprocess/pp_ocr_v6_dict.txt").string();
  ASSERT_TRUE(write_file(o.picture, *write_npy(part_of_page(jpeg)), Overwrite::yes).ok());
  const auto made = make_firmware({finds, reads}, o);
  ASSERT_TRUE(made.ok()) << to_text(made.error());
  EXPECT_EQ(made->checks, 3U);
  EXPECT_TRUE(made->findings.empty());
  std::map<std::string, std::string> files;
  for (const MadeFile& f : made->files) files[f.path] = as_text(f.bytes);
  // Each has its own network, though their files have one name; they are written again.
  EXPECT_THAT(files.at("main/data/model.espdl"), HasSubstr("ConvTranspose.2"));
  EXPECT_THAT(files.at("main/data/model.2.espdl"), Not(HasSubstr("ConvTranspose")));
  EXPECT_THAT(files.at("main/data/model.2.result"), HasSubstr("19:17:00"));
  EXPECT_THAT(files.at("main/vision.cpp"), HasSubstr("{1, {5, 88, 394, 88, 394, 117, 5, 117}, "));
  EXPECT_EQ(files.count("main/texts.cpp"), 1U);
  EXPECT_EQ(files.count("main/yolo26.cpp"), 0U);

  // Without a dictionary it says that the texts themselves are not compared.
  o.labels.clear();
  const auto silent = make_firmware({finds, reads}, o);
  ASSERT_TRUE(silent.ok());
  ASSERT_EQ(silent->findings.size(), 1U);
  EXPECT_THAT(silent->findings[0].message, HasSubstr("not what they say"));
}

}  // namespace
}  // namespace edgetwin
