// Rules of the whole document: its target, its names, its order.
#include <set>

#include "formats/espdl/document/layout.h"
#include "targets/espdl/check/checker.h"
#include "targets/espdl/repair/align_adds.h"

namespace edgetwin::targets::espdl {
namespace {

// The tensors that make a node's inputs: known so far, or made further down.
struct Names {
  std::set<std::string_view> known;  // inputs, initializers, outputs of the nodes before
  std::map<std::string_view, size_t> maker;
};

std::string label(const Document& d, size_t index) {
  const Node& node = d.nodes[index];
  std::string text = "#" + std::to_string(index) + " " + node.op_type;
  if (!node.name.empty()) text += " '" + node.name + "'";
  return text;
}

void check_target(Checker& c) {
  const auto text = c.document().property("target");
  if (!text) return;
  const auto named = edgetwin::espdl::target_by_name(*text);
  if (named == c.target()) return;
  c.say(Rule::other_target, "the model",
        "the metadata say target " + in_quotes(*text) + ", the check is for " +
            std::string(name(c.target())),
        "Check, simulate and flash it for the target that it was made for, or export it again.");
}

void check_declared(Checker& c, const ValueInfo& v, std::set<std::string_view>& seen) {
  if (!seen.insert(v.name).second) {
    c.say(Rule::duplicate_name, in_quotes(v.name), "value_info has two entries of this name");
    return;
  }
  const std::string where = in_quotes(v.name);
  if (v.exponents.empty()) {
    c.say(Rule::exponents_missing, where,
          "0 exponents, 1 is needed (0 for float and index tensors)");
  } else if (v.exponents.size() > 1) {
    c.say(Rule::exponents_many, where,
          std::to_string(v.exponents.size()) + " exponents, the runtime uses the first, " +
              std::to_string(v.exponents[0]));
  }
  if (v.type != DataType::int8 && v.type != DataType::int16) return;
  for (const int64_t e : v.exponents) {
    if (e >= -30 && e <= 30) continue;
    c.say(Rule::exponent_range, where,
          "exponent " + std::to_string(e) + ", possible are -30 to 30: the scale would be 1 << " +
              (e > 0 ? std::to_string(e) : "-(" + std::to_string(e) + ")"),
          "Calibrate again with data that reaches this tensor.");
    break;
  }
}

void check_initializers(Checker& c, Names& names) {
  for (const TensorData& t : c.document().initializers) {
    if (!names.known.insert(t.name).second) {
      c.say(Rule::duplicate_name, in_quotes(t.name), "two initializers have this name");
    }
  }
}

void check_node(Checker& c, size_t i, Names& names) {
  const Document& d = c.document();
  for (const std::string& input : d.nodes[i].inputs) {
    if (input.empty() || names.known.contains(input)) continue;
    const auto maker = names.maker.find(input);
    if (maker == names.maker.end()) {
      c.say(Rule::unresolved_input, label(d, i),
            "input " + in_quotes(input) +
                " is no model input, no initializer and no output of an "
                "operator");
    } else {
      c.say(Rule::wrong_order, label(d, i),
            "input " + in_quotes(input) + " is made by " + label(d, maker->second) +
                ", which stands at " + std::to_string(maker->second) + ", not before " +
                std::to_string(i));
    }
  }
  for (const std::string& output : d.nodes[i].outputs) {
    if (output.empty()) continue;
    if (!names.known.insert(output).second) {
      c.say(Rule::duplicate_name, label(d, i),
            "output " + in_quotes(output) +
                " exists already as an input, an initializer or an "
                "output");
    }
    if (c.declared(output) == nullptr) {
      c.say(Rule::undeclared_tensor, label(d, i),
            "output " + in_quotes(output) + " has no entry in value_info");
    }
  }
}

}  // namespace

void check_document(Checker& c) {
  check_target(c);
  std::set<std::string_view> seen;
  for (const ValueInfo& v : c.document().values) check_declared(c, v, seen);
  // The exporter repeats inputs and outputs among the values.
  for (const auto* list : {&c.document().inputs, &c.document().outputs}) {
    for (const ValueInfo& v : *list) {
      if (!seen.contains(v.name)) check_declared(c, v, seen);
    }
  }
  const size_t aligned = count_inputs_aligned_only(c.document());
  if (aligned < 2) return;
  c.say(Rule::group_exponents, "",
        std::to_string(aligned) +
            " additions have inputs of one exponent and an output of another: the model was "
            "quantized with 'Align to Large', which this runtime does not compute",
        "Quantize with align_elementwise_to = 'Align to Output', or mend the file: edgetwin patch "
        "MODEL --align-adds.");
}

void check_references(Checker& c) {
  const Document& d = c.document();
  Names names;
  check_initializers(c, names);
  for (const ValueInfo& v : d.inputs) names.known.insert(v.name);
  for (size_t i = 0; i < d.nodes.size(); ++i) {
    for (const std::string& output : d.nodes[i].outputs) names.maker.emplace(output, i);
  }
  for (size_t i = 0; i < d.nodes.size(); ++i) check_node(c, i, names);
  for (const ValueInfo& v : d.outputs) {
    if (names.known.contains(v.name)) continue;
    c.say(Rule::output_not_made, in_quotes(v.name), "no operator makes this output");
  }
}

}  // namespace edgetwin::targets::espdl
