#include "targets/edgetpu/decompile/layers/pool_operand.h"

#include <algorithm>
#include <optional>

#include "targets/edgetpu/decompile/layers/layer_operands.h"
#include "targets/edgetpu/decompile/places/moved_operand.h"
#include "targets/edgetpu/decompile/places/pool_views.h"

namespace edgetwin::edgetpu {
namespace {

constexpr int kPoolWord = 4;  // channels

// One way to read the instructions; 0 of `simplicity`: its producers' pictures as they are.
struct PoolReading {
  Operand operand;
  SeenWindow window;
  size_t complexity = 0;
};

// The word of each place in a pixel, which all positions have alike. Empty: they have not.
std::vector<PictureWord> words_of_pixel(const ReadView& v) {
  std::vector<PictureWord> pixel;
  for (int k = 0; k < v.words; ++k) {
    std::optional<PictureWord> word;
    for (int y = 0; y < v.height; ++y) {
      for (int x = 0; x < v.width; ++x) {
        const ViewWord& w = v.at(y, x, k);
        if (w.kind != ViewWord::Kind::word) continue;
        if (!word) word = w.word;
        if (word->from != w.word.from || word->word != w.word.word) return {};
      }
    }
    if (!word) return {};
    pixel.push_back(*word);
  }
  return pixel;
}

// Channels of its producers side by side.
std::optional<Operand> side_by_side(const ReadView& v, const MadePlaces& places) {
  Operand o;
  for (const PictureWord& w : words_of_pixel(v)) {
    const int first = w.word * kPoolWord;
    const int count = std::min(kPoolWord, places.extent(w.from).c - first);
    const bool goes_on = !o.from.empty() && o.from.back() == w.from &&
                         o.taken.back().first + o.taken.back().count == first;
    if (goes_on) {
      o.taken.back().count += count;
    } else {
      o.from.push_back(w.from);
      o.taken.push_back({first, count});
    }
  }
  if (o.from.empty()) return std::nullopt;
  bool all = true;
  for (size_t i = 0; i < o.from.size(); ++i) {
    all = all && o.taken[i] == ChannelRange{0, places.extent(o.from[i]).c};
  }
  if (all) o.taken.clear();
  return o;
}

// What lies around the picture counts as real 0.
bool has_zeros_alone(const LayerSearch& search, const ReadView& v, const Operand& o) {
  const auto zero = zero_point_of(search.result.layers, search.inference, o.from.front());
  return std::ranges::all_of(v.all, [&](const ViewWord& w) {
    constexpr uint32_t kBytes = 0x01010101;
    return w.kind != ViewWord::Kind::constant ||
           (zero && static_cast<uint32_t>(w.constant) == kBytes * static_cast<uint32_t>(*zero));
  });
}

class PoolReadings {
 public:
  PoolReadings(const LayerSearch& search, const MadePlaces& places)
      : search_(search), places_(places) {}

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
  void add(const ReadView& v) {
    std::vector<SeenWindow> seen;
    if (is_picture({v}, places_, seen) && !seen.empty()) {
      auto o = side_by_side(v, places_);
      if (o && has_zeros_alone(search_, v, *o)) all_.push_back({*std::move(o), seen.front(), 0});
    }
    add_moved(v);
    const bool border = std::ranges::any_of(
        v.all, [](const ViewWord& w) { return w.kind == ViewWord::Kind::constant; });
    if (!border) return;
    // What lies around the picture may be a part of it.
    ReadView whole = v;
    whole.window = false;
    add_moved(whole);
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
  std::vector<PoolReading> all_;
};

bool is_window(const DecompiledLayer& l, const SeenWindow& w) {
  return l.problem.empty() && l.kernel_h == w.kernel_h && l.kernel_w == w.kernel_w &&
         l.out.h == w.out_h && l.out.w == w.out_w && (w.out_h == 1 || l.stride_h == w.stride_h) &&
         (w.out_w == 1 || l.stride_w == w.stride_w);
}

// The last word of a pixel may have fewer channels than it has room for: an output tells.
void take_announced(DecompiledLayer& l, const SizeContext& context) {
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

}  // namespace

bool find_pool(const LayerSearch& search, DecompiledLayer& layer, const SizeContext& context) {
  MadePlaces places(search);
  const std::vector<ReadView> views = pool_views(search, layer, places);
  if (views.empty()) return false;
  for (PoolReading& r : PoolReadings(search, places).of(views)) {
    DecompiledLayer trial = layer;
    trial.inputs = {std::move(r.operand)};
    trial.in = extent_of(search, trial.inputs.front());
    trial.seen = {r.window};
    find_size(trial, context);
    if (!is_window(trial, r.window)) continue;
    take_announced(trial, context);
    layer = std::move(trial);
    return true;
  }
  layer.in = extent_of(search, layer.inputs.front());
  layer.problem = "no window fits the positions that it reads";
  return true;
}

}  // namespace edgetwin::edgetpu
