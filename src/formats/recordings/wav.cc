// RIFF/WAVE: chunks of an identifier, a length and so many bytes, padded to an even number.
#include <algorithm>

#include "formats/recordings/recording.h"

namespace edgetwin::recordings {
namespace {

constexpr uint16_t kPcm = 1, kFloat = 3, kExtensible = 0xFFFE;
constexpr int kMostChannels = 64;

struct WavFormat {
  uint16_t coding = 0, channels = 0, bits = 0;
  uint32_t rate = 0;
};

Error wav_error(const std::string& file, uint64_t offset, std::string message) {
  return Error(ErrorCode::bad_value, std::move(message))
      .in_file(file)
      .at_offset(offset)
      .with_hint("Save it as WAV with PCM of 8, 16, 24 or 32 bits, or float of 32 bits.");
}

Result<WavFormat> read_format(ByteSpan chunk, const std::string& file, uint64_t offset) {
  ByteReader r(chunk, file);
  WavFormat f;
  EDGETWIN_TRY_ASSIGN(f.coding, r.read<uint16_t>("wFormatTag"));
  EDGETWIN_TRY_ASSIGN(f.channels, r.read<uint16_t>("nChannels"));
  EDGETWIN_TRY_ASSIGN(f.rate, r.read<uint32_t>("nSamplesPerSec"));
  EDGETWIN_TRY(r.skip(6, "nAvgBytesPerSec and nBlockAlign"));
  EDGETWIN_TRY_ASSIGN(f.bits, r.read<uint16_t>("wBitsPerSample"));
  if (f.coding == kExtensible) {
    EDGETWIN_TRY(r.skip(8, "cbSize, wValidBitsPerSample and dwChannelMask"));
    EDGETWIN_TRY_ASSIGN(f.coding, r.read<uint16_t>("SubFormat"));
  }
  if (f.channels < 1 || f.channels > kMostChannels) {
    return wav_error(file, offset,
                     std::to_string(f.channels) + " channels; 1 to " +
                         std::to_string(kMostChannels) + " are possible");
  }
  if (f.rate == 0) return wav_error(file, offset, "the sample rate is 0");
  return f;
}

Result<SampleType> type_of(const WavFormat& f, const std::string& file, uint64_t offset) {
  if (f.coding == kPcm && f.bits == 8) return SampleType::u8;
  if (f.coding == kPcm && f.bits == 16) return SampleType::s16;
  if (f.coding == kPcm && f.bits == 24) return SampleType::s24;
  if (f.coding == kPcm && f.bits == 32) return SampleType::s32;
  if (f.coding == kFloat && f.bits == 32) return SampleType::f32;
  return wav_error(file, offset,
                   "samples of coding " + std::to_string(f.coding) + " with " +
                       std::to_string(f.bits) + " bits are not read");
}

}  // namespace

Result<Recording> read_wav(ByteSpan data, const std::string& file) {
  ByteReader r(data, file);
  EDGETWIN_TRY_ASSIGN(const ByteSpan riff, r.take(4, "RIFF"));
  EDGETWIN_TRY(r.skip(4, "length of RIFF"));
  EDGETWIN_TRY_ASSIGN(const ByteSpan wave, r.take(4, "WAVE"));
  if (as_text(riff) != "RIFF" || as_text(wave) != "WAVE") {
    return wav_error(file, 0, "it does not begin as a WAV file does");
  }
  std::optional<WavFormat> format;
  std::optional<SampleType> type;
  while (r.remaining() > 0) {
    const uint64_t offset = r.offset();
    EDGETWIN_TRY_ASSIGN(const ByteSpan id, r.take(4, "identifier of a chunk"));
    EDGETWIN_TRY_ASSIGN(const uint32_t length, r.read<uint32_t>("length of a chunk"));
    const bool samples = as_text(id) == "data";
    if (samples && !format) return wav_error(file, offset, "samples come before their format");
    // A recorder that was switched off leaves a length that is too large: what is there counts.
    const size_t there = samples ? std::min<size_t>(length, r.remaining()) : length;
    EDGETWIN_TRY_ASSIGN(const ByteSpan chunk, r.take(there, "content of a chunk"));
    if (samples) {
      return Recording(to_bytes(chunk), *type, format->channels, static_cast<double>(format->rate),
                       0.0);
    }
    if (as_text(id) == "fmt ") {
      EDGETWIN_TRY_ASSIGN(format, read_format(chunk, file, offset));
      EDGETWIN_TRY_ASSIGN(type, type_of(*format, file, offset));
    }
    if (length % 2 == 1 && r.remaining() > 0) EDGETWIN_TRY(r.skip(1, "padding of a chunk"));
  }
  return wav_error(file, data.size(), "it has no samples: no chunk 'data'");
}

}  // namespace edgetwin::recordings
