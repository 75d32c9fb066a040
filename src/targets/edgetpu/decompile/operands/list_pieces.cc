#include "targets/edgetpu/decompile/operands/list_pieces.h"

#include <algorithm>

#include "targets/edgetpu/decompile/stages/channel_words.h"

namespace edgetwin::edgetpu {
namespace {

bool same_zero_points(const Nest& x, const Nest& y) {
  return x.input_zero_point == y.input_zero_point && x.output_zero_point == y.output_zero_point &&
         x.weight_zero_point == y.weight_zero_point;
}

bool same_numbers(const DecompiledLayer& x, const DecompiledLayer& y) {
  const Nest &a = x.numbers, &b = y.numbers;
  const bool scales = !x.content.scales.empty() && !y.content.scales.empty();
  return same_zero_points(a, b) && a.lower == b.lower && a.upper == b.upper &&
         (scales || a.multiplier == b.multiplier) &&
         x.content.scales.empty() == y.content.scales.empty();
}

bool same_window(const DecompiledLayer& x, const DecompiledLayer& y) {
  return x.kernel_h == y.kernel_h && x.kernel_w == y.kernel_w && x.stride_h == y.stride_h &&
         x.stride_w == y.stride_w && x.dilation == y.dilation && x.pad == y.pad &&
         x.pad_top == y.pad_top && x.pad_left == y.pad_left && x.pad_bottom == y.pad_bottom &&
         x.pad_right == y.pad_right && x.in == y.in && x.flat == y.flat && x.packed == y.packed;
}

bool is_convolution(const DecompiledLayer& l) {
  return l.type == LayerType::conv && l.problem.empty() && !l.content.weights.empty() &&
         l.shape.out == l.out.c;
}

// A value for each output.
template <class Values>
void append(Values& to, size_t outs, const Values& from, size_t more) {
  if (to.empty() && from.empty()) return;
  to.resize(outs);
  to.insert(to.end(), from.begin(), from.end());
  to.resize(outs + more);
}

class Joiner {
 public:
  explicit Joiner(LayerSearch& search) : search_(search), all_(search.result.layers) {}

  void run() {
    gone_.assign(all_.size(), false);
    for (DecompiledLayer& l : all_) {
      const bool function = l.type == LayerType::logistic || l.type == LayerType::tanh;
      if (function && l.inputs.size() == 1 && l.inputs[0].row_channels > 0) join(l);
    }
    if (std::find(gone_.begin(), gone_.end(), true) != gone_.end()) erase();
  }

 private:
  // From the list's part to the convolution, over rescalings that nobody else reads.
  using Chain = std::vector<size_t>;

  int readers(Producer p) const {
    int64_t count = 0;
    const auto add = [&](const Operand& o) {
      count += std::count(o.from.begin(), o.from.end(), p);
    };
    for (const DecompiledLayer& l : all_) std::ranges::for_each(l.inputs, add);
    for (const DecompiledOutput& o : search_.result.outputs) add(o.from);
    return static_cast<int>(count);
  }

  // Empty: it is no part that can be a piece.
  Chain chain_of(Producer p) const {
    Chain chain;
    constexpr size_t kMost = 8;
    while (p >= 0 && readers(p) == 1 && chain.size() < kMost) {
      const DecompiledLayer& l = all_[static_cast<size_t>(p)];
      chain.push_back(static_cast<size_t>(p));
      if (is_convolution(l)) return chain;
      const bool passes = l.type == LayerType::quantize && !adds(l) && l.problem.empty();
      if (!passes || l.inputs.size() != 1 || l.inputs[0].from.size() != 1) return {};
      p = l.inputs[0].from[0];
    }
    return {};
  }

  bool alike(const Chain& x, const Chain& y) const {
    if (x.empty() || x.size() != y.size()) return false;
    for (size_t k = 0; k < x.size(); ++k) {
      const DecompiledLayer &a = all_[x[k]], &b = all_[y[k]];
      if (a.type != b.type || a.out.h != b.out.h || a.out.w != b.out.w || !same_numbers(a, b)) {
        return false;
      }
    }
    const DecompiledLayer &a = all_[x.back()], &b = all_[y.back()];
    const auto &p = a.content.zero_points, &q = b.content.zero_points;
    return a.inputs == b.inputs && same_window(a, b) && (p.size() == 1) == (q.size() == 1) &&
           (p.size() != 1 || p == q);
  }

  void join(DecompiledLayer& function) {
    Operand& list = function.inputs[0];
    std::vector<Chain> chains;
    for (const Producer p : list.from) chains.push_back(chain_of(p));
    for (size_t first = 0; first < chains.size(); ++first) {
      size_t end = first + 1;
      while (end < chains.size() && alike(chains[first], chains[end])) ++end;
      const std::vector<Chain> pieces(chains.begin() + static_cast<long>(first),
                                      chains.begin() + static_cast<long>(end));
      if (pieces.size() < 2 || !take_turns(function, pieces, first == 0)) continue;
      for (size_t k = 1; k < pieces.size(); ++k) take(pieces[0], pieces[k]);
      const auto from = list.from.begin() + static_cast<long>(first) + 1;
      list.from.erase(from, from + static_cast<long>(pieces.size() - 1));
      chains.erase(chains.begin() + static_cast<long>(first) + 1,
                   chains.begin() + static_cast<long>(end));
    }
  }

  bool take_turns(const DecompiledLayer& function, const std::vector<Chain>& pieces,
                  bool begin) const {
    const int row = function.inputs[0].row_channels;
    constexpr int kWord = 4;
    std::vector<int64_t> words;
    std::map<Owner, size_t> piece_of;
    for (size_t k = 0; k < pieces.size(); ++k) {
      const DecompiledLayer& l = all_[pieces[k].front()];
      words.push_back(int64_t{l.out.c} / row * (round4(row) / kWord));
      for (const size_t s : l.stages) piece_of[static_cast<Owner>(s) + kFirstStage] = k;
    }
    std::vector<std::vector<OwnedRun>> tiles;
    for (const size_t s : function.stages) {
      const auto& runs = search_.stages()[s].runs;
      tiles.insert(tiles.end(), runs.begin(), runs.end());
    }
    return pieces_take_turns(tiles, words, piece_of, begin);
  }

  // Outputs after outputs.
  void take(const Chain& to, const Chain& from) {
    for (size_t k = 0; k < to.size(); ++k) {
      DecompiledLayer& x = all_[to[k]];
      const DecompiledLayer& y = all_[from[k]];
      const auto outs = static_cast<size_t>(x.out.c), more = static_cast<size_t>(y.out.c);
      x.stages.insert(x.stages.end(), y.stages.begin(), y.stages.end());
      x.steps.insert(x.steps.end(), y.steps.begin(), y.steps.end());
      x.blocks.insert(x.blocks.end(), y.blocks.begin(), y.blocks.end());
      std::sort(x.steps.begin(), x.steps.end());
      for (const size_t s : y.stages) search_.layer_of[s] = static_cast<int>(to[k]);
      if (x.type == LayerType::quantize) x.in.c += y.out.c;
      x.out.c += y.out.c;
      gone_[from[k]] = true;
      if (x.type != LayerType::conv) continue;
      x.shape.out = x.out.c;
      BlockContent& c = x.content;
      c.weights.insert(c.weights.end(), y.content.weights.begin(), y.content.weights.end());
      append(c.scales, outs, y.content.scales, more);
      append(c.bias, outs, y.content.bias, more);
      if (c.zero_points.size() != 1) append(c.zero_points, outs, y.content.zero_points, more);
    }
  }

  // Those that are a part of others now.
  void erase() {
    std::vector<int> number(all_.size());
    int next = 0;
    for (size_t l = 0; l < all_.size(); ++l) number[l] = gone_[l] ? -1 : next++;
    const auto renumber = [&](Operand& o) {
      const auto new_number = [&](Producer& p) { p = p < 0 ? p : number[static_cast<size_t>(p)]; };
      std::ranges::for_each(o.from, new_number);
      for (MovedPart& part : o.moved) std::ranges::for_each(part.from, new_number);
    };
    std::vector<DecompiledLayer> kept;
    for (size_t l = 0; l < all_.size(); ++l) {
      if (gone_[l]) continue;
      std::ranges::for_each(all_[l].inputs, renumber);
      kept.push_back(std::move(all_[l]));
    }
    all_ = std::move(kept);
    for (DecompiledOutput& o : search_.result.outputs) renumber(o.from);
    for (int& l : search_.layer_of) l = l < 0 ? l : number[static_cast<size_t>(l)];
    if (search_.lstm_layer) {
      search_.lstm_layer = static_cast<size_t>(number[*search_.lstm_layer]);
    }
  }

  LayerSearch& search_;
  std::vector<DecompiledLayer>& all_;
  std::vector<bool> gone_;
};

}  // namespace

bool pieces_take_turns(const std::vector<std::vector<OwnedRun>>& tiles,
                       const std::vector<int64_t>& of_each, const std::map<Owner, size_t>& piece_of,
                       bool begin) {
  const size_t pieces = of_each.size();
  if (begin && !tiles.empty() && !tiles[0].empty()) {
    const auto at = piece_of.find(tiles[0][0].owner);
    if (at == piece_of.end() || at->second != 0) return false;
  }
  int64_t turns = 0, again = 0, others = 0, left = 0;
  for (const std::vector<OwnedRun>& runs : tiles) {
    std::optional<size_t> before;
    for (const OwnedRun& r : runs) {
      const auto at = piece_of.find(r.owner);
      if (at == piece_of.end()) {
        left += before ? 1 : 0;
        before.reset();
        continue;
      }
      const size_t piece = at->second;
      // Where a row of the list ends in a tile, two parts of a piece may meet.
      if (piece >= pieces || r.words > 2 * of_each[piece]) return false;
      if (before) ++((*before + 1) % pieces == piece ? turns : others);
      again += before && piece == 0 ? 1 : 0;
      before = piece;
    }
  }
  // More often than something else the first one comes after the last one.
  return turns >= static_cast<int64_t>(pieces) && turns > others && again > left;
}

void join_list_pieces(LayerSearch& search) { Joiner(search).run(); }

}  // namespace edgetwin::edgetpu
