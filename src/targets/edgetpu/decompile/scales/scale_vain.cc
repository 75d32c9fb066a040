#include "targets/edgetpu/decompile/scales/scale_vain.h"

#include <bit>

namespace edgetwin::edgetpu {
namespace {

constexpr unsigned kEntryBits = 16;
constexpr uint64_t kStart = 4096;    // small searches are done sooner than a memory is made
constexpr size_t kMostReasons = 16;  // of a step: each is looked for
constexpr size_t kNone = static_cast<size_t>(-1);

}  // namespace

void VainSteps::forget() {
  ++round_;
  added_ = 0;
  reasons_.clear();
  by_step_.clear();
}

// Of all that was chosen before nothing is met twice.
size_t VainSteps::reason_of(size_t step, const ScalePlaces& why) {
  if (why.shared() || why.count() > std::min(step, kMostPlaces)) return kNone;
  for (const size_t r : by_step_[step]) {
    if (reasons_[r].why == why) return r;
  }
  if (by_step_[step].size() == kMostReasons) return kNone;
  Reason reason{why, {}};
  for (size_t p = 0; p <= step; ++p) {
    if (why.has(p)) reason.tensors.push_back(tensors_[p]);
  }
  by_step_[step].push_back(reasons_.size());
  reasons_.push_back(std::move(reason));
  return reasons_.size() - 1;
}

size_t VainSteps::entry_of(size_t reason, std::array<float, kMostPlaces>& scales) const {
  constexpr uint64_t kOdd = 0x9E37'79B9'7F4A'7C15;
  uint64_t hash = (reason + 1) * kOdd;
  size_t n = 0;
  for (const size_t t : reasons_[reason].tensors) {
    scales[n] = lists_.supposed(t);
    hash = (hash ^ hash >> 32U ^ std::bit_cast<uint32_t>(scales[n++])) * kOdd;
  }
  return hash >> (64 - kEntryBits);
}

const ScalePlaces* VainSteps::known(size_t step) const {
  for (const size_t r : by_step_[step]) {
    std::array<float, kMostPlaces> scales{};
    const Entry& e = entries_[entry_of(r, scales)];
    if (e.reason == number_of(r) && e.scales == scales) return &reasons_[r].why;
  }
  return nullptr;
}

void VainSteps::add(size_t step, const ScalePlaces& why) {
  if (++added_ < kStart) return;
  entries_.resize(size_t{1} << kEntryBits);
  by_step_.resize(tensors_.size());
  const size_t r = reason_of(step, why);
  if (r == kNone) return;
  Entry e{number_of(r), {}};
  const size_t place = entry_of(r, e.scales);
  entries_[place] = e;
}

}  // namespace edgetwin::edgetpu
