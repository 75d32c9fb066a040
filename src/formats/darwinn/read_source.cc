#include "formats/darwinn/read_source.h"

#include <utility>

namespace edgetwin::darwinn {
namespace {

// A package is copied three times, each time to the start of an aligned buffer.
constexpr uint64_t kBudgetFloor = uint64_t{16} << 20;
constexpr uint64_t kBudgetPerByte = 8;
constexpr size_t kMaxFindings = 1000;

}  // namespace

Reading::Reading(std::string file_name, size_t file_size)
    : file(std::move(file_name)), limit(kBudgetFloor + kBudgetPerByte * file_size), left(limit) {}

bool Reading::take(uint64_t bytes) {
  if (bytes > left) return false;
  left -= bytes;
  return true;
}

Result<Source> Source::copy(Reading& reading, ByteSpan data, uint64_t base,
                            const std::string& what) {
  if (reading.take(data.size())) return Source(reading, data, base);
  return Error(ErrorCode::out_of_memory,
               "the file asks for more than " + std::to_string(reading.limit) + " bytes")
      .in_file(reading.file)
      .at_offset(base)
      .in_field(what);
}

Error Source::error(ErrorCode code, std::string message, const void* at, std::string field) const {
  return Error(code, std::move(message))
      .in_file(reading_->file)
      .at_offset(place(at, 0).offset)
      .in_field(std::move(field));
}

Status Source::charge(uint64_t bytes, const void* at, const std::string& field) const {
  if (reading_->take(bytes)) return Ok{};
  return error(ErrorCode::out_of_memory,
               "the file asks for more than " + std::to_string(reading_->limit) + " bytes", at,
               field);
}

void Source::find(Severity severity, std::string place, std::string message) const {
  if (reading_->findings.size() >= kMaxFindings) return;
  reading_->findings.push_back({severity, "", std::move(place), std::move(message), ""});
}

}  // namespace edgetwin::darwinn
