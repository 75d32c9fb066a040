// Words that go over the mesh from one row or column of tiles to another one, past those between
// them, as the vendor's compiler moves them: docs/edgetpu-compiler.md, "Beside the vendor's
// programs".
#pragma once

#include <array>

#include "targets/edgetpu/compile/layout/ways.h"
#include "targets/edgetpu/compile/templates/others.h"

namespace edgetwin::edgetpu::compiler {

// From row (or column) of tiles `from` to `to`. Each line of tiles across moves its own words.
struct MeshLeg {
  struct Line {
    Walk out, in;       // in the sender's buffer, in the receiver's
    int64_t words = 0;  // 0: nothing
    int kind = 0;       // receivers of several kinds have instructions of their own
  };
  bool rows = false;  // the tiles lie above each other, else side by side
  int from = 0, to = 0;
  std::array<Line, kGrid> lines{};
  int distance() const { return to > from ? to - from : from - to; }
  bool forward() const { return to > from; }
  const Way& way() const {
    if (rows) return forward() ? kDown : kUp;
    return forward() ? kRight : kLeft;
  }
};

class MeshMover {
 public:
  // `passing`: kPassingBytes of narrow memory for words of other tiles; `counted`: senders and
  // receivers count, too.
  MeshMover(Program& p, int64_t passing, bool counted) : p_(p), at_(passing), counted_(counted) {}
  // The legs in their order. After the last one of a way and distance all tiles have counted as
  // much as the one that passed most words. `idle`: tiles that passed fewer wait for their engines
  // after the last leg.
  void run(const std::vector<MeshLeg>& legs, bool idle = false);

 private:
  void move(const MeshLeg& leg);
  void pass(Assembly& a, const MeshLeg& leg, int64_t words, int tile);
  uint32_t even_out(const MeshLeg& leg);  // gives the tiles that did not count as much

  Program& p_;
  int64_t at_ = 0;
  bool counted_ = false;
  std::array<int64_t, 2> base_{};         // passes of all tiles: backwards, forwards
  std::array<int64_t, kTiles> passed_{};  // of a group
};
inline constexpr int64_t kMostPasses = 32000;  // of a counter of 16 bits
// Whether all instructions are of forms that some public program has. Ends the program.
bool has_known_forms(Program& p);
// That the tile counts which passes most, of all legs.
int64_t passes_of(const std::vector<MeshLeg>& legs);

// Words of a box; levels of one place are left out.
Walk box_walk(int64_t first_word, Dims dims);

}  // namespace edgetwin::edgetpu::compiler
