// The vendor's smallest network for digits learns pictures that are drawn here, and its integers
// are those of the twin on every test picture.
#include <gtest/gtest.h>

#include "base/file.h"
#include "instrumented.h"
#include "plot/canvas.h"
#include "plot/font.h"
#include "test_folder.h"
#include "train/math/random.h"
#include "train/run/run.h"

namespace edgetwin::train {
namespace {

constexpr int kDigitSide = 28;

constexpr const char* kExtraSmallNetwork = R"(arch: ai85netextrasmall
dataset: digits
layers:
  - {op: conv2d, kernel_size: 3x3, pad: 1, activate: ReLU, out_channels: 8, out_offset: 0x2000, processors: 0x1, data_format: CHW}
  - {op: conv2d, kernel_size: 3x3, max_pool: 2, pool_stride: 2, pad: 2, activate: ReLU, out_channels: 8, out_offset: 0, processors: 0xff0}
  - {op: conv2d, kernel_size: 3x3, max_pool: 4, pool_stride: 4, pad: 1, activate: ReLU, out_channels: 8, out_offset: 0x2000, processors: 0xff0}
  - {op: linear, flatten: true, output_width: 32, out_channels: 10, out_offset: 0, processors: 0xff0}
)";

// A digit of the stroke font, of any size and place, with noise; light on dark.
std::vector<uint8_t> drawn_digit(int digit, Random& random) {
  const auto between = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(random.uniform());
  };
  const auto dark = static_cast<uint8_t>(between(0, 60));
  const auto light = static_cast<uint8_t>(between(150, 255));
  plot::Canvas canvas(kDigitSide, kDigitSide, {dark, dark, dark});
  const plot::TextStyle style{.size = between(20, 32),
                              .color = {light, light, light},
                              .align = plot::Align::centre,
                              .bold = random.below(2) == 0};
  plot::draw_text(canvas, {between(11, 17), between(11, 17)}, std::to_string(digit), style);
  std::vector<uint8_t> pixels;
  for (int y = 0; y < kDigitSide; ++y) {
    for (int x = 0; x < kDigitSide; ++x) {
      const int v = canvas.at(x, y).r + static_cast<int>(random.below(41)) - 20;
      pixels.push_back(static_cast<uint8_t>(std::clamp(v, 0, 255)));
    }
  }
  return pixels;
}

void append_number(Bytes& out, uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8)
    out.push_back(static_cast<std::byte>(value >> shift));
}

void write_digits(const TestFolder& folder, const std::string& part, uint32_t count,
                  uint64_t seed) {
  Bytes pictures, labels;
  append_number(pictures, 0x803);
  for (const uint32_t n : {count, uint32_t{kDigitSide}, uint32_t{kDigitSide}}) {
    append_number(pictures, n);
  }
  append_number(labels, 0x801);
  append_number(labels, count);
  Random random(seed, Purpose::augmentation);
  for (uint32_t i = 0; i < count; ++i) {
    const auto digit = static_cast<int>(random.below(10));
    labels.push_back(static_cast<std::byte>(digit));
    for (const uint8_t v : drawn_digit(digit, random)) pictures.push_back(std::byte{v});
  }
  ASSERT_TRUE(write_file(folder / (part + "-images-idx3-ubyte"), pictures, Overwrite::yes).ok());
  ASSERT_TRUE(write_file(folder / (part + "-labels-idx1-ubyte"), labels, Overwrite::yes).ok());
}

TEST(TrainDigits, NinetyPercentInIntegersAndEqualToTheTwin) {
  const TestFolder folder;
  write_digits(folder, "train", kInstrumented ? 400 : 4000, 1);
  write_digits(folder, "t10k", kInstrumented ? 40 : 500, 2);
  const std::string network = kExtraSmallNetwork;
  ASSERT_TRUE(write_file(folder / "net.yaml", as_byte_span(network), Overwrite::yes).ok());
  RunSettings s;
  s.description = folder / "net.yaml";
  s.data = folder.path();
  s.output = folder / "run";
  std::filesystem::create_directories(s.output);
  s.epochs = 6;
  s.qat_start = 4;
  s.batch = 32;
  s.optimizer.rate = 0.05;
  s.seed = 1;
  s.threads = 2;
  const auto result = train_network(s);
  ASSERT_TRUE(result.ok()) << to_text(result.error());
  if (!kInstrumented) {
    EXPECT_GE(result->test.top1(), 90);
  }
  ASSERT_TRUE(result->twin.has_value());
  EXPECT_EQ(result->twin->equal, result->test.items);
}

}  // namespace
}  // namespace edgetwin::train
