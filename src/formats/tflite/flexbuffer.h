// The part of FlexBuffers that options of custom operators use: a map of numbers. Every access is
// bounds-checked, because the bytes come from a file.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

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

 private:
  FlexMap() = default;
  std::optional<std::string_view> key_at(size_t index) const;
  std::optional<double> number_at(size_t index) const;

  ByteSpan data_;
  size_t size_ = 0;
  size_t values_ = 0, value_width_ = 1;
  size_t keys_ = 0, key_width_ = 1;
};

}  // namespace edgetwin::tflite
