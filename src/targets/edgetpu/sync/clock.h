// Vector clocks: what an engine has done, and what it knows of the others.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>
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

// A value that several have in common until one of them changes it. One thread's.
template <class T>
class Shared {
 public:
  Shared() = default;
  Shared(const Shared& o) : held_(o.held_) {
    if (held_ != nullptr) ++held_->uses;
  }
  Shared(Shared&& o) noexcept : held_(std::exchange(o.held_, nullptr)) {}
  Shared& operator=(Shared o) noexcept {
    std::swap(held_, o.held_);
    return *this;
  }
  ~Shared() {
    if (held_ != nullptr && --held_->uses == 0) delete held_;
  }
  bool operator==(const Shared& o) const { return held_ == o.held_; }  // the same one
  // Null: nothing was set yet.
  const T* get() const { return held_ == nullptr ? nullptr : &held_->value; }
  // For changes that nobody else sees.
  T& own() {
    if (held_ != nullptr && held_->uses == 1) return held_->value;
    auto* mine = new Held;
    if (held_ != nullptr) {
      mine->value = held_->value;
      --held_->uses;
    }
    held_ = mine;
    return mine->value;
  }

 private:
  struct Held {
    T value{};
    uint32_t uses = 1;
  };
  Held* held_ = nullptr;
};

// For each lane the number of the last of its parts that is known. Those of one tile, its home, are
// kept here, since most of what is learnt is about them; what is known of the others is shared by
// the clocks that know the same, tile by tile.
class Clock {
 public:
  explicit Clock(size_t home = 0) : home_(home) {}
  uint32_t operator[](size_t lane) const { return block(lane / kTileLanes)[lane % kTileLanes]; }
  // Those of a tile, or behind all tiles of the scalar core; until the clock changes.
  const uint32_t* block(size_t n) const {
    if (n == home_) return own_.data();
    const All* all = others_.get();
    const Numbers* numbers = all == nullptr ? nullptr : (*all)[n].get();
    return (numbers == nullptr ? kNothing : *numbers).data();
  }
  void count(size_t lane) {
    const size_t n = lane / kTileLanes;
    ++(n == home_ ? own_ : others_.own()[n].own())[lane % kTileLanes];
  }
  void join(const Clock& from) {
    join_all(others_, from.others_);
    raise(own_, from.block(home_));
    if (from.home_ == home_ || !compare(block(from.home_), from.own_.data()).less) return;
    raise(others_.own()[from.home_].own(), from.own_.data());
  }

 private:
  static constexpr size_t kBlocks = static_cast<size_t>(kTiles) + 1;  // and the scalar core
  using Numbers = std::array<uint32_t, kTileLanes>;
  using All = std::array<Shared<Numbers>, kBlocks>;
  static constexpr Numbers kNothing{};

  // Whether anything of the first is more, or less, than of the second.
  struct Order {
    bool more = false, less = false;
  };
  static Order compare(const uint32_t* a, const uint32_t* b) {
    uint32_t more = 0, less = 0;
    for (size_t k = 0; k < kTileLanes; ++k) {
      more |= a[k] > b[k] ? 1U : 0U;
      less |= a[k] < b[k] ? 1U : 0U;
    }
    return {more != 0, less != 0};
  }
  static Order compare(const Shared<Numbers>& a, const Shared<Numbers>& b) {
    if (a == b) return {};
    if (a.get() == nullptr || b.get() == nullptr) return {b.get() == nullptr, a.get() == nullptr};
    return compare(a.get()->data(), b.get()->data());
  }
  static void raise(Numbers& mine, const uint32_t* to) {
    for (size_t k = 0; k < kTileLanes; ++k) mine[k] = std::max(mine[k], to[k]);
  }
  static void join_all(Shared<All>& into, const Shared<All>& from) {
    if (into == from || from.get() == nullptr) return;
    Order all;
    for (size_t n = 0; n < kBlocks && into.get() != nullptr; ++n) {
      const Order one = compare((*into.get())[n], (*from.get())[n]);
      all = {all.more || one.more, all.less || one.less};
    }
    if (into.get() == nullptr || !all.more) into = from;
    if (!all.more || !all.less) return;
    All& mine = into.own();
    for (size_t n = 0; n < kBlocks; ++n) {
      const Shared<Numbers>& theirs = (*from.get())[n];
      const Order one = compare(mine[n], theirs);
      if (one.less && !one.more) mine[n] = theirs;
      if (one.less && one.more) raise(mine[n].own(), theirs.get()->data());
    }
  }

  size_t home_;
  Numbers own_{};
  Shared<All> others_;  // what it says of home is never more than own_
};

// When something happened: by the clocks, and in steps of the chip. No clock: it was the beginning,
// or clocks are not kept.
struct Stamp {
  std::optional<Clock> clock;
  int64_t time = 0;
  // The lane that was just done with a part; kLanes: none was. Who knows this part of it knows all
  // of the clock.
  size_t lane = kLanes;
};

// What an engine's side has done so far.
struct Lane {
  Clock clock;
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
