// Parts that networks of several families have, and what is expected of such a network.
#pragma once

#include <cstdlib>

#include "instrumented.h"
#include "unit/targets/edgetpu/compile/family_networks.h"
#include "unit/targets/edgetpu/compile/on_chip.h"

namespace edgetwin::edgetpu::compiler {

// Large networks are proven where EDGETWIN_PROVE_FAMILIES is set: minutes.
enum class Prove : uint8_t { always, asked };

// All of it is on the chip, in so many programs, but for operators of these kinds.
inline void expect_family(const Graph& graph, Prove prove, size_t programs = 1,
                          const std::vector<OpKind>& host = {}) {
  Model model;
  model.format = "tflite";
  model.graphs.push_back(graph);
  const Status valid = verify_graph(model.main());
  ASSERT_TRUE(valid.ok()) << to_text(valid.error());
  const auto made = compile_model(model);
  ASSERT_TRUE(made.ok()) << to_text(made.error());
  for (const Assignment& a : made->partition.ops) {
    if (std::ranges::find(host, graph.ops[a.op].kind) != host.end()) continue;
    EXPECT_GE(a.group, 0) << "#" << a.op << " " << op_type_name(graph.ops[a.op]) << ": "
                          << (a.refusal ? a.refusal->message : "");
  }
  EXPECT_EQ(made->partition.groups.size(), programs);
  const bool asked = std::getenv("EDGETWIN_PROVE_FAMILIES") != nullptr;
  if (asked || (prove == Prove::always && !kInstrumented)) expect_proven(model, *made);
}

class Residual : public FamilyNetwork {
 public:
  using FamilyNetwork::FamilyNetwork;
  ValueId bottleneck(ValueId at, int n, int stride, bool first) {
    const ValueId c = conv(conv(conv(at, n, 1, stride), n, 3), 4 * n, 1, 1, false);
    return relu(sum(first ? conv(at, 4 * n, 1, stride, false) : at, c));
  }
  ValueId relu(ValueId at) {
    const ValueId to = value(shape(at), 0.02F);
    add(OpKind::relu, NoAttrs{}, {at}, to);
    return to;
  }
};

class Mobile : public FamilyNetwork {
 public:
  using FamilyNetwork::FamilyNetwork;
  ValueId inverted(ValueId at, int expand, int n, int stride, int kernel = 3) {
    const auto in = static_cast<int>(shape(at)[3]);
    const ValueId wide = expand == 1 ? at : conv(at, expand * in);
    const ValueId c = conv(deep(wide, kernel, stride), n, 1, 1, false);
    return stride == 1 && n == in ? sum(at, c) : c;
  }
  ValueId fused(ValueId at, int expand, int n, int stride) {
    const auto in = static_cast<int>(shape(at)[3]);
    const ValueId c = conv(conv(at, expand * in, 3, stride), n, 1, 1, false);
    return stride == 1 && n == in ? sum(at, c) : c;
  }
  // x times relu6(x + 3) / 6
  ValueId hard_swish(ValueId x) {
    return product(x, with_number(relu6(with_number(x, OpKind::add)), OpKind::mul));
  }
  ValueId squeezed(ValueId x) {
    const auto n = static_cast<int>(shape(x)[3]);
    const ValueId gate = conv(conv(average(x), (n / 4 + 7) / 8 * 8), n, 1, 1, false);
    return pair(OpKind::mul, x, with_number(relu6(with_number(gate, OpKind::add)), OpKind::mul));
  }
  ValueId separable(ValueId at, int n, int stride = 1) { return conv(deep(at, 3, stride), n); }
};

// Boxes and scores of several maps as two lists.
inline std::vector<ValueId> heads(Mobile& net, const std::vector<ValueId>& maps, int anchors,
                                  int classes) {
  std::vector<ValueId> boxes, scores;
  for (const ValueId map : maps) {
    const Shape s = net.shape(map);
    const int64_t n = s[1] * s[2] * anchors;
    boxes.push_back(net.reshape(net.conv(map, 4 * anchors, 1, 1, false), {1, n, 1, 4}));
    scores.push_back(net.reshape(net.conv(map, classes * anchors, 1, 1, false), {1, n, classes}));
  }
  const ValueId all = net.join_along(1, scores);
  return {net.join_along(1, boxes), net.logistic(all)};
}

}  // namespace edgetwin::edgetpu::compiler
