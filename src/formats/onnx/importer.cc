#include "formats/onnx/importer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "formats/onnx/patterns.h"
#include "tensor/tensor.h"

namespace edgetwin::onnx {
namespace {

struct OperatorRow {
  std::string_view type;
  LowerFn lower;
};

constexpr std::array kOperators = {
#define ONNX_LOWERING(name)
#define OPERATOR(type, name) OperatorRow{#type, lower_##name},
#include "formats/onnx/operators.def"
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

std::string shape_option(const ValueInfo& info) {
  std::string text = "--shape " + info.name + "=";
  for (size_t i = 0; i < info.dims.size(); ++i) {
    const ValueInfo::Dim& d = info.dims[i];
    text += (i ? "," : "") +
            (d.size >= 0 ? std::to_string(d.size) : "<" + (d.name.empty() ? "?" : d.name) + ">");
  }
  return text;
}

// 1 GiB: constants computed while reading, together.
constexpr int64_t kMaxFoldedBytes = int64_t{1} << 30;

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
  using Numbers = std::optional<std::vector<int64_t>>;
  if (!n.has_input(i)) return Numbers{};
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
  return Numbers{std::move(numbers)};
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

Op Importer::make(const Node& n, OpKind kind) const {
  Op op;
  op.kind = kind;
  op.attrs = default_attrs(kind);
  op.name = n.name;
  op.type = n.op_type;
  return op;
}

Status Importer::compute(const ops::Prepared& prepared, const Op& op,
                         const std::vector<ValueId>& outputs) {
  std::vector<std::byte*> from;
  std::vector<std::byte*> to;
  std::vector<std::shared_ptr<Bytes>> results;
  for (const ValueId id : op.inputs) {
    // Kernels do not write their operands.
    from.push_back(id == kAbsent ? nullptr : const_cast<std::byte*>(value(id).constant->data()));
  }
  for (const ValueId id : outputs) {
    const int64_t bytes = storage_bytes(value(id).dtype, shape(id).elements());
    folded_bytes_ += bytes;
    if (folded_bytes_ > kMaxFoldedBytes) {
      return Error(ErrorCode::out_of_memory, "constants that are computed while reading need " +
                                                 std::to_string(folded_bytes_) +
                                                 " bytes, at most " +
                                                 std::to_string(kMaxFoldedBytes) + " are allowed");
    }
    results.push_back(std::make_shared<Bytes>(static_cast<size_t>(bytes)));
    to.push_back(results.back()->data());
  }
  Bytes scratch(prepared.scratch_bytes);
  ThreadPool pool(1);
  EDGETWIN_TRY(prepared.run({from.data(), to.data(), scratch.data(), pool}));
  for (size_t o = 0; o < outputs.size(); ++o) {
    graph_.value(outputs[o]).constant = results[o];
    constants_[static_cast<size_t>(outputs[o])] = results[o];
  }
  return Ok{};
}

Result<std::vector<ValueId>> Importer::emit(const Node& n, Op op,
                                            const std::vector<std::string>& outputs,
                                            std::optional<DType> type) {
  const OpInfo& row = edgetwin::info(op.kind);
  const auto outside = [](size_t count, Arity a) {
    return count < static_cast<size_t>(a.min) || count > static_cast<size_t>(a.max);
  };
  if (outside(op.inputs.size(), row.inputs) || outside(outputs.size(), row.outputs)) {
    return error(n, ErrorCode::graph_arity,
                 std::to_string(op.inputs.size()) + " inputs and " +
                     std::to_string(outputs.size()) + " outputs; the operator has others");
  }
  for (size_t i = 0; i < static_cast<size_t>(row.inputs.min); ++i) {
    if (op.inputs[i] == kAbsent) {
      return error(n, ErrorCode::graph_arity, "input " + std::to_string(i) + " is missing");
    }
  }
  bool all_constant = !op.inputs.empty();
  DType dtype = type.value_or(DType::float32);
  for (const ValueId id : op.inputs) {
    if (id != kAbsent && !value(id).is_constant()) all_constant = false;
  }
  if (!type && !op.inputs.empty() && op.inputs[0] != kAbsent) dtype = value(op.inputs[0]).dtype;
  for (const std::string& name : outputs) {
    Value v;
    v.name = name;
    v.dtype = dtype;
    v.has_shape = false;
    op.outputs.push_back(add_value(std::move(v)));
  }
  graph_.ops.push_back(op);
  const ops::KernelOptions kernel_options;
  const ops::OpContext context(graph_, graph_.ops.size() - 1, shapes_, constants_, kernel_options);
  static const ops::FlavourInfo* const flavour = ops::find_flavour("onnx");
  Result<ops::Prepared> prepared = flavour->prepare(context);
  if (!prepared.ok()) {
    return std::move(prepared).error().in_layer(n.label()).in_file(file_);
  }
  for (size_t o = 0; o < outputs.size(); ++o) {
    Value& v = graph_.value(op.outputs[o]);
    v.shape = prepared->output_shapes[o];
    v.has_shape = true;
    shapes_[static_cast<size_t>(op.outputs[o])] = v.shape;
  }
  if (all_constant) {
    Status computed = compute(*prepared, op, op.outputs);
    if (!computed.ok()) {
      return std::move(computed).error().in_layer(n.label()).in_file(file_);
    }
    graph_.ops.pop_back();
  } else {
    for (const ValueId id : op.outputs) producers_[id] = graph_.ops.size() - 1;
  }
  return std::vector<ValueId>(op.outputs);
}

Status Importer::finish(const Node& n, Op op, std::optional<DType> type) {
  std::vector<std::string> names;
  for (size_t i = 0; i < n.outputs.size(); ++i) {
    // An output that nobody wants still has a place in operators with several.
    names.push_back(n.outputs[i].empty() ? n.label() + ".unused" + std::to_string(i)
                                         : n.outputs[i]);
  }
  EDGETWIN_TRY_ASSIGN(const auto ids, emit(n, std::move(op), names, type));
  for (size_t i = 0; i < ids.size(); ++i) {
    if (!n.outputs[i].empty()) EDGETWIN_TRY(alias(n, i, ids[i]));
  }
  return Ok{};
}

Result<ValueId> Importer::step(const Node& n, Op op, const std::string& suffix) {
  const std::string base = n.name.empty() ? n.outputs.at(0) : n.name;
  op.name = base + "/" + suffix;
  op.type = suffix;
  EDGETWIN_TRY_ASSIGN(const auto ids, emit(n, std::move(op), {base + "/" + suffix + "_o"}));
  return ValueId{ids[0]};
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

// A leading dimension that is open is taken for the number of pictures: one.
Result<Shape> Importer::input_shape(const ValueInfo& info) {
  if (const auto given = options_.shapes.find(info.name); given != options_.shapes.end()) {
    if (given->second.size() > Shape::kMaxRank) {
      return Error(ErrorCode::onnx_shape, "more than 8 dimensions").in_field(info.name);
    }
    const Shape shape{std::span<const int64_t>(given->second)};
    bool fits = !info.has_shape || given->second.size() == info.dims.size();
    for (size_t i = 0; fits && i < info.dims.size(); ++i) {
      fits = info.dims[i].size < 0 || info.dims[i].size == given->second[i];
    }
    if (fits) return shape;
    return Error(ErrorCode::onnx_shape, "the shape " + to_string(shape) + " contradicts the file's")
        .in_field(info.name)
        .in_file(file_)
        .with_hint("The file leaves open what stands in angle brackets: " + shape_option(info));
  }
  Shape shape;
  bool open = !info.has_shape || info.dims.size() > Shape::kMaxRank;
  for (size_t i = 0; !open && i < info.dims.size(); ++i) {
    const bool batch = i == 0 && info.dims[i].size < 0 && info.dims.size() > 1;
    shape.push_back(batch ? 1 : info.dims[i].size);
    open = shape[static_cast<int>(i)] < 1;
    if (!batch) continue;
    findings_.push_back({Severity::note, "", info.name,
                         "the number of pictures is open in the file; one is taken", ""});
  }
  if (!open) return shape;
  return Error(ErrorCode::onnx_shape, "the file leaves the shape of this input open")
      .in_field(info.name)
      .in_file(file_)
      .with_hint("Give it: " + shape_option(info));
}

Status Importer::take_inputs() {
  for (const auto& [name, dims] : options_.shapes) {
    const auto known = [&, &wanted = name](const ValueInfo& v) { return v.name == wanted; };
    if (std::any_of(document_.inputs.begin(), document_.inputs.end(), known)) continue;
    return Error(ErrorCode::onnx_shape, "the network has no input '" + name + "'").in_file(file_);
  }
  for (const ValueInfo& info : document_.inputs) {
    if (values_.contains(info.name)) continue;  // an initializer with a default
    if (!info.dtype) {
      return Error(ErrorCode::onnx_tensor, "an input that is no tensor of numbers")
          .in_field(info.name)
          .in_file(file_);
    }
    Value v;
    v.name = info.name;
    v.dtype = *info.dtype;
    EDGETWIN_TRY_ASSIGN(v.shape, input_shape(info));
    if (!within_limits(v.dtype, v.shape)) {
      return Error(ErrorCode::onnx_tensor, "an input of " + to_string(v.shape))
          .in_field(info.name)
          .in_file(file_);
    }
    const ValueId id = add_value(std::move(v));
    values_[info.name] = id;
    graph_.inputs.push_back(id);
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

Status Importer::take_outputs() {
  for (const ValueInfo& info : document_.outputs) {
    const auto found = values_.find(info.name);
    if (found == values_.end()) {
      return Error(ErrorCode::onnx_reference,
                   "the output '" + info.name + "' is made by no operator")
          .in_file(file_);
    }
    ValueId id = found->second;
    const bool taken = std::count(graph_.outputs.begin(), graph_.outputs.end(), id) != 0;
    const bool fixed =
        value(id).is_constant() || std::count(graph_.inputs.begin(), graph_.inputs.end(), id) != 0;
    if (taken || fixed) {
      // A constant, an input, or one value under two names.
      Node n;
      n.op_type = "Identity";
      n.name = info.name;
      Op op = make(n, OpKind::identity);
      op.inputs = {id};
      const bool constant = value(id).is_constant();
      if (!constant) {
        EDGETWIN_TRY_ASSIGN(const auto ids, emit(n, std::move(op), {info.name}));
        id = ids[0];
      }
    } else {
      graph_.value(id).name = info.name;
    }
    graph_.outputs.push_back(id);
  }
  return Ok{};
}

// Only weights: infinities have a place in masks and limits.
void Importer::check_finite() {
  for (const Op& op : graph_.ops) {
    const bool weighs = op.kind == OpKind::conv_2d || op.kind == OpKind::depthwise_conv_2d ||
                        op.kind == OpKind::fully_connected || op.kind == OpKind::matmul;
    for (const ValueId id : op.inputs) {
      if (id == kAbsent || !value(id).is_constant() || value(id).dtype != DType::float32) continue;
      const Value& v = value(id);
      int64_t infinite = 0;
      int64_t not_numbers = 0;
      for (int64_t i = 0; i < v.shape.elements(); ++i) {
        float x = 0.0F;
        std::memcpy(&x, v.constant->data() + i * 4, 4);
        if (std::isnan(x)) ++not_numbers;
        if (std::isinf(x)) ++infinite;
      }
      if (not_numbers == 0 && (infinite == 0 || !weighs)) continue;
      findings_.push_back(
          {Severity::error, std::string(info(ErrorCode::onnx_not_finite).id),
           op.type + " '" + (op.name.empty() ? value(op.outputs[0]).name : op.name) + "'",
           "'" + v.name + "' has " + std::to_string(not_numbers) + " NaN and " +
               std::to_string(infinite) + " infinite of " + std::to_string(v.shape.elements()) +
               " elements",
           std::string(info(ErrorCode::onnx_not_finite).cure)});
    }
  }
}

// Operators whose results nobody needs, and values that nobody uses.
void Importer::drop_unused() {
  std::vector<char> needed(graph_.values.size(), 0);
  for (const ValueId id : graph_.outputs) needed[static_cast<size_t>(id)] = 1;
  for (const ValueId id : graph_.inputs) needed[static_cast<size_t>(id)] = 1;
  std::vector<Op> kept;
  for (size_t i = graph_.ops.size(); i-- > 0;) {
    Op& op = graph_.ops[i];
    const bool wanted = std::any_of(op.outputs.begin(), op.outputs.end(), [&](ValueId id) {
      return needed[static_cast<size_t>(id)] != 0;
    });
    if (!wanted) continue;
    for (const ValueId id : op.inputs) {
      if (id != kAbsent) needed[static_cast<size_t>(id)] = 1;
    }
    for (const ValueId id : op.outputs) needed[static_cast<size_t>(id)] = 1;
    kept.push_back(std::move(op));
  }
  std::reverse(kept.begin(), kept.end());
  graph_.ops = std::move(kept);
  std::vector<ValueId> place(graph_.values.size(), kAbsent);
  std::vector<Value> values;
  for (size_t i = 0; i < place.size(); ++i) {
    if (needed[i] == 0) continue;
    place[i] = static_cast<ValueId>(values.size());
    values.push_back(std::move(graph_.values[i]));
  }
  graph_.values = std::move(values);
  const auto move_all = [&](std::vector<ValueId>& list) {
    for (ValueId& id : list) id = id == kAbsent ? id : place[static_cast<size_t>(id)];
  };
  move_all(graph_.inputs);
  move_all(graph_.outputs);
  for (Op& op : graph_.ops) {
    move_all(op.inputs);
    move_all(op.outputs);
  }
}

Result<Model> Importer::run() {
  graph_.name = document_.graph_name;
  EDGETWIN_TRY(check_operators());
  count_uses();
  EDGETWIN_TRY(take_constants());
  EDGETWIN_TRY(take_inputs());
  for (const Node& n : document_.nodes) EDGETWIN_TRY(take_node(n));
  EDGETWIN_TRY(take_outputs());
  drop_unused();
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
  EDGETWIN_TRY_ASSIGN(Document document, read_document(data, file, options));
  recognise_patterns(document, options.passes);
  return Importer(document, options, file).run();
}

}  // namespace edgetwin::onnx
