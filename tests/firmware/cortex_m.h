// A Cortex-M4 with floating point in unicorn, with a bus to peripherals: as much of the processor's
// own environment as firmware without an operating system needs. Interrupts arrive where the
// core sleeps (or, if it never does, where it spins).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "firmware/elf.h"
#include "firmware/phases.h"

namespace edgetwin::firmware {

// What is behind the processor's addresses 0x40000000 to 0x5fffffff.
class Bus {
 public:
  virtual ~Bus() = default;
  virtual uint32_t read(uint32_t address, int bytes) = 0;
  virtual void write(uint32_t address, int bytes, uint32_t value) = 0;
  // The core sleeps: whatever works beside it goes on until it needs the core.
  virtual void sleep() = 0;
  virtual bool interrupt(int number) const = 0;  // the line of an interrupt
  virtual std::string fault() const = 0;         // of an access; empty: none
};

enum class Stop : uint8_t {
  exited,      // main returned
  looping,     // a branch to itself
  asleep,      // nothing will wake the core
  step_limit,  // too many instructions
  fault,       // an access that is not possible, or one that the bus refuses
};
inline const char* name(Stop stop) {
  switch (stop) {
    case Stop::exited:
      return "main returned";
    case Stop::looping:
      return "the core loops for ever";
    case Stop::asleep:
      return "the core sleeps and nothing will wake it";
    case Stop::step_limit:
      return "the limit of instructions is reached";
    case Stop::fault:
      return "fault";
  }
  return "";
}

struct CoreResult {
  Stop stop = Stop::fault;
  int exit_code = 0;  // of main
  std::string message;
  uint64_t instructions = 0;
  std::vector<Phase> phases;
  Bytes kept;  // see CoreOptions::keep
};

struct CoreOptions {
  uint64_t instruction_limit = 400'000'000;
  std::vector<std::string> phases;  // functions whose instructions are counted
  // After the first return from this function (one of the phases), the memory of the first of these
  // variables that exists is kept.
  std::string keep_after;
  std::vector<std::string> keep;
};

class CortexM {
 public:
  CortexM(const Image& image, Bus& bus, const CoreOptions& options);
  ~CortexM();
  CortexM(const CortexM&) = delete;
  CortexM& operator=(const CortexM&) = delete;

  CoreResult run();
  Bytes memory(uint32_t address, uint32_t bytes) const;
  uint64_t instructions() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace edgetwin::firmware
