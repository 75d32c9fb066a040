// The functions for an instruction set among those that were built.
#pragma once

#include "kernels/core/isa.h"

namespace edgetwin::kernels {

// Each getter belongs to one instruction set and is called only where the processor has that; null
// where this build has none. The result is null for every other set.
template <class Table>
const Table* choose_table(Isa isa, const Table* (*avx2)(), const Table* (*avx_vnni)(),
                          const Table* (*avx512_vnni)()) {
  if (!available(isa)) return nullptr;
  const auto from = [](const Table* (*getter)()) { return getter == nullptr ? nullptr : getter(); };
  switch (isa) {
    case Isa::avx2:
      return from(avx2);
    case Isa::avx_vnni:
      return from(avx_vnni);
    case Isa::avx512_vnni:
      return from(avx512_vnni);
    default:
      return nullptr;
  }
}

}  // namespace edgetwin::kernels
