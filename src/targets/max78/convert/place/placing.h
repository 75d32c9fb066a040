// The steps of place().
#pragma once

#include <cstddef>
#include <numeric>
#include <vector>

#include "targets/max78/convert/draft/draft.h"

namespace edgetwin::max78 {

// Sets of tensors with a distance to the first of the set.
class Sets {
 public:
  explicit Sets(size_t n) : parent_(n), delta_(n, 0) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  struct Found {
    int root = 0, delta = 0;
  };
  Found find(int i) const {
    Found f{i, 0};
    while (parent_[static_cast<size_t>(f.root)] != f.root) {
      f.delta += delta_[static_cast<size_t>(f.root)];
      f.root = parent_[static_cast<size_t>(f.root)];
    }
    return f;
  }
  // b stands `distance` after a. False if they stand otherwise already.
  bool join(int a, int b, int distance) {
    const Found x = find(a);
    const Found y = find(b);
    if (x.root == y.root) return y.delta - x.delta == distance;
    parent_[static_cast<size_t>(y.root)] = x.root;
    delta_[static_cast<size_t>(y.root)] = x.delta + distance - y.delta;
    return true;
  }

 private:
  std::vector<int> parent_, delta_;
};

// processors.cc: a tensor's processors are those of every layer that reads it, and their kernel
// memories hold that layer's weights: tensors are spread so that the fullest kernel memory is as
// empty as can be.
void choose_processors(Draft& draft);
// offsets.cc: tensors that are alive together and share a data memory share no byte.
void choose_offsets(Draft& draft);

}  // namespace edgetwin::max78
