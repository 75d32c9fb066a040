#include "edgetwin/plan.h"

#include "base/file.h"
#include "targets/max78/analysis/statistics.h"
#include "targets/max78/pipeline/run.h"
#include "targets/target.h"
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

}  // namespace

Result<PlannedNetwork> plan(const std::string& description, const OpenOptions& options) {
  PlannedNetwork result;
  EDGETWIN_TRY_ASSIGN(result.target, targets::require_target_for(options.target, "plan"));
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(description));
  std::optional<Finding> note;
  EDGETWIN_TRY_ASSIGN(max78::NetworkSources sources,
                      twin::max78_sources(ByteSpan(data), description, options, note));
  sources.plan = true;
  max78::Loading loading = max78::load_network(sources, max78::SampleNeed::numbers);
  if (loading.failure) return *loading.failure;
  result.findings = std::move(loading.findings);
  if (note) result.findings.insert(result.findings.begin(), *note);
  if (loading.network == nullptr || loading.network->planning.plan() == nullptr) return result;
  const max78::LoadedNetwork& network = *loading.network;
  EDGETWIN_TRY_ASSIGN(const max78::PlanProof proof, max78::prove(network, network.sample));
  if (!proof.proven()) return proof_failed(proof);
  result.fits = true;
  result.description = network.description;
  result.attempts = network.planned ? network.planned->attempts : 0;
  result.cycles = max78::statistics(network.plan()).cycles;
  result.values_equal = static_cast<int64_t>(proof.values);
  return result;
}

}  // namespace edgetwin
