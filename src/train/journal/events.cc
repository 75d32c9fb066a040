#include "train/journal/events.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstdio>
#include <fstream>

namespace edgetwin::train {
namespace {

enum Wire : uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

void put_little(Bytes& out, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<std::byte>(value >> (8 * i)));
}

void put_varint(Bytes& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<std::byte>(value | 0x80));
  out.push_back(static_cast<std::byte>(value));
}

void put_key(Bytes& out, uint64_t field, Wire wire) { put_varint(out, field << 3 | wire); }

void put_bytes(Bytes& out, uint64_t field, ByteSpan content) {
  put_key(out, field, kBytes);
  put_varint(out, content.size());
  out.insert(out.end(), content.begin(), content.end());
}

void put_text(Bytes& out, uint64_t field, std::string_view text) {
  put_bytes(out, field, as_byte_span(text));
}

void put_real(Bytes& out, uint64_t field, double value) {
  put_key(out, field, kFixed64);
  put_little(out, std::bit_cast<uint64_t>(value), 8);
}

void put_integer(Bytes& out, uint64_t field, uint64_t value) {
  put_key(out, field, kVarint);
  put_varint(out, value);
}

Bytes event_of(double time, int64_t step, const std::vector<Bytes>& values) {
  Bytes summary;
  for (const Bytes& value : values) put_bytes(summary, 1, value);
  Bytes event;
  put_real(event, 1, time);
  if (step != 0) put_integer(event, 2, static_cast<uint64_t>(step));
  put_bytes(event, 5, summary);
  return event_record(event);
}

}  // namespace

uint32_t crc32c(ByteSpan data) {
  constexpr uint32_t kPolynomial = 0x82F63B78;
  uint32_t crc = 0xFFFFFFFF;
  for (const std::byte b : data) {
    crc ^= static_cast<uint32_t>(b);
    for (int i = 0; i < 8; ++i) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
  }
  return crc ^ 0xFFFFFFFF;
}

uint32_t masked_crc32c(ByteSpan data) {
  constexpr uint32_t kMask = 0xA282EAD8;
  return std::rotr(crc32c(data), 15) + kMask;
}

Bytes event_record(ByteSpan message) {
  Bytes record;
  put_little(record, message.size(), 8);
  const uint32_t length_crc = masked_crc32c(record);
  put_little(record, length_crc, 4);
  record.insert(record.end(), message.begin(), message.end());
  put_little(record, masked_crc32c(message), 4);
  return record;
}

Bytes first_event() {
  Bytes event;
  put_real(event, 1, 1.0);
  put_text(event, 3, "brain.Event:2");
  return event_record(event);
}

Bytes scalar_event(double time, int64_t step, const Scalars& scalars) {
  std::vector<Bytes> values;
  for (const auto& [tag, number] : scalars) {
    Bytes value;
    put_text(value, 1, tag);
    put_key(value, 2, kFixed32);
    put_little(value, std::bit_cast<uint32_t>(static_cast<float>(number)), 4);
    values.push_back(std::move(value));
  }
  return event_of(time, step, values);
}

Bytes text_event(double time, std::string_view tag, std::string_view text) {
  constexpr uint64_t kString = 7;
  Bytes shape_entry, shape, tensor, plugin, metadata, value;
  put_integer(shape_entry, 1, 1);
  put_bytes(shape, 2, shape_entry);
  put_integer(tensor, 1, kString);
  put_bytes(tensor, 2, shape);
  put_text(tensor, 8, text);
  put_text(plugin, 1, "text");
  put_bytes(metadata, 1, plugin);
  put_text(value, 1, tag);
  put_bytes(value, 8, tensor);
  put_bytes(value, 9, metadata);
  return event_of(time, 0, {value});
}

Bytes histogram_event(double time, int64_t step, std::string_view tag,
                      std::span<const float> values) {
  constexpr size_t kEventBuckets = 30;
  double least = 0, most = 0, sum = 0, squares = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const auto v = static_cast<double>(values[i]);
    least = i == 0 ? v : std::min(least, v);
    most = i == 0 ? v : std::max(most, v);
    sum += v;
    squares += v * v;
  }
  const double width = (most - least) / kEventBuckets;
  std::array<double, kEventBuckets> counts{};
  for (const float v : values) {
    const double place = width > 0 ? (static_cast<double>(v) - least) / width : 0;
    ++counts[std::min(static_cast<size_t>(place), kEventBuckets - 1)];
  }
  Bytes limits, buckets, histogram, value;
  for (size_t b = 0; b < kEventBuckets; ++b) {
    const double limit = b + 1 == kEventBuckets ? most : least + width * static_cast<double>(b + 1);
    put_little(limits, std::bit_cast<uint64_t>(limit), 8);
    put_little(buckets, std::bit_cast<uint64_t>(counts[b]), 8);
  }
  put_real(histogram, 1, least);
  put_real(histogram, 2, most);
  put_real(histogram, 3, static_cast<double>(values.size()));
  put_real(histogram, 4, sum);
  put_real(histogram, 5, squares);
  put_bytes(histogram, 6, limits);
  put_bytes(histogram, 7, buckets);
  put_text(value, 1, tag);
  put_bytes(value, 5, histogram);
  return event_of(time, step, {value});
}

Bytes picture_event(double time, int64_t step, std::string_view tag, int height, int width,
                    ByteSpan png) {
  constexpr uint64_t kColours = 3;
  Bytes image, value;
  put_integer(image, 1, static_cast<uint64_t>(height));
  put_integer(image, 2, static_cast<uint64_t>(width));
  put_integer(image, 3, kColours);
  put_bytes(image, 4, png);
  put_text(value, 1, tag);
  put_bytes(value, 4, image);
  return event_of(time, step, {value});
}

Bytes curve_event(double time, int64_t step, std::string_view tag, std::span<const float> rows) {
  constexpr uint64_t kFloat = 1, kRows = 6;
  const uint64_t thresholds = rows.size() / kRows;
  Bytes shape, tensor, numbers, content, plugin, metadata, value;
  for (const uint64_t size : {kRows, thresholds}) {
    Bytes entry;
    put_integer(entry, 1, size);
    put_bytes(shape, 2, entry);
  }
  for (const float v : rows) put_little(numbers, std::bit_cast<uint32_t>(v), 4);
  put_integer(tensor, 1, kFloat);
  put_bytes(tensor, 2, shape);
  put_bytes(tensor, 5, numbers);
  put_integer(content, 2, thresholds);
  put_text(plugin, 1, "pr_curves");
  put_bytes(plugin, 2, content);
  put_bytes(metadata, 1, plugin);
  put_text(value, 1, tag);
  put_bytes(value, 8, tensor);
  put_bytes(value, 9, metadata);
  return event_of(time, step, {value});
}

double wall_time() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

Result<EventFile> EventFile::make(const std::filesystem::path& folder) {
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0 || host[0] == '\0') {
    std::snprintf(host.data(), host.size(), "localhost");
  }
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%010lld", static_cast<long long>(wall_time()));
  EventFile file;
  file.folder_ = folder;
  file.name_ = std::string("events.out.tfevents.") + seconds + "." + host.data() + "." +
               std::to_string(getpid()) + ".0";
  EDGETWIN_TRY(file.append(first_event()));
  return file;
}

Status EventFile::append(ByteSpan records) const {
  std::ofstream out(folder_ / name_, std::ios::binary | std::ios::app);
  out.write(reinterpret_cast<const char*>(records.data()),
            static_cast<std::streamsize>(records.size()));
  out.flush();
  if (out) return Ok{};
  return Error(ErrorCode::file_write, "the event file cannot be written")
      .in_file((folder_ / name_).string());
}

}  // namespace edgetwin::train
