#include "lut/ideal.h"

#include <algorithm>

namespace edgetwin::lut {
namespace {

espdl::Node* node_of(espdl::Document& document, const ModelTable& t) {
  for (espdl::Node& n : document.nodes) {
    const std::string& name = n.name.empty() && !n.outputs.empty() ? n.outputs[0] : n.name;
    if (name == t.node && n.text("lut") == t.table_name) return &n;
  }
  return nullptr;
}

void set_attributes(espdl::Node& node, const std::string& table) {
  for (espdl::Attribute& a : node.attributes) {
    if (a.name == "lut") a.s = table;
    if (a.name == "int16_lut_step") a.i = 1;
  }
}

std::string unused(const espdl::Document& document, const std::string& wanted) {
  std::string name = wanted;
  for (int k = 1; document.initializer(name) != nullptr; ++k) {
    name = wanted + "_" + std::to_string(k);
  }
  return name;
}

}  // namespace

Result<IdealModel> with_ideal_tables(espdl::Document document, numerics::Rounding rounding) {
  IdealModel ideal;
  EDGETWIN_TRY_ASSIGN(const ModelTables tables, tables_of(document, rounding));
  for (const ModelTable& t : tables.tables) {
    if (!t.used || t.spec.bits == 8 || t.table.shape.elements() >= 65536) continue;
    if (!t.known_function) {
      ideal.findings.push_back({Severity::warning, "", t.node,
                                "stays a look-up in its table: " + t.why,
                                "Export it with the attribute original_op_type."});
      continue;
    }
    TableSpec spec = t.spec;
    spec.step = 1;
    EDGETWIN_TRY_ASSIGN(Tensor table, build(spec));
    espdl::TensorData data = *document.initializer(t.table_name);
    data.name = unused(document, t.table_name + "_ideal");
    data.dims = {table.shape.elements()};
    data.data = std::move(table.data);
    espdl::Node* node = node_of(document, t);
    if (node == nullptr) continue;
    set_attributes(*node, data.name);
    document.initializers.push_back(std::move(data));
    ideal.layers.push_back(t.node);
  }
  ideal.document = std::move(document);
  return ideal;
}

}  // namespace edgetwin::lut
