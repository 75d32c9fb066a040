#include "quantize/espdl/quantize.h"

#include <algorithm>

#include "quantize/espdl/lowering/state.h"
#include "quantize/espdl/passes/calibrate.h"
#include "quantize/espdl/passes/passes.h"
#include "transform/block_order.h"
#include "transform/equalize.h"

namespace edgetwin::quantize {
namespace {

Status check_settings(const Settings& s) {
  if (s.steps < 1) return Error(ErrorCode::quant_setting, "calibration needs one run at least");
  if (s.high_precision && s.bits != 16) {
    return Error(ErrorCode::quant_setting, "high precision is a property of 16 bits");
  }
  return Ok{};
}

// DepthToSpace in the one order of channels that the runtime computes rightly.
void order_blocks(Graph& graph, std::vector<Finding>& findings) {
  for (const transform::ReorderedBlock& b : transform::channel_first_blocks(graph)) {
    const std::string how = b.layer.empty()
                                ? "a Gather before it puts the channels in order"
                                : "the output channels of " + b.layer + " are put in order";
    findings.push_back(
        {Severity::note, "", b.block,
         "becomes CRD, as the runtime computes DCR wrongly: " + how + ", the result is the same",
         ""});
  }
}

// The network with its biases corrected, if that is wanted.
Result<Graph> with_biases(const Graph& graph, const std::vector<Sample>& samples,
                          const Settings& settings) {
  if (!settings.passes.correct_bias) return graph;
  EDGETWIN_TRY_ASSIGN(Plan plan, Plan::make(graph, settings));
  EDGETWIN_TRY(quantize_parameters(plan));
  return correct_biases(plan, samples);
}

// Of its producer; of an input of the network that of the first operand that reads it.
QuantId quant_of(const Plan& plan, ValueId id) {
  if (plan.producer(id)) return plan.output_quant(id);
  for (size_t i = 0; i < plan.graph().ops.size(); ++i) {
    const std::vector<ValueId>& inputs = plan.graph().ops[i].inputs;
    const auto at = std::find(inputs.begin(), inputs.end(), id);
    if (at != inputs.end()) return plan.ops()[i].inputs[static_cast<size_t>(at - inputs.begin())];
  }
  return kNone;
}

// The operator of the written file that makes a value, as all else about that file names it.
std::string maker_label(const Graph& graph, ValueId id) {
  for (size_t i = 0; i < graph.ops.size(); ++i) {
    const std::vector<ValueId>& outputs = graph.ops[i].outputs;
    if (std::find(outputs.begin(), outputs.end(), id) != outputs.end()) return op_label(graph, i);
  }
  return "input";
}

void report_tensors(const Plan& plan, const Graph& graph, const std::vector<ValueId>& origin,
                    Report& report) {
  for (size_t i = 0; i < graph.values.size(); ++i) {
    const Value& v = graph.values[i];
    if (v.is_constant() || !v.quant.present() || origin[i] == kAbsent) continue;
    TensorReport t;
    t.tensor = v.name;
    t.bits = bits(v.dtype);
    t.exponent = v.quant.exponent[0];
    const QuantId c = quant_of(plan, origin[i]);
    t.op = maker_label(graph, static_cast<ValueId>(i));
    if (c != kNone) {
      t.low = plan.deciding(c).low;
      t.high = plan.deciding(c).high;
    }
    report.tensors.push_back(std::move(t));
  }
}

}  // namespace

Result<Planned> plan_espdl(const Graph& network, const std::vector<Sample>& samples,
                           const Settings& settings, const ProgressSink& progress) {
  EDGETWIN_TRY(check_settings(settings));
  EDGETWIN_TRY(require_layout(network, Layout::nchw));
  Planned planned;
  EDGETWIN_TRY(check_samples(network, samples, planned.findings));
  planned.reference = network;
  if (settings.passes.fit_runtime) order_blocks(planned.reference, planned.findings);
  if (settings.passes.equalize) {
    const size_t pairs = transform::equalize(planned.reference, settings.passes.equalize_rounds);
    planned.findings.push_back(
        {Severity::note, "", "", "equalized " + std::to_string(pairs) + " pairs of layers", ""});
  }
  EDGETWIN_TRY_ASSIGN(Graph graph, with_biases(planned.reference, samples, settings));
  planned.settings = std::make_unique<const Settings>(settings);
  planned.graph = std::make_unique<Graph>(std::move(graph));
  EDGETWIN_TRY_ASSIGN(Plan plan, Plan::make(*planned.graph, *planned.settings));
  if (settings.passes.fuse_activation) fuse_activations(plan);
  if (settings.passes.share_passive) share_passive(plan);
  join_producers(plan);
  EDGETWIN_TRY(quantize_parameters(plan));
  EDGETWIN_TRY(calibrate(plan, samples, progress));
  align_operands(plan);
  raise_shifts(plan);
  EDGETWIN_TRY(quantize_biases(plan));
  planned.plan = std::make_unique<const Plan>(std::move(plan));
  return planned;
}

Status set_exponents(Planned& planned, const std::map<QuantId, std::vector<int>>& exponents) {
  auto plan = std::make_unique<Plan>(*planned.plan);
  for (const auto& [id, own] : exponents) plan->quant(id).exponent = own;
  std::vector<Finding> said = std::move(plan->findings);
  plan->findings.clear();
  raise_shifts(*plan);
  EDGETWIN_TRY(quantize_biases(*plan));
  // What was said of the plan before is said once.
  for (Finding& f : plan->findings) {
    const bool known = std::any_of(said.begin(), said.end(), [&](const Finding& old) {
      return old.message == f.message && old.place.layer == f.place.layer;
    });
    if (!known) said.push_back(std::move(f));
  }
  plan->findings = std::move(said);
  planned.plan = std::move(plan);
  return Ok{};
}

Result<Quantized> lower_espdl(const Planned& planned) {
  const Plan& plan = *planned.plan;
  Quantized result;
  result.reference = planned.reference;
  LoweringState state(plan);
  fuse_relu(state);
  make_luts(state);
  order_matrices(state);
  EDGETWIN_TRY(change_layout(state));
  merge_transposes(state);
  insert_conversions(state);
  EDGETWIN_TRY_ASSIGN(result.graph, finish(state));
  result.origin = std::move(state.origin);
  result.tables = std::move(state.tables);
  for (size_t i = 0; i < result.graph.values.size(); ++i) {
    const auto& perm = state.perms[i];
    result.perms.push_back(perm ? *perm : identity_perm(result.graph.values[i].shape.rank()));
  }
  std::vector<Finding>& findings = result.report.findings;
  findings = planned.findings;
  report_tensors(plan, result.graph, result.origin, result.report);
  findings.insert(findings.end(), plan.findings.begin(), plan.findings.end());
  findings.insert(findings.end(), state.findings.begin(), state.findings.end());
  return result;
}

Result<Quantized> quantize_espdl(const Graph& network, const std::vector<Sample>& samples,
                                 const Settings& settings, const ProgressSink& progress) {
  EDGETWIN_TRY_ASSIGN(const Planned planned, plan_espdl(network, samples, settings, progress));
  return lower_espdl(planned);
}

}  // namespace edgetwin::quantize
