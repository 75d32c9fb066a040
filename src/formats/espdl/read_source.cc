#include "formats/espdl/read_source.h"

#include <utility>

namespace edgetwin::espdl {
namespace {

// A table of a few bytes becomes a struct of strings and lists, so more than the file's own size.
constexpr uint64_t kBudgetFloor = uint64_t{16} << 20;
constexpr uint64_t kBudgetPerByte = 8;

}  // namespace

Budget::Budget(size_t file_size)
    : limit_(kBudgetFloor + kBudgetPerByte * file_size), left_(limit_) {}

bool Budget::take(uint64_t bytes) {
  if (bytes > left_) return false;
  left_ -= bytes;
  return true;
}

Error Source::error(ErrorCode code, std::string message, const void* at, std::string field) const {
  Error e(code, std::move(message));
  return std::move(e).in_file(file_).at_offset(base_ + offset_of(at)).in_field(std::move(field));
}

Status Source::charge(uint64_t bytes, const void* at, std::string_view field) {
  if (budget_.take(bytes)) return Ok{};
  return error(ErrorCode::out_of_memory,
               "the models of the file take more than " + std::to_string(budget_.limit()) +
                   " bytes of memory",
               at, std::string(field));
}

}  // namespace edgetwin::espdl
