#include "exec/plan.h"

#include <algorithm>

#include "base/memory/freed.h"
#include "exec/arena.h"
#include "ops/edgetpu/options.h"
#include "ops/registry/numerics.h"

namespace edgetwin::exec {
namespace {

// 4 GiB of activations: far beyond any network for these chips, and less than a small machine has.
constexpr int64_t kMaxArenaBytes = int64_t{4} << 30;

// Constants computed while planning, together; beyond it operators run like all others.
constexpr int64_t kMaxFoldedBytes = int64_t{256} << 20;

class Planner {
 public:
  Planner(Plan& plan, ops::PrepareFn prepare, const numerics::EdgetpuOptions& edgetpu)
      : plan_(plan), prepare_(prepare), edgetpu_(edgetpu) {}

  Status run() {
    EDGETWIN_TRY(take_known_values());
    count_readers();
    for (size_t i = 0; i < graph().ops.size(); ++i) EDGETWIN_TRY(add_step(i));
    return place_memory();
  }

 private:
  const Graph& graph() const { return *plan_.graph; }
  const ops::KernelOptions kernel_options() const {
    const Options& o = plan_.options;
    return {o.fast,   o.isa,  o.threads,       o.runtime, o.allow_undefined,
            edgetpu_, o.once, o.real_additions};
  }

  Status take_known_values() {
    for (const Value& v : graph().values) {
      plan_.shapes.push_back(v.shape);
      plan_.constants.push_back(v.constant);
      if (v.is_constant()) plan_.memory.constant_bytes += static_cast<int64_t>(v.constant->size());
    }
    for (size_t i = 0; i < graph().values.size(); ++i) {
      const auto id = static_cast<ValueId>(i);
      const bool is_input = std::count(graph().inputs.begin(), graph().inputs.end(), id) != 0;
      if (is_input || graph().values[i].is_variable) EDGETWIN_TRY(check_size(id, "the graph"));
    }
    return Ok{};
  }

  // Who may read a constant; what is an output too is always read.
  void count_readers() {
    readers_.assign(graph().values.size(), 0);
    for (const Op& op : graph().ops) {
      for (const ValueId id : op.inputs) add_reader(id);
      add_reader(op.table);
    }
    for (const ValueId id : graph().outputs) add_reader(id);
  }
  void add_reader(ValueId id) {
    if (id != kAbsent) ++readers_[static_cast<size_t>(id)];
  }

  // The weights of an operator whose kernel has packed them.
  void give_back(const Op& op, const ops::Prepared& prepared) {
    if (!prepared.packed || !plan_.options.given_back || !op.has_input(1)) return;
    const auto id = static_cast<size_t>(op.inputs[1]);
    if (--readers_[id] != 0 || !graph().values[id].is_constant()) return;
    plan_.constants[id] = std::make_shared<const Bytes>();
    plan_.options.given_back(op.inputs[1]);
  }

  // Sizes are known, whole bytes, and within the limit even without dimensions of size 0.
  Status check_size(ValueId id, const std::string& where) const {
    const Value& v = graph().value(id);
    const Shape& shape = plan_.shapes[static_cast<size_t>(id)];
    const bool input_open = !v.has_shape && where == "the graph";
    if (byte_size(v.dtype) != 0 && !input_open && within_limits(v.dtype, shape)) return Ok{};
    return Error(ErrorCode::op_shape, "tensor '" + v.name + "' of " + to_string(shape) + " " +
                                          std::string(name(v.dtype)) + " has no usable size")
        .in_layer(where);
  }

  Status add_step(size_t index) {
    const Op& op = graph().ops[index];
    const ops::KernelOptions options = kernel_options();
    const ops::OpContext context(graph(), index, plan_.shapes, plan_.constants, options);
    EDGETWIN_TRY_ASSIGN(ops::Prepared prepared, prepare_(context));
    if (prepared.output_shapes.size() != op.outputs.size()) {
      return context.error(ErrorCode::internal, "the operator planned another number of outputs");
    }
    Step step{
        .op_index = index, .label = context.label(), .path = prepared.path, .macs = prepared.macs};
    for (size_t o = 0; o < op.outputs.size(); ++o) {
      EDGETWIN_TRY(take_output(op.outputs[o], prepared.output_shapes[o], step));
    }
    plan_.findings.insert(plan_.findings.end(), prepared.findings.begin(), prepared.findings.end());
    EDGETWIN_TRY_ASSIGN(step.folded, fold(op, prepared, step.out_bytes));
    give_back(op, prepared);
    plan_.kernels.push_back(step.folded ? nullptr : std::move(prepared.run));
    plan_.after_run.push_back(step.folded ? nullptr : std::move(prepared.after_run));
    plan_.scratch_bytes.push_back(step.folded ? 0 : prepared.scratch_bytes);
    plan_.steps.push_back(std::move(step));
    return Ok{};
  }

  Status take_output(ValueId id, const Shape& shape, Step& step) {
    const Value& v = graph().value(id);
    if (v.is_variable) {
      return Error(ErrorCode::op_unsupported, "an operator that writes a variable")
          .in_layer(step.label);
    }
    plan_.shapes[static_cast<size_t>(id)] = shape;
    EDGETWIN_TRY(check_size(id, step.label));
    step.out_bytes += storage_bytes(v.dtype, shape.elements());
    if (v.has_shape && v.shape.is_static() && !(v.shape == shape)) {
      // Exporters of ESP-DL are known to leave such shapes behind transpositions.
      const bool known = !graph().ops[step.op_index].type.empty();
      plan_.findings.push_back({known ? Severity::note : Severity::warning, "", step.label,
                                "the file declares the output '" + v.name + "' as " +
                                    to_string(v.shape) + ", its inputs make it " + to_string(shape),
                                "the inputs' shapes were used"});
    }
    return Ok{};
  }

  // Runs an operator whose operands are all constant once, now.
  Result<bool> fold(const Op& op, const ops::Prepared& prepared, int64_t out_bytes) {
    std::vector<std::byte*> inputs;
    for (const ValueId id : op.inputs) {
      const Bytes* data = id == kAbsent ? nullptr : plan_.constants[static_cast<size_t>(id)].get();
      const bool only_shape = op.kind == OpKind::shape;
      if (id != kAbsent && data == nullptr && !only_shape) return false;
      // Kernels do not write operands other than variables, which are never constant.
      inputs.push_back(data == nullptr ? nullptr : const_cast<std::byte*>(data->data()));
    }
    if (folded_bytes_ + out_bytes > kMaxFoldedBytes) return false;
    folded_bytes_ += out_bytes;
    std::vector<std::shared_ptr<Bytes>> results;
    std::vector<std::byte*> outputs;
    for (const ValueId id : op.outputs) {
      const int64_t bytes =
          storage_bytes(graph().value(id).dtype, plan_.shapes[static_cast<size_t>(id)].elements());
      results.push_back(std::make_shared<Bytes>(static_cast<size_t>(bytes)));
      outputs.push_back(results.back()->data());
    }
    Bytes scratch(prepared.scratch_bytes);
    ThreadPool pool(1);
    EDGETWIN_TRY(prepared.run({inputs.data(), outputs.data(), scratch.data(), pool}));
    for (size_t o = 0; o < op.outputs.size(); ++o) {
      plan_.constants[static_cast<size_t>(op.outputs[o])] = results[o];
    }
    return true;
  }

  void touch(ValueId id, int step) {
    Placement& p = plan_.memory.placements[static_cast<size_t>(id)];
    if (p.first_step < 0) p.first_step = step;
    p.last_step = std::max(p.last_step, step);
  }

  void find_lifetimes() {
    const int last = static_cast<int>(plan_.steps.size());
    plan_.memory.placements.assign(graph().values.size(), {});
    for (const ValueId id : graph().inputs) touch(id, 0);
    for (size_t s = 0; s < plan_.steps.size(); ++s) {
      if (plan_.steps[s].folded) continue;
      const Op& op = graph().ops[plan_.steps[s].op_index];
      for (const ValueId id : op.inputs) {
        if (id != kAbsent) touch(id, static_cast<int>(s));
      }
      for (const ValueId id : op.outputs) touch(id, static_cast<int>(s));
    }
    // Outputs can be read after a run.
    for (const ValueId id : graph().outputs) touch(id, last);
  }

  Status place_memory() {
    find_lifetimes();
    MemoryPlan& memory = plan_.memory;
    const int last = static_cast<int>(plan_.steps.size());
    std::vector<Lifetime> lifetimes;
    std::vector<int64_t*> offsets;
    for (size_t i = 0; i < memory.placements.size(); ++i) {
      Placement& p = memory.placements[i];
      const Value& v = graph().values[i];
      if (plan_.constants[i] != nullptr) {
        p.kind = Placement::Kind::constant;
        p.bytes = static_cast<int64_t>(plan_.constants[i]->size());
        continue;
      }
      if (p.first_step < 0) continue;
      p.bytes = storage_bytes(v.dtype, plan_.shapes[i].elements());
      p.kind = v.is_variable ? Placement::Kind::variable : Placement::Kind::arena;
      const bool keep = plan_.options.keep_all || v.is_variable;
      lifetimes.push_back({p.bytes, keep ? 0 : p.first_step, keep ? last : p.last_step});
      offsets.push_back(&p.offset);
    }
    plan_.scratch_offsets.assign(plan_.steps.size(), 0);
    for (size_t s = 0; s < plan_.steps.size(); ++s) {
      if (plan_.scratch_bytes[s] == 0) continue;
      lifetimes.push_back(
          {static_cast<int64_t>(plan_.scratch_bytes[s]), static_cast<int>(s), static_cast<int>(s)});
      offsets.push_back(&plan_.scratch_offsets[s]);
    }
    const ArenaLayout layout = place(lifetimes);
    for (size_t i = 0; i < offsets.size(); ++i) *offsets[i] = layout.offsets[i];
    memory.arena_bytes = layout.bytes;
    memory.peak_lower_bound = lower_bound(lifetimes);
    for (const Lifetime& l : lifetimes) memory.unplanned_bytes += l.bytes;
    if (layout.bytes <= kMaxArenaBytes) return Ok{};
    return Error(ErrorCode::out_of_memory, "the activations need " + std::to_string(layout.bytes) +
                                               " bytes, the limit is " +
                                               std::to_string(kMaxArenaBytes));
  }

  Plan& plan_;
  ops::PrepareFn prepare_;
  numerics::EdgetpuOptions edgetpu_;
  int64_t folded_bytes_ = 0;
  std::vector<int> readers_;  // by value; of packed weights those that are to come
};

}  // namespace

Result<Plan> make_plan(std::shared_ptr<const Graph> graph, const Options& options) {
  EDGETWIN_TRY_ASSIGN(const ops::NumericsInfo* row, ops::numerics_of_graphs(options.numerics));
  if (options.threads < 1 || options.threads > 256) {
    return Error(ErrorCode::usage,
                 std::to_string(options.threads) + " threads; 1 to 256 are possible");
  }
  EDGETWIN_TRY(verify_graph(*graph));
  Plan plan;
  plan.graph = std::move(graph);
  plan.options = options;
  EDGETWIN_TRY_ASSIGN(const numerics::EdgetpuOptions edgetpu,
                      ops::edgetpu_options(options.numerics));
  EDGETWIN_TRY(Planner(plan, row->prepare, edgetpu).run());
  // Packed weights are larger than what was given back, and do not fit where that was.
  if (plan.options.given_back) give_back_freed_memory();
  plan.options.given_back = nullptr;
  return plan;
}

}  // namespace edgetwin::exec
