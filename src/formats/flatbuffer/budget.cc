#include "formats/flatbuffer/budget.h"

namespace edgetwin::flatbuffer {

Budget::Budget(size_t file_size, uint64_t per_byte)
    : limit_((uint64_t{16} << 20) + per_byte * file_size), left_(limit_) {}

bool Budget::take(uint64_t bytes) {
  if (bytes > left_) return false;
  left_ -= bytes;
  return true;
}

}  // namespace edgetwin::flatbuffer
