#include "targets/edgetpu/decompile/places/moved_operand.h"

#include <algorithm>

#include "targets/edgetpu/decompile/operands/moved_forms.h"
#include "targets/edgetpu/decompile/places/pixel_words.h"
#include "targets/edgetpu/decompile/places/resize_views.h"
#include "targets/edgetpu/decompile/places/strided_views.h"
#include "targets/edgetpu/decompile/places/view_parts.h"

namespace edgetwin::edgetpu {
namespace {

constexpr std::string_view kOtherOrder =
    "the positions that it reads changed places in a way that is not understood";

bool is_word(const ViewWord& w) { return w.kind == ViewWord::Kind::word; }

// Whether the view is its producers' picture as it is, or one with padding around it.
class Plain {
 public:
  Plain(const ReadView& view, const MadePlaces& places) : view_(view), places_(places) {}

  bool holds() {
    if (all_in_order()) return true;
    for (int y = 0; y < view_.height; ++y) {
      for (int x = 0; x < view_.width; ++x) {
        for (int k = 0; k < view_.words; ++k) {
          if (!offset_.add(y, x, view_.at(y, x, k))) return false;
        }
      }
    }
    // One position that all tiles have, or that stands at all positions of a picture.
    if (!offset_.found()) return true;
    return constants_outside() && (view_.window || whole());
  }
  const PictureOffset& offset() const { return offset_; }

 private:
  bool constants_outside() const {
    const Extent2D& size = offset_.size();
    const int top = offset_.top(), left = offset_.left();
    for (int y = std::max(0, top); y < std::min(view_.height, top + size.h); ++y) {
      for (int x = std::max(0, left); x < std::min(view_.width, left + size.w); ++x) {
        for (int k = 0; k < view_.words; ++k) {
          if (view_.at(y, x, k).kind == ViewWord::Kind::constant) return false;
        }
      }
    }
    return true;
  }

  bool whole() const {
    const Extent2D& size = offset_.size();
    return offset_.top() == 0 && offset_.left() == 0 && size.h == view_.height &&
           size.w == view_.width;
  }

  // Only positions of one, or a flattened picture.
  bool all_in_order() const {
    const ViewWord& first = view_.all.front();
    if (!is_word(first)) return false;
    const Extent2D e = places_.extent(first.word.from);
    const int pixel = (e.c + 3) / 4;
    const bool one = view_.height == 1 && view_.width == 1;
    if (!one || int64_t{e.h} * e.w * pixel != view_.words) return false;
    for (int k = 0; k < view_.words; ++k) {
      const PictureWord wanted{first.word.from, k / pixel, k % pixel};
      if (!is_word(view_.at(0, 0, k)) || !(view_.at(0, 0, k).word == wanted)) return false;
    }
    return true;
  }

  const ReadView& view_;
  const MadePlaces& places_;
  PictureOffset offset_{places_};
};

// Without the constants around it.
std::optional<ReadView> without_border(const ReadView& v, SeenWindow& seen) {
  int top = v.height, left = v.width, bottom = 0, right = 0;
  for (int y = 0; y < v.height; ++y) {
    for (int x = 0; x < v.width; ++x) {
      bool any = false;
      for (int k = 0; k < v.words; ++k) any = any || is_word(v.at(y, x, k));
      if (!any) continue;
      top = std::min(top, y), bottom = std::max(bottom, y + 1);
      left = std::min(left, x), right = std::max(right, x + 1);
    }
  }
  if (top >= bottom) return std::nullopt;
  seen = v.seen;
  seen.top = top, seen.left = left;
  ReadView inner;
  inner.height = bottom - top, inner.width = right - left, inner.words = v.words;
  for (int y = top; y < bottom; ++y) {
    for (int x = left; x < right; ++x) {
      for (int k = 0; k < v.words; ++k) inner.all.push_back(v.at(y, x, k));
    }
  }
  return inner;
}

// Whether these positions are so many columns of rows of a picture of this width, in order; the
// first and the last ones may be there several times, as a resize has them beside its picture.
bool is_rectangle(const std::vector<int32_t>& positions, int32_t width, size_t columns) {
  const auto follows = [](int32_t before, int32_t at) { return at == before || at == before + 1; };
  for (size_t n = 0; n < positions.size(); ++n) {
    const size_t first = n / columns * columns;
    const int32_t y = positions[n] / width, x = positions[n] % width;
    if (y != positions[first] / width || x != positions[n % columns] % width) return false;
    if (n > first && !follows(positions[n - 1] % width, x)) return false;
    if (n == first && n > 0 && !follows(positions[n - 1] / width, y)) return false;
  }
  return true;
}

// Whether each tile reads whole positions of a rectangle of one picture.
bool are_rectangles(const LayerReads& reads, const MadePlaces& places) {
  for (const TileReads& t : reads) {
    if (t.found.empty() || !std::ranges::all_of(t.found, is_word)) continue;
    const PictureWord& first = t.found.front().word;
    const auto pixel = static_cast<size_t>(t.found.back().word.word - first.word + 1);
    if (t.found.back().word.word < first.word || t.found.size() % pixel != 0) return false;
    std::vector<int32_t> positions;
    for (size_t n = 0; n < t.found.size(); ++n) {
      const PictureWord& w = t.found[n].word;
      if (n % pixel == 0) positions.push_back(w.position);
      const auto word = first.word + static_cast<int32_t>(n % pixel);
      if (!(w == PictureWord{first.from, positions.back(), word})) return false;
    }
    bool fits = false;
    for (size_t columns = 1; columns <= positions.size() && !fits; ++columns) {
      fits = positions.size() % columns == 0 &&
             is_rectangle(positions, places.extent(first.from).w, columns);
    }
    if (!fits) return false;
  }
  return true;
}

// Perhaps a flattened picture.
bool is_one_position(const ReadView& v) { return v.height == 1 && v.width == 1; }

// All windows leave out the first rows or columns, or so many of the last ones that another output
// would have room there: they were cut off.
bool reads_a_part(const std::vector<SeenWindow>& seen, const Extent2D& in) {
  const auto room = [](int size, int front, int reach, int stride) {
    return (size + front - reach) / stride + 1;
  };
  return !seen.empty() && std::ranges::all_of(seen, [&](const SeenWindow& w) {
    const int kh = (w.kernel_h - 1) * w.dilation + 1, kw = (w.kernel_w - 1) * w.dilation + 1;
    return w.top < 0 || w.left < 0 || room(in.h, w.top, kh, w.stride_h) > w.out_h ||
           room(in.w, w.left, kw, w.stride_w) > w.out_w;
  });
}

// Layers of which every instruction reads the picture that it is given.
bool has_views(const DecompiledLayer& l) {
  switch (l.type) {
    case LayerType::conv:
    case LayerType::depthwise:
    case LayerType::concat:
    case LayerType::quantize:
    case LayerType::logistic:
    case LayerType::tanh:
    case LayerType::mul:
      return true;
    case LayerType::add:
      // Else a part of the greatest of two.
      return l.numbers.multiplier != 1.0F || l.numbers.constant != 0;
    default:
      return false;
  }
}

// Whether the positions of several pictures of one size take turns, as those that a TRANSPOSE_CONV
// is made of.
bool takes_turns(const MovedPart& p, const Operand& o, const Extent2D& from) {
  const auto count = static_cast<int>(p.from.size());
  for (int sy = 1; p.chunk == p.taken.count && sy <= count; ++sy) {
    const int sx = count / sy;
    if (sy * sx != count || o.height != from.h * sy || o.width != from.w * sx) continue;
    bool fits = true;
    for (int y = 0; y < o.height && fits; ++y) {
      for (int x = 0; x < o.width && fits; ++x) {
        const int64_t picture = y % sy * sx + x % sx;
        const int64_t wanted = (picture * from.h + y / sy) * from.w + x / sx;
        fits = p.places[static_cast<size_t>(y) * static_cast<size_t>(o.width) +
                        static_cast<size_t>(x)] == wanted;
      }
    }
    if (fits) return true;
  }
  return false;
}

}  // namespace

size_t complexity(const Operand& o, const MadePlaces& places) {
  size_t n = 0;
  for (const MovedPart& p : o.moved) {
    const Extent2D from = places.extent(p.from.front());
    const PlaceBox box{p.places, o.width, 0, 0, o.height, o.width};
    const bool whole = p.from.size() == 1 && p.chunk == p.taken.count;
    const bool known = whole ? form_of(box, from).has_value()
                             : depth_to_space_block(o, from) != 0 || takes_turns(p, o, from);
    n += known ? 1 : 4;
  }
  return n;
}

const ReadView* find_picture(const std::vector<ReadView>& views, const MadePlaces& places,
                             std::vector<SeenWindow>& seen) {
  const ReadView* first = nullptr;
  for (const ReadView& v : views) {
    Plain plain(v, places);
    if (!plain.holds()) continue;
    if (first == nullptr) first = &v;
    if (!v.window || !plain.offset().found()) continue;
    seen.push_back(v.seen);
    seen.back().top = plain.offset().top(), seen.back().left = plain.offset().left();
  }
  return first;
}

bool take_moved(const LayerSearch& search, const std::vector<ReadView>& views,
                const MadePlaces& places, Operand& operand, std::vector<SeenWindow>& seen) {
  std::optional<Operand> best;
  size_t least = 0;
  for (const ReadView& v : views) {
    SeenWindow window = v.seen;
    const auto inner = v.window ? without_border(v, window) : std::optional(v);
    if (!inner) continue;
    const auto parts = parts_of_view(search, *inner, places);
    if (!parts) continue;
    const size_t now = complexity(*parts, places);
    if (best && now >= least) continue;
    least = now;
    best = *parts;
    seen.assign(1, window);
  }
  if (best) operand = *best;
  return best.has_value();
}

namespace {

// Of a resize.
void find_moved_picture(const LayerSearch& search, DecompiledLayer& layer, MadePlaces& places) {
  const auto reads = layer_reads(search, layer, 0, places);
  if (!reads) return;
  const std::vector<ReadView> views = resize_views(search, *reads);
  if (const ReadView* picture = find_picture(views, places, layer.seen)) {
    if (!is_one_position(*picture)) take_read_channels(*picture, places, layer.inputs.front());
    return;
  }
  if (take_moved(search, views, places, layer.inputs.front(), layer.seen)) return;
  if (!are_rectangles(*reads, places)) layer.problem = kOtherOrder;
}

}  // namespace

void find_moved_operands(const LayerSearch& search, DecompiledLayer& layer, bool parts) {
  MadePlaces places(search);
  if (layer.type == LayerType::resize) return find_moved_picture(search, layer, places);
  if (!has_views(layer)) return;
  for (size_t i = 0; i < layer.inputs.size(); ++i) {
    if (layer.inputs[i].row_channels > 0) continue;
    const auto reads = layer_reads(search, layer, i, places);
    if (!reads) continue;
    const std::vector<ReadView> in_place = read_views(search, layer, *reads, places, true);
    const Extent2D in =
        layer.inputs[i].from.empty() ? Extent2D{} : places.extent(layer.inputs[i].from.front());
    const ReadView* picture = find_picture(in_place, places, layer.seen);
    if (picture != nullptr && !parts && !reads_a_part(layer.seen, in)) {
      if (!has_weights(layer.type) || !is_one_position(*picture)) {
        take_read_channels(*picture, places, layer.inputs[i]);
      }
      continue;
    }
    std::vector<ReadView> views = read_views(search, layer, *reads, places, false);
    if (views.empty()) continue;
    std::vector<ReadView> whole = filled_strides(views, places);
    views.insert(views.begin(), whole.begin(), whole.end());
    if (take_moved(search, views, places, layer.inputs[i], layer.seen)) continue;
    layer.problem = kOtherOrder;
  }
}

}  // namespace edgetwin::edgetpu
