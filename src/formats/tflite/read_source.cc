#include "formats/tflite/read_source.h"

#include <utility>

namespace edgetwin::tflite {
namespace {

constexpr uint64_t kBudgetFloor = uint64_t{16} << 20;
constexpr uint64_t kBudgetPerByte = 4;  // one zero point of 4 bytes per scale may become 8

}  // namespace

Source::Source(ByteSpan data, std::string file)
    : data_(data), file_(std::move(file)), budget_(kBudgetFloor + kBudgetPerByte * data.size()) {}

Error Source::error(ErrorCode code, std::string message, const void* at, std::string field) const {
  Error e = Error(code, std::move(message)).in_file(file_).in_field(std::move(field));
  if (at != nullptr) {
    e.place.offset = static_cast<uint64_t>(static_cast<const std::byte*>(at) - data_.data());
  }
  return e;
}

Status Source::charge(uint64_t bytes, const void* at, std::string_view field) {
  if (bytes > budget_) {
    return error(ErrorCode::out_of_memory,
                 "the tables of the file hold more than " + std::to_string(kBudgetPerByte) +
                     " times its " + std::to_string(data_.size()) + " bytes",
                 at, std::string(field));
  }
  budget_ -= bytes;
  return Ok{};
}

Status Source::count(size_t size, size_t* total, size_t limit, const void* at,
                     std::string_view field) {
  *total += size;
  if (*total <= limit) return Ok{};
  return error(ErrorCode::out_of_memory,
               std::to_string(*total) + " " + std::string(field) + ", at most " +
                   std::to_string(limit) + " are read",
               at, std::string(field));
}

Result<ByteSpan> Source::outside(uint64_t offset, uint64_t size, const void* at,
                                 std::string field) const {
  if (offset > data_.size() || size > data_.size() - offset) {
    return error(ErrorCode::truncated,
                 std::to_string(size) + " bytes at " + std::to_string(offset) + ", the file has " +
                     std::to_string(data_.size()),
                 at, std::move(field));
  }
  return data_.subspan(offset, size);
}

}  // namespace edgetwin::tflite
