// The part of FlexBuffers that options of custom operators use: a map of numbers, of texts and of
// vectors of both. Every access is bounds-checked, because the bytes come from a file.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace edgetwin::tflite {

class FlexMap {
 public:
  // The root of the bytes, which must be a map. `data` must outlive the result.
  // Error: tflite_custom_options.
  static Result<FlexMap> open(ByteSpan data);

  size_t size() const { return size_; }

  // The number (or bool) of a key as a double; nothing if there is no such key. Error:
  // tflite_custom_options if the entry cannot be read or is of another type.
  Result<std::optional<double>> number(std::string_view key) const;
  // Of a string, the bytes of a vector of whole numbers, and of a vector of strings; all three
  // point into the data, and are nothing if there is no such key. Error: as of number().
  Result<std::optional<ByteSpan>> text(std::string_view key) const;
  Result<std::optional<std::vector<int64_t>>> integers(std::string_view key) const;
  Result<std::optional<std::vector<ByteSpan>>> texts(std::string_view key) const;

 private:
  // A value that is stored elsewhere: its type, where it begins, and the width of what it counts
  // in.
  struct Target {
    uint8_t type = 0;
    size_t at = 0;
    size_t width = 1;
    size_t size = 0;  // elements, of strings and vectors
  };

  FlexMap() = default;
  Result<std::optional<size_t>> index_of(std::string_view key) const;
  std::optional<Target> target_at(size_t slot, size_t slot_width, uint8_t packed) const;
  std::optional<Target> value_target(size_t index) const;
  std::optional<std::string_view> key_at(size_t index) const;
  std::optional<double> number_at(size_t index) const;

  ByteSpan data_;
  size_t size_ = 0;
  size_t values_ = 0, value_width_ = 1;
  size_t keys_ = 0, key_width_ = 1;
};

}  // namespace edgetwin::tflite
