#include "targets/max78/planner/order.h"

#include <algorithm>
#include <numeric>

#include "base/rng.h"

namespace edgetwin::max78 {
namespace {

using ai8x::Key;

constexpr int kMostTries = 64;  // of random orders

bool order_is_free(const ai8x::Network& network, const Options& o) {
  const bool numbered = o.start_layer != 0 || o.stop_after || !o.streaming_layers.empty() ||
                        !o.parameters.no_bias_layers.empty();
  if (numbered || network.data_buffer || network.layers.size() < 3) return false;
  return std::ranges::none_of(network.layers, [](const ai8x::Layer& l) {
    return l.has(Key::next_sequence) || l.has(Key::simulated_sequence) || l.snoop_sequence ||
           l.streaming;
  });
}

std::vector<int> sources_of_layer(const ai8x::Network& network, int i) {
  const auto& written = network.layers[static_cast<size_t>(i)].in_sequences;
  return written.value_or(std::vector<int>{i - 1});
}

class OrderMaker {
 public:
  explicit OrderMaker(const ai8x::Network& network) : n_(static_cast<int>(network.layers.size())) {
    before_.resize(network.layers.size());
    int output = -1;
    for (int i = 0; i < n_; ++i) {
      const ai8x::Layer& l = network.layers[static_cast<size_t>(i)];
      for (const int s : sources_of_layer(network, i)) follows(i, s);
      if (l.weight_source) follows(i, *l.weight_source);
      if (i > 0) follows(i, 0);
      if (i < n_ - 1) follows(n_ - 1, i);
      if (l.output && output >= 0) follows(i, output);
      if (l.output) output = i;
    }
  }

  // Empty: a layer would have to run before itself. `pick` chooses among `count` layers that may
  // run, those that became ready last at the end.
  template <class Pick>
  std::vector<int> order(const Pick& pick) const {
    std::vector<int> done;
    std::vector<bool> ran(before_.size(), false), waits(before_.size(), true);
    std::vector<int> ready;
    while (static_cast<int>(done.size()) < n_) {
      for (int i = 0; i < n_; ++i) {
        const auto at = static_cast<size_t>(i);
        const bool free =
            std::ranges::all_of(before_[at], [&](int b) { return ran[static_cast<size_t>(b)]; });
        if (!waits[at] || !free) continue;
        waits[at] = false;
        ready.push_back(i);
      }
      if (ready.empty()) return {};
      const auto chosen = ready.begin() + static_cast<std::ptrdiff_t>(pick(ready));
      ran[static_cast<size_t>(*chosen)] = true;
      done.push_back(*chosen);
      ready.erase(chosen);
    }
    return done;
  }

 private:
  void follows(int layer, int before) {
    if (before >= 0 && before < n_ && before != layer) {
      before_[static_cast<size_t>(layer)].push_back(before);
    }
  }

  int n_;
  std::vector<std::vector<int>> before_;
};

}  // namespace

bool is_written_order(const std::vector<int>& order) { return std::ranges::is_sorted(order); }

std::vector<std::vector<int>> running_orders(const ai8x::Network& network, const Options& options,
                                             size_t most) {
  std::vector<int> written(network.layers.size());
  std::iota(written.begin(), written.end(), 0);
  if (!order_is_free(network, options)) return {written};
  const OrderMaker maker(network);
  std::vector<std::vector<int>> orders;
  const auto add = [&](std::vector<int> order) {
    const bool known = std::ranges::find(orders, order) != orders.end();
    if (!order.empty() && !known && orders.size() < most) orders.push_back(std::move(order));
  };
  add(maker.order([](const std::vector<int>& ready) {
    return static_cast<size_t>(std::ranges::min_element(ready) - ready.begin());
  }));
  add(maker.order([](const std::vector<int>& ready) { return ready.size() - 1; }));
  XorShift32 random(1);
  for (int i = 0; i < kMostTries && orders.size() < most; ++i) {
    add(maker.order([&](const std::vector<int>& ready) { return random.next() % ready.size(); }));
  }
  if (orders.empty()) orders.push_back(std::move(written));
  return orders;
}

void put_in_order(ai8x::Network& network, ai8x::Parameters& parameters,
                  const std::vector<int>& order) {
  const auto n = static_cast<int>(order.size());
  std::vector<int> place(order.size());
  for (int i = 0; i < n; ++i) place[static_cast<size_t>(order[static_cast<size_t>(i)])] = i;
  const auto moved = [&](int layer) {
    return layer < 0 || layer >= n ? layer : place[static_cast<size_t>(layer)];
  };
  const ai8x::Network written = network;
  const ai8x::Parameters had = parameters;
  for (int i = 0; i < n; ++i) {
    const auto at = static_cast<size_t>(i);
    const int old = order[at];
    ai8x::Layer& l = network.layers[at] = written.layers[static_cast<size_t>(old)];
    parameters.layers[at] = had.layers[static_cast<size_t>(old)];
    std::vector<int> sources = sources_of_layer(written, old);
    for (int& s : sources) s = moved(s);
    // The layer before it needs no words.
    if (l.in_sequences || sources != std::vector<int>{i - 1}) l.in_sequences = sources;
    if (l.weight_source) l.weight_source = moved(*l.weight_source);
    l.sequence = i;
    l.next_sequence = l.simulated_sequence = i + 1 < n ? i + 1 : ai8x::kStop;
  }
}

}  // namespace edgetwin::max78
