#include "targets/edgetpu/decompile/layers/greatest.h"

#include <optional>

#include "targets/edgetpu/decompile/sizes/greatest_size.h"

namespace edgetwin::edgetpu {
namespace {

// Nothing but the sum of bytes as they are, cut to a byte.
bool sums_bytes(const DecompiledLayer& l, int first, int second) {
  constexpr float kMost = 255.0F;
  const Nest& n = l.numbers;
  return l.type == LayerType::add && l.problem.empty() && l.inputs.size() == 2 &&
         l.add_weight[0] == first && l.add_weight[1] == second && n.multiplier == 1.0F &&
         n.lower == 0.0F && n.upper == kMost && n.constant == 0 && n.output_zero_point == 0 &&
         n.input_zero_point == 0 && !n.function && !n.has_bias && !n.has_scales;
}

constexpr Producer kSeveral = -1;  // what is no layer begins no window

// The one layer that an operand is.
std::optional<Producer> only(const Operand& o) {
  const bool one = o.from.size() == 1 && o.taken.empty() && o.row_channels == 0 && o.moved.empty();
  return one ? std::optional(o.from.front()) : std::nullopt;
}

// Producers, or channels of theirs, side by side.
bool is_picture(const Operand& o) {
  return !o.from.empty() && o.row_channels == 0 && o.moved.empty();
}

class Pair {
 public:
  Pair(LayerSearch& search, size_t second)
      : search_(search), all_(search.result.layers), second_(second) {}

  void take() {
    DecompiledLayer& s = all_[second_];
    const bool greatest = sums_bytes(s, 1, 1);
    if (!greatest && !sums_bytes(s, 1, -1)) return;
    const Operand kept = s.inputs[0];
    const auto from = only(s.inputs[1]);
    if (!is_picture(kept) || !from || *from < 0 || kept == s.inputs[1]) return;
    const auto first = static_cast<size_t>(*from);
    if (!sums_bytes(all_[first], greatest ? -1 : 1, greatest ? 1 : -1)) return;
    if (!(all_[first].inputs[0] == kept)) return;
    const Operand& other = all_[first].inputs[1];
    if (!is_picture(other)) return;
    if (!(other == kept)) return take_two(first, greatest);
    if (greatest) take_window(first, only(kept).value_or(kSeveral));
  }

 private:
  std::vector<const DecompiledLayer*> differences(const std::vector<size_t>& pairs) const {
    std::vector<const DecompiledLayer*> all;
    for (const size_t p : pairs) all.push_back(&all_[p]);
    return all;
  }

  bool is_window(const std::vector<size_t>& pairs) const {
    return pairs_make_window(differences(pairs), all_[pairs.front()].in);
  }

  void follow(size_t layer) {
    all_[layer].type = LayerType::max_pool;
    all_[layer].followed = true;
  }

  void take_two(size_t first, bool greatest) {
    DecompiledLayer& s = all_[second_];
    s.inputs = all_[first].inputs;
    s.type = greatest ? LayerType::maximum : LayerType::minimum;
    follow(first);
  }

  void take_window(size_t first, Producer from) {
    std::vector<size_t> pairs;
    auto before = from < 0 ? search_.pairs.end() : search_.pairs.find(static_cast<size_t>(from));
    if (before != search_.pairs.end()) pairs = before->second;
    pairs.push_back(first);
    // A pool of a pool begins anew.
    if (before != search_.pairs.end() && !is_window(pairs)) {
      before = search_.pairs.end();
      pairs = {first};
    }
    DecompiledLayer& s = all_[second_];
    const DecompiledLayer& begins = all_[pairs.front()];
    const std::vector<Operand> inputs{begins.inputs.front()};
    DecompiledLayer pool = s;
    pool.type = LayerType::max_pool;
    pool.inputs = inputs;
    pool.in = begins.in;
    // Of a window that more pairs make larger this is only a part, whose size need not fit.
    size_greatest(pool, differences(pairs), {search_.result.replay, search_.stages(), {}});
    s = std::move(pool);
    follow(first);
    if (before != search_.pairs.end()) {
      all_[static_cast<size_t>(from)].problem.clear();
      follow(static_cast<size_t>(from));
    }
    search_.pairs[second_] = std::move(pairs);
  }

  LayerSearch& search_;
  std::vector<DecompiledLayer>& all_;
  size_t second_;
};

}  // namespace

void take_greatest(LayerSearch& search, size_t layer) { Pair(search, layer).take(); }

}  // namespace edgetwin::edgetpu
