#include <algorithm>

#include "report/model/attributes.h"
#include "report/model/diff_report.h"

namespace edgetwin::report {
namespace {

constexpr size_t kMaxLines = 200;

std::string operand_difference(const Graph& a, const Graph& b, ValueId ia, ValueId ib) {
  if ((ia == kAbsent) != (ib == kAbsent)) return "present in one only";
  if (ia == kAbsent) return {};
  const Value& va = a.value(ia);
  const Value& vb = b.value(ib);
  if (va.dtype != vb.dtype) {
    return std::string(name(va.dtype)) + " and " + std::string(name(vb.dtype));
  }
  if (va.has_shape != vb.has_shape || !(va.shape == vb.shape)) {
    return "shapes " + to_string(va.shape) + " and " + to_string(vb.shape);
  }
  if (!(va.quant == vb.quant)) {
    return "quantization " + to_string(va.quant) + " and " + to_string(vb.quant);
  }
  if (va.is_constant() != vb.is_constant()) return "constant in one only";
  if (va.is_constant() && *va.constant != *vb.constant) {
    const size_t common = std::min(va.constant->size(), vb.constant->size());
    const auto at = std::mismatch(va.constant->begin(),
                                  va.constant->begin() + static_cast<std::ptrdiff_t>(common),
                                  vb.constant->begin());
    return "constant bytes from byte " + std::to_string(at.first - va.constant->begin());
  }
  return va.name == vb.name ? "" : "names '" + va.name + "' and '" + vb.name + "'";
}

std::string op_difference(const Graph& a, const Graph& b, const Op& oa, const Op& ob) {
  if (op_type_name(oa) != op_type_name(ob)) return op_type_name(oa) + " and " + op_type_name(ob);
  if (!(oa.attrs == ob.attrs)) {
    return "options '" + attributes_text(oa.attrs) + "' and '" + attributes_text(ob.attrs) + "'";
  }
  if (oa.inputs.size() != ob.inputs.size()) return "numbers of inputs";
  if (oa.outputs.size() != ob.outputs.size()) return "numbers of outputs";
  for (size_t i = 0; i < oa.inputs.size(); ++i) {
    const std::string text = operand_difference(a, b, oa.inputs[i], ob.inputs[i]);
    if (!text.empty()) return "input " + std::to_string(i) + ": " + text;
  }
  for (size_t i = 0; i < oa.outputs.size(); ++i) {
    const std::string text = operand_difference(a, b, oa.outputs[i], ob.outputs[i]);
    if (!text.empty()) return "output " + std::to_string(i) + ": " + text;
  }
  return {};
}

void compare_graphs(const Graph& a, const Graph& b, const std::string& prefix, ModelDiff& diff) {
  std::string first;
  if (edgetwin::equal(a, b, &first)) return;
  diff.equal = false;
  if (diff.first.empty()) diff.first = prefix + first;
  if (a.ops.size() != b.ops.size()) {
    diff.lines.push_back(prefix + "numbers of operators: " + std::to_string(a.ops.size()) +
                         " and " + std::to_string(b.ops.size()));
  }
  for (size_t i = 0; i < std::min(a.ops.size(), b.ops.size()); ++i) {
    const std::string text = op_difference(a, b, a.ops[i], b.ops[i]);
    if (text.empty()) continue;
    if (diff.lines.size() >= kMaxLines) {
      diff.lines.push_back("… and more");
      return;
    }
    diff.lines.push_back(prefix + op_label(a, i) + ": " + text);
  }
}

}  // namespace

ModelDiff compare_models(const Model& a, const Model& b) {
  ModelDiff diff;
  const auto other = [&diff](bool same, const std::string& what) {
    if (same) return;
    diff.equal = false;
    if (diff.first.empty()) diff.first = what;
    diff.lines.push_back(what);
  };
  const size_t graphs = std::min(a.graphs.size(), b.graphs.size());
  for (size_t i = 0; i < graphs; ++i) {
    compare_graphs(a.graphs[i], b.graphs[i], i ? "graph " + std::to_string(i) + " " : "", diff);
  }
  other(a.graphs.size() == b.graphs.size(), "the numbers of graphs differ");
  other(a.signatures == b.signatures, "the signatures differ");
  other(a.metadata == b.metadata, "the metadata differ");
  other(a.description == b.description, "the descriptions differ");
  return diff;
}

}  // namespace edgetwin::report
