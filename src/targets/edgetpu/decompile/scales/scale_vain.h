// What a descent tried in vain. Why nothing follows from a step on is told by few of the scales
// that were chosen before it, and the same few are met again and again.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "targets/edgetpu/decompile/scales/scale_lists.h"

namespace edgetwin::edgetpu {

// Some of the tensors of a search, by their places in its order: the first one, then that of each
// step. All places from the last bit on share it.
class ScalePlaces {
 public:
  static constexpr size_t kLast = 127;

  static ScalePlaces all() { return {~uint64_t{0}, ~uint64_t{0}}; }
  ScalePlaces() = default;
  explicit ScalePlaces(size_t place) { (place < 64 ? low_ : high_) = bit(place); }
  ScalePlaces with(const ScalePlaces& more) const { return {low_ | more.low_, high_ | more.high_}; }
  // A bit that is shared stays.
  ScalePlaces without(size_t place) const {
    if (place >= kLast) return *this;
    const ScalePlaces one(place);
    return {low_ & ~one.low_, high_ & ~one.high_};
  }
  bool has(size_t place) const { return ((place < 64 ? low_ : high_) & bit(place)) != 0; }
  bool shared() const { return has(kLast); }
  size_t count() const { return static_cast<size_t>(std::popcount(low_) + std::popcount(high_)); }
  bool operator==(const ScalePlaces&) const = default;

 private:
  ScalePlaces(uint64_t low, uint64_t high) : low_(low), high_(high) {}
  static uint64_t bit(size_t place) { return uint64_t{1} << (std::min(place, kLast) % 64); }
  uint64_t low_ = 0, high_ = 0;
};

class VainSteps {
 public:
  // `tensors`: by place.
  VainSteps(const std::vector<size_t>& tensors, const ScaleLists& lists)
      : tensors_(tensors), lists_(lists) {}

  // The places whose scales tell that nothing follows from this step on; null: nothing is known.
  const ScalePlaces* find(size_t step) const { return by_step_.empty() ? nullptr : known(step); }
  void add(size_t step, const ScalePlaces& why);
  void forget();

 private:
  static constexpr size_t kMostPlaces = 12;
  struct Reason {
    ScalePlaces why;
    std::vector<size_t> tensors;
  };
  struct Entry {
    uint64_t reason = 0;  // number of forget(), then one more than the index; 0: empty
    std::array<float, kMostPlaces> scales{};
  };
  const ScalePlaces* known(size_t step) const;
  uint64_t number_of(size_t reason) const { return round_ << 32U | (reason + 1); }
  size_t entry_of(size_t reason, std::array<float, kMostPlaces>& scales) const;
  size_t reason_of(size_t step, const ScalePlaces& why);

  const std::vector<size_t>& tensors_;
  const ScaleLists& lists_;
  uint64_t round_ = 0, added_ = 0;
  std::vector<Reason> reasons_;
  std::vector<std::vector<size_t>> by_step_;  // reasons
  std::vector<Entry> entries_;
};

}  // namespace edgetwin::edgetpu
