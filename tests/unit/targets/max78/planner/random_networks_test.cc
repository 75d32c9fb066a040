// Networks put together at random, without any place: whatever fits is proven by the machine, and
// what does not fit has a calculation.
#include <gtest/gtest.h>

#include "base/rng.h"
#include "targets/max78/pipeline/run.h"

namespace edgetwin::max78 {
namespace {

constexpr uint32_t kRandomNetworks = 24;

class RandomDescription {
 public:
  explicit RandomDescription(uint32_t seed) : random_(seed * 2654435761U + 1) {
    size_ = 8 * pick(1, 6);
    channels_ = 4 * pick(1, 8);
  }

  std::string text() {
    text_ = "arch: test\ndataset: x\nlayers:\n";
    first();
    const int wanted = pick(3, 12);
    while (layers_ < wanted) part();
    return text_;
  }

 private:
  int pick(int low, int high) {
    const auto range = static_cast<uint32_t>(high - low + 1);
    return low + static_cast<int>((random_.next() >> 8) % range);
  }

  void first() {
    const std::string size = std::to_string(size_);
    layer("conv2d", "kernel_size: 3x3\n    pad: 1\n    activate: ReLU\n    in_channels: " +
                        std::to_string(pick(1, 16)) + "\n    in_dim: [" + size + ", " + size +
                        "]\n    out_channels: " + std::to_string(channels_));
  }

  std::string layer(const std::string& op, const std::string& keys) {
    const std::string name = "l" + std::to_string(layers_++);
    text_ += "  - name: " + name + "\n    op: " + op + "\n    " + keys + "\n";
    return name;
  }

  std::string convolution(int kernel, int out, const std::string& from, const std::string& more) {
    const std::string k = std::to_string(kernel);
    return layer("conv2d", "kernel_size: " + k + "x" + k +
                               "\n    pad: " + std::to_string(kernel / 2) +
                               "\n    out_channels: " + std::to_string(out) +
                               "\n    in_sequences: " + from + "\n    activate: ReLU" + more);
  }

  void part() {
    const std::string last = "l" + std::to_string(layers_ - 1);
    const int out = 4 * pick(1, 24);
    switch (pick(0, 5)) {
      case 0:
        if (channels_ <= 64) sum(last);
        return;
      case 1:
        if (channels_ <= 32) parts(last, out);
        return;
      case 2:
        if (size_ < 8) return;
        convolution(3, out, last, "\n    max_pool: 2\n    pool_stride: 2");
        size_ /= 2;
        break;
      case 3:
        convolution(1, out, last, "");
        break;
      default:
        convolution(3, out, last, "");
    }
    channels_ = out;
  }

  void sum(const std::string& last) {
    const std::string copy = layer("passthrough", "in_sequences: " + last);
    const std::string branch = convolution(3, channels_, last, "");
    layer("add", "in_sequences: [" + copy + ", " + branch + "]");
  }

  void parts(const std::string& last, int out) {
    const std::string a = convolution(3, channels_, last, "");
    const std::string b = convolution(1, channels_, last, "");
    convolution(1, out, "[" + a + ", " + b + "]", "");
    channels_ = out;
  }

  XorShift32 random_;
  int size_, channels_, layers_ = 0;
  std::string text_;
};

class MaxRandomPlans : public testing::TestWithParam<Device> {};

TEST_P(MaxRandomPlans, WhatFitsIsProven) {
  size_t fitting = 0;
  for (uint32_t seed = 0; seed < kRandomNetworks; ++seed) {
    const std::string text = RandomDescription(seed).text();
    SCOPED_TRACE(std::to_string(seed) + "\n" + text);
    NetworkSources s;
    s.device = GetParam();
    const auto bytes = std::as_bytes(std::span(text));
    s.description = Source::bytes("net.yaml", {bytes.begin(), bytes.end()});
    s.weights = Source::file("xs32:" + std::to_string(seed + 1));
    s.bias = s.weights;
    s.sample_seed = 3;
    s.plan = true;
    const Loading loading = load_network(s);
    if (!loading.ok()) {
      const Finding* error = first_error(loading.findings);
      ASSERT_NE(error, nullptr);
      EXPECT_EQ(error->id, info(ErrorCode::max78_rules).id) << error->message;
      EXPECT_FALSE(error->details.empty()) << error->message;
      continue;
    }
    ++fitting;
    const auto proof = prove(*loading.network, loading.network->sample);
    ASSERT_TRUE(proof.ok()) << to_text(proof.error());
    EXPECT_TRUE(proof->proven()) << proof->first;
  }
  // Most of them are small enough; all are for the larger chip.
  EXPECT_GE(fitting, GetParam() == Device::max78000 ? 16U : kRandomNetworks);
}

INSTANTIATE_TEST_SUITE_P(Both, MaxRandomPlans, testing::Values(Device::max78000, Device::max78002));

}  // namespace
}  // namespace edgetwin::max78
