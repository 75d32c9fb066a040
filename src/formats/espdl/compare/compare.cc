#include "formats/espdl/compare/compare.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>

#include "formats/espdl/compare/compare_parts.h"
#include "formats/espdl/document/layout.h"

namespace edgetwin::espdl {
namespace {

// Fast look-up of a document's names.
struct Names {
  std::map<std::string, const TensorData*, std::less<>> initializers;
  std::map<std::string, const ValueInfo*, std::less<>> values;

  explicit Names(const Document& d) {
    for (const TensorData& t : d.initializers) initializers.emplace(t.name, &t);
    for (const auto* rows : {&d.values, &d.inputs, &d.outputs}) {
      for (const ValueInfo& v : *rows) values.emplace(v.name, &v);
    }
  }
  // Null also for one without elements: an optional operand that is not there.
  const TensorData* initializer(const std::string& name) const {
    const auto found = initializers.find(name);
    return found == initializers.end() || found->second->data.empty() ? nullptr : found->second;
  }
  bool is_absent(const std::string& name) const {
    return name.empty() || (initializers.contains(name) && initializer(name) == nullptr);
  }
  const ValueInfo* value(const std::string& name) const {
    const auto found = values.find(name);
    return found == values.end() ? nullptr : found->second;
  }
};

std::string label(const Node& node, size_t index) {
  std::string text = "#" + std::to_string(index) + " " + node.op_type;
  const std::string& name = !node.name.empty()      ? node.name
                            : !node.outputs.empty() ? node.outputs[0]
                                                    : node.name;
  return name.empty() ? text : text + " '" + name + "'";
}

// The conversions carry scale and zero point, which nobody reads.
bool is_conversion(const Node& node) {
  return node.op_type == "QuantizeLinear" || node.op_type == "RequantizeLinear" ||
         node.op_type == "DequantizeLinear";
}

// A list that says what its absence would say: all axes in their order, steps of one.
bool is_default(const Node& node, size_t input, const Names& names) {
  if (node.op_type != "Slice" || (input != 3 && input != 4)) return false;
  const TensorData* data = names.initializer(node.inputs[input]);
  if (data == nullptr) return true;
  if (data->type != DataType::int64) return false;
  for (size_t i = 0; i < data->data.size() / sizeof(int64_t); ++i) {
    int64_t v = 0;
    std::memcpy(&v, data->data.data() + i * sizeof v, sizeof v);
    if (v != (input == 3 ? static_cast<int64_t>(i) : 1)) return false;
  }
  return true;
}

// Starts and ends of Slice are cut to an axis: numbers beyond 32 bits mean its end.
TensorData within_32_bits(TensorData data) {
  for (size_t i = 0; data.type == DataType::int64 && i + 8 <= data.data.size(); i += 8) {
    int64_t v = 0;
    std::memcpy(&v, data.data.data() + i, sizeof v);
    v = std::clamp<int64_t>(v, INT32_MIN, INT32_MAX);
    std::memcpy(data.data.data() + i, &v, sizeof v);
  }
  return data;
}

class Comparing {
 public:
  Comparing(const Document& a, const Document& b) : a_(a), b_(b), in_a_(a), in_b_(b) {}

  DocumentDiff run() {
    match_inputs();
    index_b();
    for (size_t i = 0; i < a_.nodes.size(); ++i) take_node(i);
    for (size_t i = 0; i < b_.nodes.size(); ++i) {
      if (!used_[i]) add(label(b_.nodes[i], i) + " is only in the second file");
    }
    compare_outputs();
    if (a_.test_inputs != b_.test_inputs || a_.test_outputs != b_.test_outputs) {
      diff_.notes.emplace_back("the embedded test values differ");
    }
    if (more_ > 0) diff_.lines.push_back("and " + std::to_string(more_) + " more");
    return std::move(diff_);
  }

 private:
  void add(const std::string& line) {
    if (diff_.equal) diff_.first = line;
    diff_.equal = false;
    if (diff_.lines.size() < kMaxDiffLines) {
      diff_.lines.push_back(line);
    } else {
      ++more_;
    }
  }

  void compare_value(const std::string& where, const std::string& a, const std::string& b) {
    const ValueInfo* x = in_a_.value(a);
    const ValueInfo* y = in_b_.value(b);
    if (x == nullptr || y == nullptr) {
      if (x != y) add(where + ": tensor '" + a + "' is declared in one file only");
      return;
    }
    std::string what = difference(*x, *y);
    if (what.empty()) return;
    // What the runtime computes itself is only declared, and exporters declare it wrongly after
    // the operators that they insert; an input's shape is read.
    ValueInfo same = *y;
    same.shape = x->shape;
    const bool declared = where != "input" && what.starts_with("shape");
    if (declared) {
      diff_.notes.push_back(where + ": declared " + what + " of tensor '" + a + "'");
      what = difference(*x, same);
    }
    if (!what.empty()) add(where + ": " + what + " of tensor '" + a + "'");
  }

  // By name; those that are left, in their order.
  void match_inputs() {
    std::vector<std::string> rest;
    for (const ValueInfo& v : b_.inputs) rest.push_back(v.name);
    std::vector<std::string> open;
    for (const ValueInfo& v : a_.inputs) {
      const auto same = std::find(rest.begin(), rest.end(), v.name);
      if (same == rest.end()) {
        open.push_back(v.name);
        continue;
      }
      counterpart_[v.name] = v.name;
      rest.erase(same);
    }
    for (size_t i = 0; i < std::min(open.size(), rest.size()); ++i) {
      counterpart_[open[i]] = rest[i];
    }
    if (open.size() != rest.size()) {
      add("inputs: " + std::to_string(a_.inputs.size()) + " and " +
          std::to_string(b_.inputs.size()));
    }
    for (const ValueInfo& v : a_.inputs) {
      const auto other = counterpart_.find(v.name);
      if (other != counterpart_.end()) compare_value("input", v.name, other->second);
    }
  }

  // Type and computed operands, in the names of B; nothing where an operand of A is not matched.
  std::optional<std::string> key(const Node& node, const Names& names, bool of_a) const {
    std::string text = node.op_type;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const std::string& input = node.inputs[i];
      text += '\n';
      if (names.is_absent(input) || is_default(node, i, names)) continue;
      if (names.initializer(input) != nullptr) {
        text += '\1';
      } else if (!of_a) {
        text += input;
      } else {
        const auto other = counterpart_.find(input);
        if (other == counterpart_.end()) return std::nullopt;
        text += other->second;
      }
    }
    while (!text.empty() && (text.back() == '\n' || (text.back() == '\1' && is_conversion(node)))) {
      text.pop_back();
    }
    return text;
  }

  void index_b() {
    used_.assign(b_.nodes.size(), false);
    for (size_t i = 0; i < b_.nodes.size(); ++i) {
      by_key_[*key(b_.nodes[i], in_b_, false)].push_back(i);
      for (const std::string& output : b_.nodes[i].outputs) maker_.emplace(output, i);
    }
  }

  // Of several that compute from the same: the one with the same result's name, or the same
  // constants.
  std::optional<size_t> find(const Node& node) {
    const auto wanted = key(node, in_a_, true);
    if (!wanted) return std::nullopt;
    const auto bucket = by_key_.find(*wanted);
    if (bucket == by_key_.end()) return std::nullopt;
    std::optional<size_t> best;
    int best_score = -1;
    for (const size_t i : bucket->second) {
      if (used_[i]) continue;
      const Node& other = b_.nodes[i];
      int score = other.outputs == node.outputs ? 2 : 0;
      if (score == 0 && constants_differ(node, other).empty()) score = 1;
      if (score > best_score) best = i;
      best_score = std::max(score, best_score);
      if (score == 2) break;
    }
    return best;
  }

  std::string constants_differ(const Node& a, const Node& b) const {
    if (is_conversion(a)) return "";
    for (size_t i = 0; i < std::min(a.inputs.size(), b.inputs.size()); ++i) {
      if (is_default(a, i, in_a_) && is_default(b, i, in_b_)) continue;
      const TensorData* x = in_a_.initializer(a.inputs[i]);
      const TensorData* y = in_b_.initializer(b.inputs[i]);
      if (x == nullptr || y == nullptr) continue;
      const bool ends = a.op_type == "Slice" && (i == 1 || i == 2);
      const std::string what =
          ends ? difference(within_32_bits(*x), within_32_bits(*y)) : difference(*x, *y);
      if (!what.empty()) return "'" + x->name + "': " + what;
    }
    const TensorData* x = in_a_.initializer(a.text("lut").value_or(""));
    const TensorData* y = in_b_.initializer(b.text("lut").value_or(""));
    if ((x == nullptr) != (y == nullptr)) return "a table in one file only";
    if (x == nullptr) return "";
    const std::string what = difference(*x, *y);
    return what.empty() ? "" : "table '" + x->name + "': " + what;
  }

  void take_node(size_t index) {
    const Node& node = a_.nodes[index];
    const std::string here = label(node, index);
    const std::optional<size_t> other = find(node);
    if (!other) {
      add_unmatched(node, here);
      return;
    }
    used_[*other] = true;
    ++diff_.operators;
    const Node& b = b_.nodes[*other];
    const ValueInfo* first = node.inputs.empty() ? nullptr : in_a_.value(node.inputs[0]);
    const size_t rank = first == nullptr ? 0 : first->shape.size();
    for (const std::string& line : attribute_differences(node, b, rank)) add(here + ": " + line);
    const std::string constants = constants_differ(node, b);
    if (!constants.empty()) add(here + ": " + constants);
    if (node.outputs.size() != b.outputs.size()) {
      add(here + ": " + std::to_string(node.outputs.size()) + " and " +
          std::to_string(b.outputs.size()) + " outputs");
    }
    for (size_t i = 0; i < std::min(node.outputs.size(), b.outputs.size()); ++i) {
      counterpart_[node.outputs[i]] = b.outputs[i];
      compare_value(here, node.outputs[i], b.outputs[i]);
    }
  }

  // Behind an operator without counterpart nothing is said of those that only follow from it.
  void add_unmatched(const Node& node, const std::string& here) {
    const auto same = node.outputs.empty() ? maker_.end() : maker_.find(node.outputs[0]);
    if (same != maker_.end() && !used_[same->second]) {
      const Node& b = b_.nodes[same->second];
      used_[same->second] = true;
      for (size_t i = 0; i < std::min(node.outputs.size(), b.outputs.size()); ++i) {
        counterpart_[node.outputs[i]] = b.outputs[i];
      }
      add(here + ": " +
          (b.op_type != node.op_type ? "is " + b.op_type + " in the second file"
                                     : "computes from other tensors in the second file"));
      return;
    }
    add(here + " is only in the first file");
  }

  void compare_outputs() {
    if (a_.outputs.size() != b_.outputs.size()) {
      add("outputs: " + std::to_string(a_.outputs.size()) + " and " +
          std::to_string(b_.outputs.size()));
    }
    for (const ValueInfo& v : a_.outputs) {
      const auto other = counterpart_.find(v.name);
      if (other == counterpart_.end()) continue;  // its operator has a line
      const bool there = std::any_of(b_.outputs.begin(), b_.outputs.end(),
                                     [&](const ValueInfo& o) { return o.name == other->second; });
      if (!there) add("output '" + v.name + "' is not one of the second file");
    }
  }

  const Document& a_;
  const Document& b_;
  Names in_a_, in_b_;
  std::map<std::string, std::string, std::less<>> counterpart_;  // name in A to name in B
  std::map<std::string, std::vector<size_t>, std::less<>> by_key_;
  std::map<std::string, size_t, std::less<>> maker_;
  std::vector<bool> used_;
  DocumentDiff diff_;
  size_t more_ = 0;
};

}  // namespace

DocumentDiff compare_documents(const Document& a, const Document& b) {
  return Comparing(a, b).run();
}

}  // namespace edgetwin::espdl
