#include "train/engine/memory.h"

#include <climits>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace edgetwin::train {

void keep_freed_memory() {
#if defined(__GLIBC__)
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
#endif
}

}  // namespace edgetwin::train
