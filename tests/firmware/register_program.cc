#include "firmware/register_program.h"

#include <map>
#include <sstream>

namespace edgetwin::firmware {
namespace {

uint32_t hex(const std::string& text) {
  return static_cast<uint32_t>(std::stoull(text, nullptr, 16));
}

// A burst or a FIFO's words: they follow on the next lines.
struct CommandWords {
  std::vector<uint32_t> addresses;  // round robin; of a burst the first one
  bool burst = false;
  uint32_t done = 0, count = 0;

  uint32_t next() {
    const uint32_t n = done++;
    if (burst) return addresses[0] + 4 * n;
    return addresses[n % addresses.size()];
  }
};

std::string text_of(const Access& a) {
  char text[64];
  snprintf(text, sizeof(text), "%c %08x %08x", a.kind, a.address, a.value);
  return text;
}

CommandWords words_line(const std::string& kind, const std::string& addresses,
                        const std::string& count) {
  CommandWords words;
  words.burst = kind == "burst";
  words.count = static_cast<uint32_t>(std::stoul(count));
  std::stringstream list(addresses);
  for (std::string address; std::getline(list, address, ',');) {
    words.addresses.push_back(hex(address));
  }
  return words;
}

}  // namespace

std::vector<ExpectedWrite> writes_of(const std::string& program) {
  std::vector<ExpectedWrite> writes;
  CommandWords words;
  std::stringstream lines(program);
  for (std::string line; std::getline(lines, line);) {
    std::stringstream parts(line);
    std::string kind, address, value;
    if (words.done < words.count) {
      while (parts >> value) writes.push_back({{'w', words.next(), hex(value)}});
      continue;
    }
    parts >> kind >> address >> value;
    if (kind == "w" || kind == "b") {
      writes.push_back({{kind[0], hex(address), hex(value)}});
    } else if (kind == "or" || kind == "and") {
      const bool add = kind == "or";
      writes.push_back(
          {{'w', hex(address), 0}, true, add ? 0xffffffffU : hex(value), add ? hex(value) : 0U});
    } else if (kind == "burst" || kind == "fifo") {
      words = words_line(kind, address, value);
    }
  }
  return writes;
}

std::string compare(const std::vector<ExpectedWrite>& expected,
                    const std::vector<Access>& accesses) {
  std::map<uint32_t, uint32_t> memory;
  for (size_t i = 0; i < expected.size(); ++i) {
    if (i >= accesses.size()) {
      return "write " + std::to_string(i) + " of " + std::to_string(expected.size()) +
             " is missing: " + text_of(expected[i].access);
    }
    Access want = expected[i].access;
    // The accelerator changes its own status bits in between.
    constexpr uint32_t kStatus = 1U << 12;
    const uint32_t ignored = expected[i].changes ? kStatus : 0;
    if (expected[i].changes) {
      want.value = (memory[want.address] & expected[i].keep) | expected[i].set;
    }
    Access is = accesses[i];
    is.value &= ~ignored;
    want.value &= ~ignored;
    if (is != want) {
      return "write " + std::to_string(i) + ": expected " + text_of(want) + ", is " + text_of(is);
    }
    memory[want.address] = want.value;
  }
  return {};
}

}  // namespace edgetwin::firmware
