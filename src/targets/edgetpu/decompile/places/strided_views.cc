#include "targets/edgetpu/decompile/places/strided_views.h"

#include <algorithm>
#include <optional>

namespace edgetwin::edgetpu {
namespace {

// Which position of the producer's picture stands at a place of one of another size.
struct OtherOrder {
  enum class Kind : uint8_t { transposed, rows, part } kind;
  Extent2D size, from;
  int32_t first = 0;  // of a part
  int32_t at(int y, int x) const {
    if (kind == Kind::part) return first + y * from.w + x;
    return kind == Kind::transposed ? x * from.w + y : y * size.w + x;
  }
};

// The first word that is read; null: none.
const ViewWord* first_word(const ReadView& v) {
  const auto w = std::ranges::find(v.all, ViewWord::Kind::word, &ViewWord::kind);
  return w == v.all.end() ? nullptr : &*w;
}

std::optional<ReadView> filled(const ReadView& v, const OtherOrder& order, const PictureWord& one) {
  ReadView to;
  to.height = order.size.h, to.width = order.size.w, to.words = v.words;
  to.window = true;
  to.seen = v.seen;
  for (int y = 0; y < to.height; ++y) {
    for (int x = 0; x < to.width; ++x) {
      const bool read =
          y < v.height && x < v.width && y % v.seen.stride_h == 0 && x % v.seen.stride_w == 0;
      for (int k = 0; k < v.words; ++k) {
        const ViewWord wanted{ViewWord::Kind::word, {one.from, order.at(y, x), one.word + k}, 0};
        if (read && !(v.at(y, x, k) == wanted)) return std::nullopt;
        to.all.push_back(wanted);
      }
    }
  }
  return to;
}

// Sizes of a picture whose last rows and columns a stride may leave out.
std::vector<OtherOrder> orders_of(const ReadView& v, const Extent2D& from, int32_t first) {
  using Kind = OtherOrder::Kind;
  std::vector<OtherOrder> all;
  const int y = first / from.w, x = first % from.w;
  if (y + v.height <= from.h && x + v.width <= from.w) {
    all.push_back({Kind::part, {v.height, v.width, 1}, from, first});
  }
  for (int h = v.height; h < v.height + v.seen.stride_h; ++h) {
    for (int w = v.width; w < v.width + v.seen.stride_w; ++w) {
      if (h == from.w && w == from.h) all.push_back({Kind::transposed, {h, w, 1}, from});
      if (int64_t{h} * w == int64_t{from.h} * from.w) all.push_back({Kind::rows, {h, w, 1}, from});
    }
  }
  return all;
}

}  // namespace

std::vector<ReadView> filled_strides(const std::vector<ReadView>& views, const MadePlaces& places) {
  std::vector<ReadView> all;
  for (const ReadView& v : views) {
    const SeenWindow& s = v.seen;
    const bool one = s.kernel_h * s.kernel_w == 1 && (s.stride_h > 1 || s.stride_w > 1);
    const ViewWord* first = v.window && one ? first_word(v) : nullptr;
    if (first == nullptr) continue;
    for (const OtherOrder& order :
         orders_of(v, places.extent(first->word.from), first->word.position)) {
      auto made = filled(v, order, first->word);
      if (made) all.push_back(*std::move(made));
    }
  }
  return all;
}

}  // namespace edgetwin::edgetpu
