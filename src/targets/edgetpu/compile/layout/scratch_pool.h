// A pool over a picture that does not fit beside what gathers it, as the vendor's compiler has it:
// some channels of the picture after the others, each in blocks of 64 in the first row of tiles.
// Found on DeepLab slim; docs/edgetpu-compiler.md, "Beside the vendor's programs".
#pragma once

#include "targets/edgetpu/compile/templates/others.h"

namespace edgetwin::edgetpu::compiler {

// Words of a position that are summed at a time, and all of them.
struct ChannelPieces {
  int64_t words = 0, all = 0;
  int64_t count() const { return ceil_div(all, words); }
  int64_t first(int64_t piece) const { return piece * words; }
  int64_t size(int64_t piece) const { return std::min(words, all - first(piece)); }
};

// As few as fit beside the picture, with what a row of tiles gathers of them. Nothing: one block of
// 64 channels for each tile of a row is too much, too, or it fits at once.
std::optional<ChannelPieces> channel_pieces(const Map& map);

// All positions of a block of 64 channels, whose groups of four reach beyond the last row.
int64_t gathered_bytes(const Map& map);
// The gather does not fit beside the picture, but pieces of it do.
bool needs_scratch(const Map& map);

// Some words of each position to a tensor of their own with the same split. Behind an epoch.
struct TakeSpec {
  const Map *from = nullptr, *to = nullptr;
  int64_t first = 0;   // word
  int64_t matrix = 0;  // the line of the unit matrix
};
void take_words(Program& p, const TakeSpec& spec);

// What each tile of a row has of a piece to all others of it.
void share_piece(Program& p, const ChannelPieces& pieces, int64_t piece, int64_t vector);

// Then the vector of all pieces, whose every word lies at its place in all tiles that have it, in
// runs of whole blocks from tile 0 on: spread_words() in each. By the mesh, `passing`:
// kPassingBytes.
int64_t spread_words(int64_t words);
void spread_pieces(Program& p, const ChannelPieces& pieces, int64_t vector, int64_t passing);
// To all of `tiles`.
void join_spread(Program& p, int64_t words, int64_t from, int64_t to, uint32_t tiles);

}  // namespace edgetwin::edgetpu::compiler
