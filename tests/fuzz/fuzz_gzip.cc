// Any bytes as a gzip file: unpacked within a limit, or an error with words.
#include <cstdlib>

#include "base/gzip/gzip.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace edgetwin;
  constexpr size_t kLimit = size_t{1} << 20;
  const ByteSpan file = std::as_bytes(std::span(data, size));
  const auto content = gunzip(file, "fuzz.gz", kLimit);
  if (content.ok()) {
    if (!is_gzip(file) || content->size() > kLimit) std::abort();
  } else if (to_text(content.error()).empty()) {
    std::abort();
  }
  return 0;
}
