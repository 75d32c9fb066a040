#include "quantize/quantize.h"

#include <algorithm>

#include "quantize/calibrate.h"
#include "quantize/passes.h"
#include "quantize/work.h"

namespace edgetwin::quantize {
namespace {

Status check_settings(const Settings& s) {
  if (s.steps < 1) return Error(ErrorCode::quant_setting, "calibration needs one run at least");
  if (s.high_precision && s.bits != 16) {
    return Error(ErrorCode::quant_setting, "high precision is a property of 16 bits");
  }
  return Ok{};
}

// The network with its biases corrected, if that is wanted.
Result<Graph> with_biases(const Graph& graph, const std::vector<Sample>& samples,
                          const Settings& settings) {
  if (!settings.passes.correct_bias) return graph;
  EDGETWIN_TRY_ASSIGN(Net net, Net::make(graph, settings));
  EDGETWIN_TRY(quantize_parameters(net));
  return correct_biases(net, samples);
}

// Of its producer; of an input of the network that of the first operand that reads it.
ConfigId config_of(const Net& net, ValueId id) {
  if (net.producer(id)) return net.output_config(id);
  for (size_t i = 0; i < net.graph().ops.size(); ++i) {
    const std::vector<ValueId>& inputs = net.graph().ops[i].inputs;
    const auto at = std::find(inputs.begin(), inputs.end(), id);
    if (at != inputs.end()) return net.ops()[i].inputs[static_cast<size_t>(at - inputs.begin())];
  }
  return kNone;
}

void report_tensors(const Net& net, const Graph& graph, const std::vector<ValueId>& origin,
                    Report& report) {
  for (size_t i = 0; i < graph.values.size(); ++i) {
    const Value& v = graph.values[i];
    if (v.is_constant() || !v.quant.present() || origin[i] == kAbsent) continue;
    TensorReport t;
    t.tensor = v.name;
    t.bits = bits(v.dtype);
    t.exponent = v.quant.exponent[0];
    const ConfigId c = config_of(net, origin[i]);
    const auto op = net.producer(origin[i]);
    t.op = op ? op_label(net.graph(), *op) : "input";
    if (c != kNone) {
      t.low = net.decides(c).low;
      t.high = net.decides(c).high;
    }
    report.tensors.push_back(std::move(t));
  }
}

}  // namespace

Result<Quantized> quantize_espdl(const Graph& network, const std::vector<Sample>& samples,
                                 const Settings& settings, const ProgressSink& progress) {
  EDGETWIN_TRY(check_settings(settings));
  Quantized result;
  std::vector<Finding>& findings = result.report.findings;
  EDGETWIN_TRY(check_samples(network, samples, findings));
  result.reference = network;
  if (settings.passes.equalize) {
    equalize(result.reference, settings.passes.equalize_rounds, findings);
  }
  EDGETWIN_TRY_ASSIGN(const Graph graph, with_biases(result.reference, samples, settings));
  EDGETWIN_TRY_ASSIGN(Net net, Net::make(graph, settings));
  if (settings.passes.fuse_activation) fuse_activations(net);
  if (settings.passes.share_passive) share_passive(net);
  join_producers(net);
  EDGETWIN_TRY(quantize_parameters(net));
  EDGETWIN_TRY(calibrate(net, samples, progress));
  align_operands(net);
  raise_shifts(net);
  EDGETWIN_TRY(quantize_biases(net));

  Work work(net);
  fuse_relu(work);
  make_luts(work);
  order_matrices(work);
  EDGETWIN_TRY(change_layout(work));
  merge_transposes(work);
  insert_conversions(work);
  EDGETWIN_TRY_ASSIGN(result.graph, finish(work));
  result.origin = std::move(work.origin);
  for (size_t i = 0; i < result.graph.values.size(); ++i) {
    const auto& perm = work.perms[i];
    result.perms.push_back(perm ? *perm : identity_perm(result.graph.values[i].shape.rank()));
  }
  report_tensors(net, result.graph, result.origin, result.report);
  findings.insert(findings.end(), net.findings.begin(), net.findings.end());
  findings.insert(findings.end(), work.findings.begin(), work.findings.end());
  return result;
}

}  // namespace edgetwin::quantize
