// Any bytes: a picture of the size that it says, or an error.
#include <cstdlib>

#include "image/image.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace edgetwin;
  const auto picture = decode_image(std::as_bytes(std::span(data, size)), "fuzz");
  if (!picture.ok()) return to_text(picture.error()).empty();
  const int64_t wanted = storage_bytes(picture->dtype, picture->shape.elements());
  if (wanted != static_cast<int64_t>(picture->data.size())) std::abort();
  return 0;
}
