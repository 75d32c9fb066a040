#include "kernels/elements/dot_rows.h"

#include "kernels/x86/tables.h"

namespace edgetwin::kernels {

DotRowsKernel dot_rows_kernel(Isa isa) {
  if (isa == Isa::plain || !available(isa)) return nullptr;
#if defined(__x86_64__)
  return dot_rows_avx2;
#else
  return nullptr;
#endif
}

DotWordsKernel dot_words_kernel(Isa isa) {
  if (isa == Isa::plain || !available(isa)) return nullptr;
#if defined(__x86_64__)
  return dot_words_avx2;
#else
  return nullptr;
#endif
}

}  // namespace edgetwin::kernels
