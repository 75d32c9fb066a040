// The recorded register programs as lists of writes, to be compared with what a processor wrote.
#pragma once

#include <string>
#include <vector>

#include "firmware/chip.h"

namespace edgetwin::firmware {

// One write. Where the firmware reads, changes and writes a register, `keep` and `set` say what of
// the old value stays and what is added.
struct ExpectedWrite {
  Access access;
  bool changes = false;
  uint32_t keep = 0xffffffffU, set = 0;
};

// docs/max78.md has the text form. Waits, polls and reads are no writes.
std::vector<ExpectedWrite> writes_of(const std::string& program);

// Empty: `accesses` begin with these writes. Else the first one that differs, as a sentence.
std::string compare(const std::vector<ExpectedWrite>& expected,
                    const std::vector<Access>& accesses);

}  // namespace edgetwin::firmware
