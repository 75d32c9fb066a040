// In which tile each block of parameters rests in the vendor's programs. docs/edgetpu-compiler.md,
// "Beside the vendor's programs".
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace edgetwin::edgetpu::compiler {

using TileLines = std::array<int64_t, 16>;

// A block, in the order of the network's operators.
struct RestingBlock {
  int64_t lines = 0;     // of a fixed one those of one tile
  int64_t uses = 1;      // instructions that take it: more than one in bands
  bool whole = false;    // it must not be cut
  bool fixed = false;    // it rests where it is used,
  bool table = false;    // or does if there all tiles have room when its turn comes,
  TileLines in_tiles{};  // with so many lines in each tile
};
struct PartInTile {
  int tile = 0;
  int64_t lines = 0;
};
// Of each block that is not fixed its parts in the order in which they are sent, none of a table
// that rests where it is used; nothing where they do not fit into `most` lines of each tile, of
// which `used` are in use before. By the law:
//
// * those of most uses first, then fixed and whole ones, then those with most lines, of fixed ones
//   then in all tiles. Equal ones are in the order in which std::sort of libc++ leaves them (2020):
//   up to 30 blocks theirs;
// * each to the tile with the fewest lines. Of equal ones it is the top of a heap of the tiles,
//   which begins in their order and where the left one of two equal children goes up;
// * a fixed block makes the heap anew, a table, too: where it has no room it is a block as others;
// * one that no tile has room for goes to as many tiles as it takes, those with most room first, of
//   equal ones the one that was taken from the heap last.
std::optional<std::vector<std::vector<PartInTile>>> resting_tiles(
    const std::vector<RestingBlock>& blocks, const TileLines& used, int64_t most);

}  // namespace edgetwin::edgetpu::compiler
