// Layer-wise equalization: a channel between two layers may be scaled by any positive factor if the
// weights after it take the inverse, as long as the operators between are positively homogeneous.
// The factor that gives the channel the same largest weight on both sides leaves most to the
// integers.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "graph/uses.h"
#include "transform/equalize.h"

namespace edgetwin::transform {
namespace {

constexpr float kLeastSum = 0.5F;  // channels whose largest weights together stay below are left
constexpr float kSmallest = 0.1F, kLargest = 10.0F;

bool has_weights(const Graph& g, const Op& op) {
  const bool kind = op.kind == OpKind::conv_2d || op.kind == OpKind::depthwise_conv_2d ||
                    op.kind == OpKind::fully_connected;
  return kind && g.value(op.inputs[1]).is_constant();
}

// f(a x) = a f(x) for every a above 0, channel by channel.
bool homogeneous(OpKind kind) {
  switch (kind) {
    case OpKind::relu:
    case OpKind::leaky_relu:
    case OpKind::prelu:
    case OpKind::max_pool_2d:
    case OpKind::average_pool_2d:
    case OpKind::identity:
      return true;
    default:
      return false;
  }
}

struct Weights {
  std::vector<float> values;
  ValueId id = kAbsent;

  Weights(const Graph& g, ValueId value) : id(value) {
    const Bytes& data = *g.value(value).constant;
    values.resize(data.size() / sizeof(float));
    std::memcpy(values.data(), data.data(), data.size());
  }
  void store(Graph& g) const {
    Bytes data(values.size() * sizeof(float));
    std::memcpy(data.data(), values.data(), data.size());
    g.value(id).constant = std::make_shared<const Bytes>(std::move(data));
  }
};

// Channel of a weight: outputs are the first axis; inputs the second, of depthwise filters the
// first again.
struct Channels {
  size_t count, inner;
  size_t of(size_t index) const { return index / inner % count; }
};

Channels outputs_of(const Graph& g, const Op& op) {
  const Shape& s = g.value(op.inputs[1]).shape;
  return {static_cast<size_t>(s[0]), static_cast<size_t>(s.elements(1, s.rank()))};
}

Channels inputs_of(const Graph& g, const Op& op) {
  if (op.kind == OpKind::depthwise_conv_2d) return outputs_of(g, op);
  const Shape& s = g.value(op.inputs[1]).shape;
  return {static_cast<size_t>(s[1]), static_cast<size_t>(s.elements(2, s.rank()))};
}

std::vector<float> largest(const std::vector<float>& values, const Channels& c) {
  std::vector<float> result(c.count);
  for (size_t i = 0; i < values.size(); ++i) {
    result[c.of(i)] = std::max(result[c.of(i)], std::fabs(values[i]));
  }
  return result;
}

struct Pair {
  size_t up, down;
};

// The layer that alone takes what `up` gives, and only through homogeneous operators.
std::optional<size_t> layer_after(const Graph& g, const Uses& uses, size_t up) {
  ValueId value = g.ops[up].outputs[0];
  for (;;) {
    const std::vector<size_t>& next = uses.consumers(value);
    if (next.size() != 1 || uses.is_output(value)) return std::nullopt;
    const Op& op = g.ops[next[0]];
    if (op.inputs[0] != value) return std::nullopt;
    if (has_weights(g, op)) {
      // Groups number the inputs of each group from 0 again.
      const bool plain = op.kind == OpKind::depthwise_conv_2d ||
                         inputs_of(g, op).count == outputs_of(g, g.ops[up]).count;
      return plain ? std::optional(next[0]) : std::nullopt;
    }
    if (!homogeneous(op.kind)) return std::nullopt;
    value = op.outputs[0];
  }
}

std::vector<Pair> pairs_of(const Graph& g) {
  const Uses uses(g);
  const auto alone = [&](const Op& op) { return uses.consumers(op.inputs[1]).size() == 1; };
  std::vector<Pair> pairs;
  for (size_t i = 0; i < g.ops.size(); ++i) {
    if (!has_weights(g, g.ops[i]) || !alone(g.ops[i])) continue;
    const auto down = layer_after(g, uses, i);
    if (down && alone(g.ops[*down])) pairs.push_back({i, *down});
  }
  return pairs;
}

void scale(std::vector<float>& values, const Channels& c, const std::vector<float>& by, bool up) {
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = up ? values[i] * by[c.of(i)] : values[i] / by[c.of(i)];
  }
}

void equalize_pair(Graph& g, const Pair& p) {
  Weights up(g, g.ops[p.up].inputs[1]);
  Weights down(g, g.ops[p.down].inputs[1]);
  const Channels out = outputs_of(g, g.ops[p.up]);
  const Channels in = inputs_of(g, g.ops[p.down]);
  const std::vector<float> a = largest(up.values, out);
  const std::vector<float> b = largest(down.values, in);
  std::vector<float> factor(out.count, 1.0F);
  for (size_t c = 0; c < out.count; ++c) {
    if (a[c] + b[c] < kLeastSum || a[c] == 0.0F || b[c] == 0.0F) continue;
    factor[c] = std::clamp(1.0F / std::sqrt(a[c] / b[c]), kSmallest, kLargest);
  }
  scale(up.values, out, factor, true);
  scale(down.values, in, factor, false);
  up.store(g);
  down.store(g);
  if (!g.ops[p.up].has_input(2)) return;
  Weights bias(g, g.ops[p.up].inputs[2]);
  scale(bias.values, {out.count, 1}, factor, true);
  bias.store(g);
}

}  // namespace

size_t equalize(Graph& graph, int rounds) {
  const std::vector<Pair> pairs = pairs_of(graph);
  for (int round = 0; round < rounds; ++round) {
    for (const Pair& p : pairs) equalize_pair(graph, p);
  }
  return pairs.size();
}

}  // namespace edgetwin::transform
