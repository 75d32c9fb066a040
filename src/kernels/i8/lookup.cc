#include "kernels/i8/lookup.h"

#include "kernels/arm/tables.h"
#include "kernels/x86/tables.h"

namespace edgetwin::kernels {

#if defined(__x86_64__)
namespace {

std::size_t whole_vectors(const uint8_t* table, const uint8_t* in, uint8_t* out, std::size_t count,
                          Isa isa) {
  static const bool has_vbmi = (__builtin_cpu_init(), __builtin_cpu_supports("avx512vbmi") != 0);
  if (isa == Isa::avx512_vnni && has_vbmi) return lookup8_vbmi(table, in, out, count);
  if (isa != Isa::plain && available(Isa::avx2)) return lookup8_avx2(table, in, out, count);
  return 0;
}

}  // namespace
#endif

void lookup8(const uint8_t* table, const uint8_t* in, uint8_t* out, std::size_t count, Isa isa) {
  std::size_t i = 0;
#if defined(__x86_64__)
  i = whole_vectors(table, in, out, count, isa);
#elif defined(__aarch64__)
  if (isa != Isa::plain && available(isa)) i = lookup8_neon(table, in, out, count);
#else
  (void)isa;
#endif
  for (; i < count; ++i) out[i] = table[in[i]];
}

}  // namespace edgetwin::kernels
