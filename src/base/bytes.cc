#include "base/bytes.h"

namespace edgetwin {

Error ByteReader::error(ErrorCode code, std::string message, std::string_view field) const {
  Error e(code, std::move(message));
  return std::move(e).in_file(file_).at_offset(offset_).in_field(std::string(field));
}

Result<ByteSpan> ByteReader::take(size_t size, std::string_view field) {
  if (size > remaining()) {
    return error(ErrorCode::truncated,
                 std::to_string(size) + " bytes wanted, " + std::to_string(remaining()) + " left",
                 field);
  }
  const ByteSpan result = data_.subspan(offset_, size);
  offset_ += size;
  return result;
}

Status ByteReader::skip(size_t size, std::string_view field) {
  EDGETWIN_TRY(take(size, field));
  return Ok{};
}

void ByteWriter::append(ByteSpan data, std::string_view field) {
  notes_.push_back({data_.size(), data.size(), std::string(field)});
  data_.insert(data_.end(), data.begin(), data.end());
}

void ByteWriter::align(size_t alignment, std::string_view field) {
  const size_t padding = (alignment - data_.size() % alignment) % alignment;
  if (padding == 0) return;
  notes_.push_back({data_.size(), padding, std::string(field)});
  data_.resize(data_.size() + padding);
}

}  // namespace edgetwin
