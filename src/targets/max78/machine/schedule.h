// Which layer works when: one after another, and streaming layers together.
#pragma once

#include <memory>
#include <vector>

#include "targets/max78/machine/fifo.h"
#include "targets/max78/machine/machine.h"

namespace edgetwin::max78 {

class Schedule {
 public:
  Schedule(Core& core, FifoInput& fifo) : core_(core), fifo_(fifo) {}

  MachineState state() const { return state_; }
  int master() const { return master_; }
  // A write to the control register with the enable bit set, of the group that leads.
  void start(int master);
  void stop();
  MachineState run(uint64_t steps);
  void end_of_input();

 private:
  bool begin(int layer);
  void begin_fifo(const LayerConfig& config);
  bool pump();
  bool ready(size_t i) const;
  bool move_words();
  void finish_chain();
  void finished();
  MachineState give_up(MachineState state);
  unsigned enabled() const;

  Core& core_;
  FifoInput& fifo_;
  MachineState state_ = MachineState::idle;
  int master_ = 0;
  int first_ = 0, last_ = 0, next_ = 0;
  int layers_run_ = 0;
  std::vector<std::unique_ptr<LayerRun>> chain_;
};

}  // namespace edgetwin::max78
