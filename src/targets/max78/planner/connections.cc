#include "targets/max78/planner/connections.h"

#include <algorithm>
#include <map>
#include <set>

#include "targets/max78/network/resolve.h"
#include "targets/max78/planner/choices.h"

namespace edgetwin::max78 {
namespace {

constexpr int kMostNodes = 30'000;  // choices that are tried in all
constexpr int kMostCost = 12;       // layers that do not read the one before them
constexpr size_t kMostSolutions = 24;

class ConnectionSearch {
 public:
  ConnectionSearch(const ai8x::Network& network, const ai8x::Parameters& parameters,
                   const SampleShape& sample, const Options& options)
      : written_(network),
        network_(network),
        parameters_(parameters),
        sample_(sample),
        options_(options) {}

  std::vector<LayerReads> run() {
    if (!find_order()) return {};
    results_.resize(network_.layers.size());
    for (const bool all : {true, false}) {
      all_read_ = all;
      nodes_ = 0;
      for (int cost = 0; cost <= kMostCost && solutions_.empty(); ++cost) {
        choose(0, cost);
      }
      if (!solutions_.empty()) break;
    }
    return reads();
  }

 private:
  using Sources = std::vector<int>;
  ai8x::Layer& layer(int i) { return network_.layers[static_cast<size_t>(i)]; }

  bool find_order() {
    const int n = static_cast<int>(network_.layers.size());
    std::set<int> seen;
    int i = options_.start_layer;
    while (i >= 0 && i < n) {
      if (!seen.insert(i).second) return false;
      order_.push_back(i);
      if (options_.stop_after && *options_.stop_after == i) break;
      i = layer(i).next_sequence;
    }
    return !order_.empty() && network_.layers.size() == parameters_.layers.size();
  }

  bool is_open(size_t at) const {
    return at > 0 && !written_.layers[static_cast<size_t>(order_[at])].in_sequences;
  }

  void choose(size_t at, int cost) {
    if (solutions_.size() >= kMostSolutions || nodes_ > kMostNodes) return;
    if (at == order_.size()) {
      if (cost == 0 && (!all_read_ || everything_is_read())) keep();
      return;
    }
    const int i = order_[at];
    if (!is_open(at)) {
      if (judge(i, layer(i).in_sequences.value_or(Sources{}), false)) choose(at + 1, cost);
      return;
    }
    for (const SourceChoice& c : source_choices({written_, parameters_, order_, results_, at})) {
      if (c.cost > cost) continue;
      const bool before = c.sources == Sources{order_[at - 1]};
      layer(i).in_sequences.reset();
      if (!before) layer(i).in_sequences = c.sources;
      if (shared_words(at, c.sources) || !judge(i, c.sources, true)) continue;
      chosen_[i] = c.sources;
      choose(at + 1, cost - c.cost);
      chosen_.erase(i);
    }
    layer(i).in_sequences.reset();
  }

  // The layers up to this one have sizes, and what it reads has the channels that it takes.
  bool judge(int i, const Sources& sources, bool open) {
    ++nodes_;
    Options options = options_;
    options.stop_after = i;
    Findings found;
    const auto resolved = resolve(network_, parameters_, sample_, options, found);
    if (!resolved) return false;
    const ResolvedLayer& l = resolved->layer(i);
    results_[static_cast<size_t>(i)] = {l.out_channels, l.out_dim};
    if (!open) return true;
    int channels = 0;
    for (const int s : sources) {
      const int c = channels_of(s);
      if (l.operands > 1 && c != l.in_channels) return false;
      channels += c;
    }
    return l.operands > 1 || channels == l.in_channels;
  }

  int channels_of(int source) const {
    if (source == ai8x::kInput) return sample_.c;
    if (source == ai8x::kDataBuffer) return network_.data_buffer->channels;
    return results_[static_cast<size_t>(source)].channels;
  }

  // Operands, and parts of more than 64 channels together, lie between each other's words: they
  // have one reader. The network's input lies alone.
  bool shared_words(size_t at, const Sources& sources) {
    const bool between = lies_between(order_[at], sources);
    if (between && std::ranges::find(sources, ai8x::kInput) != sources.end()) return true;
    for (size_t k = 0; k < at; ++k) {
      const Sources other = sources_at(k);
      if (other == sources || (!between && !lies_between(order_[k], other))) continue;
      for (const int s : other) {
        if (std::ranges::find(sources, s) != sources.end()) return true;
      }
    }
    return false;
  }

  bool lies_between(int i, const Sources& sources) const {
    if (sources.size() < 2) return false;
    int channels = 0;
    for (const int s : sources) channels += channels_of(s);
    return written_.layers[static_cast<size_t>(i)].operands > 1 || channels > kProcessors;
  }

  Sources sources_at(size_t at) const {
    const int i = order_[at];
    if (const auto c = chosen_.find(i); c != chosen_.end()) return c->second;
    const auto& y = written_.layers[static_cast<size_t>(i)];
    if (y.in_sequences) return *y.in_sequences;
    return {at == 0 ? ai8x::kInput : order_[at - 1]};
  }

  bool everything_is_read() const {
    std::set<int> read;
    for (size_t k = 0; k < order_.size(); ++k) {
      for (const int s : sources_at(k)) read.insert(s);
    }
    return std::ranges::all_of(order_, [&](int i) {
      const ai8x::Layer& l = written_.layers[static_cast<size_t>(i)];
      return i == order_.back() || l.output || l.buffer_shift || l.buffer_insert ||
             read.contains(i);
    });
  }

  void keep() {
    std::vector<Sources> all;
    for (size_t k = 0; k < order_.size(); ++k) all.push_back(sources_at(k));
    solutions_.push_back(std::move(all));
  }

  // The first solution is taken; the others tell what would go as well.
  std::vector<LayerReads> reads() const {
    std::vector<LayerReads> list;
    for (size_t k = 1; k < order_.size() && !solutions_.empty(); ++k) {
      LayerReads r{order_[k], solutions_.front()[k], {}};
      if (!is_open(k)) continue;
      for (const auto& s : solutions_) {
        const bool known = s[k] == r.sources || std::ranges::find(r.others, s[k]) != r.others.end();
        if (!known) r.others.push_back(s[k]);
      }
      if (r.others.empty() && r.sources == Sources{order_[k - 1]}) continue;
      list.push_back(std::move(r));
    }
    return list;
  }

  const ai8x::Network& written_;
  ai8x::Network network_;
  const ai8x::Parameters& parameters_;
  const SampleShape& sample_;
  const Options& options_;
  std::vector<int> order_;
  std::vector<ResultShape> results_;  // of the layers before the one that is chosen
  std::map<int, Sources> chosen_;
  std::vector<std::vector<Sources>> solutions_;
  bool all_read_ = true;
  int nodes_ = 0;
};

}  // namespace

std::vector<LayerReads> find_connections(const ai8x::Network& network,
                                         const ai8x::Parameters& parameters,
                                         const SampleShape& sample, const Options& options) {
  return ConnectionSearch(network, parameters, sample, options).run();
}

std::string sources_text(const ai8x::Network& network, const std::vector<int>& sources) {
  std::string text;
  for (const int s : sources) {
    if (!text.empty()) text += ", ";
    if (s == ai8x::kInput) {
      text += "input";
    } else if (s == ai8x::kDataBuffer) {
      text += network.data_buffer ? network.data_buffer->name : "-2";
    } else {
      const ai8x::Layer& l = network.layers[static_cast<size_t>(s)];
      text += l.name.empty() ? std::to_string(s) : l.name;
    }
  }
  return "[" + text + "]";
}

}  // namespace edgetwin::max78
