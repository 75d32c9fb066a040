#include "signals/stream/spectrum_stream.h"

#include <gtest/gtest.h>

#include <thread>

#include "signals/fft/reference.h"
#include "signals/stream/ring.h"

namespace edgetwin::signals {
namespace {

TEST(SampleRing, CountsWhatFindsNoRoom) {
  SampleRing ring(4);
  const std::vector<std::complex<float>> three = {1, 2, 3};
  ring.push(three);
  ring.push(three);
  EXPECT_EQ(ring.lost(), 2U);
  std::vector<std::complex<float>> got(3);
  EXPECT_EQ(ring.pop(got), 3U);
  EXPECT_EQ(got, three);
  ring.push(three);
  ring.close();
  got.resize(9);
  EXPECT_EQ(ring.pop(got), 4U);
  EXPECT_EQ(got[0], std::complex<float>(1));
  EXPECT_EQ(got[3], std::complex<float>(3));
  EXPECT_EQ(ring.pop(got), 0U);
  EXPECT_EQ(ring.lost(), 2U);
}

TEST(SampleRing, TwoThreadsLoseNothingWhereThereIsRoom) {
  SampleRing ring(1000);
  std::thread producer([&ring] {
    for (int i = 0; i < 1000; ++i) {
      ring.push(std::vector<std::complex<float>>(1, static_cast<float>(i)));
    }
    ring.close();
  });
  std::vector<std::complex<float>> got(1001);
  EXPECT_EQ(ring.pop(got), 1000U);
  producer.join();
  for (size_t i = 0; i < 1000; ++i) EXPECT_EQ(got[i].real(), static_cast<float>(i));
  EXPECT_EQ(ring.lost(), 0U);
}

// A network that is exact: the plain sum.
Result<Tensor> exact_transform(const Tensor& input) {
  Tensor output = input;
  const auto from = input.as<float>();
  const auto to = output.as<float>();
  const auto size = static_cast<size_t>(input.shape[1]);
  for (size_t start = 0; start < from.size() / 2; start += size) {
    std::vector<Complex> x;
    for (size_t i = start; i < start + size; ++i) x.emplace_back(from[2 * i], from[2 * i + 1]);
    const auto y = plain_dft(x);
    for (size_t i = 0; i < size; ++i) {
      to[2 * (start + i)] = static_cast<float>(y[i].real());
      to[2 * (start + i) + 1] = static_cast<float>(y[i].imag());
    }
  }
  return output;
}

struct Streamed {
  StreamSummary summary;
  std::vector<std::vector<float>> rows;
  size_t spectra = 0;
};

Streamed streamed(size_t samples, int64_t batch, const StreamOptions& options) {
  Bytes bytes(samples * 2 + 1);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 37 % 256);
  auto source = recorded_source({std::move(bytes), recordings::SampleType::cu8, 1, 0.0, 0.0}, "x");
  EXPECT_EQ(source->rest(), 1U);
  Streamed s;
  const StreamSinks sinks{[&s](std::span<const std::complex<float>>) -> Status {
                            ++s.spectra;
                            return Ok{};
                          },
                          [&s](const std::vector<float>& row) -> Result<bool> {
                            s.rows.push_back(row);
                            return true;
                          }};
  const auto summary = stream_spectrum(*source, *Tensor::zeros(DType::float32, {batch, 8, 2}),
                                       InputOrder::natural, options, exact_transform, sinks);
  EXPECT_TRUE(summary.ok());
  s.summary = *summary;
  return s;
}

TEST(SpectrumStream, FramesRowsAndTheEnd) {
  const auto plain = streamed(50, 1, {.window = Window::hann});
  EXPECT_EQ(plain.summary.frames, 6U);
  EXPECT_EQ(plain.summary.unused, 2U);
  EXPECT_EQ(plain.rows.size(), 6U);
  EXPECT_EQ(plain.spectra, 6U);
  // Half overlapped: a frame every four samples.
  const auto half = streamed(50, 1, {.window = Window::hann, .overlap = 0.5});
  EXPECT_EQ(half.summary.frames, 11U);
  EXPECT_EQ(half.rows[2], plain.rows[1]);
  // A row of what is left at the end.
  EXPECT_EQ(streamed(50, 1, {.window = Window::hann, .average = 4}).rows.size(), 2U);
  EXPECT_EQ(streamed(50, 1, {.window = Window::hann, .rows = 2}).rows.size(), 2U);
  EXPECT_EQ(streamed(7, 1, {}).summary.unused, 7U);
}

TEST(SpectrumStream, BatchesChangeNothing) {
  const StreamOptions options{.window = Window::blackman, .overlap = 0.25, .average = 2};
  const auto one = streamed(100, 1, options), four = streamed(100, 4, options);
  EXPECT_EQ(one.rows, four.rows);
  EXPECT_EQ(one.summary.frames, four.summary.frames);
}

TEST(SpectrumStream, SyntheticSignals) {
  EXPECT_FALSE(synthetic_source("music", 0.0).ok());
  auto tones = synthetic_source("tones", 1000.0);
  ASSERT_TRUE(tones.ok());
  EXPECT_EQ((*tones)->sample_rate(), 1000.0);
  std::vector<std::complex<float>> samples(64);
  EXPECT_EQ(*(*tones)->read(samples), 64U);
  for (const auto& v : samples) EXPECT_LT(std::abs(v), 1.0F);
}

}  // namespace
}  // namespace edgetwin::signals
