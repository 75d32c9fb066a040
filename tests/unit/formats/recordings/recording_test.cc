#include "formats/recordings/recording.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>

#include "base/file.h"

namespace edgetwin::recordings {
namespace {

namespace fs = std::filesystem;

template <class T>
Bytes bytes_of(const std::vector<T>& numbers) {
  return to_bytes(std::as_bytes(std::span(numbers)));
}

std::vector<std::complex<float>> all_of(const Recording& r) {
  std::vector<std::complex<float>> samples(r.samples());
  const auto got = r.read(0, samples);
  EXPECT_TRUE(got.ok());
  EXPECT_EQ(*got, samples.size());
  return samples;
}

Bytes wav_of(uint16_t coding, uint16_t channels, uint16_t bits, const Bytes& samples,
             uint32_t claimed = 0) {
  ByteWriter w;
  w.append(as_byte_span("RIFF"), "");
  w.write(uint32_t{0}, "");
  w.append(as_byte_span("WAVELIST"), "");
  w.write(uint32_t{3}, "");  // an odd chunk and its padding
  w.append(as_byte_span("abc\0"), "");
  w.write(uint8_t{0}, "");
  w.append(as_byte_span("fmt "), "");
  w.write(uint32_t{16}, "");
  w.write(coding, "");
  w.write(channels, "");
  w.write(uint32_t{16000}, "");
  w.write(uint32_t{0}, "");
  w.write(uint16_t{0}, "");
  w.write(bits, "");
  w.append(as_byte_span("data"), "");
  w.write(claimed == 0 ? static_cast<uint32_t>(samples.size()) : claimed, "");
  w.append(samples, "");
  return w.bytes();
}

TEST(Recordings, RawSamples) {
  const Recording cu8(bytes_of<uint8_t>({0, 255, 127, 128}), SampleType::cu8, 1, 0.0, 0.0);
  EXPECT_EQ(all_of(cu8)[0], std::complex<float>(-1.0F, 1.0F));
  EXPECT_EQ(all_of(cu8)[1].real(), -all_of(cu8)[1].imag());
  const Recording cs8(bytes_of<int8_t>({-128, 64}), SampleType::cs8, 1, 0.0, 0.0);
  EXPECT_EQ(all_of(cs8)[0], std::complex<float>(-1.0F, 0.5F));
  const Recording cs16(bytes_of<int16_t>({-32768, 16384}), SampleType::cs16, 1, 0.0, 0.0);
  EXPECT_EQ(all_of(cs16)[0], std::complex<float>(-1.0F, 0.5F));
  const Recording cf32(bytes_of<float>({0.25F, -3.0F}), SampleType::cf32, 1, 0.0, 0.0);
  EXPECT_EQ(all_of(cf32)[0], std::complex<float>(0.25F, -3.0F));
}

TEST(Recordings, TheRestIsSaid) {
  const Recording r(bytes_of<uint8_t>({1, 2, 3, 4, 5, 6, 7}), SampleType::cs16, 1, 0.0, 0.0);
  EXPECT_EQ(r.samples(), 1U);
  EXPECT_EQ(r.rest(), 3U);
  std::vector<std::complex<float>> none(4);
  EXPECT_EQ(*r.read(1, none), 0U);
  EXPECT_EQ(*r.read(uint64_t{1} << 62, none), 0U);
}

TEST(Recordings, NumbersThatAreNotFinite) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Recording r(bytes_of<float>({0, 0, 1, nan}), SampleType::cf32, 1, 0.0, 0.0);
  std::vector<std::complex<float>> samples(2);
  const auto got = r.read(0, samples);
  ASSERT_FALSE(got.ok());
  EXPECT_EQ(got.error().message, "sample 1 is not a finite number");
  EXPECT_EQ(got.error().place.offset, 8U);
}

TEST(Wav, AllWidths) {
  const auto mono = read_wav(wav_of(1, 1, 8, bytes_of<uint8_t>({0, 192})), "x.wav");
  ASSERT_TRUE(mono.ok()) << to_text(mono.error());
  EXPECT_EQ(mono->sample_rate(), 16000.0);
  EXPECT_EQ(all_of(*mono), (std::vector<std::complex<float>>{{-1, 0}, {0.5F, 0}}));
  const auto stereo = read_wav(wav_of(1, 2, 16, bytes_of<int16_t>({-32768, 16384})), "x.wav");
  ASSERT_TRUE(stereo.ok());
  EXPECT_EQ(all_of(*stereo), (std::vector<std::complex<float>>{{-1, 0.5F}}));
  const auto three =
      read_wav(wav_of(1, 1, 24, bytes_of<uint8_t>({0, 0, 0x80, 0, 0, 0x40})), "x.wav");
  ASSERT_TRUE(three.ok());
  EXPECT_EQ(all_of(*three), (std::vector<std::complex<float>>{{-1, 0}, {0.5F, 0}}));
  const auto four = read_wav(wav_of(1, 1, 32, bytes_of<int32_t>({1 << 30})), "x.wav");
  ASSERT_TRUE(four.ok());
  EXPECT_EQ(all_of(*four)[0].real(), 0.5F);
  const auto real = read_wav(wav_of(3, 1, 32, bytes_of<float>({0.125F})), "x.wav");
  ASSERT_TRUE(real.ok());
  EXPECT_EQ(all_of(*real)[0].real(), 0.125F);
}

TEST(Wav, WhatCannotBeRead) {
  const Bytes two = bytes_of<int16_t>({1, 2});
  EXPECT_FALSE(read_wav(wav_of(1, 1, 12, two), "x.wav").ok());
  EXPECT_FALSE(read_wav(wav_of(6, 1, 8, two), "x.wav").ok());
  EXPECT_FALSE(read_wav(wav_of(1, 0, 16, two), "x.wav").ok());
  EXPECT_FALSE(read_wav(as_byte_span("RIFF    JPEG"), "x.wav").ok());
  EXPECT_FALSE(read_wav(as_byte_span("RIFF    WAVE"), "x.wav").ok());
  EXPECT_FALSE(read_wav(as_byte_span("RIFF    WAVEdata\1\0\0\0x"), "x.wav").ok());
  // Switched off while it recorded: what is there counts.
  const auto cut = read_wav(wav_of(1, 1, 16, two, 1000), "x.wav");
  ASSERT_TRUE(cut.ok());
  EXPECT_EQ(cut->samples(), 2U);
  const Bytes whole = wav_of(1, 1, 16, two);
  EXPECT_FALSE(read_wav(ByteSpan(whole).first(30), "x.wav").ok());
}

TEST(SigMfMeta, WhatIsRead) {
  const auto meta = read_sigmf(
      R"({"global": {"core:datatype": "ci16_le", "core:sample_rate": 48000.0},
          "captures": [{"core:sample_start": 0, "core:frequency": 433.92e6}]})",
      "x.sigmf-meta");
  ASSERT_TRUE(meta.ok()) << to_text(meta.error());
  EXPECT_EQ(meta->type, SampleType::cs16);
  EXPECT_EQ(meta->sample_rate, 48000.0);
  EXPECT_EQ(meta->centre, 433.92e6);
}

TEST(SigMfMeta, WhatIsRefused) {
  const auto message = [](const char* text) {
    const auto meta = read_sigmf(text, "x.sigmf-meta");
    return meta.ok() ? std::string() : meta.error().place.field;
  };
  EXPECT_EQ(message("{}"), "global");
  EXPECT_EQ(message(R"({"global": {}})"), "core:datatype");
  EXPECT_EQ(message(R"({"global": {"core:datatype": "cf64_be"}})"), "core:datatype");
  EXPECT_EQ(message(R"({"global": {"core:datatype": "cu8", "core:sample_rate": "fast"}})"),
            "core:sample_rate");
  EXPECT_EQ(message(R"({"global": {"core:datatype": "cu8", "core:sample_rate": -1}})"),
            "core:sample_rate");
  EXPECT_EQ(message(R"({"global": {"core:datatype": "cu8", "core:num_channels": 2}})"),
            "core:num_channels");
  EXPECT_EQ(message(R"({"global": {"core:datatype": "cu8", "core:dataset": "../x"}})"),
            "core:dataset");
  EXPECT_FALSE(read_sigmf("[", "x.sigmf-meta").ok());
}

TEST(Recordings, FilesByTheirEnding) {
  const fs::path folder = fs::path(::testing::TempDir()) / "recordings";
  fs::remove_all(folder);  // what an earlier run left
  fs::create_directories(folder);
  const auto write = [&folder](const char* name, std::string_view text) {
    EXPECT_TRUE(write_file(folder / name, text, Overwrite::yes).ok());
    return (folder / name).string();
  };
  const std::string raw = write("a.cu8", "abcd"), other = write("a.bin", "abcd");
  ASSERT_TRUE(open_recording(raw, std::nullopt, 0.0).ok());
  EXPECT_EQ(open_recording(raw, std::nullopt, 2e6)->sample_rate(), 2e6);
  EXPECT_EQ(open_recording(other, std::nullopt, 0.0).error().code, ErrorCode::file_kind);
  EXPECT_EQ(open_recording(other, SampleType::cs16, 0.0)->samples(), 1U);
  const std::string meta =
      write("b.sigmf-meta", R"({"global": {"core:datatype": "cu8", "core:sample_rate": 1000}})");
  EXPECT_EQ(open_recording(meta, std::nullopt, 0.0).error().code, ErrorCode::file_open);
  write("b.sigmf-data", "abcdef");
  const auto both = open_recording(meta, std::nullopt, 1000.0);
  ASSERT_TRUE(both.ok());
  EXPECT_EQ(both->samples(), 3U);
  const auto differs = open_recording(meta, std::nullopt, 2000.0);
  ASSERT_FALSE(differs.ok());
  EXPECT_EQ(differs.error().message,
            "the sample rates differ: 2000 is asked for, the file has 1000");
}

}  // namespace
}  // namespace edgetwin::recordings
