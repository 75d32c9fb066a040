#include "formats/espdl/import/import.h"

#include <algorithm>
#include <array>

#include "formats/espdl/import/importer.h"

namespace edgetwin::espdl {
namespace {

using ImportFn = Status (*)(Importer&, Importer::Building&);

struct ImportRow {
  std::string_view type;
  ImportFn import_operator;
};

constexpr std::array kImports = {
#define OPERATOR(type, function, kind) ImportRow{#type, import_##function},
#include "formats/espdl/document/operators.def"
#undef OPERATOR
};

const ImportRow* find_operator(std::string_view type) {
  for (const ImportRow& row : kImports) {
    if (row.type == type) return &row;
  }
  return nullptr;
}

// The exporter writes inputs and outputs in the order of a set. The embedded test values have the
// order of the float model; without them it is that of the runtime's own maps, by name.
std::vector<ValueInfo> in_order(std::vector<ValueInfo> infos,
                                const std::vector<TensorData>& tests) {
  const auto rank = [&](const ValueInfo& v) {
    const auto at = std::find_if(tests.begin(), tests.end(),
                                 [&](const TensorData& t) { return t.name == v.name; });
    return at - tests.begin();
  };
  std::stable_sort(infos.begin(), infos.end(), [&](const ValueInfo& a, const ValueInfo& b) {
    return rank(a) != rank(b) ? rank(a) < rank(b) : a.name < b.name;
  });
  return infos;
}

}  // namespace

Error Importer::error(const Building& b, ErrorCode code, std::string message) const {
  return Error(code, std::move(message)).in_layer(b.label).in_file(file_);
}

void Importer::finding(const Building& b, Severity severity, std::string message,
                       std::string hint) {
  findings_.push_back({severity, "", b.label, std::move(message), std::move(hint)});
}

Status Importer::take_input(Building& b, size_t i) {
  if (i >= b.node.inputs.size() || b.node.inputs[i].empty()) {
    b.op.inputs.push_back(kAbsent);
    return Ok{};
  }
  EDGETWIN_TRY_ASSIGN(const ValueId id, value(b, b.node.inputs[i]));
  b.op.inputs.push_back(id);
  return Ok{};
}

Result<Activation> Importer::activation(const Building& b) const {
  const std::string text = b.node.text("activation").value_or("Linear");
  if (text == "Linear") return Activation::none;
  if (text == "Relu" || text == "ReLU") return Activation::relu;
  return error(b, ErrorCode::espdl_attribute,
               "the fused activation '" + text + "' is not known; Linear and Relu are");
}

void Importer::check_quant_type(const Building& b) {
  const auto type = b.node.text("quant_type");
  if (!type) {
    finding(b, Severity::warning, "the attribute quant_type is missing",
            "The runtime reads it without a check; export the model again.");
    return;
  }
  if (b.op.outputs.empty() || b.op.inputs.empty() || b.op.inputs[0] == kAbsent) return;
  const DType data = graph_.value(b.op.inputs[0]).dtype;
  const bool eight = *type == "S8" && data == DType::int16;
  const bool sixteen = *type == "S16" && data == DType::int8;
  const bool converts = b.op.kind == OpKind::quantize || b.op.kind == OpKind::dequantize;
  if (!converts && (eight || sixteen)) {
    finding(b, Severity::warning,
            "quant_type is " + *type + ", the input is " + std::string(edgetwin::name(data)),
            "The runtime goes by quant_type.");
  }
}

Status Importer::take_outputs(Building& b) {
  for (const std::string& name : b.node.outputs) {
    if (name.empty()) continue;
    const auto place = static_cast<size_t>(&name - b.node.outputs.data());
    if (place != b.op.outputs.size()) {
      return error(
          b, ErrorCode::graph_arity,
          "output " + std::to_string(b.op.outputs.size()) + " is absent, but a later one is not");
    }
    if (values_.contains(name) || initializers_.contains(name)) {
      return error(b, ErrorCode::graph_duplicate, "'" + name + "' has a value already");
    }
    EDGETWIN_TRY_ASSIGN(const ValueId id, add_variable(b.label, name));
    b.op.outputs.push_back(id);
  }
  return Ok{};
}

Status Importer::take_node(size_t index) {
  const Node& node = document_.nodes[index];
  Building b{node, "#" + std::to_string(index) + " " + node.op_type, {}};
  if (!node.name.empty()) b.label += " '" + node.name + "'";
  b.op.name = node.name;
  b.op.type = node.op_type;
  const ImportRow* row = find_operator(node.op_type);
  if (row == nullptr) {
    b.op.kind = OpKind::opaque;
    b.op.attrs = OpaqueAttrs{node.op_type, -1, 0, {}};
    for (size_t i = 0; i < node.inputs.size(); ++i) EDGETWIN_TRY(take_input(b, i));
  } else {
    EDGETWIN_TRY(row->import_operator(*this, b));
  }
  if (const auto lut = node.text("lut")) {
    if (!initializers_.contains(*lut)) {
      return error(b, ErrorCode::espdl_reference, "the table '" + *lut + "' is not in the file");
    }
    EDGETWIN_TRY_ASSIGN(b.op.table, value(b, *lut));
  }
  EDGETWIN_TRY(take_outputs(b));
  check_quant_type(b);
  graph_.ops.push_back(std::move(b.op));
  return Ok{};
}

Result<Model> Importer::run() {
  graph_.name = document_.graph_name;
  for (const auto* list : {&document_.values, &document_.inputs, &document_.outputs}) {
    for (const ValueInfo& v : *list) infos_.emplace(v.name, &v);
  }
  for (const TensorData& t : document_.initializers) initializers_.emplace(t.name, &t);
  for (const ValueInfo& v : in_order(document_.inputs, document_.test_inputs)) {
    if (initializers_.contains(v.name) || values_.contains(v.name)) continue;
    EDGETWIN_TRY_ASSIGN(const ValueId id, add_variable("the graph", v.name));
    graph_.inputs.push_back(id);
  }
  for (size_t i = 0; i < document_.nodes.size(); ++i) EDGETWIN_TRY(take_node(i));
  for (const ValueInfo& v : in_order(document_.outputs, document_.test_outputs)) {
    const auto found = values_.find(v.name);
    if (found == values_.end()) {
      return Error(ErrorCode::espdl_reference, "the output '" + v.name + "' is made by no operator")
          .in_file(file_);
    }
    graph_.outputs.push_back(found->second);
  }
  Model model;
  model.format = "espdl";
  model.description = document_.doc_string;
  for (const Property& p : document_.metadata) {
    model.metadata.push_back({p.key, to_bytes(as_byte_span(p.value))});
  }
  model.findings = std::move(findings_);
  Status verified = verify_graph(graph_);
  if (!verified.ok()) return std::move(verified).error().in_file(file_);
  model.graphs.push_back(std::move(graph_));
  return model;
}

Result<Model> import_document(const Document& document, Target target, const std::string& file) {
  return Importer(document, target, file).run();
}

}  // namespace edgetwin::espdl
