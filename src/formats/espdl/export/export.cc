#include "formats/espdl/export/export.h"

#include <algorithm>
#include <array>

#include "formats/espdl/export/exporter.h"

namespace edgetwin::espdl {
namespace {

using ExportFn = void (*)(Exporter&, Exporter::Building&);

struct OperatorRow {
  std::string_view type;
  ExportFn fill;
};

constexpr std::array kOperators = {
#define OPERATOR(type, function, kind) OperatorRow{#type, export_##function},
#include "formats/espdl/document/operators.def"
#undef OPERATOR
};

ExportFn function_of(std::string_view type) {
  for (const OperatorRow& row : kOperators) {
    if (row.type == type) return row.fill;
  }
  return nullptr;
}

bool is_activation(DType type) { return type == DType::int8 || type == DType::int16; }

}  // namespace

std::string Exporter::unused_name(std::string wanted) {
  if (wanted.empty()) wanted = "tensor";
  std::string name = wanted;
  for (int k = 1; used_names_.contains(name); ++k) name = wanted + "_" + std::to_string(k);
  return name;
}

// Inputs and outputs of the graph first, so that they keep their names.
void Exporter::name_values() {
  names_.resize(graph_.values.size());
  const auto give = [&](ValueId id) {
    std::string& own = names_[static_cast<size_t>(id)];
    if (!own.empty()) return;
    own = unused_name(graph_.value(id).name);
    used_names_.insert(own);
  };
  for (const ValueId id : graph_.inputs) give(id);
  for (const ValueId id : graph_.outputs) give(id);
  for (size_t id = 0; id < names_.size(); ++id) give(static_cast<ValueId>(id));
}

// Every computed tensor of integers has one exponent.
void Exporter::check_values() {
  for (size_t i = 0; i < graph_.values.size(); ++i) {
    const Value& v = graph_.values[i];
    if (code_of_dtype(v.dtype) == DataType::undefined) {
      refusals_.push_back("tensor '" + names_[i] + "': a file has no type " +
                          std::string(edgetwin::name(v.dtype)));
    }
    if (v.is_constant() || !is_activation(v.dtype)) continue;
    if (v.quant.scheme == Quant::Scheme::power_of_two && v.quant.exponent.size() == 1) continue;
    const std::string has = v.quant.present() ? to_string(v.quant) : "no exponent";
    refusals_.push_back("tensor '" + names_[i] + "': " + has + "; ESP-DL needs one exponent");
  }
  for (const ValueId id : graph_.outputs) {
    if (graph_.value(id).is_constant()) {
      refusals_.push_back("output '" + name(id) + "' is a constant; the runtime needs an operator");
    }
  }
}

void Exporter::take_operator(size_t index) {
  const Op& op = graph_.ops[index];
  Building b{op, op_label(graph_, index), {}};
  b.node.op_type = type_of(graph_, op);
  b.node.name = op.name.empty() ? b.node.op_type + "_" + std::to_string(index) : op.name;
  const ExportFn fill = function_of(b.node.op_type);
  if (fill == nullptr) {
    refuse(b, "the runtime has no such operator");
    return;
  }
  fill(*this, b);
  take_table(b);
  const bool untyped = options_.untyped_conversions && op.kind == OpKind::quantize;
  b.set("quant_type", untyped ? "F32" : quant_type(graph_, op));
  auto& attributes = b.node.attributes;
  std::sort(attributes.begin(), attributes.end(),
            [](const Attribute& x, const Attribute& y) { return x.name < y.name; });
  while (!b.node.inputs.empty() && b.node.inputs.back().empty()) b.node.inputs.pop_back();
  for (const ValueId id : op.outputs) b.node.outputs.push_back(name(id));
  document_.nodes.push_back(std::move(b.node));
}

ValueInfo Exporter::info_of(ValueId id) const {
  const Value& v = graph_.value(id);
  ValueInfo info;
  info.name = name(id);
  info.type = code_of_dtype(v.dtype);
  info.has_shape = v.has_shape;
  info.shape.assign(v.shape.dims().begin(), v.shape.dims().end());
  info.exponents.assign(v.quant.exponent.begin(), v.quant.exponent.end());
  if (info.exponents.empty()) info.exponents = {0};
  return info;
}

void Exporter::take_values() {
  std::set<ValueId> seen;
  const auto take = [&](ValueId id) {
    if (id != kAbsent && !graph_.value(id).is_constant() && seen.insert(id).second) {
      document_.values.push_back(info_of(id));
    }
  };
  for (const ValueId id : graph_.inputs) {
    take(id);
    document_.inputs.push_back(info_of(id));
  }
  for (const Op& op : graph_.ops) {
    for (const ValueId id : op.outputs) take(id);
  }
  for (const ValueId id : graph_.outputs) document_.outputs.push_back(info_of(id));
}

Result<Document> Exporter::run() {
  EDGETWIN_TRY(verify_graph(graph_));
  document_.ir_version = 8;
  document_.producer_name = "edgetwin";
  document_.graph_name = graph_.name;
  document_.metadata.push_back({"target", std::string(espdl::name(target_))});
  name_values();
  check_values();
  for (size_t i = 0; i < graph_.ops.size(); ++i) take_operator(i);
  if (!refusals_.empty()) {
    Error error(ErrorCode::espdl_write,
                std::to_string(refusals_.size()) + (refusals_.size() == 1 ? " thing" : " things") +
                    " of the network cannot be written for " + std::string(espdl::name(target_)));
    for (std::string& line : refusals_) error.details.push_back(std::move(line));
    return error;
  }
  take_values();
  std::stable_partition(document_.initializers.begin(), document_.initializers.end(),
                        [](const TensorData& t) { return t.doc_string.empty(); });
  return std::move(document_);
}

ExportOptions export_options(const Document& document) {
  ExportOptions options;
  for (const Node& n : document.nodes) {
    const bool quantizes = n.op_type == "QuantizeLinear" || n.op_type == "RequantizeLinear";
    if (quantizes && n.text("quant_type") == "F32") options.untyped_conversions = true;
  }
  return options;
}

Result<Document> export_graph(const Graph& graph, Target target, const ExportOptions& options) {
  return Exporter(graph, target, options).run();
}

TensorData to_test_value(const Tensor& tensor) {
  TensorData t;
  t.name = tensor.name;
  t.type = code_of_dtype(tensor.dtype);
  t.dims.assign(tensor.shape.dims().begin(), tensor.shape.dims().end());
  if (t.dims.empty()) t.dims = {1};
  t.exponents.assign(tensor.quant.exponent.begin(), tensor.quant.exponent.end());
  if (t.exponents.empty()) t.exponents = {0};
  t.data = tensor.data;
  return t;
}

}  // namespace edgetwin::espdl
