// The pickles of CIFAR's files for Python: dictionaries of texts, numbers, lists, and one array of
// bytes. Nothing is executed: objects of classes are kept as what they were built from.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace edgetwin::train {

struct PickleValue {
  enum class Kind : uint8_t { other, integer, text, list, dict };
  Kind kind = Kind::other;
  int64_t number = 0;
  std::string_view text;      // in the file; of an array of bytes its elements
  std::vector<size_t> items;  // of lists and dictionaries (key, value, ...), in Pickle::values
};

struct Pickle {
  std::vector<PickleValue> values;
  size_t root = 0;

  // The value of a key of the root; nullptr where it is not there.
  const PickleValue* find(std::string_view key) const;
};

// `data` must outlive the result. Error: train_data_file with the offset.
Result<Pickle> parse_pickle(ByteSpan data, const std::string& file);

}  // namespace edgetwin::train
