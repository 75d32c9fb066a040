// The law of the Edge TPU's time: the counts of networks whose files are not at hand, as the
// specification has them, beside its own results and the published times.
#include "estimate/edgetpu/edgetpu.h"

#include <gtest/gtest.h>

namespace edgetwin::estimates {
namespace {

TpuCounts counts(int64_t iterations, int64_t to_device_kb, int64_t output_kb,
                 int64_t streamed_kb = 0) {
  TpuCounts c;
  c.iterations = iterations;
  c.code = to_device_kb * 1000;
  c.parameters = streamed_kb * 1000;
  c.output = output_kb * 1000;
  return c;
}

double ms(const TpuCounts& c, const char* host) {
  const auto found = find_host(host);
  EXPECT_TRUE(found.ok());
  return tpu_time(c, **found, 500.0).all();
}

TEST(EstimateEdgeTpu, TheLawGivesTheNumbersOfItsTable) {
  struct Row {
    const char* name;
    TpuCounts counts;
    double model;
  };
  const Row rows[] = {{"mobilenet_v1 0.25 128", counts(32'787, 219, 1), 0.94},
                      {"mobilenet_v1 0.75 192", counts(232'183, 306, 1), 1.78},
                      {"mobilenet_v1 1.0 224", counts(475'000, 237, 1), 2.39},
                      {"ssd_mobilenet_v1", counts(968'000, 485, 184), 6.0},
                      {"posenet 353x481", counts(1'217'119, 628, 86), 6.3},
                      {"posenet 721x1281", counts(7'163'296, 3'887, 447), 35.7},
                      {"bodypix 512", counts(1'977'810, 930, 200), 10.4},
                      {"movenet lightning", counts(439'624, 246, 267), 4.4},
                      {"deeplab mnv2 513", counts(3'507'104, 1'218, 279), 16.5}};
  for (const Row& r : rows) {
    // Counts of kB and results of two or three digits are rounded.
    EXPECT_NEAR(ms(r.counts, "usb3"), r.model, 0.013 * r.model + 0.05) << r.name;
  }
}

TEST(EstimateEdgeTpu, OtherHostsMoveTheSameBytesSlower) {
  const TpuCounts mobilenet = counts(475'000, 237, 1);
  EXPECT_NEAR(ms(mobilenet, "usb2") / 9.0, 1.0, 0.08);   // Raspberry Pi 3B+
  EXPECT_NEAR(ms(mobilenet, "pcie") / 2.22, 1.0, 0.08);  // Dev Board
  EXPECT_NEAR(ms(mobilenet, "rpi4") / 4.204, 1.0, 0.08);
}

// 138 MB of parameters less those that stay: the time is streaming.
TEST(EstimateEdgeTpu, ANetworkThatStreamsTakesTheTimeOfItsParameters) {
  const TpuCounts vgg16 = counts(0, 0, 0, 138'357 - 7'900);
  EXPECT_NEAR(ms(vgg16, "usb3") / 296.0, 1.0, 0.08);
  EXPECT_NEAR(ms(vgg16, "pcie") / 343.0, 1.0, 0.08);
}

TEST(EstimateEdgeTpu, HalfTheClockDoublesTheIterationsAlone) {
  const TpuCounts c = counts(475'000, 237, 1);
  const auto host = find_host("");
  ASSERT_TRUE(host.ok());
  const TpuTime fast = tpu_time(c, **host, 500.0), slow = tpu_time(c, **host, 250.0);
  EXPECT_DOUBLE_EQ(slow.compute, 2.0 * fast.compute);
  EXPECT_DOUBLE_EQ(slow.to_device + slow.back + slow.start,
                   fast.to_device + fast.back + fast.start);
}

TEST(EstimateEdgeTpu, AnUnknownHostIsAnsweredWithTheList) {
  const auto host = find_host("sbus");
  ASSERT_FALSE(host.ok());
  EXPECT_NE(host.error().hint.find("usb3, usb2, pcie, rpi4"), std::string::npos);
}

}  // namespace
}  // namespace edgetwin::estimates
