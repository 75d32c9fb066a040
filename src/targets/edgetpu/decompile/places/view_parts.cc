#include "targets/edgetpu/decompile/places/view_parts.h"

#include <algorithm>

namespace edgetwin::edgetpu {
namespace {

constexpr int kWordBytes = 4;
constexpr int32_t kBytes = 0x01010101;

class Parts {
 public:
  Parts(const LayerSearch& search, const ReadView& view, const MadePlaces& places)
      : search_(search), view_(view), places_(places) {}

  std::optional<Operand> run() {
    Operand o;
    o.height = view_.height, o.width = view_.width;
    for (int first = 0; first < view_.words;) {
      int end = first + 1;
      while (end < view_.words && goes_on(end)) ++end;
      auto part = part_of(first, end);
      if (!part) return std::nullopt;
      for (const Producer p : part->from) {
        if (std::find(o.from.begin(), o.from.end(), p) == o.from.end()) o.from.push_back(p);
      }
      o.moved.push_back(std::move(*part));
      first = end;
    }
    return o;
  }

 private:
  template <class Visit>
  bool each_position(Visit&& visit) const {
    for (int y = 0; y < view_.height; ++y) {
      for (int x = 0; x < view_.width; ++x) {
        if (!visit(y, x)) return false;
      }
    }
    return true;
  }

  // Whether at all positions the word is the one after the word before.
  bool goes_on(int k) const {
    return each_position([&](int y, int x) {
      const ViewWord &before = view_.at(y, x, k - 1), &w = view_.at(y, x, k);
      if (w.kind != before.kind) return false;
      if (w.kind != ViewWord::Kind::word) return true;
      return w.word.from == before.word.from && w.word.position == before.word.position &&
             w.word.word == before.word.word + 1;
    });
  }

  // Its producers have as many channels; `first`: words of the view.
  std::optional<MovedPart> part_of(int first, int end) {
    MovedPart part;
    std::optional<int> word;
    bool same = true;
    int channels = 0;
    const bool read = each_position([&](int y, int x) {
      const ViewWord& w = view_.at(y, x, first);
      if (w.kind == ViewWord::Kind::unread) return false;
      if (w.kind == ViewWord::Kind::constant) return true;
      if (std::find(part.from.begin(), part.from.end(), w.word.from) == part.from.end()) {
        part.from.push_back(w.word.from);
      }
      same = same && word.value_or(w.word.word) == w.word.word;
      word = w.word.word;
      const int c = places_.extent(w.word.from).c;
      if (channels != 0 && channels != c) return false;
      channels = c;
      return true;
    });
    if (!read || part.from.empty() || !fills_with_zero(first, end, part.from.front())) {
      return std::nullopt;
    }
    const int words = end - first;
    if (same) {
      part.taken = {*word * kWordBytes,
                    std::min(words * kWordBytes, channels - *word * kWordBytes)};
      part.chunk = part.taken.count;
    } else {
      part.taken = {0, channels};
      part.chunk = words * kWordBytes;
      if (channels % part.chunk != 0) return std::nullopt;
    }
    return place(first, words, part) ? std::optional(part) : std::nullopt;
  }

  bool fills_with_zero(int first, int end, Producer p) const {
    const auto zero = zero_point_of(search_.result.layers, search_.inference, p);
    return each_position([&](int y, int x) {
      for (int k = first; k < end; ++k) {
        const ViewWord& w = view_.at(y, x, k);
        if (w.kind == ViewWord::Kind::constant && (!zero || !is_fill(w.constant, *zero)))
          return false;
      }
      return true;
    });
  }

  static bool is_fill(int32_t constant, int zero) {
    return static_cast<uint32_t>(constant) ==
           static_cast<uint32_t>(kBytes) * static_cast<uint32_t>(zero);
  }

  bool place(int first, int words, MovedPart& part) const {
    const int pieces = part.taken.count / part.chunk;
    return each_position([&](int y, int x) {
      const ViewWord& w = view_.at(y, x, first);
      if (w.kind == ViewWord::Kind::constant) {
        part.places.push_back(-1);
        return true;
      }
      if (pieces > 1 && w.word.word % words != 0) return false;
      int64_t before = 0;
      for (const Producer p : part.from) {
        if (p == w.word.from) break;
        const Extent2D e = places_.extent(p);
        before += int64_t{e.h} * e.w;
      }
      const int64_t piece =
          (before + w.word.position) * pieces + (pieces > 1 ? w.word.word / words : 0);
      part.places.push_back(static_cast<int32_t>(piece));
      return true;
    });
  }

  const LayerSearch& search_;
  const ReadView& view_;
  const MadePlaces& places_;
};

}  // namespace

std::optional<Operand> parts_of_view(const LayerSearch& search, const ReadView& view,
                                     const MadePlaces& places) {
  return Parts(search, view, places).run();
}

}  // namespace edgetwin::edgetpu
