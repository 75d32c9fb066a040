#include "edgetwin/plan.h"

#include "base/file.h"
#include "targets/max78/analysis/statistics.h"
#include "targets/max78/pipeline/reordered.h"
#include "targets/max78/pipeline/run.h"
#include "targets/target.h"
#include "twin/make/plan_float.h"
#include "twin/max78_network.h"

namespace edgetwin {
namespace {

Error proof_failed(const max78::PlanProof& proof) {
  Error e(ErrorCode::internal,
          "the plan that was made fails its proof: the machine parts from the twin in " +
              std::to_string(proof.different) + " values");
  if (!proof.first.empty()) e.details.push_back("first in " + proof.first);
  return e;
}

std::string known_objectives() {
  const std::vector<std::string> names = max78::objective_names();
  std::string text = names.front();
  for (size_t i = 1; i < names.size(); ++i) {
    text += (i + 1 < names.size() ? ", " : " and ") + names[i];
  }
  return text;
}

// Its misfits are findings of the result.
Result<twin::FloatPlan> quantized(const std::string& network, const OpenOptions& options,
                                  const PlanOptions& wishes, const max78::NetworkSources& sources,
                                  PlannedNetwork& result) {
  for (const std::string* word : {&options.checkpoint, &options.weights, &options.bias,
                                  &options.sample, &options.input_shape}) {
    if (word->empty()) continue;
    return Error(ErrorCode::usage, "'" + *word + "' belongs to a network description, .yaml")
        .with_hint("A float network has its own parameters and size.");
  }
  twin::QuantizeRun run;
  run.file = network;
  run.noticed = [&result](const Finding& f) { result.findings.push_back(f); };
  run.options.target = result.target->name;
  run.options.shapes = options.shapes;
  run.options.calibrate = wishes.calibrate;
  EDGETWIN_TRY_ASSIGN(twin::FloatPlan made, twin::float_plan(run, sources));
  for (const Error& e : made.misfits) {
    result.findings.push_back(finding_of(e, Severity::error));
  }
  return made;
}

Status prove_and_fill(const max78::LoadedNetwork& network, PlannedNetwork& result) {
  EDGETWIN_TRY_ASSIGN(const max78::PlanProof proof, max78::prove(network, network.sample));
  if (!proof.proven()) return proof_failed(proof);
  result.fits = true;
  result.description = network.description;
  result.cycles = max78::statistics(network.plan()).cycles;
  result.values_equal = static_cast<int64_t>(proof.values);
  if (!network.planned) return Ok{};
  result.attempts = network.planned->attempts;
  result.groups = network.planned->cost.groups;
  result.data_bytes = network.planned->cost.data_bytes;
  result.kernel_bytes = network.planned->cost.kernel_bytes;
  return Ok{};
}

}  // namespace

Result<PlannedNetwork> plan(const std::string& network, const OpenOptions& options,
                            const PlanOptions& wishes) {
  PlannedNetwork result;
  EDGETWIN_TRY_ASSIGN(result.target, targets::require_target_for(options.target, "plan"));
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(network));
  std::optional<Finding> note;
  std::optional<twin::FloatPlan> made;
  max78::NetworkSources sources;
  if (twin::is_float_network(data)) {
    sources.device = *max78::device_by_name(result.target->name);
    EDGETWIN_TRY_ASSIGN(sources.options, max78::options_from(options.options));
    EDGETWIN_TRY_ASSIGN(made, quantized(network, options, wishes, sources, result));
    if (!made->misfits.empty()) return result;
    twin::use_float_plan(*made, sources);
  } else if (!wishes.calibrate.empty()) {
    return Error(ErrorCode::usage, "calibration data belong to a float network, .onnx");
  } else {
    EDGETWIN_TRY_ASSIGN(sources, twin::max78_sources(ByteSpan(data), network, options, note));
  }
  sources.plan = true;
  const auto objective = max78::objective_by_name(wishes.objective);
  if (!objective) {
    return Error(ErrorCode::usage, "there is no objective '" + wishes.objective + "'")
        .with_hint("Known are " + known_objectives() + ".");
  }
  sources.objective = *objective;
  max78::Loading loading = max78::load_network(sources, max78::SampleNeed::numbers);
  if (loading.failure) return *loading.failure;
  if (note) result.findings.push_back(*note);
  result.findings.insert(result.findings.end(), loading.findings.begin(), loading.findings.end());
  if (loading.network == nullptr || loading.network->planning.plan() == nullptr) return result;
  EDGETWIN_TRY(prove_and_fill(*loading.network, result));
  if (made) {
    result.files = twin::planned_files(*made, result.description);
  } else {
    EDGETWIN_TRY_ASSIGN(auto moved, max78::reordered_checkpoint(sources, *loading.network));
    if (moved) result.files.push_back({"network.pth.tar", std::move(*moved)});
  }
  return result;
}

}  // namespace edgetwin
