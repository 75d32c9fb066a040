// The instruction sets that kernels are written for, and which of them this processor has.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace edgetwin::kernels {

enum class Isa : uint8_t {
#define EDGETWIN_ISA_ROW(name, text, architecture) name,
#include "kernels/core/isa.def"
#undef EDGETWIN_ISA_ROW
};

std::string_view name(Isa isa);
std::optional<Isa> isa_by_name(std::string_view text);

// Processor and operating system both allow it, and there are kernels for it.
bool available(Isa isa);

// The fastest available one; `plain` where there is no other.
Isa best_isa();

// In the order of the table; `plain` is always among them.
std::vector<Isa> available_isas();

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
