// The planner behind the public face: what it fills in, and random networks.
#include "edgetwin/plan.h"

#include <gtest/gtest.h>

#include <unistd.h>
#include <filesystem>
#include <random>

#include "base/file.h"

namespace edgetwin {
namespace {

namespace fs = std::filesystem;

class PlanTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("edgetwin-plan-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  Result<PlannedNetwork> planned(const std::string& yaml, const std::string& target) {
    const fs::path file = folder_ / "net.yaml";
    EDGETWIN_TRY(write_file(file, std::string_view(yaml), Overwrite::yes));
    OpenOptions options;
    options.target = target;
    options.weights = "xs32:1";
    options.sample = "xs32:2";
    return plan(file.string(), options);
  }

  fs::path folder_;
};

std::string convolution(int in, int out, int kernel, const std::string& more) {
  return "  - op: conv2d\n    in_channels: " + std::to_string(in) +
         "\n    out_channels: " + std::to_string(out) +
         "\n    kernel_size: " + std::to_string(kernel) + "x" + std::to_string(kernel) +
         "\n    pad: " + std::to_string(kernel / 2) + "\n" + more;
}

// A chain of convolutions, some with pooling before them, and a linear layer.
std::string random_network(std::mt19937& random) {
  const auto among = [&random](int low, int high) {
    return low + static_cast<int>(random() % static_cast<uint32_t>(high - low + 1));
  };
  std::string yaml = "arch: random\ndataset: noise\nlayers:\n";
  int size = 4 * among(2, 8), channels = among(1, 3);
  const int layers = among(2, 7);
  for (int l = 0; l < layers; ++l) {
    const int out = 4 * among(1, 24);
    std::string more;
    if (l == 0) {
      more += "    in_dim: [" + std::to_string(size) + ", " + std::to_string(size) + "]\n";
    } else if (size >= 8 && size % 2 == 0 && among(0, 2) == 0) {
      more += "    max_pool: 2\n    pool_stride: 2\n";
      size /= 2;
    }
    if (among(0, 1) == 0) more += "    activate: ReLU\n";
    yaml += convolution(channels, out, among(0, 2) == 0 ? 1 : 3, more);
    channels = out;
  }
  return yaml;
}

TEST_F(PlanTest, FillsInAndProves) {
  const auto made =
      planned("arch: a\ndataset: b\nlayers:\n" + convolution(3, 8, 3, "    in_dim: [8, 8]\n") +
                  convolution(8, 4, 1, ""),
              "max78000");
  ASSERT_TRUE(made.ok()) << to_text(made.error());
  EXPECT_TRUE(made->fits);
  EXPECT_GE(made->attempts, 1);
  EXPECT_EQ(made->values_equal, 8 * 8 * 8 + 4 * 8 * 8);
  EXPECT_GT(made->cycles, 0);
  for (const char* key :
       {"processors: 0x", "output_processors: 0x", "in_offset: 0x", "out_offset: 0x"}) {
    EXPECT_NE(made->description.find(key), std::string::npos) << key;
  }
  // What is complete stays as it is.
  const auto again = planned(made->description, "max78000");
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->description, made->description);
}

TEST_F(PlanTest, NamesWhatBinds) {
  const auto made =
      planned("arch: a\ndataset: b\nlayers:\n" + convolution(16, 16, 3, "    in_dim: [100, 100]\n"),
              "max78000");
  ASSERT_TRUE(made.ok()) << to_text(made.error());
  EXPECT_FALSE(made->fits);
  EXPECT_TRUE(made->description.empty());
  ASSERT_FALSE(made->findings.empty());
  EXPECT_NE(made->findings.back().hint.find("that was planned"), std::string::npos);
}

// Every one that fits is proven by plan() itself; one that does not says why.
TEST_F(PlanTest, RandomNetworks) {
  std::mt19937 random(18);
  int fits = 0;
  constexpr int kNetworks = 40;
  for (int n = 0; n < kNetworks; ++n) {
    const std::string yaml = random_network(random);
    const auto made = planned(yaml, n % 2 == 0 ? "max78000" : "max78002");
    ASSERT_TRUE(made.ok()) << to_text(made.error()) << "\n" << yaml;
    if (!made->fits) {
      ASSERT_FALSE(made->findings.empty()) << yaml;
      EXPECT_FALSE(made->findings.back().details.empty()) << yaml;
      continue;
    }
    ++fits;
    EXPECT_GT(made->values_equal, 0);
  }
  EXPECT_GE(fits, kNetworks * 3 / 4);
}

}  // namespace
}  // namespace edgetwin
