// The input FIFOs: the standard ones, one per group, and the fast one.
#pragma once

#include <array>
#include <deque>

#include "targets/max78/machine/layers/layer_run.h"

namespace edgetwin::max78 {

class FifoInput {
 public:
  static constexpr size_t kDepth = 16;  // words; how many the chip has is not documented

  explicit FifoInput(Core& core) : core_(core) {}

  bool full(int group) const { return queues_[static_cast<size_t>(group)].size() >= kDepth; }
  bool any_full() const;
  bool empty() const;
  // A word into a FIFO. False where it is full: the word is lost.
  bool push(int group, uint32_t value);
  // The fast FIFO deals its words to the groups that it feeds, one after another.
  bool push_fast(uint32_t value);

  // Begins a frame for the first layer.
  void begin(const LayerConfig& config, int64_t frame_words, unsigned groups, bool all_alike);
  void end() { active_ = false; }
  bool active() const { return active_; }
  bool complete() const;
  // Words that every FIFO has delivered to data memory.
  int64_t delivered() const;
  // Moves one word to data memory. False where there is none, or no room in the layer's buffer.
  bool deliver(const LayerRun& layer, bool force);

 private:
  Core& core_;
  std::array<std::deque<uint32_t>, kGroups> queues_;
  std::array<int64_t, kGroups> delivered_{};
  bool active_ = false, alike_ = false;
  unsigned groups_ = 0;
  int64_t frame_ = 0;
  int next_fast_ = 0;
  int64_t base_ = 0, rollover_ = 0;
};

}  // namespace edgetwin::max78
