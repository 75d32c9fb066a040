#include "targets/edgetpu/decompile/write/byte_pieces.h"

#include <algorithm>

namespace edgetwin::edgetpu {
namespace {

using Places = std::vector<int64_t>;  // one number for each axis

Places sides(const Shape& s) {
  Places n;
  for (int i = 0; i < s.rank(); ++i) n.push_back(s[i]);
  return n;
}

int64_t offset(const Places& at, const Places& size) {
  int64_t n = 0;
  for (size_t k = 0; k < size.size(); ++k) n = n * size[k] + at[k];
  return n;
}

Places places_of(int64_t n, const Places& size) {
  Places at(size.size());
  for (size_t k = size.size(); k-- > 0;) {
    at[k] = n % size[k];
    n /= size[k];
  }
  return at;
}

bool next(Places& at, const Places& size) {
  for (size_t k = size.size(); k-- > 0;) {
    if (++at[k] < size[k]) return true;
    at[k] = 0;
  }
  return false;
}

class Search {
 public:
  Search(const ByteOrigins& origins, const Shape& output, const std::vector<Shape>& inputs)
      : origins_(origins), out_(sides(output)) {
    for (const Shape& s : inputs) {
      const bool like = s.rank() != output.rank() && s.elements() == output.elements();
      in_.push_back(like ? out_ : sides(s));
    }
  }

  std::optional<BytePieces> run() const {
    const auto whole = piece(Places(out_.size(), 0), out_);
    if (whole) return BytePieces{0, {*whole}, {}, {}, 0};
    if (auto found = padded()) return found;
    for (size_t axis = 0; axis < out_.size(); ++axis) {
      if (auto found = joined(axis)) return found;
    }
    return std::nullopt;
  }

 private:
  const ByteOrigin& at(const Places& base, const Places& in_box) const {
    int64_t n = 0;
    for (size_t k = 0; k < out_.size(); ++k) n = n * out_[k] + base[k] + in_box[k];
    return origins_[static_cast<size_t>(n)];
  }

  // What the box would be if it went on as its first byte begins; its length along `axis` is cut
  // where it does not.
  std::optional<BytePiece> begun(const Places& base, Places size, size_t axis) const {
    const ByteOrigin& first = at(base, Places(out_.size(), 0));
    BytePiece p{size, first.input, {}, static_cast<uint8_t>(first.at)};
    if (first.input >= 0) {
      const Places& whole = in_[static_cast<size_t>(first.input)];
      if (whole.size() != out_.size()) return std::nullopt;
      p.from = places_of(first.at, whole);
      p.byte = 0;
      for (size_t k = 0; k < out_.size(); ++k) {
        if (k == axis) size[k] = std::min(size[k], whole[k] - p.from[k]);
        if (p.from[k] + size[k] > whole[k]) return std::nullopt;
      }
    }
    for (int64_t slab = 0; slab < size[axis]; ++slab) {
      if (goes_on(p, first, base, axis, slab)) continue;
      if (slab == 0) return std::nullopt;
      size[axis] = slab;
      break;
    }
    p.size = size;
    return p;
  }

  // Whether one slice across `axis` is as the box's first byte says.
  bool goes_on(const BytePiece& p, const ByteOrigin& first, const Places& base, size_t axis,
               int64_t slab) const {
    Places in_box(out_.size(), 0);
    Places size = p.size;
    size[axis] = 1;
    do {
      Places place = in_box;
      place[axis] = slab;
      if (!(at(base, place) == expected(p, first, place))) return false;
    } while (next(in_box, size));
    return true;
  }

  ByteOrigin expected(const BytePiece& p, const ByteOrigin& first, const Places& in_box) const {
    if (p.input < 0) return first;
    Places from = p.from;
    for (size_t k = 0; k < from.size(); ++k) from[k] += in_box[k];
    return {p.input, offset(from, in_[static_cast<size_t>(p.input)])};
  }

  std::optional<BytePiece> piece(const Places& base, const Places& size) const {
    auto p = begun(base, size, 0);
    if (!p || p->size != size) return std::nullopt;
    return p;
  }

  // One byte around a box of an input.
  std::optional<BytePieces> padded() const {
    Places low = out_;
    Places high(out_.size(), 0);
    std::optional<int64_t> fill;
    Places place(out_.size(), 0);
    const Places zero(out_.size(), 0);
    do {
      const ByteOrigin& o = at(zero, place);
      if (o.input < 0) {
        if (fill && *fill != o.at) return std::nullopt;
        fill = o.at;
        continue;
      }
      for (size_t k = 0; k < out_.size(); ++k) {
        low[k] = std::min(low[k], place[k]);
        high[k] = std::max(high[k], place[k] + 1);
      }
    } while (next(place, out_));
    if (!fill || low == out_) return std::nullopt;
    Places size(out_.size());
    Places behind(out_.size());
    for (size_t k = 0; k < out_.size(); ++k) {
      size[k] = high[k] - low[k];
      behind[k] = out_[k] - high[k];
    }
    const auto inner = piece(low, size);
    if (!inner) return std::nullopt;
    return BytePieces{0, {*inner}, low, behind, static_cast<uint8_t>(*fill)};
  }

  std::optional<BytePieces> joined(size_t axis) const {
    constexpr size_t kMost = 256;
    BytePieces all{static_cast<int>(axis), {}, {}, {}, 0};
    Places base(out_.size(), 0);
    while (base[axis] < out_[axis]) {
      Places rest = out_;
      rest[axis] -= base[axis];
      const auto p = begun(base, rest, axis);
      if (!p || all.pieces.size() == kMost) return std::nullopt;
      base[axis] += p->size[axis];
      all.pieces.push_back(*p);
    }
    return all;
  }

  const ByteOrigins& origins_;
  Places out_;
  std::vector<Places> in_;
};

}  // namespace

std::optional<BytePieces> pieces_of(const ByteOrigins& origins, const Shape& output,
                                    const std::vector<Shape>& inputs) {
  const bool whole = output.rank() > 0 && output.elements() > 0 &&
                     origins.size() == static_cast<size_t>(output.elements());
  if (!whole) return std::nullopt;
  for (const ByteOrigin& o : origins) {
    if (o.input >= 0 && static_cast<size_t>(o.input) >= inputs.size()) return std::nullopt;
  }
  return Search(origins, output, inputs).run();
}

}  // namespace edgetwin::edgetpu
