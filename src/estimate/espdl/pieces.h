// One memory as ESP-DL's planner keeps it: pieces by address, and the free ones by size. Source:
// specification of estimates 2.3, rules 3 and 4.
#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <vector>

namespace edgetwin::estimates {

class Pieces {
 public:
  // Of a fixed size, or without one a memory that grows.
  explicit Pieces(std::optional<int64_t> fixed = {});

  // The offset of `bytes`; nothing where they do not fit a memory of a fixed size.
  std::optional<int64_t> take(int64_t bytes);
  void give_back(int64_t offset);
  // End of the last piece, free or not.
  int64_t end() const;

 private:
  struct Piece {
    int64_t offset = 0, size = 0;
    bool free = false;
  };
  using Place = std::list<Piece>::iterator;

  void add_free(Place piece);
  void remove_free(Place piece);
  int64_t use(Place piece, int64_t size);

  std::list<Piece> pieces_;  // by address
  std::vector<Place> free_;  // by size, stable
  bool grows_ = true;
};

}  // namespace edgetwin::estimates
