#include "base/memory/zeroed.h"

#include <cstdint>
#include <cstdlib>
#include <new>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace edgetwin {

std::shared_ptr<std::byte> zeroed_bytes(size_t size) {
  constexpr size_t kLargePage = size_t{2} << 20U;
  const size_t border = size < kLargePage ? size_t{4096} : kLargePage;
  std::shared_ptr<void> block(std::calloc(size + border, 1), &std::free);
  if (block == nullptr) throw std::bad_alloc();
  auto* bytes = static_cast<std::byte*>(block.get());
  bytes += (border - reinterpret_cast<uintptr_t>(bytes) % border) % border;
#if defined(MADV_HUGEPAGE)
  // Whether it is heard or not, the bytes are the same.
  if (size >= kLargePage) (void)madvise(bytes, size / kLargePage * kLargePage, MADV_HUGEPAGE);
#endif
  return {std::move(block), bytes};
}

}  // namespace edgetwin
