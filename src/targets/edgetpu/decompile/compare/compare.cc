#include "targets/edgetpu/decompile/compare/compare.h"

#include <algorithm>
#include <map>

#include "targets/edgetpu/decompile/compare/one_position.h"
#include "targets/edgetpu/decompile/compare/row_filler.h"
#include "targets/edgetpu/decompile/compare/side_by_side.h"

namespace edgetwin::edgetpu {
namespace {

std::string pair_text(int64_t a, int64_t b) {
  return std::to_string(a) + " x " + std::to_string(b);
}

class Comparer {
 public:
  // `joined`: convolutions side by side are one, of both networks.
  Comparer(const Graph& decompiled, const Graph& source, const NumbersByOp& numbers, bool joined) {
    DescribedNetwork mine = described_network(decompiled, NetworkOrigin::decompiled);
    DescribedNetwork theirs = described_network(source, NetworkOrigin::source);
    take_program_numbers(numbers, mine.layers);
    if (joined) join_side_by_side(mine);
    if (joined) join_side_by_side(theirs);
    mine_ = std::move(mine.layers);
    theirs_ = std::move(theirs.layers);
    for (auto* all : {&mine_, &theirs_}) {
      for (NetworkLayer& l : *all) {
        as_whole_word(l);
        as_one_row(l);
        for (NetworkLayer& apart : l.apart) {
          as_whole_word(apart);
          as_one_row(apart);
        }
      }
    }
  }

  NetworkComparison run() {
    partner_.assign(theirs_.size(), kNone);
    taken_.assign(mine_.size(), false);
    for (size_t s = 0; s < theirs_.size(); ++s) find(s, kSure);
    for (size_t s = 0; s < theirs_.size(); ++s) find(s, 1);
    NetworkComparison c;
    for (size_t s = 0; s < theirs_.size(); ++s) {
      LayerMatch m;
      m.source = theirs_[s].label;
      if (partner_[s] != kNone) {
        m.decompiled = mine_[partner_[s]].label;
        compare(mine_[partner_[s]], as_made(s), m);
      }
      c.layers.push_back(m);
      for (const std::string& part : theirs_[s].more) {
        m.source = part;
        c.layers.push_back(m);
      }
    }
    for (size_t d = 0; d < mine_.size(); ++d) {
      if (!taken_[d] && !mine_[d].spare) c.extra.push_back(mine_[d].label);
    }
    return c;
  }

 private:
  static constexpr size_t kNone = static_cast<size_t>(-1);

  static constexpr int kSure = 12;  // same operands and same size, or more

  // The best of those that are left: its weights count most, then the name that operators of the
  // host keep, then what it reads, then its form.
  void find(size_t s, int least) {
    if (partner_[s] != kNone) return;
    const NetworkLayer& wanted = theirs_[s];
    int best = least - 1;
    for (size_t d = 0; d < mine_.size(); ++d) {
      const NetworkLayer& l = mine_[d];
      if (taken_[d] || l.kind != wanted.kind) continue;
      int score = 1;
      if (!wanted.weights.empty() && l.weights == wanted.weights) score += 100;
      if (l.output == wanted.output) score += 50;
      if (same_producers(l, wanted)) score += 10;
      if (l.multipliers == wanted.multipliers) score += 4;
      if (l.out_h == wanted.out_h && l.out_w == wanted.out_w && l.out_c == wanted.out_c) score += 2;
      if (score <= best) continue;
      best = score;
      partner_[s] = d;
    }
    if (partner_[s] != kNone) taken_[partner_[s]] = true;
  }

  // The layer as the program has it: with the QUANTIZE after it, or that one apart.
  const NetworkLayer& as_made(size_t s) const {
    const NetworkLayer& whole = theirs_[s];
    if (whole.apart.size() != 2) return whole;
    const NetworkLayer& after = whole.apart[1];
    const std::vector<std::vector<int>> from{{static_cast<int>(partner_[s])}};
    const bool apart = std::any_of(mine_.begin(), mine_.end(), [&](const NetworkLayer& l) {
      return l.kind == after.kind && l.producers == from && l.multipliers == after.multipliers &&
             l.zero_points == after.zero_points && l.lower == after.lower && l.upper == after.upper;
    });
    return apart ? whole.apart[0] : whole;
  }

  std::vector<int> translated(const std::vector<int>& theirs) const {
    std::vector<int> mine;
    for (const int p : theirs) {
      if (p < 0) {
        mine.push_back(p);
      } else if (partner_[static_cast<size_t>(p)] != kNone) {
        mine.push_back(static_cast<int>(partner_[static_cast<size_t>(p)]));
      } else {
        mine.push_back(-1'000'000);
      }
    }
    return mine;
  }

  bool same_producers(const NetworkLayer& mine, const NetworkLayer& theirs) const {
    auto x = mine.producers;
    std::vector<std::vector<int>> y;
    for (const auto& p : theirs.producers) y.push_back(translated(p));
    if (mine.kind != "SUB") {
      std::sort(x.begin(), x.end());
      std::sort(y.begin(), y.end());
    }
    return x == y;
  }

  void compare(const NetworkLayer& made, const NetworkLayer& s, LayerMatch& match) const {
    std::vector<std::string>& out = match.differences;
    const NetworkLayer d = without_row_filler(made, s.out_c);
    const auto differ = [&](bool equal, const std::string& what) {
      if (!equal) out.push_back(what);
    };
    differ(d.kernel_h == s.kernel_h && d.kernel_w == s.kernel_w,
           "kernel " + pair_text(d.kernel_h, d.kernel_w) + ", not " +
               pair_text(s.kernel_h, s.kernel_w));
    differ(same_stride(d, s), "stride " + pair_text(d.stride_h, d.stride_w) + ", not " +
                                  pair_text(s.stride_h, s.stride_w));
    differ(d.dilation_h == s.dilation_h && d.dilation_w == s.dilation_w,
           "dilation " + pair_text(d.dilation_h, d.dilation_w) + ", not " +
               pair_text(s.dilation_h, s.dilation_w));
    differ(d.pad_top == s.pad_top && d.pad_left == s.pad_left,
           "padding " + pair_text(d.pad_top, d.pad_left) + ", not " +
               pair_text(s.pad_top, s.pad_left));
    differ(same_size(d, s) || reshaped(d, s),
           "size " + pair_text(d.out_h, d.out_w) + ", not " + pair_text(s.out_h, s.out_w));
    differ((d.in_c == s.in_c && d.out_c == s.out_c) || reshaped(d, s),
           "channels " + std::to_string(d.in_c) + " to " + std::to_string(d.out_c) + ", not " +
               std::to_string(s.in_c) + " to " + std::to_string(s.out_c));
    differ(same_producers(d, s), "other producers");
    match.only_numbers = out.empty() && !s.weights.empty();
    differ(d.weights == s.weights, "other weights");
    differ(d.bias == s.bias, "other biases");
    differ(d.zero_points == s.zero_points, "other zero points");
    // What has no limits of its own has none of an activation.
    differ(d.limits_known ? d.lower == s.lower && d.upper == s.upper
                          : s.activation == Activation::none,
           "other limits of the result");
    const bool same = d.kind == "SUB" ? d.multipliers == s.multipliers
                                      : sorted(d.multipliers) == sorted(s.multipliers);
    differ(same, "another multiplier");
  }

  // A window of one with a stride is one without over the positions that it reads: the same
  // program.
  static bool same_stride(const NetworkLayer& d, const NetworkLayer& s) {
    const bool rows = d.kernel_h == 1 && s.kernel_h == 1 && d.stride_h == 1 && d.in_h == d.out_h;
    const bool columns = d.kernel_w == 1 && s.kernel_w == 1 && d.stride_w == 1 && d.in_w == d.out_w;
    return (d.stride_h == s.stride_h || rows) && (d.stride_w == s.stride_w || columns);
  }

  // A function makes each byte of one byte: RESHAPE before or after it is the same program.
  static bool reshaped(const NetworkLayer& d, const NetworkLayer& s) {
    const bool function = d.kind == "LOGISTIC" || d.kind == "TANH";
    return function && d.kind == s.kind &&
           d.out_h * d.out_w * d.out_c == s.out_h * s.out_w * s.out_c;
  }

  // Positions of a list may be written as rows or as columns.
  static bool same_size(const NetworkLayer& d, const NetworkLayer& s) {
    const auto list = [](const NetworkLayer& l) {
      return l.weights.empty() && l.in_h == 0 && (l.out_h == 1 || l.out_w == 1);
    };
    if (list(d) && list(s)) return d.out_h * d.out_w == s.out_h * s.out_w;
    return d.out_h == s.out_h && d.out_w == s.out_w;
  }

  // The operands of an addition may be exchanged.
  static std::vector<float> sorted(std::vector<float> v) {
    if (v.size() == 3) std::sort(v.begin() + 1, v.end());
    return v;
  }

  std::vector<NetworkLayer> mine_, theirs_;
  std::vector<size_t> partner_;  // by layer of the source
  std::vector<bool> taken_;
};

}  // namespace

size_t NetworkComparison::exact() const {
  return static_cast<size_t>(
      std::count_if(layers.begin(), layers.end(), [](const LayerMatch& m) { return m.exact(); }));
}

bool NetworkComparison::all_found() const {
  return extra.empty() && std::none_of(layers.begin(), layers.end(),
                                       [](const LayerMatch& m) { return m.decompiled.empty(); });
}

NetworkComparison compare_networks(const Graph& decompiled, const Graph& source,
                                   const NumbersByOp& numbers) {
  NetworkComparison apart = Comparer(decompiled, source, numbers, false).run();
  if (apart.exact() == apart.layers.size() && apart.extra.empty()) return apart;
  NetworkComparison joined = Comparer(decompiled, source, numbers, true).run();
  return joined.exact() > apart.exact() ? joined : apart;
}

}  // namespace edgetwin::edgetpu
