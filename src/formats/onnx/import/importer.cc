#include "formats/onnx/import/importer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "formats/onnx/patterns/patterns.h"
#include "tensor/tensor.h"
#include "transform/subgraph.h"

namespace edgetwin::onnx {
namespace {

struct OperatorRow {
  std::string_view type;
  LowerFn lower;
};

constexpr std::array kOperators = {
#define ONNX_LOWERING(name)
#define OPERATOR(type, name) OperatorRow{#type, lower_##name},
#include "formats/onnx/import/operators.def"
#undef OPERATOR
#undef ONNX_LOWERING
};

const OperatorRow* find_operator(std::string_view type) {
  for (const OperatorRow& row : kOperators) {
    if (row.type == type) return &row;
  }
  return nullptr;
}

// Operators of other domains are others, whatever their name; the common domain of activations
// that exporters use is read.
bool is_known(const Node& n) {
  const bool standard = n.domain.empty() || n.domain == "com.microsoft";
  return standard && (find_operator(n.op_type) != nullptr || is_constant_operator(n.op_type));
}

}  // namespace

Error Importer::error(const Node& n, ErrorCode code, std::string message) const {
  return Error(code, std::move(message)).in_layer(n.label()).in_file(file_);
}

Error Importer::bad_attribute(const Node& n, const std::string& attribute,
                              const std::string& why) const {
  return error(n, ErrorCode::onnx_attribute, attribute + " " + why);
}

void Importer::finding(const Node& n, Severity severity, std::string message, std::string hint) {
  findings_.push_back({severity, "", n.label(), std::move(message), std::move(hint)});
}

Result<ValueId> Importer::input(const Node& n, size_t i) const {
  if (!n.has_input(i)) {
    return error(n, ErrorCode::graph_arity, "input " + std::to_string(i) + " is missing");
  }
  const auto found = values_.find(n.inputs[i]);
  if (found != values_.end()) return ValueId{found->second};
  return error(n, ErrorCode::onnx_reference,
               "'" + n.inputs[i] + "' is used, but no operator before makes it");
}

const Value* Importer::constant(const Node& n, size_t i) const {
  if (!n.has_input(i)) return nullptr;
  const auto found = values_.find(n.inputs[i]);
  if (found == values_.end()) return nullptr;
  const Value& v = graph_.value(found->second);
  return v.is_constant() ? &v : nullptr;
}

Result<std::optional<std::vector<int64_t>>> Importer::integers(const Node& n, size_t i,
                                                               const char* what) const {
  using MaybeNumbers = std::optional<std::vector<int64_t>>;
  if (!n.has_input(i)) return MaybeNumbers{};
  EDGETWIN_TRY_ASSIGN(const ValueId id, input(n, i));
  const Value& v = graph_.value(id);
  if (!v.is_constant()) {
    return error(n, ErrorCode::onnx_reference,
                 std::string(what) + " must be constant, '" + v.name + "' is computed");
  }
  if (v.dtype != DType::int64 && v.dtype != DType::int32) {
    return error(n, ErrorCode::onnx_tensor,
                 std::string(what) + " is " + std::string(edgetwin::name(v.dtype)) +
                     ", INT32 or INT64 is expected");
  }
  std::vector<int64_t> numbers;
  for (int64_t k = 0; k < v.shape.elements(); ++k) {
    int64_t wide = 0;
    int32_t narrow = 0;
    if (v.dtype == DType::int64) {
      std::memcpy(&wide, v.constant->data() + k * 8, 8);
    } else {
      std::memcpy(&narrow, v.constant->data() + k * 4, 4);
      wide = narrow;
    }
    numbers.push_back(wide);
  }
  return MaybeNumbers{std::move(numbers)};
}

ValueId Importer::add_value(Value v) {
  shapes_.push_back(v.shape);
  constants_.push_back(v.constant);
  graph_.values.push_back(std::move(v));
  return static_cast<ValueId>(graph_.values.size() - 1);
}

ValueId Importer::add_constant(std::string name, DType dtype, Shape shape, Bytes data) {
  Value v;
  v.name = std::move(name);
  v.dtype = dtype;
  v.shape = shape;
  v.constant = std::make_shared<const Bytes>(std::move(data));
  return add_value(std::move(v));
}

ValueId Importer::add_floats(std::string name, Shape shape, const std::vector<float>& numbers) {
  Bytes data(numbers.size() * sizeof(float));
  if (!numbers.empty()) std::memcpy(data.data(), numbers.data(), data.size());
  return add_constant(std::move(name), DType::float32, shape, std::move(data));
}

ValueId Importer::add_integers(std::string name, const std::vector<int64_t>& numbers) {
  Bytes data(numbers.size() * sizeof(int64_t));
  if (!numbers.empty()) std::memcpy(data.data(), numbers.data(), data.size());
  return add_constant(std::move(name), DType::int64, {static_cast<int64_t>(numbers.size())},
                      std::move(data));
}

Status Importer::alias(const Node& n, size_t i, ValueId id) {
  if (i >= n.outputs.size()) return error(n, ErrorCode::graph_arity, "the output has no name");
  if (values_.emplace(n.outputs[i], id).second) return Ok{};
  return error(n, ErrorCode::graph_duplicate, "'" + n.outputs[i] + "' has a value already");
}

Status Importer::bind_constant(const Node& n, size_t i, DType dtype, Shape shape, Bytes data) {
  return alias(n, i, add_constant(n.outputs.at(i), dtype, shape, std::move(data)));
}

Op* Importer::sole_producer(const Node& n, size_t i) {
  if (!n.has_input(i)) return nullptr;
  const auto uses = uses_.find(n.inputs[i]);
  const auto found = values_.find(n.inputs[i]);
  if (uses == uses_.end() || uses->second != 1 || found == values_.end()) return nullptr;
  // Another name of the same value may be in use: then the value's own name is not this one.
  if (value(found->second).name != n.inputs[i]) return nullptr;
  const auto made = producers_.find(found->second);
  return made == producers_.end() ? nullptr : &graph_.ops[made->second];
}

Status Importer::rename_output(const Node& n, Op& op) {
  graph_.value(op.outputs[0]).name = n.outputs.at(0);
  return alias(n, 0, op.outputs[0]);
}

void Importer::count_uses() {
  for (const Node& n : document_.nodes) {
    for (const std::string& name : n.inputs) ++uses_[name];
  }
  for (const ValueInfo& v : document_.outputs) ++uses_[v.name];
}

Status Importer::take_constants() {
  for (const TensorData& t : document_.initializers) {
    Value v;
    v.name = t.name;
    v.dtype = t.dtype;
    v.shape = t.shape;
    v.constant = t.data;
    if (!values_.emplace(t.name, add_value(std::move(v))).second) {
      return Error(ErrorCode::graph_duplicate, "the initializer '" + t.name + "' is there twice")
          .in_file(file_);
    }
  }
  return Ok{};
}

Status Importer::check_operators() const {
  Error all(ErrorCode::onnx_operator, "");
  size_t count = 0;
  for (const Node& n : document_.nodes) {
    if (is_known(n)) continue;
    ++count;
    if (count > 200) continue;
    all.details.push_back(n.label() + (n.domain.empty() ? "" : " of the domain " + n.domain));
  }
  if (count == 0) return Ok{};
  if (count > 200) all.details.push_back("and " + std::to_string(count - 200) + " more");
  all.message = count == 1 ? "one operator cannot be read"
                           : std::to_string(count) + " operators cannot be read";
  return std::move(all).in_file(file_);
}

Status Importer::take_node(const Node& n) {
  const auto is_named = [](const std::string& name) { return !name.empty(); };
  if (std::none_of(n.outputs.begin(), n.outputs.end(), is_named)) {
    return error(n, ErrorCode::graph_arity, "the node has no output");
  }
  EDGETWIN_TRY_ASSIGN(const bool evaluated, evaluate_constant(*this, n));
  if (evaluated) return Ok{};
  if (const OperatorRow* row = find_operator(n.op_type)) return row->lower(*this, n);
  for (size_t i = 0; i < n.inputs.size(); ++i) {
    if (n.has_input(i)) EDGETWIN_TRY(input(n, i));
  }
  return error(n, ErrorCode::onnx_operator,
               "the operator is read only where its operands are constant");
}

Result<Model> Importer::run() {
  graph_.layout = Layout::nchw;
  graph_.name = document_.graph_name;
  EDGETWIN_TRY(check_operators());
  count_uses();
  EDGETWIN_TRY(take_constants());
  EDGETWIN_TRY(take_inputs());
  for (const Node& n : document_.nodes) EDGETWIN_TRY(take_node(n));
  EDGETWIN_TRY(take_outputs());
  transform::remove_unused(graph_);
  check_finite();
  Status verified = verify_graph(graph_);
  if (!verified.ok()) return std::move(verified).error().in_file(file_);
  Model model;
  model.format = "onnx";
  model.description = document_.description;
  model.metadata = document_.metadata;
  model.findings = std::move(findings_);
  model.graphs.push_back(std::move(graph_));
  return model;
}

Result<Model> read(ByteSpan data, const std::string& file, const ReadOptions& options) {
  EDGETWIN_TRY_ASSIGN(Document document, read_document(data, file, options.external));
  recognise_patterns(document, options.passes);
  return Importer(document, options, file).run();
}

}  // namespace edgetwin::onnx
