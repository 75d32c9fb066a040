// Lines of wide memory that hold words of narrow memory: a band that waits there until it is wanted
// again, pixels before a pool, and constants. Also which lines the ring filled last.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "targets/edgetpu/decompile/stages/narrow_memory.h"

namespace edgetwin::edgetpu {

class WideLines {
 public:
  using Words = std::array<std::vector<OwnedWord>, kTiles>;

  // A copy puts words of narrow memory there.
  void keep(const CopyPattern& c, const Narrow& narrow);
  // The ring writes these lines.
  void receive(const Traversal& lines, uint32_t tiles);
  // Lines that a tile keeps go to others, into those that their receivers before it name. False: it
  // does not keep them all.
  bool send(size_t source, uint32_t destination, const Traversal& lines);
  // Something else goes to the receivers before it.
  void others_send() { sending_ = true; }
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
  struct Wanted {  // lines of a receiver that nobody has sent yet
    int64_t first = 0, count = 0;
  };
  void forget(const Traversal& t, uint32_t tiles);
  void arrive(size_t tile, const std::vector<std::pair<int64_t, Lines>>& sent, int64_t count);

  std::array<std::map<int64_t, Lines>, kTiles> lines_;  // by the first one
  uint64_t kept_words_ = 0;                             // of all tiles
  std::set<int64_t> from_ring_;
  std::array<std::vector<Wanted>, kTiles> wanted_;
  bool sending_ = false;  // after the receivers of some sends came the first of these
};

}  // namespace edgetwin::edgetpu
