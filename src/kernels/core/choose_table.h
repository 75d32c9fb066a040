// The functions for an instruction set among those that were built.
#pragma once

#include <span>

#include "kernels/core/isa.h"

namespace edgetwin::kernels {

// `get` belongs to one instruction set and is called only where the processor has that.
template <class Table>
struct TableChoice {
  Isa isa;
  const Table* (*get)();
};

// Null for every set that has no row.
template <class Table>
const Table* choose_table(Isa isa, std::span<const TableChoice<Table>> rows) {
  for (const TableChoice<Table>& row : rows) {
    if (row.isa == isa && available(isa)) return row.get();
  }
  return nullptr;
}

}  // namespace edgetwin::kernels
