// The numbers of the models of time and energy: one table file for each chip (constants/CHIP.def),
// with the rows that each number was fitted on, its source and its error.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace edgetwin::estimates {

enum class Constant : uint8_t {
#define CONSTANT(id, value, unit, kind, rows, error, source) id,
#include "estimate/constants/all.def"
#undef CONSTANT
};

struct ConstantInfo {
  Constant id;
  std::string_view name;  // begins with the chip's
  double value;
  std::string_view unit;
  std::string_view kind;  // exact, fitted, assumed, document
  int rows;               // of published.tsv that it was fitted on; 0: none
  std::string_view error;
  std::string_view source;
};

std::span<const ConstantInfo> all_constants();
double constant(Constant id);

}  // namespace edgetwin::estimates
