// A register program in words: registers by name, their fields, layer by layer.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "targets/max78/program/program_text.h"

namespace edgetwin::max78 {

struct FieldValue {
  std::string_view name, meaning;
  uint32_t value = 0;
  bool single = false;  // of one bit
};

// A register that holds the same in `groups` (bit g: group g).
struct RegisterValue {
  int layer = -1;  // -1: a register of the group
  unsigned groups = 0;
  std::string_view name, meaning;
  uint32_t value = 0;
  std::vector<FieldValue> fields;  // those that are not 0
};

struct PartSummary {
  std::string name;
  uint64_t accesses = 0, words = 0;
};

struct ProgramSummary {
  Device device = Device::max78000;
  std::vector<PartSummary> parts;
  std::vector<RegisterValue> registers;  // as they are when the accelerator starts
  uint64_t kernel_columns = 0;
  std::vector<int> kernel_processors;  // that have kernels
  uint64_t bias_bytes = 0, data_words = 0, fifo_words = 0, unmapped = 0;
  int first_layer = 0, last_layer = 0;
  unsigned groups = 0;  // that start
};

ProgramSummary summarize(const ProgramText& program);
std::string to_text(const ProgramSummary& summary);

}  // namespace edgetwin::max78
