// Single bytes followed back through matrices of zeros and ones to where they came into the tiles.
#pragma once

#include <optional>
#include <set>

#include "targets/edgetpu/decompile/operands/layer.h"

namespace edgetwin::edgetpu {

// A byte of what a request of the program brought.
struct FollowedByte {
  size_t request = 0;
  int64_t byte = 0;
  bool operator==(const FollowedByte&) const = default;
};

// Instead of a request: rows that a loop left.
inline constexpr size_t kLeftRows = static_cast<size_t>(-1) / 2;

class Follower {
 public:
  Follower(const Replay& replay, const std::vector<DecompiledLayer>& layers,
           const std::vector<int>& layer_of)
      : replay_(replay), layers_(layers), layer_of_(layer_of) {}

  // Byte `b` of the word that node stands for; nothing: it is no plain copy.
  std::optional<FollowedByte> byte(int32_t node, int b);
  // The first `count` bytes of these words one after the other: those of one request, ascending
  // from `first` on by one, but that after every `row` bytes it goes on at the next multiple of
  // `pitch`. Nothing: not so. The request.
  std::optional<size_t> rows(std::span<const int32_t> nodes, int64_t count, int64_t first,
                             int64_t row, int64_t pitch);
  // The layers through which anything was followed.
  const std::set<size_t>& through() const { return through_; }

 private:
  const Replay& replay_;
  const std::vector<DecompiledLayer>& layers_;
  const std::vector<int>& layer_of_;
  std::set<size_t> through_;
};

}  // namespace edgetwin::edgetpu
