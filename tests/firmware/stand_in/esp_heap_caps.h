#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#define MALLOC_CAP_8BIT (1 << 2)
#define MALLOC_CAP_SPIRAM (1 << 10)
inline void* heap_caps_aligned_alloc(size_t alignment, size_t size, uint32_t) {
  return std::aligned_alloc(alignment, size);
}
inline void heap_caps_free(void* data) { std::free(data); }
