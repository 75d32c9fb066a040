#include "estimate/espdl/pieces.h"

#include <algorithm>

namespace edgetwin::estimates {
namespace {

constexpr int64_t kAlign = 16;
int64_t aligned(int64_t n) { return (n + kAlign - 1) / kAlign * kAlign; }

}  // namespace

Pieces::Pieces(std::optional<int64_t> fixed) : grows_(!fixed) {
  if (!fixed) return;
  pieces_.push_back({0, *fixed, true});
  free_.push_back(pieces_.begin());
}

void Pieces::add_free(Place piece) {
  piece->free = true;
  free_.push_back(piece);
  std::stable_sort(free_.begin(), free_.end(),
                   [](const Place& a, const Place& b) { return a->size < b->size; });
}

void Pieces::remove_free(Place piece) { free_.erase(std::find(free_.begin(), free_.end(), piece)); }

// Takes `size` bytes of a piece that is not in the list of free ones.
int64_t Pieces::use(Place piece, int64_t size) {
  piece->free = false;
  const int64_t rest = piece->size - size;
  if (rest > 0) {
    piece->size = size;
    add_free(pieces_.insert(std::next(piece), {piece->offset + size, rest, true}));
  }
  return piece->offset;
}

std::optional<int64_t> Pieces::take(int64_t bytes) {
  const int64_t size = aligned(bytes);
  for (const Place piece : free_) {
    if (piece->size < bytes) continue;
    remove_free(piece);
    return use(piece, size);
  }
  if (!grows_) return {};
  if (!pieces_.empty() && pieces_.back().free) {
    const Place last = std::prev(pieces_.end());
    remove_free(last);
    last->size = size;
    return use(last, size);
  }
  pieces_.push_back({end(), size, false});
  return pieces_.back().offset;
}

void Pieces::give_back(int64_t offset) {
  const auto found = std::find_if(pieces_.begin(), pieces_.end(),
                                  [&](const Piece& p) { return p.offset == offset && !p.free; });
  if (found == pieces_.end()) return;
  const Place right = std::next(found);
  if (right != pieces_.end() && right->free) {
    found->size += right->size;
    remove_free(right);
    pieces_.erase(right);
  }
  if (found != pieces_.begin() && std::prev(found)->free) {
    const Place left = std::prev(found);
    found->offset = left->offset;
    found->size += left->size;
    remove_free(left);
    pieces_.erase(left);
  }
  add_free(found);
}

int64_t Pieces::end() const {
  return pieces_.empty() ? 0 : pieces_.back().offset + pieces_.back().size;
}

}  // namespace edgetwin::estimates
