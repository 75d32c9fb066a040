#include "targets/edgetpu/decompile/layers/layer_outputs.h"

#include <algorithm>
#include <cmath>

#include "targets/edgetpu/decompile/layers/left_lists.h"
#include "targets/edgetpu/decompile/operands/producers.h"
#include "targets/edgetpu/decompile/places/moved_output.h"

namespace edgetwin::edgetpu {
namespace {

struct OutputGroup {
  Operand from;
  std::vector<Origin> words;
  int64_t count = 0;              // of words that left
  std::vector<TileWords> made{};  // all of them, as far as they are known
};

void add_made(const Sent& s, OutputGroup& g) {
  g.made.insert(g.made.end(), s.made.begin(), s.made.end());
}

// What leaves one after the other and comes from the same place is one output; `sized`: as long
// as the output takes it.
std::vector<OutputGroup> group_sent(LayerSearch& search, const std::vector<size_t>& order,
                                    bool sized) {
  std::vector<OutputGroup> groups;
  for (const Sent& s : search.result.replay.sent) {
    // What leaves inside the loop is put aside for later.
    const auto& loop = search.lstm;
    if (loop && s.step >= loop->first_step && s.step <= loop->last_step) continue;
    const Operand from = operand_of_votes(search, s.votes, true);
    if (from.from.empty()) continue;
    bool same = !groups.empty() && groups.back().from == from;
    if (same && sized && groups.size() < order.size() &&
        order[groups.size() - 1] < search.inference.outputs.size()) {
      const darwinn::Layer& l = search.inference.outputs[order[groups.size() - 1]];
      const double words = double{1} * l.y_dim * l.x_dim * std::ceil(l.z_dim / 4.0);
      same = groups.back().words == s.words && static_cast<double>(groups.back().count) < words;
    }
    if (!same) groups.push_back({from, {}, 0, {}});
    OutputGroup& g = groups.back();
    for (const Origin& o : s.words) {
      if (std::find(g.words.begin(), g.words.end(), o) == g.words.end()) g.words.push_back(o);
    }
    g.count += s.count;
    add_made(s, g);
  }
  return groups;
}

// The executable's outputs in the order in which they leave. Their number, as an index, stands for
// what waits in the host's memory.
std::vector<size_t> transfer_order(const LayerSearch& search) {
  std::vector<size_t> order;
  if (search.inference.dma_hints) {
    for (const darwinn::DmaHint& h : search.inference.dma_hints->hints) {
      if (h.kind != darwinn::HintKind::descriptor) continue;
      // What waits in the host's memory leaves among the outputs.
      const bool waits = h.meta.base == darwinn::BaseAddress::scratch &&
                         h.direction == darwinn::Direction::from_device;
      if (waits && !search.lstm) order.push_back(search.inference.outputs.size());
      if (h.meta.base != darwinn::BaseAddress::output) continue;
      for (size_t o = 0; o < search.inference.outputs.size(); ++o) {
        if (search.inference.outputs[o].name == h.meta.name &&
            std::find(order.begin(), order.end(), o) == order.end()) {
          order.push_back(o);
        }
      }
    }
  }
  for (size_t o = 0; o < search.inference.outputs.size(); ++o) {
    if (std::find(order.begin(), order.end(), o) == order.end()) order.push_back(o);
  }
  return order;
}

// Words of an output as it is announced, or as its transfers have them.
double words_of(const LayerSearch& search, size_t output, bool transferred) {
  const darwinn::Layer& l = search.inference.outputs[output];
  if (!transferred) return double{1} * l.y_dim * l.x_dim * std::ceil(l.z_dim / 4.0);
  double bytes = 0;
  if (!search.inference.dma_hints) return 0;
  for (const darwinn::DmaHint& h : search.inference.dma_hints->hints) {
    const bool own = h.kind == darwinn::HintKind::descriptor && h.meta.name == l.name &&
                     h.meta.base == darwinn::BaseAddress::output;
    if (own) bytes += static_cast<double>(h.size);
  }
  constexpr double kWord = 4;
  return bytes / kWord;
}

// Everything that leaves, parted where the outputs are complete; empty: their sizes do not fit.
std::vector<OutputGroup> group_by_size(LayerSearch& search, const std::vector<size_t>& order,
                                       bool transferred) {
  std::vector<OutputGroup> groups;
  const auto& all = search.result.replay.sent;
  size_t next = 0;
  for (const size_t o : order) {
    if (o >= search.inference.outputs.size()) return {};
    const double wanted = words_of(search, o, transferred);
    Votes votes;
    groups.push_back({});
    while (next < all.size() && static_cast<double>(groups.back().count) < wanted) {
      const Sent& s = all[next++];
      for (const auto& [owner, n] : s.votes) votes[owner] += n;
      groups.back().words.insert(groups.back().words.end(), s.words.begin(), s.words.end());
      groups.back().count += s.count;
      add_made(s, groups.back());
    }
    if (static_cast<double>(groups.back().count) != wanted) return {};
    groups.back().from = operand_of_votes(search, votes, true);
    if (groups.back().from.from.empty()) return {};
  }
  if (next != all.size()) return {};
  return groups;
}

}  // namespace

void find_outputs(LayerSearch& search) {
  const std::vector<size_t> order = transfer_order(search);
  std::vector<OutputGroup> groups = group_sent(search, order, false);
  if (groups.size() < order.size()) groups = group_sent(search, order, true);
  // What is made of several layers leaves in parts.
  if (groups.size() > order.size() && !search.lstm) {
    auto parted = group_by_size(search, order, false);
    if (parted.empty()) parted = group_by_size(search, order, true);
    if (!parted.empty()) groups = std::move(parted);
  }
  std::vector<DecompiledOutput> outputs;
  std::vector<const std::vector<TileWords>*> made;
  for (size_t k = 0; k < order.size() && k < groups.size(); ++k) {
    if (order[k] >= search.inference.outputs.size()) continue;
    const int channels = search.inference.outputs[order[k]].z_dim;
    const auto told = operand_of_words(groups[k].words, channels, word_makers(search));
    outputs.push_back({order[k], told ? *told : groups[k].from});
    made.push_back(&groups[k].made);
  }
  const auto lists = read_left_lists(search, outputs);
  for (size_t k = 0; k < outputs.size(); ++k) {
    if (lists[outputs[k].layer_index].empty()) find_moved_output(search, *made[k], outputs[k]);
  }
  std::ranges::sort(outputs, {}, &DecompiledOutput::layer_index);
  search.result.outputs = std::move(outputs);
  take_left_lists(search, lists);
}

}  // namespace edgetwin::edgetpu
