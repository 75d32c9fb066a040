// The scalar core of the Edge TPU, executed: which transfers a program asks for. Instructions of
// the other engines are counted and have no effect on it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/result.h"
#include "targets/edgetpu/isa/isa.h"

namespace edgetwin::edgetpu {

// What a transfer is about, as it stands in its descriptor.
enum class Tag : uint8_t { input = 1, parameters = 2, output = 3, interrupt0 = 4 };
// "input", "parameters", "output", "interrupt 2", or "tag 9".
std::string tag_text(uint32_t tag);

struct Descriptor {
  uint32_t tag = 0;
  uint64_t address = 0;
  uint32_t length = 0;
  size_t word = 0;  // where it was issued

  bool operator==(const Descriptor& other) const {
    return tag == other.tag && address == other.address && length == other.length;
  }
};

struct ScalarLimits {
  uint64_t steps = 20'000'000;  // words executed by one bitstream
  size_t descriptors = 1'000'000;
  size_t outputs = 16'000'000;  // words of the output stream
};

// Registers, predicates and memory keep their values from one bitstream to the next.
class ScalarCore {
 public:
  explicit ScalarCore(ScalarLimits limits = {}) : limits_(limits), memory_(kMemoryWords) {}

  // Told when the core comes to an instruction of another engine; may change memory, and ends the
  // run by an error.
  using Other = std::function<Status(ScalarCore& core, size_t word)>;

  // Its place in a bitstream: what run() does, one word at a time.
  struct Place {
    Place() = default;
    // The bitstream must outlive the place and has its address fields filled.
    explicit Place(ByteSpan bits);
    ByteSpan bitstream;
    size_t pc = 0;        // word of the next instruction
    bool halted = false;  // the next instruction is HALT
    struct Repeat {
      size_t begin, end;
      uint64_t left;
    };
    std::vector<Repeat> repeats;   // loops that are under way, the outermost first
    std::vector<uint8_t> lengths;  // words of the instruction that begins there; 0: none does
  };
  // Executes the next instruction; nothing where the place has halted. Errors: edgetpu_instruction,
  // those of `other`.
  Status step(Place& place, const Other& other = {});

  // From the first word to HALT. The bitstream has its address fields filled. Errors:
  // edgetpu_instruction (no HALT, a branch to no instruction), edgetpu_endless, those of `other`.
  Status run(ByteSpan bitstream, const Other& other = {});

  const std::vector<Descriptor>& descriptors() const { return descriptors_; }
  const std::vector<uint32_t>& output() const { return output_; }
  uint64_t steps() const { return steps_; }
  // Powers and reciprocals that were computed: in single precision here, on the chip nobody knows.
  uint64_t real_functions() const { return real_functions_; }
  uint32_t reg(size_t index) const { return registers_[index]; }
  void set_reg(size_t index, uint32_t value) { registers_[index & 31U] = value; }
  void set_predicate(size_t index, bool value) { predicates_[index & 7U] = value; }
  bool predicate(size_t index) const { return predicates_[index]; }
  void set_memory(size_t word, uint32_t value) { memory_[word % kMemoryWords] = value; }
  uint32_t memory(size_t word) const { return memory_[word % kMemoryWords]; }

  static constexpr size_t kMemoryWords = 4096;  // what 12 bits of address reach

 private:
  void execute(ByteSpan word, size_t index);
  uint32_t operand(uint32_t value, bool immediate) const;
  void arithmetic(unsigned op, unsigned x, uint32_t y, uint32_t c);
  size_t address(unsigned mode, unsigned field, uint32_t& increment) const;

  ScalarLimits limits_;
  std::array<uint32_t, 32> registers_{};
  std::array<bool, 8> predicates_{};
  std::vector<uint32_t> memory_;
  std::array<uint32_t, 4> slots_{};
  std::vector<Descriptor> descriptors_;
  std::vector<uint32_t> output_;
  uint64_t steps_ = 0;
  uint64_t real_functions_ = 0;
};

}  // namespace edgetwin::edgetpu
