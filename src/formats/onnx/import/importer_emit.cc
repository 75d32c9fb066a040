// Operators into the graph, or computed where all their operands are constant.
#include <algorithm>

#include "formats/onnx/import/importer.h"
#include "tensor/tensor.h"

namespace edgetwin::onnx {
namespace {

// 1 GiB: constants computed while reading, together.
constexpr int64_t kMaxFoldedBytes = int64_t{1} << 30;

}  // namespace

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

Status Importer::check_arity(const Node& n, const Op& op, size_t outputs) const {
  const OpInfo& row = edgetwin::info(op.kind);
  const auto outside = [](size_t count, Arity a) {
    return count < static_cast<size_t>(a.min) || count > static_cast<size_t>(a.max);
  };
  if (outside(op.inputs.size(), row.inputs) || outside(outputs, row.outputs)) {
    return error(n, ErrorCode::graph_arity,
                 std::to_string(op.inputs.size()) + " inputs and " + std::to_string(outputs) +
                     " outputs; the operator has others");
  }
  for (size_t i = 0; i < static_cast<size_t>(row.inputs.min); ++i) {
    if (op.inputs[i] == kAbsent) {
      return error(n, ErrorCode::graph_arity, "input " + std::to_string(i) + " is missing");
    }
  }
  return Ok{};
}

bool Importer::all_constant(const Op& op) const {
  const auto fixed = [&](ValueId id) { return id == kAbsent || value(id).is_constant(); };
  return !op.inputs.empty() && std::all_of(op.inputs.begin(), op.inputs.end(), fixed);
}

Result<std::vector<ValueId>> Importer::emit(const Node& n, Op op,
                                            const std::vector<std::string>& outputs,
                                            std::optional<DType> type) {
  EDGETWIN_TRY(check_arity(n, op, outputs.size()));
  const bool fold = all_constant(op);
  DType dtype = type.value_or(DType::float32);
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
  static const ops::NumericsInfo* const row = ops::find_numerics("onnx");
  Result<ops::Prepared> prepared = row->prepare(context);
  if (!prepared.ok()) {
    return std::move(prepared).error().in_layer(n.label()).in_file(file_);
  }
  for (size_t o = 0; o < outputs.size(); ++o) {
    Value& v = graph_.value(op.outputs[o]);
    v.shape = prepared->output_shapes[o];
    v.has_shape = true;
    shapes_[static_cast<size_t>(op.outputs[o])] = v.shape;
  }
  if (fold) {
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

}  // namespace edgetwin::onnx
