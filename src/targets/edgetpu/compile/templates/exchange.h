// Words that go from tile to tile by lines of wide memory that nothing else has, in one step or in
// two: what came may wait in its lines. Rectangles of tensors whose positions lie in other tiles.
#pragma once

#include <array>
#include <vector>

#include "targets/edgetpu/compile/templates/parts.h"

namespace edgetwin::edgetpu::compiler {

class Exchange {
 public:
  // `all` must stay. `shared`: what a tile sends goes to all that want some of it in one
  // instruction, so that there are fewer of them and more lines.
  explicit Exchange(const std::vector<Transfer>& all, bool shared = false);
  // Lines of the tile that has most: of what it sends, and of what it gets.
  int64_t lines_out() const { return out_; }
  int64_t lines_in() const { return in_; }
  // To lines from `in` on, by way of those from `out` on. Behind a barrier.
  void bring(Program& p, int64_t out, int64_t in) const;
  // One part from there to narrow memory: in the step that brings it, or behind a barrier after it.
  void store(Program& p, int64_t in, bool at_once, size_t part = 0) const;

 private:
  struct Send {
    int source = 0;
    uint32_t destination = 0;
    int64_t line = 0, lines = 0;
  };
  struct Fetched {
    const Transfer* transfer = nullptr;
    int64_t line = 0, lines = 0;
    bool own = false;  // it stays in its tile
  };
  struct Stored {
    const Transfer* transfer = nullptr;
    int64_t line = 0, lines = 0;
    bool own = false;
    int64_t before = 0;  // lines that the tile received before it; of its own: that it fetched
  };
  void receive(Program& p, int64_t in) const;
  struct Group {  // that goes to the same tiles
    uint32_t destination = 0;
    std::vector<const Transfer*> transfers{};
  };
  void send_group(size_t source, const Group& group, int64_t& out);

  std::array<std::vector<Fetched>, kTiles> fetched_;
  std::array<std::vector<Stored>, kTiles> stored_;
  std::array<int64_t, kTiles> received_{};
  std::vector<Send> sends_;
  int64_t out_ = 0, in_ = 0;
};

// A rectangle from one tensor to another one: it begins at row `from_y` and column `from_x` of one,
// at `to_y` and `to_x` of the other, and ends where one of them does. Of the first one every row
// and column so many steps on.
struct RelocateSpec {
  const Map *from = nullptr, *to = nullptr;
  int64_t from_y = 0, from_x = 0, to_y = 0, to_x = 0;
  int64_t step_y = 1, step_x = 1;
};
void relocate(Program& p, const RelocateSpec& spec);
// Several of them at the same time where wide memory has room; none reads what another one writes.
void relocate(Program& p, const std::vector<RelocateSpec>& all);

// The same in two steps, between which the words wait in lines of the tiles that they are for.
struct Waiting {
  std::vector<RelocateSpec> parts{};
  bool shared = false;  // as of an exchange
};
struct WaitingLines {
  int64_t out = 0, in = 0;  // of the tile that has most: of what leaves it, and of what waits
};
WaitingLines waiting_lines(const Waiting& w);
// To lines from `in` on, by way of those from `out` on; the first part to its place in the same
// step, if `first` is set. Begins behind a barrier.
void to_lines(Program& p, const Waiting& w, int64_t out, int64_t in, bool first);
// One rectangle, in one step; in one of its own where lines are short, if tiles have `counted`
// since the last barrier.
void by_lines(Program& p, const RelocateSpec& spec, bool counted);
// A part from there to its place. Behind a barrier after it.
void from_lines(Program& p, const Waiting& w, size_t part, int64_t in);

// Block `first` + k of 64 channels of every position, or some words of it, to tile k, position
// after position at `base`.
void gather_blocks(Program& p, const Map& map, int64_t base, int64_t first, const BlockTurn& turn);
// So many blocks side by side to the tiles that sum them: tile k sums block k.
void gather_groups(Program& p, const Map& map, int64_t base, int64_t group);

}  // namespace edgetwin::edgetpu::compiler
