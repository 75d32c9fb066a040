#include <algorithm>
#include <map>

#include "exec/plan.h"
#include "targets/edgetpu/compile/outlook/outlook.h"
#include "targets/edgetpu/compile/plan/blocks.h"

namespace edgetwin::edgetpu::compiler {
namespace {

// For ranking only: microseconds of one more program, by the specification's cost model.
constexpr double kStart = 200.0;

// Products by operator; none where the twin does not compute the network.
std::vector<int64_t> products_of(const Graph& graph) {
  std::vector<int64_t> products(graph.ops.size());
  exec::Options options;
  options.numerics = "edgetpu";
  options.fast = false;
  const auto plan = exec::make_plan(std::make_shared<const Graph>(graph), options);
  if (!plan.ok()) return products;
  for (const exec::Step& s : plan->steps) {
    if (s.op_index < products.size()) products[s.op_index] = s.macs;
  }
  return products;
}

int64_t bytes_of(const Graph& graph, const std::vector<ValueId>& values) {
  int64_t bytes = 0;
  for (const ValueId id : values) {
    const Value& v = graph.value(id);
    if (v.shape.is_static()) bytes += v.shape.elements();
  }
  return bytes;
}

}  // namespace

std::vector<Cause> causes_of(const Graph& graph, const Partition& partition) {
  const std::vector<int64_t> products = products_of(graph);
  std::map<std::pair<Rule, std::string>, Cause> all;
  const auto cause_of = [&](size_t op) -> Cause* {
    const auto& refusal = partition.ops[op].refusal;
    if (!refusal) return nullptr;
    Cause& c = all[{refusal->rule, op_type_name(graph.ops[op])}];
    c.rule = refusal->rule;
    return &c;
  };
  for (size_t k = 0; k < graph.ops.size(); ++k) {
    if (partition.ops[k].group >= 0) continue;
    Cause* c = cause_of(k);
    if (c == nullptr) continue;
    c->ops.push_back(k);
    c->products += products[k];
    for (const ValueId id : graph.ops[k].outputs) {
      const Value& v = graph.value(id);
      if (v.shape.is_static()) c->elements += v.shape.elements();
    }
  }
  // What lies behind the first part is brought to the chip once more because of what ended it.
  for (size_t g = 0; g + 1 < partition.groups.size(); ++g) {
    const size_t behind = partition.groups[g].segment.ops.back() + 1;
    if (behind >= graph.ops.size()) continue;
    Cause* c = cause_of(behind);
    if (c == nullptr) continue;
    const int64_t out = bytes_of(graph, partition.groups[g].segment.outputs);
    const int64_t in = bytes_of(graph, partition.groups[g + 1].segment.inputs);
    c->transferred += out + in;
    c->groups += 1;
    c->microseconds += kStart + static_cast<double>(out) / limits::bytes_out_per_microsecond +
                       static_cast<double>(in) / limits::bytes_in_per_microsecond;
  }
  std::vector<Cause> list;
  for (auto& [key, c] : all) {
    c.microseconds += static_cast<double>(c.products) / limits::host_products_per_microsecond +
                      static_cast<double>(c.elements) / limits::host_elements_per_microsecond;
    list.push_back(std::move(c));
  }
  std::stable_sort(list.begin(), list.end(),
                   [](const Cause& a, const Cause& b) { return a.microseconds > b.microseconds; });
  return list;
}

}  // namespace edgetwin::edgetpu::compiler
