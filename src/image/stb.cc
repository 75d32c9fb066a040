#include "image/stb.h"

#include <climits>
#include <cstdlib>

namespace {

thread_local size_t allocation_limit = SIZE_MAX;

void* limited_malloc(size_t size) { return size > allocation_limit ? nullptr : std::malloc(size); }
void* limited_realloc(void* p, size_t size) {
  return size > allocation_limit ? nullptr : std::realloc(p, size);
}

}  // namespace

#define STBI_MALLOC(size) limited_malloc(size)
#define STBI_REALLOC(p, size) limited_realloc(p, size)
#define STBI_FREE(p) std::free(p)
#define STBI_ONLY_PNG
#define STBI_ONLY_JPEG
#define STBI_ONLY_BMP
#define STBI_NO_STDIO
#define STBI_MAX_DIMENSIONS 16384
#define STB_IMAGE_STATIC
#define STB_IMAGE_IMPLEMENTATION
#include <stb/stb_image.h>

#define STBI_WRITE_NO_STDIO
#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb/stb_image_write.h>

namespace edgetwin::stb {
namespace {

const stbi_uc* bytes_of(ByteSpan data) { return reinterpret_cast<const stbi_uc*>(data.data()); }

}  // namespace

void Free::operator()(unsigned char* p) const { std::free(p); }

bool read_size(ByteSpan data, Size& size) {
  if (data.size() > INT_MAX) return false;
  return stbi_info_from_memory(bytes_of(data), static_cast<int>(data.size()), &size.width,
                               &size.height, &size.channels) != 0;
}

Buffer decode(ByteSpan data, int channels, size_t memory_limit, Size& size) {
  if (data.size() > INT_MAX) return nullptr;
  allocation_limit = memory_limit;
  Buffer pixels(stbi_load_from_memory(bytes_of(data), static_cast<int>(data.size()), &size.width,
                                      &size.height, &size.channels, channels));
  allocation_limit = SIZE_MAX;
  return pixels;
}

const char* failure_reason() {
  const char* reason = stbi_failure_reason();
  return reason ? reason : "unknown";
}

Buffer encode_png(const unsigned char* pixels, const Size& size, int& length) {
  return Buffer(stbi_write_png_to_mem(pixels, size.width * size.channels, size.width, size.height,
                                      size.channels, &length));
}

}  // namespace edgetwin::stb
