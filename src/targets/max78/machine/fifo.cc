#include "targets/max78/machine/fifo.h"

#include <algorithm>

namespace edgetwin::max78 {

bool FifoInput::any_full() const {
  for (int g = 0; g < kGroups; ++g) {
    if (full(g)) return true;
  }
  return false;
}

bool FifoInput::empty() const {
  return std::all_of(queues_.begin(), queues_.end(), [](const auto& q) { return q.empty(); });
}

bool FifoInput::push(int group, uint32_t value) {
  if (full(group)) return false;
  queues_[static_cast<size_t>(group)].push_back(value);
  return true;
}

bool FifoInput::push_fast(uint32_t value) {
  if (!active_) return push(0, value);
  if (alike_) {
    bool taken = true;
    for (int g = 0; g < kGroups; ++g) {
      if (((groups_ >> g) & 1U) != 0) taken = push(g, value) && taken;
    }
    return taken;
  }
  while (((groups_ >> next_fast_) & 1U) == 0) next_fast_ = (next_fast_ + 1) % kGroups;
  if (!push(next_fast_, value)) return false;
  next_fast_ = (next_fast_ + 1) % kGroups;
  return true;
}

void FifoInput::begin(const LayerConfig& config, int64_t frame_words, unsigned groups,
                      bool all_alike) {
  active_ = true;
  alike_ = all_alike;
  groups_ = groups;
  frame_ = frame_words;
  delivered_ = {};
  next_fast_ = 0;
  base_ = config.read_base;
  rollover_ = config.streams ? config.rollover : 0;
}

bool FifoInput::complete() const { return delivered() >= frame_; }

int64_t FifoInput::delivered() const {
  int64_t least = INT64_MAX;
  for (int g = 0; g < kGroups; ++g) {
    if (((groups_ >> g) & 1U) != 0) least = std::min(least, delivered_[static_cast<size_t>(g)]);
  }
  return least;
}

bool FifoInput::deliver(const LayerRun& layer, bool force) {
  for (int g = 0; g < kGroups; ++g) {
    auto& queue = queues_[static_cast<size_t>(g)];
    int64_t& count = delivered_[static_cast<size_t>(g)];
    if (((groups_ >> g) & 1U) == 0 || queue.empty() || count >= frame_) continue;
    const bool blocked = rollover_ > 0 && layer.still_needed(count - rollover_);
    if (blocked && !force) continue;
    const int64_t word = base_ + (rollover_ > 0 ? count % rollover_ : count);
    const DataPlace p{g * kGroupProcessors / kInstanceProcessors, static_cast<uint32_t>(word)};
    if (blocked) {
      core_.findings.add(MachineEvent::stream_order, layer.config().layer, kFifoInput, 0,
                         core_.steps, [&] {
                           return "word " + std::to_string(count) +
                                  " of the FIFO has no room: the buffer of layer " +
                                  std::to_string(layer.config().layer) + " holds " +
                                  std::to_string(rollover_) + " words, and all are still needed";
                         });
    }
    if (word < core_.chip.instance_words) {
      core_.data.write(p, queue.front(), kFifoInput, core_.steps, count);
    } else {
      core_.findings.add(MachineEvent::data_outside, layer.config().layer, kFifoInput, 0,
                         core_.steps, [&] {
                           return "the FIFO would write word " + std::to_string(word) +
                                  " of data memory " + std::to_string(p.instance);
                         });
    }
    queue.pop_front();
    ++count;
    ++core_.steps;
    return true;
  }
  return false;
}

}  // namespace edgetwin::max78
