// vpmaddubsw multiplies unsigned by signed bytes and adds two products to a word, which saturates.
// Inputs are 0 to 255, so that the sum of any number of products lies between -255 times the
// magnitudes of the negative weights and 255 times the positive ones: no word leaves its range as
// long as either are 128 together, 128 * 255 = 32640. Weights of trained layers are mostly small,
// so that several steps find room in the same words. Steps are put into the first group with room,
// out of a few that are open. A step that has no room in a group of its own is divided into
// several.
#include "kernels/i8/grouped.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace edgetwin::kernels {
namespace {

constexpr int16_t kMostMagnitude = 128;
constexpr size_t kMostLanes = 16;
constexpr size_t kMostSteps = kMostGroupSteps;
constexpr size_t kOpenGroups = 8;

using StepWords = std::array<int16_t, kMostLanes * 4>;
// Of each pair of neighbouring weights the positive ones, then of each the negative ones'
// magnitude.
constexpr size_t kPairs = kMostLanes * 2;
using PairSums = std::array<int16_t, 2 * kPairs>;
// The same of steps and groups that need no division: 128 at most.
using ByteSums = std::array<uint8_t, 2 * kPairs>;

// By a loop that the compiler makes vectors of, which std::max_element is not.
template <class T, size_t N>
T largest_of(const std::array<T, N>& values) {
  T largest = std::numeric_limits<T>::min();
  for (const T x : values) largest = std::max(largest, x);
  return largest;
}

struct Item {
  ByteStep step;
  std::array<int8_t, kMostLanes * 4> weights;
};

// At the boundary of a cache line, which no standard container is.
class GrowingBytes {
 public:
  explicit GrowingBytes(size_t expected) : bytes_(expected) {}
  void append(const int8_t* from, size_t count) {
    if (size_ + count > bytes_.size()) {
      AlignedArray<int8_t> larger(size_ + size_ / 8 + count);
      std::copy_n(bytes_.data(), size_, larger.data());
      bytes_ = std::move(larger);
    }
    std::copy_n(from, count, bytes_.data() + size_);
    size_ += count;
  }
  AlignedArray<int8_t> take() { return std::move(bytes_); }

 private:
  AlignedArray<int8_t> bytes_;
  size_t size_ = 0;
};

// Groups of one block.
class BlockGroups {
 public:
  void clear() {
    items_.clear();
    for (auto& groups : closed_) groups.clear();
    open_count_ = 0;
  }

  void add(const StepWords& words, const PairSums& sums, ByteStep step) {
    ByteSums magnitudes;
    for (size_t i = 0; i < sums.size(); ++i) magnitudes[i] = static_cast<uint8_t>(sums[i]);
    const auto item = static_cast<int32_t>(items_.size());
    Item added;
    added.step = step;
    for (size_t i = 0; i < words.size(); ++i) added.weights[i] = static_cast<int8_t>(words[i]);
    items_.push_back(added);
    for (size_t g = 0; g < open_count_; ++g) {
      if (!has_room(open_[g], magnitudes)) continue;
      put(open_[g], item, magnitudes);
      if (open_[g].size == kMostSteps) close(g);
      return;
    }
    if (open_count_ == kOpenGroups) close(0);
    Open& fresh = open_[open_count_++];
    fresh.members[0] = item;
    fresh.size = 1;
    fresh.sums = magnitudes;
  }

  // In multiplications of one vector: one for each step, and one for each group.
  size_t finish() {
    while (open_count_ != 0) close(0);
    size_t cost = items_.size();
    for (const auto& groups : closed_) cost += groups.size();
    return cost;
  }

  void write(GroupedWeights& to, GrowingBytes& weights, size_t values) const {
    ByteGroups& groups = to.groups.emplace_back();
    groups.first = static_cast<int32_t>(to.steps.size());
    for (size_t size = kMostSteps; size > 0; --size) {
      groups.count[size - 1] = static_cast<int32_t>(closed_[size - 1].size());
      for (const Members& members : closed_[size - 1]) {
        for (size_t i = 0; i < size; ++i) {
          const Item& item = items_[static_cast<size_t>(members[i])];
          to.steps.push_back(item.step);
          weights.append(item.weights.data(), values);
        }
      }
    }
  }

 private:
  using Members = std::array<int32_t, kMostSteps>;
  struct Open {
    Members members{};
    size_t size = 0;
    ByteSums sums{};
  };

  // Means, rounded up, are an instruction for bytes, which sums above 255 are not.
  static bool has_room(const Open& group, const ByteSums& magnitudes) {
    ByteSums means;
    for (size_t i = 0; i < means.size(); ++i) {
      means[i] = static_cast<uint8_t>((group.sums[i] + magnitudes[i] + 1) >> 1);
    }
    return largest_of(means) <= kMostMagnitude / 2;
  }
  static void put(Open& group, int32_t item, const ByteSums& magnitudes) {
    group.members[group.size++] = item;
    for (size_t i = 0; i < magnitudes.size(); ++i) {
      group.sums[i] = static_cast<uint8_t>(group.sums[i] + magnitudes[i]);
    }
  }
  void close(size_t g) {
    closed_[open_[g].size - 1].push_back(open_[g].members);
    std::move(open_.begin() + static_cast<std::ptrdiff_t>(g) + 1,
              open_.begin() + static_cast<std::ptrdiff_t>(open_count_),
              open_.begin() + static_cast<std::ptrdiff_t>(g));
    --open_count_;
  }

  std::vector<Item> items_;
  std::array<Open, kOpenGroups> open_;
  size_t open_count_ = 0;
  std::array<std::vector<Members>, kMostSteps> closed_;  // by size
};

// The two words of each pair, which are not negative, together.
void add_pairs(const StepWords& words, int16_t* sums) {
  for (size_t i = 0; i < kPairs; ++i) {
    uint32_t both;
    std::memcpy(&both, words.data() + 2 * i, sizeof both);
    sums[i] = static_cast<int16_t>((both & 0xFFFFU) + (both >> 16U));
  }
}

PairSums magnitudes_of(const StepWords& words) {
  StepWords positive, negative;
  for (size_t i = 0; i < words.size(); ++i) {
    positive[i] = std::max<int16_t>(words[i], 0);
    negative[i] = std::max<int16_t>(static_cast<int16_t>(-words[i]), 0);
  }
  PairSums sums;
  add_pairs(positive, sums.data());
  add_pairs(negative, sums.data() + kPairs);
  return sums;
}

// Whether the step is a group: each weight is a byte, which +128 is not.
bool is_narrow(const StepWords& words, const PairSums& magnitudes) {
  return largest_of(magnitudes) <= kMostMagnitude && largest_of(words) < kMostMagnitude;
}

// Moves of a weight what is beyond `most`.
void move_beyond(int16_t& from, int16_t& to, int most) {
  const int kept = std::clamp<int>(from, -most, std::min(most, 127));
  to = static_cast<int16_t>(from - kept);
  from = static_cast<int16_t>(kept);
}

// Takes from the pairs of a step what they have too much; returns that.
StepWords lighten(StepWords& words) {
  StepWords rest{};
  for (size_t i = 0; i < words.size(); i += 2) {
    const bool second = std::abs(words[i + 1]) > std::abs(words[i]);
    const size_t larger = second ? i + 1 : i, smaller = second ? i : i + 1;
    const bool together = (words[i] < 0) == (words[i + 1] < 0);
    const int beside = together ? std::abs(words[smaller]) : 0;
    move_beyond(words[larger], rest[larger], std::max(kMostMagnitude - beside, 0));
    const int taken = together ? std::abs(words[larger]) : 0;
    move_beyond(words[smaller], rest[smaller], kMostMagnitude - taken);
  }
  return rest;
}

void add_step(BlockGroups& groups, StepWords words, ByteStep step) {
  PairSums magnitudes = magnitudes_of(words);
  while (!is_narrow(words, magnitudes)) {
    const StepWords rest = lighten(words);
    groups.add(words, magnitudes_of(words), step);
    words = rest;
    magnitudes = magnitudes_of(words);
  }
  groups.add(words, magnitudes, step);
}

}  // namespace

std::optional<GroupedWeights> group_weights(const LaneWords& from) {
  GroupedWeights to;
  BlockGroups groups;
  const auto values = static_cast<size_t>(from.lanes) * 4;
  const auto steps = static_cast<size_t>(from.runs) * static_cast<size_t>(from.run_steps);
  GrowingBytes weights(steps * static_cast<size_t>(from.blocks) * values);
  std::vector<int16_t> words(steps * values);
  size_t cost = 0, most = 0;  // most: of words
  for (int block = 0; block < from.blocks; ++block) {
    from.read(block, words.data());
    const int16_t* next = words.data();
    groups.clear();
    for (int run = 0; run < from.runs; ++run) {
      for (int step = 0; step < from.run_steps; ++step, next += values) {
        StepWords all;
        std::copy_n(next, values, all.begin());
        std::fill(all.begin() + static_cast<std::ptrdiff_t>(values), all.end(), int16_t{0});
        add_step(groups, all, {run, step * 4});
      }
    }
    cost += groups.finish();
    most += 2 * steps;
    if (cost > most + most / 8) return std::nullopt;  // it will hardly become less
    groups.write(to, weights, values);
  }
  if (cost >= most) return std::nullopt;
  to.weights = weights.take();
  return to;
}

}  // namespace edgetwin::kernels
