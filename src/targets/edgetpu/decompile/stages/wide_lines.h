// Lines of wide memory that hold words of narrow memory: a band that waits there until it is wanted
// again, pixels before a pool, and constants. Also which lines the ring filled last.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "targets/edgetpu/decompile/stages/narrow_memory.h"

namespace edgetwin::edgetpu {

class WideLines {
 public:
  using Words = std::array<std::vector<OwnedWord>, kTiles>;

  // A copy puts words of narrow memory there.
  void keep(const CopyPattern& c, const Narrow& narrow);
  // The ring writes these lines.
  void receive(const Traversal& lines);
  // Narrow memory takes the place of what the ring brought.
  void overwrite(int64_t line) { from_ring_.erase(line); }
  bool came_by_ring(int64_t line) const { return from_ring_.contains(line); }
  // What stands in the lines that a store reads; nothing: not all tiles know it.
  std::optional<Words> kept(const CopyPattern& c, size_t count) const;
  // Constants in the lines that hold this one.
  std::vector<uint32_t> constants(size_t tile, int64_t line) const;

 private:
  struct Lines {
    int64_t count = 0;
    std::vector<OwnedWord> words;
  };
  void forget(const Traversal& t, uint32_t tiles);

  std::array<std::map<int64_t, Lines>, kTiles> lines_;  // by the first one
  uint64_t kept_words_ = 0;                             // of all tiles
  std::set<int64_t> from_ring_;
};

}  // namespace edgetwin::edgetpu
