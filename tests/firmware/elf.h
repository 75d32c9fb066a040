// A 32-bit little-endian executable of the ARM compiler: what is loaded where, and its symbols.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"

namespace edgetwin::firmware {

struct Segment {
  uint32_t address = 0;  // where it is loaded, not where it runs
  Bytes data;
};

struct Symbol {
  uint32_t address = 0;  // without the Thumb bit
  uint32_t size = 0;
};

struct Image {
  std::vector<Segment> segments;
  std::map<std::string, Symbol> symbols;
  uint32_t flash_bytes = 0, ram_bytes = 0;  // of code and constants; of data, zeroed data and stack
};

// Error: a field that points outside the file.
Result<Image> read_elf(const Bytes& file, const std::string& name);

}  // namespace edgetwin::firmware
