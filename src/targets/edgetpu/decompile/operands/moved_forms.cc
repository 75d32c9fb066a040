#include "targets/edgetpu/decompile/operands/moved_forms.h"

#include <algorithm>

namespace edgetwin::edgetpu {
namespace {

// Whether every position is the one that `wanted(y, x)` says.
template <class Wanted>
bool all_are(const PlaceBox& b, Wanted&& wanted) {
  for (int y = 0; y < b.h; ++y) {
    for (int x = 0; x < b.w; ++x) {
      if (int64_t{b.at(y, x)} != wanted(y, x)) return false;
    }
  }
  return true;
}

std::optional<MovedForm> slice_of(const PlaceBox& b, const Extent2D& from) {
  const int32_t first = b.at(0, 0);
  if (first < 0) return std::nullopt;
  MovedForm f{MovedForm::Kind::slice};
  f.y = first / from.w, f.x = first % from.w;
  if (b.h > 1) f.step_y = b.at(1, 0) / from.w - f.y;
  if (b.w > 1) f.step_x = b.at(0, 1) % from.w - f.x;
  if (f.step_y < 1 || f.step_x < 1) return std::nullopt;
  const int last_y = f.y + (b.h - 1) * f.step_y, last_x = f.x + (b.w - 1) * f.step_x;
  if (last_y >= from.h || last_x >= from.w) return std::nullopt;
  const bool fits = all_are(
      b, [&](int y, int x) { return int64_t{f.y + y * f.step_y} * from.w + f.x + x * f.step_x; });
  return fits ? std::optional(f) : std::nullopt;
}

// As the operator computes it in whole numbers; middles of pixels: half of one is added.
int64_t nearest(int at, int from, int to, bool middles) {
  if (!middles) return int64_t{at} * from / to;
  return (int64_t{2} * at + 1) * from / (int64_t{2} * to);
}

std::optional<MovedForm> nearest_of(const PlaceBox& b, const Extent2D& from) {
  for (const bool middles : {false, true}) {
    const bool fits = all_are(b, [&](int y, int x) {
      return nearest(y, from.h, b.h, middles) * from.w + nearest(x, from.w, b.w, middles);
    });
    if (!fits) continue;
    MovedForm f{MovedForm::Kind::nearest};
    f.middles = middles;
    return f;
  }
  return std::nullopt;
}

std::optional<MovedForm> pad_of(const PlaceBox& b, const Extent2D& from) {
  for (int y = 0; y < b.h; ++y) {
    for (int x = 0; x < b.w; ++x) {
      if (b.at(y, x) < 0) continue;
      MovedForm f{MovedForm::Kind::pad, y, x};
      const bool fits = all_are(b, [&](int py, int px) {
        const int sy = py - y, sx = px - x;
        const bool inside = sy >= 0 && sy < from.h && sx >= 0 && sx < from.w;
        return inside ? int64_t{sy} * from.w + sx : int64_t{-1};
      });
      const bool room = y + from.h <= b.h && x + from.w <= b.w;
      return fits && room ? std::optional(f) : std::nullopt;
    }
  }
  return MovedForm{MovedForm::Kind::filler};
}

}  // namespace

bool is_filler(const MovedPart& part) {
  return std::ranges::all_of(part.places, [](int32_t p) { return p < 0; });
}

bool is_flat(const Operand& o, const Extent2D& from) {
  const size_t parts = o.moved.size();
  const size_t positions = static_cast<size_t>(o.height) * static_cast<size_t>(o.width);
  if (pieces_of(o) != int64_t{from.h} * from.w) return false;
  for (size_t i = 0; i < parts; ++i) {
    const MovedPart& p = o.moved[i];
    if (p.from.size() != 1 || p.from != o.moved[0].from || p.chunk != from.c) return false;
    for (size_t n = 0; n < positions; ++n) {
      if (p.places[n] != static_cast<int32_t>(n * parts + i)) return false;
    }
  }
  return true;
}

std::optional<MovedForm> form_of(const PlaceBox& b, const Extent2D& from) {
  const bool same = b.h == from.h && b.w == from.w;
  const auto in_order = [&](int y, int x) { return int64_t{y} * b.w + x; };
  const bool all = int64_t{b.h} * b.w == int64_t{from.h} * from.w;
  if (all && all_are(b, in_order)) {
    return MovedForm{same ? MovedForm::Kind::same : MovedForm::Kind::reshape};
  }
  const bool turned = b.h == from.w && b.w == from.h;
  if (turned && all_are(b, [&](int y, int x) { return int64_t{x} * from.w + y; })) {
    return MovedForm{MovedForm::Kind::transpose};
  }
  if (auto f = slice_of(b, from)) return f;
  if (auto f = nearest_of(b, from)) return f;
  return pad_of(b, from);
}

std::optional<JoinedForms> joined_forms(const PlaceBox& whole, const Extent2D& from) {
  constexpr size_t kMost = 64;
  for (const int axis : {1, 2}) {
    JoinedForms all{axis, {}, {}};
    const int size = axis == 1 ? whole.h : whole.w;
    int at = 0;
    while (at < size && all.boxes.size() < kMost) {
      PlaceBox box = whole;
      int& length = axis == 1 ? box.h : box.w;
      (axis == 1 ? box.y0 : box.x0) += at;
      std::optional<MovedForm> form;
      for (length = size - at; length > 0 && !form; --length) form = form_of(box, from);
      if (!form) break;
      ++length;
      at += length;
      all.boxes.push_back(box);
      all.forms.push_back(*form);
    }
    if (at == size) return all;
  }
  return std::nullopt;
}

int space_to_depth_block(const Operand& o, const Extent2D& from) {
  int block = 2;
  while (static_cast<size_t>(block) * static_cast<size_t>(block) < o.moved.size()) ++block;
  if (static_cast<size_t>(block) * static_cast<size_t>(block) != o.moved.size()) return 0;
  if (o.height * block != from.h || o.width * block != from.w) return 0;
  for (int n = 0; n < block * block; ++n) {
    const MovedPart& part = o.moved[static_cast<size_t>(n)];
    const bool whole = part.from == o.moved[0].from && part.from.size() == 1 &&
                       part.taken == ChannelRange{0, from.c} && part.chunk == from.c;
    const PlaceBox box{part.places, o.width, 0, 0, o.height, o.width};
    const MovedForm wanted{MovedForm::Kind::slice, n / block, n % block, block, block};
    const bool fits = whole && all_are(box, [&](int y, int x) {
                        return int64_t{wanted.y + y * block} * from.w + wanted.x + x * block;
                      });
    if (!fits) return 0;
  }
  return block;
}

int depth_to_space_block(const Operand& o, const Extent2D& from) {
  if (o.moved.size() != 1 || o.moved[0].from.size() != 1) return 0;
  const MovedPart& part = o.moved[0];
  const int pieces = part.taken.count / part.chunk;
  int block = 2;
  while (block * block < pieces) ++block;
  const bool whole = part.taken == ChannelRange{0, from.c} && block * block == pieces;
  if (!whole || o.height != from.h * block || o.width != from.w * block) return 0;
  const PlaceBox box{part.places, o.width, 0, 0, o.height, o.width};
  const bool fits = all_are(box, [&](int y, int x) {
    return (int64_t{y / block} * from.w + x / block) * pieces + y % block * block + x % block;
  });
  return fits ? block : 0;
}

}  // namespace edgetwin::edgetpu
