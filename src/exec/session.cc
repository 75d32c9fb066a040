#include "exec/session.h"

#include <algorithm>
#include <cstring>

#include "exec/plan.h"

namespace edgetwin::exec {

using Clock = std::chrono::steady_clock;

struct Session::Impl {
  explicit Impl(Plan p) : plan(std::move(p)), pool(plan.options.threads) {}

  Plan plan;
  ThreadPool pool;
  Bytes arena;
  std::vector<Bytes> inputs;          // as last set; copied into the arena when a run begins
  std::vector<std::byte*> addresses;  // by value; null: no memory
  std::vector<std::vector<std::byte*>> step_inputs;  // by step, resolved once
  std::vector<std::vector<std::byte*>> step_outputs;
  std::vector<Finding> run_findings;

  std::byte* address(ValueId id) const {
    return id == kAbsent ? nullptr : addresses[static_cast<size_t>(id)];
  }

  size_t input_bytes(size_t index) const {
    const ValueId id = plan.graph->inputs[index];
    const DType type = plan.graph->value(id).dtype;
    return static_cast<size_t>(
        storage_bytes(type, plan.shapes[static_cast<size_t>(id)].elements()));
  }

  void load_inputs() {
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i].empty()) continue;
      std::memcpy(address(plan.graph->inputs[i]), inputs[i].data(), inputs[i].size());
    }
  }

  void resolve() {
    for (size_t i = 0; i < plan.graph->inputs.size(); ++i) inputs.emplace_back(input_bytes(i));
    arena.resize(static_cast<size_t>(plan.memory.arena_bytes));
    for (size_t i = 0; i < plan.memory.placements.size(); ++i) {
      const Placement& p = plan.memory.placements[i];
      const bool in_arena = p.kind == Placement::Kind::arena || p.kind == Placement::Kind::variable;
      // Kernels never write constants (kernel.h), so that the cast stays harmless.
      addresses.push_back(plan.constants[i] != nullptr
                              ? const_cast<std::byte*>(plan.constants[i]->data())
                          : in_arena ? arena.data() + p.offset
                                     : nullptr);
    }
    for (const Step& step : plan.steps) {
      const Op& op = plan.graph->ops[step.op_index];
      step_inputs.emplace_back();
      step_outputs.emplace_back();
      for (const ValueId id : op.inputs) step_inputs.back().push_back(address(id));
      for (const ValueId id : op.outputs) step_outputs.back().push_back(address(id));
    }
  }

  Status run_step(size_t s) {
    return plan.kernels[s]({step_inputs[s].data(), step_outputs[s].data(),
                            arena.data() + plan.scratch_offsets[s], pool});
  }
};

Session::Session(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

Result<Session> Session::create(std::shared_ptr<const Graph> graph, const Options& options) {
  EDGETWIN_TRY_ASSIGN(Plan plan, make_plan(std::move(graph), options));
  auto impl = std::make_unique<Impl>(std::move(plan));
  impl->resolve();
  Session session(std::move(impl));
  session.reset_variables();
  return session;
}

const Graph& Session::graph() const { return *impl_->plan.graph; }
const Options& Session::options() const { return impl_->plan.options; }
const std::vector<Step>& Session::steps() const { return impl_->plan.steps; }
const MemoryPlan& Session::memory() const { return impl_->plan.memory; }
const std::vector<Finding>& Session::findings() const { return impl_->plan.findings; }
const Shape& Session::shape(ValueId id) const {
  return impl_->plan.shapes[static_cast<size_t>(id)];
}

Status Session::set_input(size_t index, ByteSpan data) {
  const ValueId id = graph().inputs[index];
  const size_t wanted = impl_->input_bytes(index);
  if (data.size() != wanted) {
    return Error(ErrorCode::input_shape, "input " + std::to_string(index) + " '" +
                                             graph().value(id).name + "' takes " +
                                             std::to_string(wanted) + " bytes, " +
                                             std::to_string(data.size()) + " were given")
        .detail(to_string(shape(id)) + " " + std::string(name(graph().value(id).dtype)));
  }
  std::copy(data.begin(), data.end(), impl_->inputs[index].begin());  // there is room of this size
  return Ok{};
}

const std::vector<Finding>& Session::run_findings() const { return impl_->run_findings; }

Status Session::run(const Observer& observer) {
  EDGETWIN_TRY(run_steps(observer, nullptr));
  return Ok{};
}

Result<bool> Session::run_until(const std::atomic<bool>& stop) { return run_steps(nullptr, &stop); }

Result<bool> Session::run_steps(const Observer& observer, const std::atomic<bool>* stop) {
  impl_->load_inputs();
  impl_->run_findings.clear();
  for (size_t s = 0; s < impl_->plan.steps.size(); ++s) {
    if (stop != nullptr && stop->load(std::memory_order_relaxed)) return false;
    const auto begin = observer ? Clock::now() : Clock::time_point{};
    if (!impl_->plan.steps[s].folded) EDGETWIN_TRY(impl_->run_step(s));
    if (observer) observer(s, Clock::now() - begin);
    if (impl_->plan.after_run[s]) impl_->plan.after_run[s](impl_->run_findings);
  }
  return true;
}

void Session::reset_variables() {
  for (size_t i = 0; i < graph().values.size(); ++i) {
    const Value& v = graph().values[i];
    const Placement& p = memory().placements[i];
    if (p.kind != Placement::Kind::variable) continue;
    const int64_t zero = v.quant.zero_point_of(0);
    std::byte* data = impl_->addresses[i];
    const size_t size = byte_size(v.dtype);
    for (int64_t at = 0; at < p.bytes; at += static_cast<int64_t>(size)) {
      std::memcpy(data + at, &zero, size);  // little-endian: the low bytes are the number
    }
  }
}

ByteSpan Session::bytes(ValueId id) const {
  for (size_t i = 0; i < graph().inputs.size(); ++i) {
    if (graph().inputs[i] == id) return impl_->inputs[i];
  }
  const std::byte* data = impl_->address(id);
  if (data == nullptr) return {};
  return {data, static_cast<size_t>(memory().placements[static_cast<size_t>(id)].bytes)};
}

Tensor Session::tensor(ValueId id) const {
  const Value& v = graph().value(id);
  Tensor t;
  t.name = v.name;
  t.dtype = v.dtype;
  t.shape = shape(id);
  t.quant = v.quant;
  t.data = to_bytes(bytes(id));
  return t;
}

}  // namespace edgetwin::exec
