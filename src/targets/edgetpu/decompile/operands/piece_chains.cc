#include "targets/edgetpu/decompile/operands/piece_chains.h"

#include <algorithm>

namespace edgetwin::edgetpu {
namespace {

bool same_zero_points(const Nest& x, const Nest& y) {
  return x.input_zero_point == y.input_zero_point && x.output_zero_point == y.output_zero_point &&
         x.weight_zero_point == y.weight_zero_point;
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

}  // namespace

bool is_function(const DecompiledLayer& l) {
  return l.type == LayerType::logistic || l.type == LayerType::tanh;
}

void take_stages(LayerSearch& search, size_t to, const DecompiledLayer& from) {
  DecompiledLayer& x = search.result.layers[to];
  x.stages.insert(x.stages.end(), from.stages.begin(), from.stages.end());
  x.steps.insert(x.steps.end(), from.steps.begin(), from.steps.end());
  x.blocks.insert(x.blocks.end(), from.blocks.begin(), from.blocks.end());
  std::sort(x.steps.begin(), x.steps.end());
  for (const size_t s : from.stages) search.layer_of[s] = static_cast<int>(to);
}

bool same_numbers(const DecompiledLayer& x, const DecompiledLayer& y) {
  const Nest &a = x.numbers, &b = y.numbers;
  const bool scales = !x.content.scales.empty() && !y.content.scales.empty();
  return same_zero_points(a, b) && a.lower == b.lower && a.upper == b.upper &&
         (scales || a.multiplier == b.multiplier) &&
         x.content.scales.empty() == y.content.scales.empty();
}

int ChainJoiner::readers(Producer p) const {
  int64_t count = 0;
  const auto add = [&](const Operand& o) { count += std::count(o.from.begin(), o.from.end(), p); };
  for (const DecompiledLayer& l : all_) std::ranges::for_each(l.inputs, add);
  for (const DecompiledOutput& o : search_.result.outputs) add(o.from);
  return static_cast<int>(count);
}

Chain ChainJoiner::chain_of(Producer p) const {
  Chain chain;
  constexpr size_t kMost = 8;
  while (p >= 0 && readers(p) == 1 && chain.size() < kMost) {
    const DecompiledLayer& l = all_[static_cast<size_t>(p)];
    chain.push_back(static_cast<size_t>(p));
    if (is_convolution(l)) return chain;
    const bool passes =
        ((l.type == LayerType::quantize && !adds(l)) || (functions_ && is_function(l))) &&
        l.problem.empty();
    if (!passes || l.inputs.size() != 1 || l.inputs[0].from.size() != 1) return {};
    p = l.inputs[0].from[0];
  }
  return {};
}

bool ChainJoiner::alike(const Chain& x, const Chain& y) const {
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

void ChainJoiner::take(const Chain& to, const Chain& from) {
  for (size_t k = 0; k < to.size(); ++k) {
    DecompiledLayer& x = all_[to[k]];
    const DecompiledLayer& y = all_[from[k]];
    const auto outs = static_cast<size_t>(x.out.c), more = static_cast<size_t>(y.out.c);
    take_stages(search_, to[k], y);
    if (x.type != LayerType::conv) x.in.c += y.out.c;
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

void ChainJoiner::erase() {
  if (std::find(gone_.begin(), gone_.end(), true) == gone_.end()) return;
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
  gone_.assign(all_.size(), false);
}

}  // namespace edgetwin::edgetpu
