// A small network, data of four patterns with noise, and the settings of a run.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "base/file.h"
#include "test_folder.h"
#include "train/math/random.h"
#include "train/settings/settings.h"

namespace edgetwin::train {

inline constexpr int kSize = 8, kRunClasses = 4;

inline constexpr const char* kRunNetwork = R"(arch: small
dataset: noise
layers:
  - name: conv1
    processors: 0x1
    data_format: CHW
    op: conv2d
    kernel_size: 3x3
    pad: 1
    activate: ReLU
    out_channels: 4
    out_offset: 0x2000
  - name: conv2
    processors: 0xf
    op: conv2d
    kernel_size: 3x3
    pad: 1
    max_pool: 2
    pool_stride: 2
    activate: ReLU
    out_channels: 4
    out_offset: 0
  - name: fc
    processors: 0xf
    op: linear
    flatten: true
    out_channels: 4
    output_width: 32
    out_offset: 0x2000
)";

inline void put_big(Bytes& out, uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8)
    out.push_back(static_cast<std::byte>(value >> shift));
}

// Four patterns with noise.
inline void write_part(const TestFolder& folder, const std::string& part, uint32_t count,
                       uint64_t seed) {
  Bytes pictures, labels;
  put_big(pictures, 0x803);
  for (const uint32_t n : {count, uint32_t{kSize}, uint32_t{kSize}}) put_big(pictures, n);
  put_big(labels, 0x801);
  put_big(labels, count);
  Random random(seed, Purpose::augmentation);
  for (uint32_t i = 0; i < count; ++i) {
    const auto label = static_cast<uint32_t>(random.below(kRunClasses));
    labels.push_back(static_cast<std::byte>(label));
    for (uint32_t p = 0; p < kSize * kSize; ++p) {
      const uint64_t pattern = (p / kSize / 2 + label) % kRunClasses == 0 ? 150 : 30;
      pictures.push_back(static_cast<std::byte>(pattern + random.below(80)));
    }
  }
  ASSERT_TRUE(write_file(folder / (part + "-images-idx3-ubyte"), pictures, Overwrite::yes).ok());
  ASSERT_TRUE(write_file(folder / (part + "-labels-idx1-ubyte"), labels, Overwrite::yes).ok());
}

inline void write_all(const TestFolder& folder) {
  write_part(folder, "train", 120, 1);
  write_part(folder, "t10k", 30, 2);
  ASSERT_TRUE(
      write_file(folder / "net.yaml", as_byte_span(std::string(kRunNetwork)), Overwrite::yes).ok());
}

inline RunSettings run_settings(const TestFolder& folder, const std::string& output, int epochs) {
  RunSettings s;
  s.description = folder / "net.yaml";
  s.data = folder.path();
  s.output = folder / output;
  std::filesystem::create_directories(s.output);
  s.epochs = epochs;
  s.batch = 16;
  s.optimizer.rate = 0.05;
  s.qat_start = 2;
  s.norm = NormKind::affine;
  s.overrides["fc"] = {.bits = 4, .quantile = {}, .place = {}};
  s.augment.push_back({.kind = AugmentKind::pad_crop, .pad = 1});
  s.augment.push_back({.kind = AugmentKind::noise, .sigma = 4});
  Scheduler scheduler;
  scheduler.kind = SchedulerKind::plateau;
  scheduler.factor = 0.5;
  scheduler.patience = 0;
  scheduler.threshold = 0.9;
  s.schedule = SchedulePolicy{.scheduler = scheduler, .epochs = {}};
  return s;
}

}  // namespace edgetwin::train
