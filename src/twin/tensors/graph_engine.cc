// A graph on the twin, planned for the sizes that its inputs have.
#include <algorithm>
#include <optional>

#include "formats/darwinn/darwinn.h"
#include "report/trace_io.h"
#include "twin/compute.h"
#include "twin/runners.h"
#include "twin/tensors/engine.h"
#include "twin/tensors/rules.h"

namespace edgetwin::twin {
namespace {

uint64_t unpacked_bytes(const TensorRow& row) {
  return static_cast<uint64_t>(row.shape.elements()) * unpacked_size(row.dtype);
}

class GraphEngine : public Engine {
 public:
  GraphEngine(LoadedModel loaded, const OpenOptions& open, const RunnerOptions& run)
      : loaded_(std::move(loaded)), compute_(compute_options(open, run)), keep_(run.keep_layers) {}

  bool resizable() const override { return true; }
  std::string description() const override {
    return session_ ? "twin, numerics " + session_->options().numerics + ", " + used_isa(compute_)
                    : "twin, not planned yet";
  }
  std::vector<Finding> findings() const override {
    std::vector<Finding> all = loaded_.model->findings;
    if (session_) all.insert(all.end(), session_->findings().begin(), session_->findings().end());
    return all;
  }

  Status allocate(TensorTable& table) override {
    EDGETWIN_TRY(check_custom_ops(loaded_.model->main(), false));
    session_.reset();
    EDGETWIN_TRY_ASSIGN(exec::Session session, plan(with_sizes(table), compute_, keep_));
    for (size_t i = 0; i < table.rows.size(); ++i) {
      TensorRow& row = table.rows[i];
      if (row.constant) continue;
      row.shape = session.shape(static_cast<ValueId>(i));
      row.has_shape = true;
      if (!row.shape.is_static()) continue;
      row.bytes = unpacked_bytes(row);
      // Tensors of intermediate results that no operator of the plan touches have no content.
      const auto kind = session.memory().placements[i].kind;
      row.readable = row.input || row.output || (keep_ && kind != exec::Placement::Kind::none) ||
                     (row.variable && kind == exec::Placement::Kind::variable);
      Buffer& buffer = table.buffers[i];
      if (!row.readable) buffer.free();
      if (row.readable && (!buffer.present() || buffer.bytes().size() != row.bytes)) {
        buffer.resize(row.bytes);
      }
    }
    session_.emplace(std::move(session));
    store_variables(table);
    return Ok{};
  }

  Status run(TensorTable& table, const std::atomic<bool>& stop, Run& run) override {
    for (size_t i = 0; i < table.inputs.size(); ++i) {
      EDGETWIN_TRY(session_->set_input(i, table.buffer(table.inputs[i]).bytes()));
    }
    EDGETWIN_TRY_ASSIGN(const bool whole, session_->run_until(stop));
    if (!whole) return error_of(TensorRule::cancelled, "the run was cancelled on its way");
    for (size_t i = 0; i < table.rows.size(); ++i) {
      const TensorRow& row = table.rows[i];
      if (row.constant || row.input || !row.readable) continue;
      table.store(static_cast<int32_t>(i), session_->bytes(static_cast<ValueId>(i)));
    }
    run.findings = session_->run_findings();
    run.numerics = session_->options().numerics;
    if (keep_) {
      run.layers = layers_of(*session_);
      for (size_t i = 0; i < table.outputs.size(); ++i) run.outputs.push_back(session_->output(i));
    }
    return Ok{};
  }

  Status reset_variables() override {
    if (session_) session_->reset_variables();
    return Ok{};
  }

 private:
  // The model whose inputs have the sizes of the table. Where one differs from the file's, sizes
  // that depend on it are found by planning.
  LoadedModel with_sizes(const TensorTable& table) const {
    const Graph& graph = loaded_.model->main();
    const bool same = std::all_of(graph.inputs.begin(), graph.inputs.end(), [&](ValueId id) {
      return graph.value(id).shape == table.rows[static_cast<size_t>(id)].shape;
    });
    if (same) return loaded_;
    Model model = *loaded_.model;
    Graph& changed = model.graphs.front();
    for (const Op& op : changed.ops) {
      for (const ValueId id : op.outputs) {
        Value& v = changed.value(id);
        if (v.is_variable || v.is_constant()) continue;
        v.has_shape = false;
        v.shape = {};
      }
    }
    for (const ValueId id : changed.inputs) {
      changed.value(id).shape = table.rows[static_cast<size_t>(id)].shape;
      changed.value(id).has_shape = true;
    }
    LoadedModel copy = loaded_;
    copy.model = std::make_shared<const Model>(std::move(model));
    return copy;
  }

  void store_variables(TensorTable& table) const {
    for (size_t i = 0; i < table.rows.size(); ++i) {
      if (!table.rows[i].variable || !table.rows[i].readable) continue;
      table.store(static_cast<int32_t>(i), session_->bytes(static_cast<ValueId>(i)));
    }
  }

  LoadedModel loaded_;
  ComputeOptions compute_;
  bool keep_;
  std::optional<exec::Session> session_;
};

}  // namespace

int32_t TensorTable::add(TensorRow row) {
  rows.push_back(std::move(row));
  buffers.emplace_back();
  return static_cast<int32_t>(rows.size() - 1);
}

void TensorTable::store(int32_t i, ByteSpan data) {
  if (data.empty()) return;
  if (!buffer(i).present()) buffer(i).resize(at(i).bytes);
  unpack(at(i).dtype, data, buffer(i).bytes());
}

TensorTable table_of(const Graph& graph) {
  TensorTable table;
  for (const Value& v : graph.values) {
    TensorRow row;
    row.name = v.name;
    row.dtype = v.dtype;
    row.has_shape = v.has_shape;
    row.shape = v.shape;
    row.signature = v.shape;
    row.quant = v.quant;
    row.constant = v.is_constant();
    row.variable = v.is_variable;
    row.readable = row.constant;
    if (v.shape.is_static()) row.bytes = unpacked_bytes(row);
    table.add(std::move(row));
  }
  for (const ValueId id : graph.inputs) {
    table.at(id).input = true;
    table.inputs.push_back(id);
  }
  for (const ValueId id : graph.outputs) {
    table.at(id).output = true;
    table.outputs.push_back(id);
  }
  return table;
}

Status check_custom_ops(const Graph& graph, bool compiled_allowed) {
  constexpr int kCustom = 32;  // BuiltinOperator.CUSTOM
  for (size_t i = 0; i < graph.ops.size(); ++i) {
    const auto* attrs = std::get_if<OpaqueAttrs>(&graph.ops[i].attrs);
    if (attrs == nullptr || attrs->builtin_code != kCustom) continue;
    const bool compiled = attrs->name == darwinn::kCustomCode;
    if (compiled && compiled_allowed) continue;
    return Error(ErrorCode::op_unsupported,
                 "Encountered unresolved custom op: " + attrs->name + ".")
        .in_layer(op_label(graph, i))
        .with_hint(compiled ? "Its part for the Edge TPU runs on a device or in the machine: load "
                              "the delegate, or set EDGETWIN_DEVICE=twin."
                            : "");
  }
  return Ok{};
}

std::unique_ptr<Engine> graph_engine(LoadedModel loaded, const OpenOptions& open,
                                     const RunnerOptions& run) {
  return std::make_unique<GraphEngine>(std::move(loaded), open, run);
}

}  // namespace edgetwin::twin
