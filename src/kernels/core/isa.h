// The instruction sets that kernels are written for, and which of them this processor has.
#pragma once

#include <cstdint>
#include <optional>
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

}  // namespace edgetwin::kernels
