#include "targets/max78/planner/choices.h"

#include <algorithm>
#include <optional>

#include "targets/max78/chip/processor_map.h"

namespace edgetwin::max78 {
namespace {

using ai8x::kDataBuffer;
using ai8x::Key;
using ai8x::kInput;

constexpr size_t kMostSets = 64;
constexpr int kMostParts = 4;  // side by side

class ChoiceMaker {
 public:
  explicit ChoiceMaker(const ChoiceRequest& r)
      : r_(r), reader_(layer(r.order[r.at])), before_(r.order[r.at - 1]) {}

  std::vector<SourceChoice> run() {
    if (reader_.buffer_shift) return {{{kDataBuffer}, 0}};
    if (reader_.operands > 1) {
      if (pixels_in_turns()) add({before_}, 0);
      sets(reader_.operands, 0);
    } else {
      if (is_buffer()) add({kDataBuffer}, 0);
      singles();
      for (int parts = 2; parts <= kMostParts; ++parts) side_by_side(parts);
    }
    // What the description says of data memory decides where anything agrees with it.
    std::vector<SourceChoice> agreed;
    for (const SourceChoice& c : choices_) {
      if (agrees(c.sources)) agreed.push_back(c);
    }
    if (!agreed.empty()) choices_ = std::move(agreed);
    for (SourceChoice& c : choices_) sort_by_place(c.sources);
    return std::move(choices_);
  }

 private:
  using Sources = std::vector<int>;
  const ai8x::Layer& layer(int i) const { return r_.network.layers[static_cast<size_t>(i)]; }
  const ai8x::LayerParameters& parameters() const {
    return r_.parameters.layers[static_cast<size_t>(r_.order[r_.at])];
  }
  const ResultShape& result(int i) const { return r_.results[static_cast<size_t>(i)]; }

  void add(Sources sources, int cost) { choices_.push_back({std::move(sources), cost}); }

  // Channels that the layer takes, 0 if they follow from what it reads.
  int wanted() const { return reader_.in_channels.value_or(parameters().in_channels); }

  bool takes(int channels) const {
    if (wanted() <= 0) return true;
    return reader_.flatten ? wanted() % channels == 0 : wanted() == channels;
  }

  // in_dim of one source is another form of its pixels.
  bool same_pixels(int source) const {
    if (!reader_.in_dim) return true;
    const int64_t rows = reader_.in_dim->h + reader_.in_crop[0] + reader_.in_crop[1];
    const Size2 s = result(source).size;
    return rows * reader_.in_dim->w == int64_t{s.h} * s.w;
  }

  // All operands come from one layer, whose pixels they take in turns.
  bool pixels_in_turns() const {
    if (!reader_.in_dim || !takes(result(before_).channels)) return false;
    const Size2 s = result(before_).size;
    return int64_t{reader_.operands} * reader_.in_dim->h * reader_.in_dim->w == int64_t{s.h} * s.w;
  }

  bool is_buffer() const {
    const auto& b = r_.network.data_buffer;
    return b && reader_.in_dim && reader_.in_channels == b->channels && *reader_.in_dim == b->dim;
  }

  void singles() {
    if (takes(result(before_).channels)) add({before_}, same_pixels(before_) ? 0 : 2);
    for (size_t k = r_.at - 1; k-- > 0;) {
      const int s = r_.order[k];
      if (takes(result(s).channels) && same_pixels(s)) add({s}, 1);
    }
    add({kInput}, 1);
  }

  // Parts of equal channels and sizes, the last one first.
  void side_by_side(int parts) {
    if (reader_.flatten || reader_.in_dim || wanted() <= 0 || wanted() % parts != 0) return;
    part_channels_ = wanted() / parts;
    sets(parts, 1);
    part_channels_ = 0;
  }

  // Sets with the layer before it at `cost`, then those without at one more.
  void sets(int n, int cost) {
    for (const bool with : {true, false}) {
      if (with && !fits_in_set(before_)) continue;
      Sources set;
      if (with) set.push_back(before_);
      left_ = kMostSets;
      extend(set, n, with ? cost : cost + 1, r_.at - 1);
    }
  }

  bool fits_in_set(int s) const {
    if (part_channels_ > 0) return result(s).channels == part_channels_;
    return wanted() <= 0 || result(s).channels == wanted();
  }

  void extend(Sources& set, int n, int cost, size_t below) {
    if (left_ == 0) return;
    if (static_cast<int>(set.size()) == n) {
      Sources list = set;
      // Operands in their order; parts with the last result first.
      if (reader_.operands > 1) std::ranges::sort(list);
      add(std::move(list), cost);
      --left_;
      return;
    }
    for (size_t k = below; k-- > 0;) {
      const int s = r_.order[k];
      const bool same = set.empty() || (result(s).channels == result(set.front()).channels &&
                                        result(s).size == result(set.front()).size);
      if (!same || !fits_in_set(s)) continue;
      set.push_back(s);
      extend(set, n, cost, k);
      set.pop_back();
    }
  }

  // --- What the description says of data memory.
  std::optional<uint64_t> map_of(int s) const {
    if (s == kDataBuffer) {
      const auto& b = *r_.network.data_buffer;
      return b.has_processors ? std::optional(b.processors) : std::nullopt;
    }
    const ai8x::Layer& first = layer(r_.order.front());
    if (s == kInput) {
      return first.has(Key::processors) ? std::optional(first.processors) : std::nullopt;
    }
    if (layer(s).output_processors) return layer(s).output_processors;
    const int next = layer(s).next_sequence;
    const bool follows = next >= 0 && next < static_cast<int>(r_.network.layers.size());
    if (!follows || !layer(next).has(Key::processors)) return std::nullopt;
    return layer(next).processors;
  }

  std::optional<int64_t> offset_of(int s) const {
    if (s == kDataBuffer) return std::nullopt;
    if (s == kInput) return layer(r_.order.front()).in_offset;
    return layer(s).has(Key::out_offset) ? std::optional(layer(s).out_offset) : std::nullopt;
  }

  bool agrees(const Sources& sources) const {
    std::optional<uint64_t> map = 0;
    std::optional<int64_t> offset;
    bool offsets = true;
    for (const int s : sources) {
      const auto m = map_of(s);
      map = map && m ? std::optional(*map | *m) : std::nullopt;
      const auto o = offset_of(s);
      offsets = offsets && o;
      if (o) offset = offset ? std::min(*offset, *o) : *o;
      if (overwritten(s)) return false;
    }
    if (reader_.has(Key::processors) && map && *map != reader_.processors) return false;
    return !reader_.in_offset || !offsets || *offset == *reader_.in_offset;
  }

  // A later result begins at the same place.
  bool overwritten(int s) const {
    if (s < 0) return false;
    const auto map = map_of(s);
    const auto offset = offset_of(s);
    if (!map || !offset) return false;
    const auto from = std::ranges::find(r_.order, s);
    for (auto k = from + 1; k < r_.order.begin() + static_cast<std::ptrdiff_t>(r_.at); ++k) {
      const auto m = map_of(*k);
      if (m && offset_of(*k) == offset && (*m & *map) != 0) return true;
    }
    return false;
  }

  // Side by side they have the order of their processors, else that of their words.
  void sort_by_place(Sources& sources) const {
    if (sources.size() < 2) return;
    const bool known =
        std::ranges::all_of(sources, [&](int s) { return map_of(s) && offset_of(s); });
    if (!known) return;
    const bool words =
        std::ranges::all_of(sources, [&](int s) { return *map_of(s) == *map_of(sources.front()); });
    std::ranges::stable_sort(sources, [&](int a, int b) {
      if (words) return *offset_of(a) < *offset_of(b);
      return lowest_bit(*map_of(a)) < lowest_bit(*map_of(b));
    });
  }

  const ChoiceRequest& r_;
  const ai8x::Layer& reader_;
  const int before_;
  int part_channels_ = 0;
  size_t left_ = 0;
  std::vector<SourceChoice> choices_;
};

}  // namespace

std::vector<SourceChoice> source_choices(const ChoiceRequest& request) {
  return ChoiceMaker(request).run();
}

}  // namespace edgetwin::max78
