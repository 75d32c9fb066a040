#include "formats/recordings/recording.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "base/file.h"

namespace edgetwin::recordings {
namespace {

constexpr std::array kSampleTypes = {
#define SAMPLE_TYPE(name, bytes, parts, sigmf, text) \
  SampleTypeInfo{SampleType::name, #name, bytes, parts, sigmf, text},
#include "formats/recordings/sample_types.def"
#undef SAMPLE_TYPE
};

template <class T>
T loaded(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

float part_of(SampleType type, const std::byte* at) {
  switch (type) {
    case SampleType::cu8:
      return (static_cast<float>(loaded<uint8_t>(at)) - 127.5F) / 127.5F;
    case SampleType::cs8:
      return static_cast<float>(loaded<int8_t>(at)) / 128.0F;
    case SampleType::u8:
      return (static_cast<float>(loaded<uint8_t>(at)) - 128.0F) / 128.0F;
    case SampleType::cs16:
    case SampleType::s16:
      return static_cast<float>(loaded<int16_t>(at)) / 32768.0F;
    case SampleType::s24: {
      const uint32_t low = loaded<uint16_t>(at), high = loaded<uint8_t>(at + 2);
      return static_cast<float>(static_cast<int32_t>((high << 16 | low) << 8)) / 2147483648.0F;
    }
    case SampleType::s32:
      return static_cast<float>(loaded<int32_t>(at)) / 2147483648.0F;
    case SampleType::cf32:
    case SampleType::f32:
      break;
  }
  return loaded<float>(at);
}

std::string rate_text(double rate) {
  return std::to_string(static_cast<int64_t>(std::llround(rate)));
}

Result<Recording> open_sigmf(const std::string& path) {
  constexpr uint64_t kMostMeta = uint64_t{1} << 26;
  EDGETWIN_TRY_ASSIGN(const Bytes text, read_file(path, kMostMeta));
  EDGETWIN_TRY_ASSIGN(const SigMf meta, read_sigmf(as_text(ByteSpan(text)), path));
  std::filesystem::path data = path;
  if (meta.dataset.empty()) {
    data.replace_extension(".sigmf-data");
  } else {
    data.replace_filename(meta.dataset);
  }
  EDGETWIN_TRY_ASSIGN(Bytes samples, read_file(data));
  return Recording(std::move(samples), meta.type, 1, meta.sample_rate, meta.centre);
}

}  // namespace

std::span<const SampleTypeInfo> all_sample_types() { return kSampleTypes; }
const SampleTypeInfo& info(SampleType type) { return kSampleTypes[static_cast<size_t>(type)]; }

std::optional<SampleType> raw_type(std::string_view word) {
  for (const SampleTypeInfo& row : kSampleTypes) {
    if (row.name == word && row.parts == 2) return row.type;
  }
  return std::nullopt;
}

Recording::Recording(Bytes data, SampleType type, int channels, double sample_rate, double centre)
    : data_(std::move(data)),
      type_(type),
      channels_(channels),
      sample_rate_(sample_rate),
      centre_(centre) {
  const SampleTypeInfo& row = info(type);
  stride_ = static_cast<size_t>(row.bytes) * static_cast<size_t>(row.parts) *
            static_cast<size_t>(channels);
  samples_ = data_.size() / stride_;
  rest_ = data_.size() % stride_;
}

std::string Recording::description() const {
  std::string text(info(type_).name);
  if (channels_ > 1) text += " of " + std::to_string(channels_) + " channels";
  if (sample_rate_ > 0.0) text += ", " + rate_text(sample_rate_) + " samples/s";
  return text + ", " + std::to_string(samples_) + " samples";
}

Result<size_t> Recording::read(uint64_t first, std::span<std::complex<float>> to) const {
  const auto left = first < samples_ ? samples_ - first : 0;
  const auto count = static_cast<size_t>(std::min<uint64_t>(left, to.size()));
  const auto bytes = static_cast<size_t>(info(type_).bytes);
  for (size_t i = 0; i < count; ++i) {
    const std::byte* at = data_.data() + (first + i) * stride_;
    to[i] = {part_of(type_, at), is_complex() ? part_of(type_, at + bytes) : 0.0F};
    if (std::isfinite(to[i].real()) && std::isfinite(to[i].imag())) continue;
    return Error(ErrorCode::bad_value,
                 "sample " + std::to_string(first + i) + " is not a finite number")
        .at_offset((first + i) * stride_)
        .with_hint("Record again, or cut the part out: a transform of it would not be finite.");
  }
  return count;
}

Result<Recording> open_recording(const std::string& path, std::optional<SampleType> type,
                                 double rate) {
  const std::string ending = std::filesystem::path(path).extension().string();
  std::optional<Recording> made;
  if (!type && ending == ".sigmf-meta") {
    EDGETWIN_TRY_ASSIGN(made, open_sigmf(path));
  } else if (!type && ending == ".wav") {
    EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(path));
    EDGETWIN_TRY_ASSIGN(made, read_wav(data, path));
  } else {
    if (!type && !ending.empty()) type = raw_type(ending.substr(1));
    if (!type) {
      return Error(ErrorCode::file_kind, "the ending of '" + path + "' does not tell its samples")
          .with_hint(
              "Name a file .cu8, .cs8, .cs16, .cf32, .sigmf-meta or .wav, or say what it "
              "holds with --samples.");
    }
    EDGETWIN_TRY_ASSIGN(Bytes data, read_file(path));
    made.emplace(std::move(data), *type, 1, rate, 0.0);
  }
  if (rate > 0.0 && made->sample_rate() > 0.0 && rate != made->sample_rate()) {
    return Error(ErrorCode::usage, "the sample rates differ: " + rate_text(rate) +
                                       " is asked for, the file has " +
                                       rate_text(made->sample_rate()))
        .in_file(path)
        .with_hint("Leave --rate out: the file says its own.");
  }
  if (rate > 0.0) made->set_sample_rate(rate);
  return std::move(*made);
}

}  // namespace edgetwin::recordings
