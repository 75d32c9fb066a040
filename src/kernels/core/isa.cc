#include "kernels/core/isa.h"

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__) && defined(__linux__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

namespace edgetwin::kernels {
namespace {

struct Row {
  Isa isa;
  std::string_view text;
};

constexpr Row kRows[] = {
#define EDGETWIN_ISA_ROW(name, text, architecture) {Isa::name, text},
#include "kernels/core/isa.def"
#undef EDGETWIN_ISA_ROW
};

#if defined(__x86_64__)
// Leaf 7, subleaf 1, EAX bit 4. Compilers of our range do not all know the name of this feature.
bool cpuid_avx_vnni() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0 || a < 1) return false;
  if (__get_cpuid_count(7, 1, &a, &b, &c, &d) == 0) return false;
  return (a & (1U << 4)) != 0;
}

// __builtin_cpu_supports also asks the operating system (xgetbv) whether it saves the registers;
// AVX-VNNI uses the registers of AVX2 and needs no question of its own.
bool detect(Isa isa) {
  __builtin_cpu_init();
  switch (isa) {
    case Isa::plain:
      return true;
    case Isa::neon:
    case Isa::neon_dotprod:
    case Isa::neon_i8mm:
      return false;
    case Isa::avx2:
      return __builtin_cpu_supports("avx2") != 0;
    case Isa::avx_vnni:
      return __builtin_cpu_supports("avx2") != 0 && cpuid_avx_vnni();
    case Isa::avx512_vnni:
      return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
             __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
             __builtin_cpu_supports("avx512vnni") != 0;
  }
  return false;
}
#elif defined(__aarch64__) && defined(__linux__)
bool detect(Isa isa) {
  const bool dotprod = (::getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0;
  if (isa == Isa::neon_dotprod) return dotprod;
  if (isa == Isa::neon_i8mm) return dotprod && (::getauxval(AT_HWCAP2) & HWCAP2_I8MM) != 0;
  return isa == Isa::plain || isa == Isa::neon;
}
#else
bool detect(Isa isa) { return isa == Isa::plain; }
#endif

}  // namespace

std::string_view name(Isa isa) {
  for (const Row& row : kRows) {
    if (row.isa == isa) return row.text;
  }
  return "unknown";
}

std::optional<Isa> isa_by_name(std::string_view text) {
  for (const Row& row : kRows) {
    if (row.text == text) return row.isa;
  }
  return std::nullopt;
}

bool available(Isa isa) { return detect(isa); }

std::vector<Isa> available_isas() {
  std::vector<Isa> found;
  for (const Row& row : kRows) {
    if (detect(row.isa)) found.push_back(row.isa);
  }
  return found;
}

Isa best_isa() {
  static const Isa best = available_isas().back();
  return best;
}

}  // namespace edgetwin::kernels
