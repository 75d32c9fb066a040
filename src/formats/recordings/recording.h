// Recordings of radio and sound: raw complex samples, SigMF, WAV. docs/signals.md says what is
// read.
#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace edgetwin::recordings {

enum class SampleType : uint8_t {
#define SAMPLE_TYPE(name, bytes, parts, sigmf, text) name,
#include "formats/recordings/sample_types.def"
#undef SAMPLE_TYPE
};
struct SampleTypeInfo {
  SampleType type;
  std::string_view name;
  int bytes, parts;
  std::string_view sigmf, text;
};
std::span<const SampleTypeInfo> all_sample_types();
const SampleTypeInfo& info(SampleType type);
// Of raw files: cu8, cs8, cs16, cf32; nothing for other words.
std::optional<SampleType> raw_type(std::string_view word);

class Recording {
 public:
  // `data` holds samples from its first byte on, `channels` of them interleaved; two channels of
  // real numbers are real and imaginary part, of more the first one counts.
  Recording(Bytes data, SampleType type, int channels, double sample_rate, double centre);

  SampleType type() const { return type_; }
  int channels() const { return channels_; }
  bool is_complex() const { return channels_ == 2 || info(type_).parts == 2; }
  double sample_rate() const { return sample_rate_; }  // Hz; 0: unknown
  double centre() const { return centre_; }            // Hz of frequency 0; 0: unknown
  uint64_t samples() const { return samples_; }
  uint64_t rest() const { return rest_; }  // bytes at the end that are no whole sample
  void set_sample_rate(double rate) { sample_rate_ = rate; }
  // "cs16, 2048000 samples/s"
  std::string description() const;

  // Samples from `first` on, as many as `to` has room for and the recording has; gives their
  // number. Error: bad_value with the place of a number that is not finite.
  Result<size_t> read(uint64_t first, std::span<std::complex<float>> to) const;

 private:
  Bytes data_;
  SampleType type_;
  int channels_;
  double sample_rate_, centre_;
  size_t stride_ = 0;
  uint64_t samples_ = 0, rest_ = 0;
};

// A file by its ending: .cu8, .cs8, .cs16, .cf32 (or `type` for another), .sigmf-meta (with the
// data beside it), .wav. `rate`: samples per second where the file does not say it; 0: unknown.
// Errors: file_*, file_kind where neither ending nor `type` tells, usage where `rate` is not the
// file's own, bad_value, truncated.
Result<Recording> open_recording(const std::string& path, std::optional<SampleType> type,
                                 double rate);

// PCM of 8, 16, 24 and 32 bits and float32, one channel or more; also WAVE_FORMAT_EXTENSIBLE.
// `file` is used in errors only. Errors: bad_value, truncated.
Result<Recording> read_wav(ByteSpan data, const std::string& file);

// What a .sigmf-meta file says of its samples.
struct SigMf {
  SampleType type = SampleType::cf32;
  double sample_rate = 0.0, centre = 0.0;
  std::string dataset;  // core:dataset; empty: the file's own name with .sigmf-data
  uint64_t captures = 0;
};
// Errors: bad_value with the member that cannot be used.
Result<SigMf> read_sigmf(std::string_view text, const std::string& file);

}  // namespace edgetwin::recordings
