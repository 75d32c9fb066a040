// Every recorded float network, for both chips of MAX7800x: what fits keeps its behaviour, and the
// machine computes the written files as the twin does; what does not is refused with reasons.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include "formats/onnx/import/onnx.h"
#include "golden/golden.h"
#include "golden/samples.h"
#include "unit/targets/max78/convert/conversion_check.h"

namespace edgetwin::golden {
namespace {

struct Counts {
  int fit = 0, refused = 0;
  double least = 300.0;
};

// Decibels that every network keeps at its outputs: means of few pixels lose the most, since the
// chip cuts them off.
constexpr double kDecibels = 15.0;

void take(const fs::path& folder, ai8x::Device device, Counts& counts) {
  const auto data = read_file(folder / "model.onnx");
  ASSERT_TRUE(data.ok());
  const auto model = onnx::read(*data, "model.onnx");
  ASSERT_TRUE(model.ok()) << to_text(model.error());
  const auto samples = samples_of(folder, model->main());
  max78::ConvertSettings settings;
  settings.device = device;
  const auto result = max78::convert(model->main(), samples, settings);
  ASSERT_TRUE(result.ok()) << to_text(result.error());
  if (!result->conversion) {
    EXPECT_FALSE(result->misfits.empty());
    for (const Error& e : result->misfits) EXPECT_FALSE(e.message.empty());
    ++counts.refused;
    return;
  }
  EXPECT_TRUE(result->misfits.empty());
  ++counts.fit;
  const auto noise = max78::measure(*result->conversion, model->main(), samples, 1);
  ASSERT_TRUE(noise.ok()) << to_text(noise.error());
  const double db = quantize::decibels(noise->analysis.output_noise);
  EXPECT_GT(db, kDecibels);
  counts.least = std::min(counts.least, db);
  max78::expect_machine_agrees(*result->conversion, samples[0]);
}

TEST(Max78Convert, EveryFloatNetwork) {
  if (shared_data().empty()) GTEST_SKIP() << "EDGETWIN_SHARED_DATA is not set";
  const fs::path root = shared_data() / "espdl" / "float";
  if (!fs::exists(root)) GTEST_SKIP() << root << " is not there";
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(root)) folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  for (const auto device : {ai8x::Device::max78000, ai8x::Device::max78002}) {
    Counts counts;
    for (const fs::path& folder : folders) {
      SCOPED_TRACE(folder.filename().string());
      take(folder, device, counts);
    }
    std::cout << ai8x::limits(device).name << ": " << counts.fit << " networks fit, "
              << counts.refused << " are refused, least " << counts.least << " dB\n";
    EXPECT_GE(counts.fit, counts.refused / 4);
  }
}

}  // namespace
}  // namespace edgetwin::golden
