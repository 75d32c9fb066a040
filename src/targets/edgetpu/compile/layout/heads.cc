// The order of heads: branches of one tensor all of whose results leave.
#include <algorithm>
#include <set>

#include "targets/edgetpu/compile/layout/branches.h"

namespace edgetwin::edgetpu::compiler {
namespace {

struct Head {
  std::vector<size_t> ops;
  int64_t fullest = 0;  // elements that one of its operators reads and makes
  int64_t leave = 0;    // elements of its results that nothing here takes
};

// With the channels that fill up a word.
int64_t elements_in_words(const Value& v) {
  const int64_t channels = v.shape.rank() == 0 ? 1 : v.shape.back(0);
  return v.shape.elements() / channels * ((channels + 3) / 4 * 4);
}

// The operators in a row from place `first` on that need nothing but `from` and each other.
Head head_at(const Graph& g, const std::vector<size_t>& ops, size_t first, ValueId from) {
  Head head;
  std::set<ValueId> made, taken;
  for (size_t n = first; n < ops.size(); ++n) {
    const Op& op = g.ops[ops[n]];
    int64_t elements = 0;
    bool own = true;
    for (const ValueId id : op.inputs) {
      if (id == kAbsent || g.value(id).is_constant()) continue;
      own = own && (n == first ? id == from : made.contains(id));
      elements += elements_in_words(g.value(id));
      taken.insert(id);
    }
    if (!own) break;
    for (const ValueId id : op.outputs) {
      made.insert(id);
      elements += elements_in_words(g.value(id));
    }
    head.fullest = std::max(head.fullest, elements);
    head.ops.push_back(ops[n]);
  }
  for (const ValueId id : made) {
    const bool result = std::ranges::any_of(g.ops, [&](const Op& op) {
      const auto k = static_cast<size_t>(&op - g.ops.data());
      return std::ranges::find(op.inputs, id) != op.inputs.end() &&
             std::ranges::find(ops, k) == ops.end();
    });
    if (result || !taken.contains(id)) head.leave += elements_in_words(g.value(id));
  }
  return head;
}

}  // namespace

std::vector<size_t> heads_by_size(const Graph& g, const std::vector<size_t>& ops) {
  std::vector<size_t> order;
  for (size_t n = 0; n < ops.size();) {
    const Op& op = g.ops[ops[n]];
    std::vector<Head> heads;
    size_t end = n;
    while (end < ops.size()) {
      const Op& first = g.ops[ops[end]];
      if (first.kind != OpKind::depthwise_conv_2d || first.inputs[0] != op.inputs[0]) break;
      heads.push_back(head_at(g, ops, end, op.inputs[0]));
      end += heads.back().ops.size();
    }
    // Something after them takes one of their results.
    const bool alone = std::ranges::all_of(heads, [&](const Head& h) {
      return std::none_of(ops.begin() + static_cast<std::ptrdiff_t>(end), ops.end(), [&](size_t k) {
        return std::ranges::any_of(h.ops, [&](size_t made) {
          return std::ranges::find(g.ops[k].inputs, g.ops[made].outputs[0]) !=
                 g.ops[k].inputs.end();
        });
      });
    });
    if (heads.size() < 2 || !alone) {
      order.push_back(ops[n++]);
      continue;
    }
    std::ranges::stable_sort(heads, [](const Head& a, const Head& b) {
      return a.fullest != b.fullest ? a.fullest < b.fullest : a.leave > b.leave;
    });
    for (const Head& h : heads) order.insert(order.end(), h.ops.begin(), h.ops.end());
    n = end;
  }
  return order;
}

}  // namespace edgetwin::edgetpu::compiler
