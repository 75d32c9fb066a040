#include "targets/edgetpu/decompile/pools/pool_readings.h"

#include <algorithm>
#include <optional>

#include "targets/edgetpu/decompile/places/moved_operand.h"
#include "targets/edgetpu/decompile/places/pixel_words.h"
#include "targets/edgetpu/decompile/places/pool_views.h"

namespace edgetwin::edgetpu {
namespace {

constexpr int kPoolWord = 4;  // channels

bool is_constant(const ViewWord& w) { return w.kind == ViewWord::Kind::constant; }

// Without the rows and columns around it that are nothing but constants; `border`: which of them.
template <class Border>
std::optional<ReadView> inside(const ReadView& v, Border&& border) {
  int top = v.height, left = v.width, bottom = 0, right = 0;
  for (int y = 0; y < v.height; ++y) {
    for (int x = 0; x < v.width; ++x) {
      bool any = false;
      for (int k = 0; k < v.words; ++k) any = any || !border(v.at(y, x, k));
      if (!any) continue;
      top = std::min(top, y), bottom = std::max(bottom, y + 1);
      left = std::min(left, x), right = std::max(right, x + 1);
    }
  }
  if (top >= bottom) return std::nullopt;
  ReadView inner;
  inner.height = bottom - top, inner.width = right - left, inner.words = v.words;
  inner.seen = v.seen;
  inner.seen.top = top, inner.seen.left = left;
  for (int y = top; y < bottom; ++y) {
    for (int x = left; x < right; ++x) {
      for (int k = 0; k < v.words; ++k) inner.all.push_back(v.at(y, x, k));
    }
  }
  return inner;
}

class PoolReadings {
 public:
  PoolReadings(const LayerSearch& search, const MadePlaces& places, AroundPicture around)
      : search_(search), places_(places), around_(around) {}

  std::vector<PoolReading> of(const std::vector<ReadView>& views) {
    for (const ReadView& v : views) {
      add(v);
      // What is left of a picture of one column may be a row.
      if (v.seen.out_h == 1 && v.seen.kernel_w == 1) add(turned(v));
    }
    std::ranges::stable_sort(all_, {}, &PoolReading::complexity);
    return std::move(all_);
  }

 private:
  bool lies_around(const ViewWord& w, std::optional<int> zero) const {
    constexpr uint32_t kBytes = 0x01010101;
    if (!is_constant(w)) return false;
    if (around_ == AroundPicture::least) return w.constant == 0;
    return !zero || static_cast<uint32_t>(w.constant) == kBytes * static_cast<uint32_t>(*zero);
  }

  void add(const ReadView& v) {
    std::vector<SeenWindow> seen;
    if (is_picture({v}, places_, seen) && !seen.empty()) {
      auto o = side_by_side(v, places_);
      if (o && nothing_else_around(v, o->from.front())) {
        all_.push_back({*std::move(o), seen.front(), 0});
      }
    }
    const auto inner = inside(v, [&](const ViewWord& w) { return lies_around(w, std::nullopt); });
    if (inner) add_moved(*inner);
    // What lies around the picture may be a part of it.
    if (!std::ranges::any_of(v.all, is_constant)) return;
    ReadView whole = v;
    whole.window = false;
    add_moved(whole);
  }

  bool nothing_else_around(const ReadView& v, Producer p) const {
    const auto zero = zero_point_of(search_.result.layers, search_.inference, p);
    if (!zero && around_ == AroundPicture::real_zero)
      return !std::ranges::any_of(v.all, is_constant);
    return std::ranges::all_of(
        v.all, [&](const ViewWord& w) { return !is_constant(w) || lies_around(w, zero); });
  }

  void add_moved(const ReadView& v) {
    PoolReading r;
    std::vector<SeenWindow> seen;
    if (!take_moved(search_, {v}, places_, r.operand, seen)) return;
    r.window = seen.front();
    r.complexity = complexity(r.operand, places_);
    all_.push_back(std::move(r));
  }

  const LayerSearch& search_;
  const MadePlaces& places_;
  AroundPicture around_;
  std::vector<PoolReading> all_;
};

}  // namespace

Extent2D extent_of(const MadePlaces& places, const Operand& o) {
  Extent2D e{o.height, o.width, 0};
  for (const MovedPart& p : o.moved) e.c += p.chunk;
  if (!o.moved.empty()) return e;
  e = {1, 1, 0};
  for (size_t i = 0; i < o.from.size(); ++i) {
    const Extent2D part = places.extent(o.from[i]);
    // One position beside a picture stands at all of its positions.
    e.h = std::max(e.h, part.h), e.w = std::max(e.w, part.w);
    e.c += o.taken.empty() ? part.c : o.taken[i].count;
  }
  return e;
}

std::vector<PoolReading> pool_readings(const LayerSearch& search, const MadePlaces& places,
                                       const std::vector<ReadView>& views, AroundPicture around) {
  return PoolReadings(search, places, around).of(views);
}

bool has_window(const DecompiledLayer& l, const SeenWindow& w) {
  return l.problem.empty() && l.kernel_h == w.kernel_h && l.kernel_w == w.kernel_w &&
         l.out.h == w.out_h && l.out.w == w.out_w && (w.out_h == 1 || l.stride_h == w.stride_h) &&
         (w.out_w == 1 || l.stride_w == w.stride_w);
}

void take_announced_channels(DecompiledLayer& l, const SizeContext& context) {
  for (const Extent2D& e : context.announced) {
    const int more = l.in.c - e.c;
    if (e.h != l.out.h || e.w != l.out.w || more <= 0 || more >= kPoolWord) continue;
    Operand& o = l.inputs.front();
    int& last = o.moved.empty() ? o.taken.back().count : o.moved.back().taken.count;
    if (!o.moved.empty() && o.moved.back().chunk != last) return;
    if (last <= more) return;
    last -= more;
    if (!o.moved.empty()) o.moved.back().chunk = last;
    l.in.c = l.out.c = e.c;
    return;
  }
}

}  // namespace edgetwin::edgetpu
