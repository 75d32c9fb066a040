// Which words of narrow memory the traversals of a tensor instruction visit, in which order, and
// how they part into positions.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "targets/edgetpu/decompile/stages/origin.h"

namespace edgetwin::edgetpu {

// Words that a traversal of bytes touches, each once.
std::vector<int64_t> touched_words(const Traversal& t);

// The places of one position's words, and where the positions begin; false: the levels of the
// input do not part so.
bool part_levels(const Nest& nest, std::vector<int64_t>& words, std::vector<int64_t>& positions);

// Words of a narrow traversal of the output in order, with their places in the pixel.
template <class Visit>
void walk_output(const Nest& nest, const ChannelWalk& channels, Visit&& visit) {
  const Traversal& t = nest.out;
  std::array<int64_t, kLoopLevels> index{};
  int64_t at = t.start;
  do {
    int64_t word = 0;
    for (size_t k = 0; k < t.size; ++k) word += index[k] * channels.words[k];
    visit(at, word);
  } while (advance(t, index, at));
}

// The same as numbers of the position and of the word in it.
template <class Visit>
void walk_positions(const Nest& nest, const ChannelWalk& channels, Visit&& visit) {
  // Addresses that are the numbers of positions.
  Nest numbered = nest;
  numbered.out.start = 0;
  int64_t count = 1;
  for (size_t k = 0; k < nest.out.size; ++k) {
    Level& l = numbered.out.level[k];
    l.net = k == 0 || channels.words[k] != 0 ? 0 : count;
    if (l.net != 0) count *= l.count;
  }
  walk_output(numbered, channels,
              [&](int64_t position, int64_t word) { visit(static_cast<size_t>(position), word); });
}

}  // namespace edgetwin::edgetpu
