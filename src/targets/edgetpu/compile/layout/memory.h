// Places in memory: activations in the narrow memory of each tile, parameters in the wide one.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "targets/edgetpu/compile/templates/layers.h"

namespace edgetwin::edgetpu::compiler {

// Bytes that are needed from one step to another, both included.
struct Region {
  int64_t bytes = 0;
  int64_t first = 0, last = 0;
  int64_t base = 0;
  bool aside = false;  // after all others, whatever its size
  int64_t reach = 0;   // bytes after it that instructions name, and neither read nor write
  bool rows = false;   // buffers for rows of a picture that the host sends
  bool fixed = false;  // by levels: it lies at its base, before all others
};
// At each step.
std::vector<int64_t> bytes_in_use(const std::vector<Region>& regions);
// Whether no step needs more: else they have no places below `limit`.
bool may_fit(const std::vector<Region>& regions, int64_t limit);
// The largest first, each at the lowest place that is free during its life. Where that takes more
// than is wanted, what lies highest goes first, again and again, and the best of these is taken.
// Gives the bytes in use. `within`: what ends at `limit` is good enough; `lowest`: as few as there
// are in use at one time.
enum class Aim : uint8_t { within, lowest };
int64_t place_regions(std::vector<Region>& regions, int64_t limit, Aim aim = Aim::within);
// Operators of its life; `turn`: the operator of each step, none: each step is one.
int64_t life_of(const Region& region, const std::vector<int64_t>& turn);
// As the vendor's newest compiler does: again and again the region that can lie lowest gets that
// place; of equal ones that which is there at the fullest step, then the one with most bytes times
// the square of its life. `turn`: the operator of each step, counted from the first one, by which
// lives are long. What ends above `limit` goes before all others then, again and again.
int64_t place_by_levels(std::vector<Region>& regions, const std::vector<int64_t>& turn,
                        int64_t limit);
// As the vendor's compiler does where that takes too much: those with most bytes times operators of
// their life first, each in the smallest gap that has room for it. One that finds none goes before
// others that it meets, again and again. Gives the bytes in use; more than `limit`: it found no
// places.
int64_t place_best_fit(std::vector<Region>& regions, const std::vector<int64_t>& turn,
                       int64_t limit);
// Parameters that stay in the tiles: lines from 0 upwards.
class Residence {
 public:
  explicit Residence(int64_t lines, const std::array<int64_t, 16>& used = {})
      : lines_(lines), used_(used) {}
  // One block in each of `blocks` tiles from `tile` on, at one line for all of them; nothing: no
  // room.
  std::optional<int64_t> same_line(int tile, int64_t blocks, int64_t lines);
  // In the emptiest tile, in several where none has room. `whole`: it must not be cut. `most`:
  // lines of a piece.
  std::optional<std::vector<Piece>> anywhere(int64_t lines, bool whole, int64_t most = kWideTop);
  // At the next lines of their tiles; false: no room.
  bool at_next(std::vector<Piece>& pieces);
  int64_t used() const;
  const std::array<int64_t, 16>& lines_used() const { return used_; }
  int64_t room() const { return 16 * lines_; }

 private:
  int64_t lines_;
  std::array<int64_t, 16> used_{};
};

}  // namespace edgetwin::edgetpu::compiler
