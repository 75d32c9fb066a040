// Addresses to memories and registers.
#pragma once

#include <optional>
#include <vector>

#include "targets/max78/machine/schedule.h"

namespace edgetwin::max78 {

class Bus {
 public:
  Bus(Core& core, FifoInput& fifo, Schedule& schedule)
      : core_(core), fifo_(fifo), schedule_(schedule) {}

  bool maps(uint32_t address) const;
  void write32(uint32_t address, uint32_t value);
  void write8(uint32_t address, uint8_t value);
  uint32_t read32(uint32_t address);

  // Nothing where the address does not exist.
  std::optional<uint32_t> value_at(uint32_t address) const;
  std::optional<DataPlace> data_place(uint32_t address) const;

 private:
  // A place in one of the memories of processors: which processor, which byte.
  struct InProcessor {
    int processor = 0;
    uint32_t offset = 0;
  };
  struct Swapper {  // the byte swapper of a group
    uint32_t pointer = 0, step = 1;
    int byte = 0;
    bool on = false, primed = false;
  };

  std::optional<int> group_of(uint32_t address) const;
  std::optional<InProcessor> kernel_place(uint32_t address) const;
  std::optional<size_t> tram_place(uint32_t address) const;
  std::optional<int64_t> bias_index(uint32_t address, int group) const;

  void write_outside(uint32_t address, uint32_t value);
  bool write_memory(uint32_t address, uint32_t value, int group);
  void write_kernel(uint32_t address, const InProcessor& at, uint32_t value);
  void write_register(int group, const Registers::Slot& slot, uint32_t value);
  void write_control(int group, uint32_t before, uint32_t value);
  void run_tests(int group, uint32_t value);
  void push_fifo(int fifo, uint32_t value);
  uint32_t swapped(int group);
  void late_write(uint32_t address);
  void unmapped(uint32_t address, bool write);

  Core& core_;
  FifoInput& fifo_;
  Schedule& schedule_;
  std::array<Swapper, kGroups> swappers_;
  std::vector<uint32_t> tram_;
  uint32_t fifo_control_ = 0, power_ = 0;
  std::array<uint32_t, 6> fast_{};
};

}  // namespace edgetwin::max78
