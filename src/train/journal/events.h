// TensorBoard's event files: records with lengths and check sums around protobuf messages.
// Specification: training, 13.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace edgetwin::train {

// CRC-32C, and the form in which records have it.
uint32_t crc32c(ByteSpan data);
uint32_t masked_crc32c(ByteSpan data);

// One record around a message.
Bytes event_record(ByteSpan message);
// The first record of each file.
Bytes first_event();

using Scalars = std::vector<std::pair<std::string, double>>;
// A record with scalars of one step.
Bytes scalar_event(double wall_time, int64_t step, const Scalars& scalars);
// A record with a histogram: 30 buckets of one width between the extremes.
Bytes histogram_event(double wall_time, int64_t step, std::string_view tag,
                      std::span<const float> values);
// A record with a picture in colours.
Bytes picture_event(double wall_time, int64_t step, std::string_view tag, int height, int width,
                    ByteSpan png);
// A record with a curve of precision and recall: six rows of one number per threshold (true
// positives, false positives, true negatives, false negatives, precision, recall).
Bytes curve_event(double wall_time, int64_t step, std::string_view tag,
                  std::span<const float> rows);
// A record with a text.
Bytes text_event(double wall_time, std::string_view tag, std::string_view text);

// A file that grows by records. TensorBoard watches it, so it is appended to, not replaced.
class EventFile {
 public:
  // A new file events.out.tfevents.<seconds>.<host>.<process>.0 in the folder. Error: file_write.
  static Result<EventFile> make(const std::filesystem::path& folder);
  Status append(ByteSpan records) const;
  const std::string& name() const { return name_; }

 private:
  std::filesystem::path folder_;
  std::string name_;
};

// Seconds since 1970.
double wall_time();

}  // namespace edgetwin::train
