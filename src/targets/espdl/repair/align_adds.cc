#include "targets/espdl/repair/align_adds.h"

#include <algorithm>
#include <array>
#include <optional>

namespace edgetwin::targets::espdl {
namespace {

using edgetwin::espdl::Document;
using edgetwin::espdl::Node;
using edgetwin::espdl::ValueInfo;

constexpr std::array kRescale = {"Conv", "Gemm", "MatMul", "Mul", "RequantizeLinear"};

bool is_addition(const Node& node) {
  return (node.op_type == "Add" || node.op_type == "Sub") && node.inputs.size() >= 2 &&
         !node.outputs.empty();
}

std::optional<int64_t> exponent_of(const Document& document, const std::string& name) {
  const ValueInfo* value = document.value(name);
  if (value == nullptr || value->exponents.size() != 1) return std::nullopt;
  return value->exponents[0];
}

size_t readers_of(const Document& document, const std::string& name) {
  size_t readers = 0;
  for (const Node& node : document.nodes) {
    readers += static_cast<size_t>(std::count(node.inputs.begin(), node.inputs.end(), name));
  }
  return readers;
}

const Node* producer_of(const Document& document, const std::string& name) {
  for (const Node& node : document.nodes) {
    if (std::find(node.outputs.begin(), node.outputs.end(), name) != node.outputs.end()) {
      return &node;
    }
  }
  return nullptr;
}

// Why the exponent of a tensor cannot be changed; empty: it can.
std::string obstacle(const Document& document, const std::string& name, const Node& reader) {
  const auto is_name = [&name](const ValueInfo& v) { return v.name == name; };
  if (document.initializer(name) != nullptr) return "'" + name + "' is a constant";
  if (std::any_of(document.outputs.begin(), document.outputs.end(), is_name)) {
    return "'" + name + "' is an output of the model";
  }
  const auto own = std::count(reader.inputs.begin(), reader.inputs.end(), name);
  if (readers_of(document, name) != static_cast<size_t>(own)) {
    return "'" + name + "' is read by other operators too";
  }
  const Node* producer = producer_of(document, name);
  if (producer == nullptr) return "'" + name + "' is an input of the model";
  const bool table = producer->find("lut") != nullptr;
  const bool rescales =
      std::find(kRescale.begin(), kRescale.end(), producer->op_type) != kRescale.end();
  if (table) return "'" + name + "' comes from a table, whose entries are in the old exponent";
  if (rescales || is_addition(*producer)) return "";
  return "'" + name + "' comes from " + producer->op_type + ", which does not rescale";
}

void set_exponent(Document& document, const std::string& name, int64_t exponent) {
  for (std::vector<ValueInfo>* list : {&document.values, &document.inputs, &document.outputs}) {
    for (ValueInfo& v : *list) {
      if (v.name == name) v.exponents = {exponent};
    }
  }
}

void align(Document& document, const Node& node, AddRepair& repair) {
  const auto wanted = exponent_of(document, node.outputs[0]);
  if (!wanted) return;
  std::vector<std::string> others;
  std::string why;
  for (const size_t i : {size_t{0}, size_t{1}}) {
    const std::string& name = node.inputs[i];
    const auto exponent = exponent_of(document, name);
    if (!exponent || exponent == wanted) continue;
    if (std::find(others.begin(), others.end(), name) != others.end()) continue;
    others.push_back(name);
    if (why.empty()) why = obstacle(document, name, node);
  }
  // Both inputs or none: half a repair weighs the operands differently.
  if (!why.empty()) {
    repair.left.push_back(node.op_type + " '" + node.name + "': " + why);
    return;
  }
  for (const std::string& name : others) {
    repair.lowered.push_back({name, *exponent_of(document, name), *wanted});
    set_exponent(document, name, *wanted);
  }
}

}  // namespace

AddRepair align_adds(Document& document) {
  AddRepair repair;
  for (size_t i = document.nodes.size(); i-- > 0;) {
    if (is_addition(document.nodes[i])) align(document, document.nodes[i], repair);
  }
  return repair;
}

size_t count_inputs_aligned_only(const Document& document) {
  size_t count = 0;
  for (const Node& node : document.nodes) {
    if (!is_addition(node)) continue;
    const auto a = exponent_of(document, node.inputs[0]);
    const auto b = exponent_of(document, node.inputs[1]);
    const auto out = exponent_of(document, node.outputs[0]);
    count += a && b && out && *a == *b && *a != *out ? 1 : 0;
  }
  return count;
}

}  // namespace edgetwin::targets::espdl
