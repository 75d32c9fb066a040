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

  Result<PlannedNetwork> planned(const std::string& yaml, const std::string& target,
                                 const PlanOptions& wishes = {},
                                 const std::vector<std::string>& words = {}) {
    const fs::path file = folder_ / "net.yaml";
    EDGETWIN_TRY(write_file(file, std::string_view(yaml), Overwrite::yes));
    OpenOptions options;
    options.target = target;
    options.weights = "xs32:1";
    options.sample = "xs32:2";
    options.options = words;
    return plan(file.string(), options, wishes);
  }

  fs::path folder_;
};

PlanOptions least(const std::string& objective) {
  PlanOptions wishes;
  wishes.objective = objective;
  return wishes;
}

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

// Pairs of convolutions with what they read added to, or put beside, their result.
std::string random_branches(std::mt19937& random) {
  const auto among = [&random](int low, int high) {
    return low + static_cast<int>(random() % static_cast<uint32_t>(high - low + 1));
  };
  const int size = 2 * among(3, 8), channels = 4 * among(1, 16), blocks = among(1, 3);
  const std::string dim = std::to_string(size);
  std::string yaml = "arch: random\ndataset: noise\nlayers:\n" +
                     convolution(3, channels, 3, "    in_dim: [" + dim + ", " + dim + "]\n");
  int last = 0;
  for (int b = 0; b < blocks; ++b) {
    const std::string from = "    in_sequences: [" + std::to_string(last) + "]\n";
    const std::string two =
        "    in_sequences: [" + std::to_string(last + 1) + ", " + std::to_string(last + 2) + "]\n";
    yaml += convolution(channels, channels, 3, from);
    yaml += convolution(channels, channels, 1, from);
    if (channels <= 32 && among(0, 1) == 0) {
      yaml += convolution(2 * channels, channels, 1, two);
    } else {
      yaml += "  - op: add\n" + two;
    }
    last += 3;
  }
  return yaml + convolution(channels, 8, 3, "");
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

TEST_F(PlanTest, RandomBranches) {
  std::mt19937 random(25);
  int fits = 0;
  constexpr int kNetworks = 24;
  for (int n = 0; n < kNetworks; ++n) {
    const std::string yaml = random_branches(random);
    const auto made = planned(yaml, n % 2 == 0 ? "max78000" : "max78002");
    ASSERT_TRUE(made.ok()) << to_text(made.error()) << "\n" << yaml;
    if (made->fits) ++fits;
    EXPECT_TRUE(made->fits || !made->findings.empty()) << yaml;
  }
  EXPECT_GE(fits, kNetworks * 3 / 4);
}

// A small network: one group of processors is enough where energy counts, and less memory is used
// where that counts.
TEST_F(PlanTest, Objectives) {
  const std::string yaml =
      "arch: a\ndataset: b\nlayers:\n" + convolution(3, 12, 3, "    in_dim: [16, 16]\n") +
      convolution(12, 16, 3, "") + convolution(16, 16, 3, "") + convolution(16, 8, 1, "");
  const auto fast = planned(yaml, "max78000", least("latency"));
  const auto frugal = planned(yaml, "max78000", least("energy"));
  const auto small = planned(yaml, "max78000", least("memory"));
  ASSERT_TRUE(fast.ok() && frugal.ok() && small.ok());
  ASSERT_TRUE(fast->fits && frugal->fits && small->fits);
  EXPECT_EQ(frugal->groups, 1);
  EXPECT_GT(fast->groups, 1);
  EXPECT_LE(fast->cycles, frugal->cycles);
  EXPECT_LT(small->data_bytes + small->kernel_bytes, fast->data_bytes + fast->kernel_bytes);
  EXPECT_FALSE(planned(yaml, "max78000", least("beauty")).ok());
}

// Pictures that do not fit stream where a FIFO feeds the network, unless the description says
// which layers do.
TEST_F(PlanTest, StreamsWhatDoesNotFit) {
  const std::string yaml =
      "arch: a\ndataset: b\nlayers:\n" + convolution(3, 16, 3, "    in_dim: [120, 120]\n") +
      convolution(16, 16, 3, "    max_pool: 4\n    pool_stride: 4\n") + convolution(16, 4, 3, "");
  const auto whole = planned(yaml, "max78000");
  ASSERT_TRUE(whole.ok()) << to_text(whole.error());
  EXPECT_FALSE(whole->fits);
  ASSERT_FALSE(whole->findings.empty());
  EXPECT_NE(whole->findings.back().hint.find("With --fifo"), std::string::npos)
      << whole->findings.back().hint;
  const auto streamed = planned(yaml, "max78000", {}, {"--fifo"});
  ASSERT_TRUE(streamed.ok()) << to_text(streamed.error());
  EXPECT_TRUE(streamed->fits);
  EXPECT_NE(streamed->description.find("streaming: true"), std::string::npos);
}

// Kernels that do not fit: each change that is named was planned.
TEST_F(PlanTest, ChangesThatFit) {
  const auto made =
      planned("arch: a\ndataset: b\nlayers:\n" + convolution(64, 512, 3, "    in_dim: [8, 8]\n") +
                  convolution(512, 64, 3, ""),
              "max78000");
  ASSERT_TRUE(made.ok()) << to_text(made.error());
  EXPECT_FALSE(made->fits);
  const std::string& hint = made->findings.back().hint;
  EXPECT_NE(hint.find("instead of 512 channels in layer 0 it fits"), std::string::npos) << hint;
  EXPECT_NE(hint.find("With weights of 4 bits in layer 0 it fits"), std::string::npos) << hint;
  EXPECT_NE(hint.find("On the MAX78002 it fits"), std::string::npos) << hint;
}

}  // namespace
}  // namespace edgetwin
