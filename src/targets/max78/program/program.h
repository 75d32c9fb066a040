// A register program: every access to the accelerator that firmware makes, in order, and its text
// form. docs/max78.md describes the text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace edgetwin::max78 {

struct Access {
  enum class Kind : uint8_t {
    write,
    write_byte,
    set_bits,
    keep_bits,
    read,
    wait,
    poll,
    fifo,
    check,  // a read whose bits of `mask` must be `value`
    idle,   // an empty instruction
    camera  // `value` rounds: a word of the camera to each of `addresses`
  };
  Kind kind = Kind::write;
  uint32_t address = 0;
  uint32_t value = 0;  // of wait: what (read & mask) has to be
  uint32_t mask = 0;   // of read: bits that report an error, 0: the value is not used
  // fifo: `words` go round robin to `addresses`. write: the words after `value`, to address + 4,
  // address + 8 and so on.
  std::vector<uint32_t> words = {};
  std::vector<uint32_t> addresses = {};
};

struct Function {
  std::string name;
  std::vector<Access> accesses;
};

struct Program {
  std::vector<Function> functions;

  // The function of that name; nullptr: there is none.
  const Function* find(std::string_view name) const;
};

// One access per line; in functions that load memories runs of at least four words are bursts.
std::string to_text(const Program& program);

// Runs of words that may be read or written at once.
struct Run {
  uint32_t address = 0;
  uint32_t mask = 0xffffffffU;
  std::vector<uint32_t> words;
};

// A known answer: what memory has to hold.
std::string expected_text(const std::vector<Run>& runs);

// An access of the unload function: a write, or `count` reads from `address` on.
struct UnloadAccess {
  bool write = false;
  bool fixed = false;  // all reads at the same address
  uint32_t address = 0;
  uint32_t value = 0;
  int64_t count = 1;
};
std::string unload_text(const std::vector<UnloadAccess>& accesses);

}  // namespace edgetwin::max78
