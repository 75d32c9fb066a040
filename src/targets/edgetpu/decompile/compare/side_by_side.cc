#include "targets/edgetpu/decompile/compare/side_by_side.h"

#include <algorithm>
#include <optional>

namespace edgetwin::edgetpu {
namespace {

bool same_window(const NetworkLayer& x, const NetworkLayer& y) {
  return x.kernel_h == y.kernel_h && x.kernel_w == y.kernel_w && x.stride_h == y.stride_h &&
         x.stride_w == y.stride_w && x.dilation_h == y.dilation_h && x.dilation_w == y.dilation_w &&
         x.pad_top == y.pad_top && x.pad_left == y.pad_left && x.in_h == y.in_h &&
         x.in_w == y.in_w && x.in_c == y.in_c && x.out_h == y.out_h && x.out_w == y.out_w;
}

// The parts of one layer would be no others.
bool alike(const NetworkLayer& x, const NetworkLayer& y) {
  return x.kind == "CONV_2D" && y.kind == "CONV_2D" && x.producers == y.producers &&
         same_window(x, y) && x.zero_points == y.zero_points && x.lower == y.lower &&
         x.upper == y.upper && x.activation == y.activation && x.limits_known == y.limits_known &&
         x.apart.empty() && y.apart.empty() && !x.weights.empty() && !y.weights.empty();
}

template <class Visit>
void each_reader(DescribedNetwork& network, Visit&& visit) {
  for (NetworkLayer& l : network.layers) {
    for (std::vector<int>& operand : l.producers) visit(operand);
  }
  for (std::vector<int>& list : network.leaving) visit(list);
}

// Whoever reads the one reads the other after it; somebody does.
bool always_neighbours(DescribedNetwork& network, int x, int y) {
  bool always = true;
  size_t readers = 0;
  each_reader(network, [&](const std::vector<int>& from) {
    for (size_t k = 0; k < from.size(); ++k) {
      if (from[k] == x) always = always && k + 1 < from.size() && from[k + 1] == y;
      if (from[k] == y) always = always && k > 0 && from[k - 1] == x;
      readers += from[k] == x ? 1 : 0;
    }
  });
  return always && readers > 0;
}

void add_biases(NetworkLayer& x, const NetworkLayer& y) {
  if (x.bias.empty() && y.bias.empty()) return;
  // A bias of zeros is none.
  x.bias.resize(static_cast<size_t>(x.out_c));
  x.bias.insert(x.bias.end(), y.bias.begin(), y.bias.end());
  x.bias.resize(static_cast<size_t>(x.out_c + y.out_c));
}

void join(DescribedNetwork& network, size_t x, size_t y) {
  NetworkLayer& first = network.layers[x];
  const NetworkLayer& second = network.layers[y];
  add_biases(first, second);
  const auto append = [](auto& to, const auto& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  append(first.weights, second.weights);
  append(first.multipliers, second.multipliers);
  first.out_c += second.out_c;
  first.more.push_back(second.label);
  append(first.more, second.more);
  network.layers.erase(network.layers.begin() + static_cast<long>(y));
  const auto gone = static_cast<int>(y);
  each_reader(network, [&](std::vector<int>& from) {
    std::erase(from, gone);
    for (int& p : from) p -= p > gone ? 1 : 0;
  });
}

bool join_one(DescribedNetwork& network) {
  for (size_t x = 0; x < network.layers.size(); ++x) {
    for (size_t y = 0; y < network.layers.size(); ++y) {
      if (x == y || !alike(network.layers[x], network.layers[y])) continue;
      if (!always_neighbours(network, static_cast<int>(x), static_cast<int>(y))) continue;
      join(network, x, y);
      return true;
    }
  }
  return false;
}

}  // namespace

void join_side_by_side(DescribedNetwork& network) {
  while (join_one(network)) {
  }
}

}  // namespace edgetwin::edgetpu
