// Vector clocks: what an engine has done, and what it knows of the others.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "targets/edgetpu/isa/counters.h"

namespace edgetwin::edgetpu::sync {

// Every side of every engine of every tile is a lane, and each engine of the scalar core.
inline constexpr size_t kTileLanes = 2 * kTileEngines;
inline constexpr size_t kScalarLane = static_cast<size_t>(kTiles) * kTileLanes;
enum class CoreEngine : uint8_t { scalar, activations, parameters, param, outfeed };
inline constexpr size_t kCoreEngines = 5;
inline constexpr size_t kLanes = kScalarLane + kCoreEngines;

inline constexpr size_t lane_of(size_t tile, size_t engine, size_t side) {
  return tile * kTileLanes + engine * 2 + side;
}
inline constexpr size_t lane_of(CoreEngine e) { return kScalarLane + static_cast<size_t>(e); }

using Clock = std::array<uint32_t, kLanes>;

inline void join(Clock& into, const Clock& from) {
  for (size_t k = 0; k < kLanes; ++k) into[k] = std::max(into[k], from[k]);
}

// When something happened: by the clocks, and in steps of the chip. No clock: it was the beginning,
// or clocks are not kept.
struct Stamp {
  std::shared_ptr<const Clock> clock;
  int64_t time = 0;
  // The lane that was just done with a part; kLanes: none was. Who knows this part of it knows all
  // of the clock.
  size_t lane = kLanes;
};

// What an engine's side has done so far.
struct Lane {
  Clock clock{};
  int64_t time = 0;
  // Its instructions: the first number of its own clock, and the step.
  std::vector<std::pair<uint32_t, uint32_t>> history;
};

// A counter and what counted it, since it was set last.
class CounterLine {
 public:
  int64_t value() const { return events_.back().value; }
  void set(int64_t value, const Stamp& stamp) {
    if (value == 0) events_.clear();
    events_.push_back({events_.empty() ? value : std::max(value, this->value()), stamp});
  }
  void restart(int64_t value, const Stamp& stamp) {
    events_.clear();
    events_.push_back({value, stamp});
  }
  void raise(int64_t n, const Stamp& stamp) { events_.push_back({value() + n, stamp}); }
  // The comparison is one of 16 bits. `base`: value that counts as 0.
  bool reached(int64_t threshold, int64_t base = 0) const {
    return distance(threshold, base) < kHalf;
  }
  // What made it reach the threshold, which it has.
  const Stamp& when(int64_t threshold, int64_t base = 0) const {
    const int64_t target = value() - distance(threshold, base);
    const auto found =
        std::lower_bound(events_.begin(), events_.end(), target,
                         [](const Event& e, int64_t wanted) { return e.value < wanted; });
    return found->stamp;
  }

 private:
  static constexpr int64_t kHalf = 32768;
  struct Event {
    int64_t value = 0;
    Stamp stamp;
  };
  int64_t distance(int64_t threshold, int64_t base) const {
    return (value() - base - threshold) & 0xFFFF;
  }
  std::vector<Event> events_ = std::vector<Event>(1);
};

}  // namespace edgetwin::edgetpu::sync
