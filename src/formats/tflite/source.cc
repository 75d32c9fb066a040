#include "formats/tflite/source.h"

#include <utility>

namespace edgetwin::tflite {

Status Source::count(size_t size, size_t* total, size_t limit, const void* at,
                     std::string_view field) const {
  *total += size;
  if (*total <= limit) return Ok{};
  return error(ErrorCode::out_of_memory,
               std::to_string(*total) + " " + std::string(field) + ", at most " +
                   std::to_string(limit) + " are read",
               at, std::string(field));
}

Result<ByteSpan> Source::outside(uint64_t offset, uint64_t size, const void* at,
                                 std::string field) const {
  if (offset > data().size() || size > data().size() - offset) {
    return error(ErrorCode::truncated,
                 std::to_string(size) + " bytes at " + std::to_string(offset) + ", the file has " +
                     std::to_string(data().size()),
                 at, std::move(field));
  }
  return data().subspan(offset, size);
}

}  // namespace edgetwin::tflite
