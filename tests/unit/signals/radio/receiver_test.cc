#include "signals/radio/receiver.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <thread>

namespace edgetwin::signals {
namespace {

// A receiver that gives so many blocks of rising bytes, then fails or ends.
struct FakeState {
  int blocks = 3;
  bool fails = false;
  uint32_t rate = 0, centre = 0;
  std::optional<double> gain;
  std::atomic<int> closed = 0;
  uint32_t rate_error = 0;
};

class FakeReceiver final : public ReceiverLibrary {
 public:
  explicit FakeReceiver(FakeState& state) : state_(state) {}
  uint32_t count() override { return 1; }
  std::string device_name(uint32_t) override { return "fake"; }
  Status open(uint32_t) override { return Ok{}; }
  Result<uint32_t> set_sample_rate(uint32_t hertz) override {
    state_.rate = hertz + state_.rate_error;
    return state_.rate;
  }
  Status set_centre(uint32_t hertz) override {
    state_.centre = hertz;
    return Ok{};
  }
  Status set_gain(std::optional<double> gain) override {
    state_.gain = gain;
    return Ok{};
  }
  Status reset() override { return Ok{}; }
  Result<size_t> read(std::span<uint8_t> to) override {
    if (given_ == state_.blocks && state_.fails)
      return Error(ErrorCode::device, "it was pulled out");
    if (given_ == state_.blocks) return size_t{0};
    for (size_t i = 0; i < to.size(); ++i) to[i] = static_cast<uint8_t>(i);
    ++given_;
    return to.size();
  }
  void close() override { ++state_.closed; }

 private:
  FakeState& state_;
  int given_ = 0;
};

TEST(Receiver, GivesWhatTheDeviceSends) {
  FakeState state;
  {
    auto source = receiver_source(std::make_unique<FakeReceiver>(state), {.gain = 20.5});
    ASSERT_TRUE(source.ok());
    std::vector<std::complex<float>> samples(4 * kReceiverBlock / 2);
    const auto got = (*source)->read(samples);
    ASSERT_TRUE(got.ok());
    EXPECT_EQ(*got, 3 * kReceiverBlock / 2);
    EXPECT_EQ(samples[0], std::complex<float>(-1.0F, (1.0F - 127.5F) / 127.5F));
    EXPECT_EQ((*source)->lost(), 0U);
    EXPECT_EQ((*source)->description(), "rtl_sdr: fake");
    EXPECT_EQ(*(*source)->read(samples), 0U);
  }
  EXPECT_EQ(state.rate, 2048000U);
  EXPECT_EQ(state.centre, 100000000U);
  EXPECT_EQ(state.gain, 20.5);
  EXPECT_EQ(state.closed, 1);
}

// A consumer that takes nothing: the ring has room for one block of three.
TEST(Receiver, LossesAreCounted) {
  FakeState state;
  auto source = receiver_source(std::make_unique<FakeReceiver>(state), {.ring_blocks = 1});
  ASSERT_TRUE(source.ok());
  while ((*source)->lost() < kReceiverBlock) std::this_thread::yield();
  std::vector<std::complex<float>> samples(kReceiverBlock);
  EXPECT_EQ(*(*source)->read(samples), kReceiverBlock / 2);
  EXPECT_EQ((*source)->lost(), kReceiverBlock);
}

TEST(Receiver, AFailureComesAfterTheSamples) {
  FakeState state;
  state.fails = true;
  auto source = receiver_source(std::make_unique<FakeReceiver>(state), {});
  ASSERT_TRUE(source.ok());
  std::vector<std::complex<float>> samples(3 * kReceiverBlock / 2);
  EXPECT_EQ(*(*source)->read(samples), samples.size());
  const auto end = (*source)->read(samples);
  ASSERT_FALSE(end.ok());
  EXPECT_EQ(end.error().message, "it was pulled out");
}

TEST(Receiver, WhatIsRefused) {
  FakeState state;
  const auto none = receiver_source(std::make_unique<FakeReceiver>(state), {.index = 1});
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().message, "there is no receiver 1; 1 are attached");
  state.rate_error = 1000;
  const auto rate = receiver_source(std::make_unique<FakeReceiver>(state), {});
  ASSERT_FALSE(rate.ok());
  EXPECT_EQ(rate.error().code, ErrorCode::usage);
  EXPECT_EQ(state.closed, 1);
}

// The library's own functions, of a device made of software (rtlsdr_of_software.cc).
TEST(Receiver, ThePublicInterfaceIsUsed) {
  const auto program = std::filesystem::read_symlink("/proc/self/exe");
  const auto file = program.parent_path().parent_path() / "rtlsdr" / "librtlsdr.so.0";
  auto library = load_rtl_sdr(file.string());
  ASSERT_TRUE(library.ok()) << library.error().message;
  const auto source = receiver_source(std::move(*library), {.gain = 20.5});
  ASSERT_TRUE(source.ok()) << source.error().message;
  EXPECT_EQ((*source)->description(), "rtl_sdr: made of software");
  std::vector<std::complex<float>> samples(40 * kReceiverBlock / 2);
  const auto got = (*source)->read(samples);
  ASSERT_TRUE(got.ok());
  EXPECT_EQ(*got, 32 * kReceiverBlock / 2);
  EXPECT_EQ((*source)->lost(), 0U);
  const float high = (191.0F - 127.5F) / 127.5F, middle = 0.5F / 127.5F;
  EXPECT_EQ(samples[0], std::complex<float>(high, middle));
  EXPECT_EQ(samples[1], std::complex<float>(middle, high));
  EXPECT_EQ(samples[2], std::complex<float>(-high, middle));

  auto broken = load_rtl_sdr(file.string());
  ASSERT_TRUE(broken.ok());
  const auto closed = receiver_source(std::move(*broken), {.index = 1});
  ASSERT_FALSE(closed.ok());
  EXPECT_EQ(closed.error().message, "librtlsdr: open failed with -3");
  auto fast = load_rtl_sdr(file.string());
  ASSERT_TRUE(fast.ok());
  const auto rate = receiver_source(std::move(*fast), {.sample_rate = 10e6});
  ASSERT_FALSE(rate.ok());
  EXPECT_EQ(rate.error().message, "librtlsdr: set_sample_rate failed with -22");
}

TEST(Receiver, TheLibraryIsOptional) {
  const auto library = load_rtl_sdr("/nowhere/librtlsdr.so.0");
  ASSERT_FALSE(library.ok());
  EXPECT_EQ(library.error().code, ErrorCode::device);
  // One that is there, and is another.
  const auto other = load_rtl_sdr("libm.so.6");
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().message, "librtlsdr has no function rtlsdr_get_device_count");
}

}  // namespace
}  // namespace edgetwin::signals
