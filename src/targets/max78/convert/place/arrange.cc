// Operands of a sum lie between each other's words, parts of a concatenation on neighbouring
// processors or between each other's words. What cannot be written there at once is copied.
#include "targets/max78/convert/place/place.h"

#include <algorithm>
#include <map>

#include "targets/max78/convert/draft/draft.h"

namespace edgetwin::max78 {
namespace {

using ai8x::Eltwise;
using ai8x::Operator;

class Arranger {
 public:
  explicit Arranger(Draft& draft) : d_(draft) {}

  void run() {
    number();
    fuse_sums();
    for (size_t i = 0; i < d_.layers.size(); ++i) {
      if (d_.layers[i].sources.size() < 2) continue;
      if (d_.layers[i].eltwise != Eltwise::none) {
        interleave(i);
      } else {
        lay_side_by_side(i);
      }
    }
    number();
  }

 private:
  void number() {
    for (DraftTensor& t : d_.tensors) t.producer = -2;
    if (!d_.tensors.empty()) d_.tensors[0].producer = -1;
    for (size_t i = 0; i < d_.layers.size(); ++i) {
      d_.tensor(d_.layers[i].out).producer = static_cast<int>(i);
    }
  }

  // A sum that one convolution reads is computed in front of it, in the same layer.
  void fuse_sums() {
    for (size_t i = 0; i < d_.layers.size(); ++i) {
      const DraftLayer sum = d_.layers[i];
      const DraftTensor& t = d_.tensor(sum.out);
      if (sum.eltwise == Eltwise::none || sum.has_weights()) continue;
      if (t.output || t.channels > 64 || d_.readers(sum.out) != 1) continue;
      const auto reader = std::find_if(d_.layers.begin(), d_.layers.end(), [&](const auto& l) {
        return l.sources == std::vector<int>{sum.out};
      });
      if (reader == d_.layers.end() || !takes_sum(*reader, t)) continue;
      reader->eltwise = sum.eltwise;
      reader->sources = sum.sources;
      reader->sum = sum.out;
      d_.layers.erase(d_.layers.begin() + static_cast<std::ptrdiff_t>(i));
      number();
      --i;
    }
  }

  bool takes_sum(const DraftLayer& l, const DraftTensor& t) const {
    const bool op = l.op == Operator::conv2d || (l.op == Operator::linear && !l.flatten);
    const bool plain =
        l.pooling == ai8x::Pooling::none && l.pool_stride == Size2{} && l.groups == 1;
    // The MAX78002 adds no bias after a sum.
    const bool bias = l.bias.empty() || d_.small();
    return op && plain && bias && l.in_dim == Size2{t.h, t.w};
  }

  bool own(int tensor) const {
    const DraftTensor& t = d_.tensor(tensor);
    return t.producer >= 0 && !t.output && t.gap == 0 && d_.readers(tensor) == 1;
  }

  // Puts a layer in front of layer `i` that copies `tensor`; gives the copy.
  int copy(size_t& i, int tensor, bool by_weights) {
    const std::string name = d_.tensor(tensor).name + "_copy";
    DraftLayer l;
    if (by_weights) {
      l = identity_layer(d_, {tensor}, name, d_.layers[i].node);
    } else {
      l.name = d_.unique_name(name);
      l.node = d_.layers[i].node;
      l.sources = {tensor};
      l.in_dim = {d_.tensor(tensor).h, d_.tensor(tensor).w};
    }
    l.out = d_.add_result(l, d_.tensor(tensor));
    const int out = l.out;
    d_.layers.insert(d_.layers.begin() + static_cast<std::ptrdiff_t>(i), std::move(l));
    ++i;
    number();
    return out;
  }

  void interleave(size_t& i) {
    const std::vector<int> sources = d_.layers[i].sources;
    const auto n = static_cast<int>(sources.size());
    for (int k = 0; k < n; ++k) {
      int s = sources[static_cast<size_t>(k)];
      if (!own(s)) {
        s = copy(i, s, false);
        d_.layers[i].sources[static_cast<size_t>(k)] = s;
      }
      d_.tensor(s).gap = n - 1;
      d_.tensor(s).slot = k;
    }
  }

  void lay_side_by_side(size_t& i) {
    const std::vector<int> wanted = d_.layers[i].sources;
    const auto known = arranged_.find(wanted);
    if (known != arranged_.end()) {
      d_.layers[i].sources = known->second;
      return;
    }
    std::vector<int> parts = wanted;
    if (!equally_wide(parts, i)) return;
    const int channels = d_.channels_of(parts);
    if (channels > 64) {
      if (!passes_are_parts(parts, channels, i)) return;
      // Layers that read the same parts later find them where this one does.
      for (size_t k = 0; k < parts.size(); ++k) {
        const bool alone = own(parts[k]);
        if (!alone) parts[k] = copy(i, parts[k], false);
        d_.tensor(parts[k]).gap = static_cast<int>(parts.size()) - 1;
        d_.tensor(parts[k]).slot = static_cast<int>(k);
      }
      d_.layers[i].sources = parts;
      arranged_[wanted] = parts;
      return;
    }
    for (size_t k = 0; k < parts.size(); ++k) {
      const DraftTensor& t = d_.tensor(parts[k]);
      const bool free = t.producer >= 0 && t.gap == 0 && !side_by_side_[parts[k]];
      if (!free) parts[k] = copy(i, parts[k], true);
      side_by_side_[parts[k]] = true;
    }
    d_.layers[i].sources = parts;
    arranged_[wanted] = parts;
  }

  // Parts of one input have equally many channels: a narrower one is copied with zeros after its
  // own, for which its readers get weights of 0.
  bool equally_wide(std::vector<int>& parts, size_t& i) {
    const std::vector<int> wanted = parts;
    int most = 0;
    bool equal = true;
    for (const int p : wanted) {
      equal = equal && d_.tensor(p).channels == d_.tensor(wanted[0]).channels;
      most = std::max(most, d_.tensor(p).channels);
    }
    if (equal) return true;
    for (const DraftLayer& l : d_.layers) {
      if (l.sources != wanted || (l.has_weights() && l.groups == 1 && !l.flatten)) continue;
      d_.misfit(l.node,
                "joins parts of different numbers of channels in a layer that cannot have "
                "more of them")
          .hint = "Give the layers before it the same number of channels.";
      return false;
    }
    std::vector<int> narrow;
    for (const int p : wanted) narrow.push_back(d_.tensor(p).channels);
    for (DraftLayer& l : d_.layers) {
      if (l.sources == wanted) widen(l, narrow, most);
    }
    for (int& p : parts) {
      if (d_.tensor(p).channels == most) continue;
      const int from = d_.tensor(p).channels;
      p = copy(i, p, true);
      DraftLayer& l = d_.layers[i - 1];
      l.weights.resize(static_cast<size_t>(from) * static_cast<size_t>(most), 0.0F);
      d_.tensor(p).channels = most;
      d_.tensor(p).value = kAbsent;  // the float network has fewer channels
    }
    return true;
  }

  static void widen(DraftLayer& l, const std::vector<int>& narrow, int most) {
    const auto taps = static_cast<size_t>(l.taps());
    size_t row = 0;
    for (const int c : narrow) row += static_cast<size_t>(c) * taps;
    std::vector<float> wide;
    for (size_t at = 0; at < l.weights.size(); at += row) {
      size_t from = at;
      for (const int c : narrow) {
        const size_t n = static_cast<size_t>(c) * taps;
        const auto first = l.weights.begin() + static_cast<std::ptrdiff_t>(from);
        wide.insert(wide.end(), first, first + static_cast<std::ptrdiff_t>(n));
        wide.insert(wide.end(), static_cast<size_t>(most - c) * taps, 0.0F);
        from += n;
      }
    }
    l.weights = std::move(wide);
  }

  // More than 64 channels are read in passes of equal width: each must be one part.
  bool passes_are_parts(const std::vector<int>& parts, int channels, size_t i) {
    DraftTensor all;
    all.channels = channels;
    const DraftTensor& one = d_.tensor(parts[0]);
    const auto n = static_cast<int>(parts.size());
    if (all.passes() == n && all.width() == one.channels) return true;
    Error& e = d_.misfit(d_.layers[i].node, "joins " + std::to_string(n) + " parts of " +
                                                std::to_string(one.channels) +
                                                " channels, which do not make whole passes");
    e.details.push_back(std::to_string(channels) + " channels are read in " +
                        std::to_string(all.passes()) + " passes of " + std::to_string(all.width()) +
                        "; a part must be one pass");
    return false;
  }

  Draft& d_;
  std::map<std::vector<int>, std::vector<int>> arranged_;  // parts as wanted: as they lie
  std::map<int, bool> side_by_side_;
};

}  // namespace

void arrange(Draft& draft) { Arranger(draft).run(); }

}  // namespace edgetwin::max78
