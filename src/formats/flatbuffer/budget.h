// How much memory what is read from one file may take.
#pragma once

#include <cstddef>
#include <cstdint>

namespace edgetwin::flatbuffer {

// A FlatBuffer may refer to the same bytes over and over, so that a small file asks for any amount
// of memory; a real one stays near its own size.
class Budget {
 public:
  // 16 MiB, and `per_byte` bytes of memory for every byte of the file.
  Budget(size_t file_size, uint64_t per_byte);
  // False, and nothing is taken, where less is left.
  bool take(uint64_t bytes);
  uint64_t limit() const { return limit_; }

 private:
  uint64_t limit_;
  uint64_t left_;
};

}  // namespace edgetwin::flatbuffer
