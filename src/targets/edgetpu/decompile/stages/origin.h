// Which channels a word of narrow memory holds: the words that an instruction writes are numbered
// within a pixel, and copies keep the number. So whoever reads them finds out of whose channels
// its own are made, in their order, whatever lies between them in memory.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "formats/darwinn/darwinn.h"
#include "targets/edgetpu/decompile/stages/narrow_memory.h"
#include "targets/edgetpu/program/program.h"

namespace edgetwin::edgetpu {

// By word of a pixel that is read: how often whose words stood there.
using ChannelVotes = std::vector<std::map<Origin, int64_t>>;

// Which words of a pixel an instruction visits, innermost levels first. `period`: words of a pixel.
struct ChannelWalk {
  Traversal path;
  int64_t period = 1;
  // Calls visit(address, word of the pixel) for each place; levels that stand still count once.
  template <class Visit>
  void each(Visit&& visit) const {
    std::array<int64_t, kLoopLevels> index{};
    int64_t at = path.start;
    do {
      int64_t word = 0;
      for (size_t k = 0; k < path.size; ++k) word += index[k] * words[k];
      visit(at, period > 0 ? word % period : word);
    } while (advance(path, index, at));
  }
  std::array<int64_t, kLoopLevels> words{};  // by level: words of the pixel that one advance means
};

// The output's words by their place in a pixel. `weighted`, `depthwise` as geometry.h has them.
ChannelWalk written_channels(const Nest& nest, bool weighted, bool depthwise);
// Of an input with so many words in a pixel.
ChannelWalk read_channels(const Nest& nest, int64_t words);

// Where the host's inputs arrive in narrow memory, and which of them is there when an instruction
// reads: the stores that follow an infeed put its data there, in the order of the transfers. What
// one buffer takes one after the other is told apart by the order of those who read it.
class InputMap {
 public:
  InputMap(const darwinn::Executable& executable, const DecodedProgram& steps);
  // The input that instruction `step` reads at this word; nothing: not to be told. Calls come in
  // the program's order.
  std::optional<size_t> read(size_t step, size_t tile, int64_t word);
  // What a store brings: which of the program's requests, in their order, and from which of its
  // words on. Only where there are several.
  struct Feed {
    size_t number = 0;
    int64_t first_word = 0;
    uint32_t tiles = 0;  // that get it
  };
  std::optional<Feed> feed(size_t step) const;
  // The input that a request asks for; nothing: what the program put aside itself.
  std::optional<size_t> input_of(size_t feed_number) const;
  // Whether every buffer was read as often as it was filled.
  bool certain() const;

 private:
  struct Fill {
    int64_t low = 0, high = 0;
    size_t input = 0;  // inputs_: none of them
  };
  struct Reads {
    size_t last_step = 0;
    size_t count = 0;
  };
  void add_stores(const DecodedProgram& steps);
  void add_fills(const CopyPattern& store, size_t input);
  std::optional<size_t> checked(size_t input) const;

  size_t inputs_ = 0;
  std::vector<size_t> order_;  // of the transfers
  bool known_ = false;         // as many infeeds as transfers
  std::array<std::vector<Fill>, 16> fills_;
  std::map<size_t, Feed> feeds_;                    // by step of the store
  std::array<std::map<int64_t, Reads>, 16> reads_;  // by first word of the buffer
};

}  // namespace edgetwin::edgetpu
