// What a word of data memory holds: from bus addresses, as boards print them, to layers.
// Source: specification "memory" 1 and 3.1.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "targets/max78/place/plan.h"

namespace edgetwin::max78 {

// Elements of a layer's output in one word.
struct ElementsOfWord {
  int layer = 0;
  int64_t row = 0, column = 0;
  bool wide = false;  // one 32-bit result
  // By byte of the word, from the low one; -1: no channel of this layer. Of a wide one the first
  // entry alone.
  std::vector<int> channels;
};

// The outputs whose words lie at `address`, the last writer first; none where it is no word of an
// output. Rings of streaming layers hold several pixels in turn: they are left out.
std::vector<ElementsOfWord> elements_at(const Plan& plan, uint32_t address);

// "data memory 3, byte 0x0800", "kernel memory of processor 5, column 12": any address of the chip;
// nothing for addresses that it does not have.
std::optional<std::string> memory_at(const Limits& chip, uint32_t address);

}  // namespace edgetwin::max78
