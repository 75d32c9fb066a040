// gzip files, which recorded results are kept in.
#pragma once

#include <string>

#include "base/bytes.h"
#include "base/result.h"

namespace edgetwin {

inline constexpr size_t kMostUnpacked = size_t{1} << 28;

bool is_gzip(ByteSpan data);
// The content of one member. Error: bad_value with `file`: not gzip, cut off, wrong checksum or
// more than `limit` bytes.
Result<Bytes> gunzip(ByteSpan data, const std::string& file, size_t limit = kMostUnpacked);

}  // namespace edgetwin
